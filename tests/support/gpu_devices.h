/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPUs that the programs of tests/gpu run on. */
#ifndef TESTS_SUPPORT_GPU_DEVICES_H
#define TESTS_SUPPORT_GPU_DEVICES_H

#include <stdio.h>
#include <stdlib.h>

#include "base/device/device.h"
#include "tests/support/tap.h"

/* Opens all GPUs of this machine; where there is none the tests are skipped with the reason. The caller
 * closes *devices in either case. */
static inline bool gpu_devices_open(base_context *context, base_devices **devices) {
    const bool opened = base_devices_open(context, BASE_DEVICE_AUTO, NULL, 0, devices) == BASE_OK;
    if (opened && base_devices_count(*devices) > 0)
        return true;
    tap_skip(1, opened ? base_devices_reason(*devices) : context->error.cause);
    return false;
}

/* Whether MMPIPE_GPU_QUICK asks for orders and walks that compute-sanitizer finishes: it takes some hundred
 * times as long. */
static inline bool gpu_quick(void) {
    return getenv("MMPIPE_GPU_QUICK") != NULL;
}

/* Whether this process runs the next case: all of them, or with MMPIPE_GPU_SHARE=K/N those whose number is K
 * modulo N. */
static inline bool gpu_case(void) {
    static int number = 0;
    const char *share = getenv("MMPIPE_GPU_SHARE");
    int mine = 0, processes = 1;
    if (share != NULL && (sscanf(share, "%d/%d", &mine, &processes) != 2 || processes < 1))
        processes = 1;
    return processes == 1 || number++ % processes == mine;
}

#endif
