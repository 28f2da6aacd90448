/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the driver of this folder, which tests of base/device take instead of NVIDIA's. */
#ifndef TESTS_FAKE_LOADER_H
#define TESTS_FAKE_LOADER_H

#include "base/device/device.h"

extern char fake_path[1024]; /* of its library, for MMPIPE_LIBCUDA and MMPIPE_LIBNVRTC */

/* What the driver counts: objects and contexts that are alive, programs compiled; and forgetting all objects.
 */
extern int (*fake_alive)(void), (*fake_compilations)(void);
extern void (*fake_reset)(void);

/* Loads it; false where it is not there (dlerror). */
bool fake_load(void);

/* Whether the context's cause has the text; notes the cause where it has not. */
bool fake_says(const base_context *context, const char *text);

/* Opens the first `count` of the devices 1 and 0; the context is initialised. */
base_devices *fake_open_devices(base_context *context, int count);

#endif
