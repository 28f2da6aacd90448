#include "perm/dense_device.h"
#include "base/memory.h"
#include "base/progress.h"
#include "perm/dense_matrix.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin perm_dense_gpu_fatbin;

enum {
    LOG2_CHUNK_THREADS = 8, /* wanted in a chunk; their start costs less than 1 % of 2^7 steps */
    LOG2_LAUNCH = 13,       /* blocks of a launch, 0.2 to 0.3 s on an H200 */
    SLOTS = 2               /* launches under way on a device, so that it never waits for the host */
};

base_status perm_dense_device_plan_init(base_context *context, const perm_dense *dense,
                                        perm_dense_device_plan *plan) {
    const perm_dense_problem *problem = &dense->problem;
    const int parts = problem->is_complex ? 2 : 1, log2_chunk = ilogb(dense->chunk_subsets);
    *plan = (perm_dense_device_plan){.kernel = problem->is_complex ? "dense_gpu_complex" : "dense_gpu_real"};
    plan->inner = problem->is_complex ? DENSE_GPU_INNER_COMPLEX : DENSE_GPU_INNER_REAL;
    plan->steps = log2_chunk - plan->inner - LOG2_CHUNK_THREADS;
    plan->steps = plan->steps < 1                      ? 1
                  : plan->steps > DENSE_GPU_MOST_STEPS ? DENSE_GPU_MOST_STEPS
                                                       : plan->steps;
    plan->threads = INT64_C(1) << (problem->n - 1 - plan->inner - plan->steps);
    plan->chunk_blocks = plan->threads / dense->chunk_count / DENSE_GPU_THREADS;
    plan->chunk_blocks += plan->chunk_blocks == 0; /* there is one chunk then */
    plan->shared_bytes =
        (problem->n + 1) / 2 * parts * (2 * DENSE_GPU_THREADS + DENSE_GPU_COLUMNS) * (int64_t)sizeof(double);
    plan->column_count = problem->n + 1;
    plan->columns = base_alloc(context, plan->column_count * parts * problem->n, sizeof(double));
    if (plan->columns == NULL)
        return BASE_MACHINE;
    memcpy(plan->columns, problem->start, (size_t)(problem->n * parts) * sizeof(double));
    memcpy(plan->columns + problem->n * parts, problem->up,
           (size_t)(problem->n * problem->n * parts) * sizeof(double));
    return BASE_OK;
}

void perm_dense_device_plan_free(perm_dense_device_plan *plan) {
    if (plan == NULL)
        return;
    free(plan->columns);
    memset(plan, 0, sizeof *plan);
}

void perm_dense_device_add(const dense_gpu_sums *sums, int64_t count, perm_dense_partial *partial) {
    for (const dense_gpu_sums *block = sums; block < sums + count; block++) {
        for (int part = 0; part < 2; part++)
            perm_dense_add(&partial->high[part], &partial->low[part], block->high[part], block->low[part]);
        partial->magnitude += block->magnitude;
    }
}

double perm_dense_device_seconds(const perm_dense_problem *problem, int devices) {
    return 0.25 + perm_dense_units(problem) * (problem->is_complex ? 3 : 1) / (8e12 * devices);
}

/* ---- one device ---- */

typedef struct device_job {
    const perm_dense *dense;
    const perm_dense_device_plan *plan;
    int64_t first, count; /* chunks */
    perm_dense_partial *partial;
    int64_t launch_blocks;    /* a launch works on some chunks or on a part of one */
    atomic_int_fast64_t next; /* chunk that no device has taken yet */
} device_job;

/* A launch under way. */
typedef struct device_slot {
    base_device_stream *stream;
    base_device_buffer sums;
    dense_gpu_sums *host;
    int64_t block, count; /* blocks, counted from the job's first chunk; count 0: free */
} device_slot;

typedef struct device_state {
    device_job *job;
    base_device *device;
    base_device_module *module;
    base_device_function function;
    base_device_buffer columns;
    device_slot slot[SLOTS];
    int64_t launches;
} device_state;

static base_status open_state(base_context *context, device_state *state) {
    base_status status;
    const device_job *job = state->job;
    const perm_dense_device_plan *plan = job->plan;
    const perm_dense_problem *problem = &job->dense->problem;
    const int64_t column_bytes =
        plan->column_count * problem->n * (problem->is_complex ? 2 : 1) * (int64_t)sizeof(double);
    BASE_TRY(base_device_load_fatbin(context, state->device, &perm_dense_gpu_fatbin, &state->module));
    BASE_TRY(base_device_get_function(context, state->module, plan->kernel, &state->function));
    BASE_TRY(base_device_allow_shared(context, &state->function, plan->shared_bytes));
    BASE_TRY(base_device_alloc(context, state->device, column_bytes, 1, &state->columns));
    BASE_TRY(base_device_upload(context, &state->columns, 0, plan->columns, column_bytes, NULL));
    for (device_slot *slot = state->slot; slot < state->slot + SLOTS; slot++) {
        BASE_TRY(base_device_stream_open(context, state->device, &slot->stream));
        BASE_TRY(
            base_device_alloc(context, state->device, job->launch_blocks, sizeof *slot->host, &slot->sums));
        BASE_TRY(base_device_alloc_pinned(context, state->device, job->launch_blocks, sizeof *slot->host,
                                          (void **)&slot->host));
    }
done:
    return status;
}

