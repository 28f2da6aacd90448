/* SPDX-License-Identifier: BSD-3-Clause */
/* What a device costs beside its kernels: its start, and copies to it and back; and what memory costs that
 * the host writes for the first time. Measured once on a machine, at the end of the first program that used a
 * device, and kept in the cache (cache.h) under the name of the machine and of the driver; a start that takes
 * less replaces what is kept. Choices between the processor and a device go by this, before the driver is
 * loaded. */
#ifndef BASE_DEVICE_COSTS_H
#define BASE_DEVICE_COSTS_H

#include "base/device/device.h"

typedef struct base_device_costs {
    double start_seconds;          /* of the driver, of a device's context and of a program's code */
    double up_rate, down_rate;     /* bytes a second of base_device_upload_pieces and …_download_pieces */
    double pinned_up, pinned_down; /* … and of pinned memory */
    double fresh_rate;             /* bytes a second of new memory that all threads fill */
    bool is_measured;              /* false: what an H200 in a machine of 2025 takes, about */
} base_device_costs;

/* What is kept, or MMPIPE_DEVICE_COSTS=START:UP:DOWN or START:UP:DOWN:FRESH (seconds, bytes a second), which
 * replaces it; read when it is asked for the first time. Any thread. */
const base_device_costs *base_device_get_costs(void);

/* The same, read anew. */
base_device_costs base_device_read_costs(void);

/* Seconds that an array of the host's takes when it is allocated, filled and freed, beside what fills it. 0
 * for less than 32 MiB: the C library gives out such memory again, whose pages are there. */
double base_device_fresh_seconds(const base_device_costs *costs, double bytes);

#endif
