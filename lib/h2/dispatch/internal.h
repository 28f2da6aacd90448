/* SPDX-License-Identifier: BSD-3-Clause */
/* What a step of the work is, and what the steps share. */
#ifndef H2_DISPATCH_INTERNAL_H
#define H2_DISPATCH_INTERNAL_H

#include "h2/device/device.h"
#include "h2/dispatch/dispatch.h"

/* `call` points to what the step is called with, a struct of its own. */
typedef struct h2_step {
    bool uploads, downloads; /* the numbers: to the device before it, from there after it */
    bool makes;              /* its result needs new memory; otherwise it lies where the input did */

    /* Seconds that the CPU takes, about, and bytes that a device must have free. */
    double (*seconds)(const h2_matrix *matrix, const void *call, int threads);
    int64_t (*bytes)(const h2_matrix *matrix, const void *call);

    /* Why no device can do it: noted where one was asked for, unless it is empty. NULL: one can. May be NULL
     * itself. */
    const char *(*reason)(const h2_matrix *matrix, const void *call);

    base_status (*on_cpu)(base_context *context, void *call);
    base_status (*on_device)(base_context *context, h2_device_matrix *on_device, void *call);

    /* The same with a device that has no room for all numbers, from the host's memory to it: bytes that must
     * be free. NULL: there is no such way. */
    int64_t (*part_bytes)(const h2_matrix *matrix, const void *call);
    base_status (*in_parts)(base_context *context, base_device *device, void *call);
} h2_step;

/* Does the step on the CPU, or on a device that has room for the numbers of `matrix` or for parts of them. */
base_status h2_dispatch_step(base_context *context, h2_dispatch *dispatch, const h2_step *step,
                             h2_matrix *matrix, void *call);

/* Whether a device should do the step of a matrix that is on none: it is faster than the CPU, and it is
 * started already or the CPU's losses reach its start, with those of the steps before. Otherwise adds what
 * the CPU loses on this one. */
bool h2_dispatch_wants_device(h2_dispatch *dispatch, const h2_step *step, const h2_matrix *matrix,
                              const void *call, int threads);

/* Bytes of all numbers of bases and blocks. */
int64_t h2_value_bytes(const h2_matrix *matrix);

/* For changes of bases: seconds with so many flop a number of the coupling blocks and its rank; bytes, of all
 * or of a part; and whether the device's kernels are for such ranks. */
double h2_change_seconds(const h2_matrix *matrix, double flop, int threads);
int64_t h2_change_bytes(const h2_matrix *matrix, const void *call);
int64_t h2_change_part_bytes(const h2_matrix *matrix, const void *call);
const char *h2_change_reason(const h2_matrix *matrix, const void *call);

#endif
