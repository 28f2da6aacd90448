/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/sparse/device.h"
#include "base/core/memory.h"
#include "base/device/compile.h"
#include "base/run/progress.h"
#include "order/permanent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs of a launch, a fifth of a second and less. */
enum { LOG2_LAUNCH = 18 };

const perm_sparse_launch perm_sparse_cuda_launch = {64, 4, 6, PERM_SPARSE_TABLES, 0};

/* A run is 2^24 subsets, fewer where there would be too few runs. */
static const perm_sparse_device gray_device = {
    .entries = 5000,
    .operations = 200000,
    .block_cost = 16,
    .log2_lanes = PERM_SPARSE_LOG2_LANES,
    .log2_runs = 18,
    .most_middle = 20,
    .chunk_operations = 0x1p36,
};

/* Registers for row sums, two each, and 40 others. */
static int count_resident(int rows, int threads) {
    const int registers = 2 * rows + 40 < 255 ? 2 * rows + 40 : 255, resident = 65536 / (registers * threads);
    return resident < 1 ? 1 : resident > 16 ? 16 : resident;
}

/* The problem's columns come in the order of algorithm 3; its rows are numbered here as that does. */
static uint64_t find_first_rows(const perm_sparse_problem *problem) {
    int64_t start[65] = {0}, index[64 * 64], place[64], next = 0;
    uint64_t placed = 0;
    mm_sparse ordered = {.nrow = problem->n, .ncol = problem->n, .start = start, .index = index};
    for (int64_t j = 0; j < problem->n; j++) {
        uint64_t members = 0;
        for (int64_t e = problem->column_start[j]; e < problem->column_start[j + 1]; e++) {
            if (!(placed >> problem->row[e] & 1))
                place[problem->row[e]] = next++;
            placed |= UINT64_C(1) << problem->row[e];
            members |= UINT64_C(1) << place[problem->row[e]];
        }
        for (; members != 0; members &= members - 1)
            index[ordered.nnz++] = __builtin_ctzll(members);
        start[j + 1] = ordered.nnz;
    }
    const order_partition partition = order_permanent_partition(&ordered);
    uint64_t rows = 0;
    for (int row = 0; row < problem->n; row++)
        if (!(placed >> row & 1) || place[row] < partition.rows)
            rows |= UINT64_C(1) << row;
    return rows;
}

perm_sparse_launch perm_sparse_cuda_gray_launch(const perm_sparse_problem *problem,
                                                perm_sparse_variant variant) {
    perm_sparse_launch launch = {.threads = 128, .variant = variant};
    int rows = (int)problem->n;
    if (variant == PERM_SPARSE_HYBRID) {
        launch.register_rows = find_first_rows(problem);
        rows = __builtin_popcountll(launch.register_rows);
    }
    launch.resident = count_resident(rows, launch.threads);
    return launch;
}

base_status perm_sparse_cuda_prepare(base_context *context, const perm_dense_matrix *matrix,
                                     perm_sparse_variant variant, const perm_sparse_plan *plan,
                                     perm_sparse *sparse) {
    return variant == PERM_SPARSE_TABLES
               ? perm_sparse_init(context, matrix, NULL, &perm_sparse_device_gpu, plan, sparse)
               : perm_sparse_init(context, matrix, perm_sparse_gray_portable.name, &gray_device, plan,
                                  sparse);
}

/* A block of threads is no larger than a chunk. */
perm_sparse_launch perm_sparse_cuda_fit(const perm_sparse *sparse, const perm_sparse_launch *launch) {
    perm_sparse_launch fitted = launch != NULL ? *launch : perm_sparse_cuda_launch;
    while (fitted.threads > sparse->chunk_runs)
        fitted.threads /= 2;
    return fitted;
}

static base_status open_slots(base_context *context, perm_sparse_cuda *cuda) {
    base_status status = BASE_OK;
    const int64_t doubles = cuda->launch_runs * perm_sparse_run_doubles(&cuda->sparse->problem);
    for (struct perm_sparse_cuda_slot *slot = cuda->slot; slot < cuda->slot + PERM_SPARSE_CUDA_SLOTS;
         slot++) {
        BASE_TRY(base_device_stream_open(context, cuda->device, &slot->stream));
        BASE_TRY(base_device_alloc(context, cuda->device, doubles, sizeof(double), &slot->out));
        BASE_TRY(
            base_device_alloc_pinned(context, cuda->device, doubles, sizeof(double), (void **)&slot->host));
    }
done:
    return status;
}