static void close_state(device_state *state) {
    for (device_slot *slot = state->slot; slot < state->slot + SLOTS; slot++) {
        base_device_stream_close(slot->stream);
        base_device_free(&slot->sums);
        base_device_free_pinned(state->device, slot->host);
    }
    base_device_free(&state->columns);
    base_device_module_close(state->module);
}

/* Waits for the launch and adds its sums to the partials of its chunks. */
static base_status collect(base_context *context, device_state *state, device_slot *slot) {
    base_status status = BASE_OK;
    const device_job *job = state->job;
    const perm_dense_device_plan *plan = job->plan;
    if (slot->count == 0)
        goto done;
    BASE_TRY(base_device_stream_wait(context, slot->stream));
    for (int64_t at = 0, count; at < slot->count; at += count) {
        count = slot->count < plan->chunk_blocks ? slot->count : plan->chunk_blocks;
        perm_dense_device_add(slot->host + at, count, &job->partial[(slot->block + at) / plan->chunk_blocks]);
    }
    base_progress_add(
        context, (int64_t)((double)slot->count / (double)plan->chunk_blocks * job->dense->chunk_subsets));
    slot->count = 0;
done:
    return status;
}

/* Starts blocks block … block+count-1, counted from the job's first chunk. */
static base_status submit(base_context *context, device_state *state, int64_t block, int64_t count) {
    base_status status;
    const device_job *job = state->job;
    const perm_dense_device_plan *plan = job->plan;
    device_slot *slot = &state->slot[state->launches++ % SLOTS];
    const base_device_shape shape = {
        .grid = {(unsigned)count}, .block = {DENSE_GPU_THREADS}, .shared_bytes = plan->shared_bytes};
    int n = (int)job->dense->problem.n, steps = plan->steps;
    long long threads = plan->threads, first = job->first * plan->chunk_blocks + block;
    BASE_TRY(collect(context, state, slot));
    BASE_TRY(base_device_launch(
        context, &state->function, &shape, slot->stream,
        (void *[]){&n, &steps, &threads, &first, &state->columns.address, &slot->sums.address}));
    BASE_TRY(base_device_download(context, &slot->sums, 0, slot->host, count * (int64_t)sizeof *slot->host,
                                  slot->stream));
    slot->block = block;
    slot->count = count;
done:
    return status;
}

static base_status run_device(base_context *context, base_device *device, int position, void *data) {
    base_status status;
    device_job *job = data;
    device_state state = {.job = job, .device = device};
    const int64_t chunk_blocks = job->plan->chunk_blocks;
    const int64_t chunks = chunk_blocks < job->launch_blocks ? job->launch_blocks / chunk_blocks : 1;
    (void)position;
    BASE_TRY(open_state(context, &state));
    for (int64_t chunk; (chunk = atomic_fetch_add(&job->next, chunks)) < job->count;) {
        const int64_t end = (chunk + chunks < job->count ? chunk + chunks : job->count) * chunk_blocks;
        for (int64_t block = chunk * chunk_blocks; block < end; block += job->launch_blocks)
            BASE_TRY(submit(context, &state, block,
                            end - block < job->launch_blocks ? end - block : job->launch_blocks));
    }
    for (int k = 0; k < SLOTS; k++)
        BASE_TRY(collect(context, &state, &state.slot[state.launches++ % SLOTS]));
done:
    close_state(&state);
    return status;
}

/* ---- all of them ---- */

/* A launch has up to 2^LOG2_LAUNCH blocks. Each device shall have 16 launches or more, as the first to be
 * ready takes SLOTS of them at once. */
static int64_t find_launch_blocks(const perm_dense_device_plan *plan, int64_t count, int devices) {
    int64_t blocks = INT64_C(1) << LOG2_LAUNCH;
    while (blocks > plan->chunk_blocks && 16 * blocks * devices > count * plan->chunk_blocks)
        blocks /= 2;
    return blocks;
}

base_status perm_dense_device_run(base_context *context, base_devices *devices, const perm_dense *dense,
                                  int64_t first, int64_t count, perm_dense_partial *partial) {
    base_status status;
    perm_dense_device_plan plan = {0};
    device_job job = {.dense = dense, .plan = &plan, .first = first, .count = count, .partial = partial};
    memset(partial, 0, (size_t)count * sizeof *partial);
    BASE_TRY(perm_dense_device_plan_init(context, dense, &plan));
    job.launch_blocks = find_launch_blocks(&plan, count, base_devices_count(devices));
    BASE_TRY(base_devices_each(context, devices, run_device, &job));
done:
    perm_dense_device_plan_free(&plan);
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
