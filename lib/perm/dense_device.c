#include "perm/dense_device.h"
#include "base/memory.h"
#include "perm/dense_matrix.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin perm_dense_gpu_fatbin;

/* Wanted in a chunk; their start costs less than 1 % of 2^7 steps. */
enum { LOG2_CHUNK_THREADS = 8 };

bool perm_dense_device_is_built(void) {
    return perm_dense_gpu_fatbin.image != NULL;
}

static void add_sums(const void *sums, int64_t count, void *total) {
    const dense_gpu_sums *block = sums;
    perm_dense_partial *partial = total;
    for (const dense_gpu_sums *end = block + count; block < end; block++) {
        for (int part = 0; part < 2; part++)
            perm_dense_add(&partial->high[part], &partial->low[part], block->high[part], block->low[part]);
        partial->magnitude += block->magnitude;
    }
}

static int clamp(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

base_status perm_dense_device_sum(base_context *context, const perm_dense *dense, perm_device_sum *sum) {
    const perm_dense_problem *problem = &dense->problem;
    const int64_t n = problem->n, parts = problem->is_complex ? 2 : 1,
                  column_bytes = n * parts * (int64_t)sizeof(double);
    const int inner = problem->is_complex ? DENSE_GPU_INNER_COMPLEX : DENSE_GPU_INNER_REAL;
    *sum = (perm_device_sum){.fatbin = &perm_dense_gpu_fatbin,
                             .kernel = problem->is_complex ? "dense_gpu_complex" : "dense_gpu_real",
                             .n = (int)n,
                             .block_threads = DENSE_GPU_THREADS,
                             .column_bytes = (n + 1) * column_bytes,
                             .sum_bytes = sizeof(dense_gpu_sums),
                             .partial_bytes = sizeof(perm_dense_partial),
                             .chunk_subsets = dense->chunk_subsets,
                             .add = add_sums};
    sum->steps = clamp(ilogb(dense->chunk_subsets) - inner - LOG2_CHUNK_THREADS, 1, DENSE_GPU_MOST_STEPS);
    sum->threads = INT64_C(1) << (n - 1 - inner - sum->steps);
    sum->chunk_blocks = sum->threads / dense->chunk_count / DENSE_GPU_THREADS;
    sum->chunk_blocks += sum->chunk_blocks == 0; /* there is one chunk then */
    sum->shared_bytes =
        (n + 1) / 2 * parts * (2 * DENSE_GPU_THREADS + DENSE_GPU_COLUMNS) * (int64_t)sizeof(double);
    sum->columns = base_alloc(context, sum->column_bytes, 1);
    if (sum->columns == NULL)
        return BASE_MACHINE;
    memcpy(sum->columns, problem->start, (size_t)column_bytes);
    memcpy((char *)sum->columns + column_bytes, problem->up, (size_t)(n * column_bytes));
    perm_device_sum_plan(sum, dense->chunk_count, 1, PERM_DENSE_DEVICE_LOG2_LAUNCH);
    return BASE_OK;
}

/* 96 % of what an addition and a multiplication a (row, subset) pair allow; complex two and four. */
double perm_dense_device_seconds(const perm_dense_problem *problem, double rate) {
    return perm_dense_units(problem) * (problem->is_complex ? 6 : 2) / (0.96 * rate);
}

/* ---- all chunks on all devices ---- */

typedef struct device_job {
    const perm_device_sum *sum;
    int64_t first, count; /* chunks */
    perm_dense_partial *partial;
    atomic_int_fast64_t next; /* chunk that no device has taken yet */
} device_job;

static base_status run_device(base_context *context, base_device *device, int position, void *data) {
    base_status status;
    device_job *job = data;
    const int64_t batch = perm_device_sum_batch(job->sum);
    int64_t taken[PERM_DEVICE_SLOTS] = {0};
    perm_device_worker *worker = NULL;
    int waiting = 0;
    (void)position;
    BASE_TRY(perm_device_worker_open(context, device, job->sum, &worker));
    for (int turn = 0;; turn = (turn + 1) % PERM_DEVICE_SLOTS) {
        if (waiting == PERM_DEVICE_SLOTS)
            break;
        if (taken[turn] > 0)
            BASE_TRY(perm_device_worker_collect(context, worker, turn, &job->partial[taken[turn] - 1]));
        const int64_t at = atomic_fetch_add(&job->next, batch), rest = job->count - at;
        taken[turn] = rest > 0 ? at + 1 : -1;
        if (rest > 0)
            BASE_TRY(perm_device_worker_submit(context, worker, turn, job->first + at,
                                               rest < batch ? rest : batch));
        else
            waiting++;
    }
done:
    perm_device_worker_close(worker);
    return status;
}

base_status perm_dense_device_run(base_context *context, base_devices *devices, const perm_dense *dense,
                                  int64_t first, int64_t count, perm_dense_partial *partial) {
    base_status status;
    perm_device_sum sum = {.n = 0};
    device_job job = {.sum = &sum, .first = first, .count = count, .partial = partial};
    BASE_TRY(perm_dense_device_sum(context, dense, &sum));
    perm_device_sum_plan(&sum, count, base_devices_count(devices), PERM_DENSE_DEVICE_LOG2_LAUNCH);
    BASE_TRY(base_devices_each(context, devices, run_device, &job));
done:
    perm_device_sum_free(&sum);
    return status;
}

base_status perm_dense_device_permanent(base_context *context, base_devices *devices,
                                        const perm_dense_matrix *matrix, perm_dense_result *result) {
    base_status status;
    perm_dense dense = {0};
    perm_dense_partial *partial = NULL;
    BASE_TRY(perm_dense_init(context, matrix, NULL, &dense));
    partial = base_alloc(context, dense.chunk_count, sizeof *partial);
    if (partial == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    if (dense.chunk_count > 0)
        BASE_TRY(perm_dense_device_run(context, devices, &dense, 0, dense.chunk_count, partial));
    perm_dense_fold(&dense, partial, result);
done:
    free(partial);
    perm_dense_free(&dense);
    return status;
}
