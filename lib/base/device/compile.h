/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code compiled while the program runs, with NVRTC, which is loaded at the first use: from
 * $MMPIPE_LIBNVRTC alone if that is set, else as libnvrtc.so.13, 12 or 11 from where the system's loader
 * looks, from the folders of $CUDA_HOME and $CUDA_PATH and from /usr/local/cuda. */
#ifndef BASE_DEVICE_COMPILE_H
#define BASE_DEVICE_COMPILE_H

#include "base/device/device.h"

typedef struct base_device_source {
    const char *name;           /* for messages */
    const char *text;           /* CUDA C++; kernels that are looked up by name are extern "C" */
    const char *const *options; /* of NVRTC, NULL at the end ("--fmad=false"); NULL: none */
} base_device_source;

/* Whether there is a compiler for a compute capability; fails with BASE_MACHINE and the reason. */
base_status base_device_check_compiler(base_context *context, int architecture);

/* Compiles for a compute capability (90 for 9.0): to machine code if NVRTC knows it, to PTX if the device is
 * newer than NVRTC; fails if it is older. Half a second and more. *image (released with free) has *bytes
 * bytes. Compiler errors are in the cause. */
base_status base_device_compile(base_context *context, const base_device_source *source, int architecture,
                                void **image, int64_t *bytes);

/* Loads the source's machine code from the cache (cache.h), or compiles, loads and caches it.
 * `from_cache` may be NULL. */
base_status base_device_build(base_context *context, base_device *device, const base_device_source *source,
                              base_device_module **module, bool *from_cache);

#endif