base_status perm_sparse_cuda_init(base_context *context, base_device *device, const perm_sparse *sparse,
                                  const perm_sparse_launch *launch, perm_sparse_cuda *cuda) {
    base_status status;
    const int64_t runs = sparse->chunk_count * sparse->chunk_runs;
    *cuda = (perm_sparse_cuda){
        .sparse = sparse, .launch = perm_sparse_cuda_fit(sparse, launch), .device = device};
    cuda->launch_runs = runs < INT64_C(1) << LOG2_LAUNCH ? runs : INT64_C(1) << LOG2_LAUNCH;
    char *text = perm_sparse_print_code(&sparse->problem, &cuda->launch);
    if (text == NULL)
        BASE_TRY(base_fail(context, BASE_MACHINE, "out of memory"));
    const base_device_source source = {"the kernel of a sparse permanent", text,
                                       (const char *const[]){"--fmad=false", NULL}};
    BASE_TRY(base_device_build(context, device, &source, &cuda->module, &cuda->from_cache));
    BASE_TRY(base_device_get_function(context, cuda->module, "perm_sparse", &cuda->function));
    BASE_TRY(base_device_allow_shared(context, &cuda->function,
                                      perm_sparse_shared_bytes(&sparse->problem, &cuda->launch)));
    BASE_TRY(open_slots(context, cuda));
done:
    free(text);
    if (status != BASE_OK)
        perm_sparse_cuda_free(cuda);
    return status;
}

void perm_sparse_cuda_free(perm_sparse_cuda *cuda) {
    if (cuda == NULL || cuda->device == NULL)
        return;
    for (struct perm_sparse_cuda_slot *slot = cuda->slot; slot < cuda->slot + PERM_SPARSE_CUDA_SLOTS;
         slot++) {
        base_device_stream_close(slot->stream);
        base_device_free(&slot->out);
        base_device_free_pinned(cuda->device, slot->host);
    }
    base_device_module_close(cuda->module);
    memset(cuda, 0, sizeof *cuda);
}

/* Operations of a subset that goes alone: changes of row sums, and products; one in memory costs as much as
 * 16 in registers. */
static double count_gray(const perm_sparse_problem *problem, uint64_t near) {
    const int near_rows = __builtin_popcountll(near & ((UINT64_C(1) << problem->n) - 1));
    double operations = near_rows + 6, share = 0.5;
    for (int64_t j = 0; j < problem->n; j++, share /= 2) {
        int far = 0;
        for (int64_t e = problem->column_start[j]; e < problem->column_start[j + 1]; e++)
            far += !(near >> problem->row[e] & 1);
        operations += share * (double)(problem->column_start[j + 1] - problem->column_start[j]) +
                      (far > 0 ? share * 16 * (far + (double)problem->n - near_rows) : 0);
    }
    return operations;
}

/* Two thirds of what the FP64 units allow; half of it without tables. */
double perm_sparse_cuda_seconds(const perm_sparse *sparse, const perm_sparse_launch *launch, double rate) {
    const perm_sparse_problem *problem = &sparse->problem;
    if (launch->variant != PERM_SPARSE_TABLES)
        return ldexp(count_gray(problem,
                                launch->variant == PERM_SPARSE_HYBRID ? launch->register_rows : UINT64_MAX),
                     (int)problem->n - 1) /
               (0.5 * rate);
    return ldexp(sparse->problem.operations, (int)(sparse->problem.n - 1 - sparse->problem.low)) /
           (0.66 * rate);
}

int64_t perm_sparse_cuda_batch(const perm_sparse *sparse, int devices) {
    int64_t batch = (INT64_C(1) << LOG2_LAUNCH) / sparse->chunk_runs;
    while (batch > 1 && 4 * batch * devices > sparse->chunk_count)
        batch /= 2;
    return batch > 1 ? batch : 1;
}

