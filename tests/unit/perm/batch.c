/* SPDX-License-Identifier: BSD-3-Clause */
/* A batch of records that is used again for fewer: what is left of those before is not solved once more. */
#include "perm/solve/batch.h"
#include "perm/solve/batch_blocks.h"
#include "perm/solve/solve.h"
#include "tests/support/tap.h"

#include <stdlib.h>

enum { BEFORE = 4, AFTER = 2 };

static base_context context;

/* k 1
 * 1 k, whose permanent is k² + 1. */
static void add(perm_batch *batch, int64_t k) {
    mm_record record;
    mm_record_init(&record);
    record = (mm_record){.nrow = 2, .ncol = 2, .nnz = 4, .field = MM_INTEGER, .format = MM_ARRAY};
    if (mm_record_alloc(&context, &record) != BASE_OK)
        abort();
    for (int i = 0; i < 4; i++)
        record.integer[i] = i % 3 == 0 ? k : 1;
    perm_batch_add(&context, batch, &record);
}

/* Counts those that are right, in `data`. */
static base_status take(base_context *own, void *data, const mm_record *record, base_status status,
                        perm_partial_result *partial_result, double seconds) {
    perm_result result;
    (void)own;
    (void)seconds;
    perm_result_init(&result);
    perm_solve_finish(partial_result, &result);
    const int64_t k = record->integer[0];
    *(int *)data += status == BASE_OK && mpz_cmp_si(result.value.re, (long)(k * k + 1)) == 0 &&
                    result.value.exponent == 0;
    perm_result_free(&result);
    return BASE_OK;
}

static int solve(perm_batch *batch, int64_t first, int count) {
    int right = 0;
    perm_batch_begin(batch, first);
    for (int k = 0; k < count; k++)
        add(batch, first + k);
    if (perm_batch_prepare(&context, batch) != BASE_OK || perm_batch_compute(&context, batch) != BASE_OK ||
        perm_batch_finish(&context, batch) != BASE_OK ||
        perm_batch_put_all(&context, batch, take, &right) != BASE_OK)
        abort();
    return right;
}

int main(void) {
    const perm_options options = {.kernel = NULL};
    perm_dense_batch devices = {0};
    perm_batch *batch;
    base_context_init(&context);
    if (perm_batch_open(&context, &options, &devices, &batch) != BASE_OK)
        abort();
    tap_ok(solve(batch, 0, BEFORE) == BEFORE, "%d records", BEFORE);
    perm_batch_clear(batch);
    /* As of a record that was to be solved alone when a time limit ended the run. */
    batch->record[AFTER].status = BASE_STOPPED;
    tap_ok(solve(batch, BEFORE, AFTER) == AFTER, "%d records in the same batch", AFTER);
    tap_ok(batch->record[AFTER].status == BASE_STOPPED, "... and none behind them is solved");
    perm_batch_clear(batch);
    tap_ok(solve(batch, BEFORE + AFTER, 1) == 1, "a record alone");
    perm_batch_close(batch);
    return tap_done();
}
