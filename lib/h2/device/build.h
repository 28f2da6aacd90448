/* SPDX-License-Identifier: BSD-3-Clause */
/* Building H² matrices on a GPU: tree and structure come from the CPU, all numbers from the device. */
#ifndef H2_DEVICE_BUILD_H
#define H2_DEVICE_BUILD_H

#include "h2/build/internal.h"
#include "h2/device/device.h"
#include "h2/fill/gpu.h"

/* h2_build with tree and structure from the CPU, all numbers from the device: those of `matrix` are not set
 * until h2_device_download. */
base_status h2_device_build(base_context *context, base_device *device, const double *point, int64_t n,
                            int64_t dim, const h2_build_options *options, h2_matrix *matrix,
                            h2_device_matrix *on_device);

/* h2_fill on the device of `on_device`, which has room for the numbers: they are there, not yet in the
 * matrix. */
base_status h2_device_fill(base_context *context, const h2_builder *builder,
                           const h2_device_matrix *on_device);

/* h2_fill on a device that has no room for all numbers: part by part, each copied to the matrix; and the
 * bytes that must be free for it. */
base_status h2_device_fill_in_parts(base_context *context, const h2_builder *builder, base_device *device);
int64_t h2_device_fill_bytes(const h2_matrix *matrix);

/* What the device's kernels fill the numbers from. */
void h2_device_describe(const h2_builder *builder, h2_gpu_how *how);

#endif