/* The next launch of a slot. */
static base_status launch(base_context *context, perm_sparse_cuda *cuda, struct perm_sparse_cuda_slot *slot) {
    base_status status;
    const perm_sparse_problem *problem = &cuda->sparse->problem;
    const int64_t rest = slot->end - slot->run;
    slot->runs = rest < cuda->launch_runs ? rest : cuda->launch_runs;
    const base_device_launch_config config = {.grid = {(unsigned)(slot->runs / cuda->launch.threads)},
                                              .block = {(unsigned)cuda->launch.threads},
                                              .shared_bytes =
                                                  perm_sparse_shared_bytes(problem, &cuda->launch)};
    long long first = slot->run, number = slot->runs;
    slot->run += slot->runs;
    BASE_TRY(base_device_launch(context, &cuda->function, &config, slot->stream,
                                (void *[]){&first, &number, &slot->out.address}));
    BASE_TRY(base_device_download(context, &slot->out, 0, slot->host,
                                  slot->runs * perm_sparse_run_doubles(problem) * (int64_t)sizeof(double),
                                  slot->stream));
done:
    return status;
}

base_status perm_sparse_cuda_submit(base_context *context, perm_sparse_cuda *cuda, int number, int64_t first,
                                    int64_t count) {
    struct perm_sparse_cuda_slot *slot = &cuda->slot[number];
    slot->first = first;
    slot->count = count;
    slot->run = first * cuda->sparse->chunk_runs;
    slot->end = (first + count) * cuda->sparse->chunk_runs;
    return launch(context, cuda, slot);
}

/* Run `number` of the launch that has ended. */
static void add_run(const perm_sparse *sparse, const struct perm_sparse_cuda_slot *slot, int64_t number,
                    perm_dense_partial *partial) {
    const int parts = sparse->problem.is_complex ? 2 : 1;
    const int64_t run = slot->run - slot->runs + number;
    double high[2] = {0}, low[2] = {0};
    for (int part = 0; part < parts; part++) {
        high[part] = slot->host[2 * part * slot->runs + number];
        low[part] = slot->host[(2 * part + 1) * slot->runs + number];
    }
    perm_sparse_add_run(sparse, run, high, low, slot->host[2 * parts * slot->runs + number],
                        &partial[run / sparse->chunk_runs - slot->first]);
}

base_status perm_sparse_cuda_collect(base_context *context, perm_sparse_cuda *cuda, int number,
                                     perm_dense_partial *partial) {
    base_status status;
    const perm_sparse *sparse = cuda->sparse;
    struct perm_sparse_cuda_slot *slot = &cuda->slot[number];
    memset(partial, 0, (size_t)slot->count * sizeof *partial);
    for (;;) {
        BASE_TRY(base_device_stream_wait(context, slot->stream));
        for (int64_t at = 0; at < slot->runs; at++)
            add_run(sparse, slot, at, partial);
        base_progress_add(context,
                          (int64_t)(sparse->chunk_subsets * (double)slot->runs / (double)sparse->chunk_runs));
        if (slot->run == slot->end)
            break;
        BASE_TRY(launch(context, cuda, slot));
    }
done:
    return status;
}

base_status perm_sparse_cuda_run(base_context *context, perm_sparse_cuda *cuda, int64_t first, int64_t count,
                                 perm_dense_partial *partial) {
    base_status status = BASE_OK;
    const int64_t batch = perm_sparse_cuda_batch(cuda->sparse, 1), batches = (count + batch - 1) / batch;
    for (int64_t k = 0; k < batches + 1; k++) {
        const int64_t at = k * batch;
        if (k < batches)
            BASE_TRY(perm_sparse_cuda_submit(context, cuda, (int)(k % PERM_SPARSE_CUDA_SLOTS), first + at,
                                             count - at < batch ? count - at : batch));
        if (k > 0)
            BASE_TRY(perm_sparse_cuda_collect(context, cuda, (int)((k - 1) % PERM_SPARSE_CUDA_SLOTS),
                                              partial + at - batch));
    }
done:
    return status;
}
