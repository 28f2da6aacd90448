/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of exact.h on devices: over all subsets, and without those in which a row sum is 0 (the sieve).
 */
#include "base/core/memory.h"
#include "perm/chunks/device_sums.h"
#include "perm/exact/chunks.h"
#include "perm/exact/device.h"
#include "perm/exact/internal.h"

#include <stdlib.h>
#include <string.h>

static base_status make_exact(base_context *context, const void *problem, int64_t number,
                              perm_device_sum *sum) {
    return perm_exact_device_sum(context, problem, number, false, sum);
}

static base_status make_sieve(base_context *context, const void *problem, int64_t number,
                              perm_device_sum *sum) {
    return perm_exact_device_sum(context, problem, number, true, sum);
}

static bool agree_exact(const void *problem, const void *a, const void *b) {
    const perm_exact *exact = problem;
    return memcmp(a, b, (size_t)exact->residue_count * sizeof(int64_t)) == 0;
}

static base_status confirm_exact(base_context *context, const void *self, const perm_value *value,
                                 bool *agrees) {
    base_status status;
    const perm_chunks_sums *method = self;
    const perm_exact *check = perm_exact_chunks_check(&method->processor);
    int64_t *residue = base_alloc(context, check->chunk_count * check->residue_count, sizeof *residue);
    if (residue == NULL)
        return BASE_MACHINE;
    BASE_TRY(perm_exact_device_run(context, method->devices, check, 0, check->chunk_count, false, residue));
    BASE_TRY(perm_exact_agrees(context, check, residue, value, agrees));
done:
    free(residue);
    return status;
}

static const perm_chunks_sums_kind exact_kind = {"exact-cuda", PERM_EXACT_DEVICE_LOG2_LAUNCH, make_exact,
                                                 agree_exact};
static const perm_chunks_sums_kind sieve_kind = {"sieve-cuda", PERM_EXACT_DEVICE_LOG2_LAUNCH, make_sieve,
                                                 agree_exact};

static base_status open_kind(base_context *context, const perm_chunks_sums_kind *kind, const perm_task *task,
                             perm_chunked *chunked) {
    base_status status;
    perm_chunks_sums *method;
    BASE_TRY(perm_chunks_sums_begin(context, task->devices, &method, chunked));
    BASE_TRY(perm_exact_chunks(context, task->matrix, NULL, false, &method->processor));
    const perm_exact *exact = method->processor.method;
    method->count = perm_exact_device_count(exact);
    BASE_TRY(perm_chunks_sums_finish(context, kind, exact->seconds, method, chunked));
    if (task->verify) {
        BASE_TRY(perm_exact_chunks_add_check(context, task->matrix, NULL, &method->processor));
        chunked->confirm = confirm_exact;
    }
done:
    return status;
}

base_status perm_exact_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    return open_kind(context, &exact_kind, task, chunked);
}

base_status perm_sieve_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    return open_kind(context, &sieve_kind, task, chunked);
}
