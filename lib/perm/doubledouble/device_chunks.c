/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of doubledouble.h on devices. */
#include "perm/chunks/device_sums.h"
#include "perm/doubledouble/device.h"
#include "perm/doubledouble/internal.h"

#include <math.h>

static base_status make_dd(base_context *context, const void *problem, int64_t number, perm_device_sum *sum) {
    (void)number;
    return perm_dd_device_sum(context, problem, sum);
}

static bool agree_dd(const void *problem, const void *left, const void *right) {
    const perm_dd_partial *a = left, *b = right;
    const double most = fmax(a->magnitude, b->magnitude);
    double relative_error;
    perm_bound absolute_error;
    perm_dd_error(problem, &relative_error, &absolute_error);
    bool agree = fabs(a->magnitude - b->magnitude) <= 1e-6 * most;
    for (int part = 0; part < 2; part++)
        agree = agree && fabs(a->high[part] - b->high[part] + (a->middle[part] - b->middle[part]) +
                              (a->low[part] - b->low[part])) <= 2 * relative_error * most + 0x1p-900;
    return agree;
}

static const perm_chunks_sums_kind dd_kind = {"dd-cuda", PERM_DD_DEVICE_LOG2_LAUNCH, make_dd, agree_dd};

base_status perm_dd_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    base_status status;
    perm_chunks_sums *method;
    BASE_TRY(perm_chunks_sums_begin(context, task->devices, &method, chunked));
    BASE_TRY(perm_dd_chunks(context, task->matrix, NULL, false, &method->processor));
    const perm_dd *dd = method->processor.method;
    BASE_TRY(perm_chunks_sums_finish(context, &dd_kind, dd->seconds, method, chunked));
done:
    return status;
}
