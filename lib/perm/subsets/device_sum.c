/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/subsets/device_sum.h"
#include "base/core/memory.h"
#include "base/device/compile.h"
#include "base/run/progress.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of a launch of parts of a chunk, which no other launch overlaps, as a power of two. */
enum { LOG2_LONG_LAUNCH = 15 };

/* Threads wanted in a chunk, at least a block; their start costs less than 1 % of 2^7 steps. */
enum { LOG2_CHUNK_THREADS = 8 };

/* A batch under way. */
typedef struct slot {
    base_device_stream *stream;
    base_device_buffer sums;
    char *host;
    int64_t first, count; /* chunks */
    int64_t block, end;   /* the blocks under way are the last ones before `block` */
    int64_t blocks;       /* how many */
} slot;

struct perm_device_worker {
    const perm_device_sum *sum;
    base_device *device;
    base_device_module *module;
    base_device_function function;
    base_device_buffer columns;
    slot slot[PERM_DEVICE_SLOTS];
};

static int clamp(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

void perm_device_sum_configure(perm_device_sum *sum, int64_t chunk_count, int inner, int most_steps) {
    const int log2_block = ilogb(sum->block_threads),
              log2_threads = log2_block > LOG2_CHUNK_THREADS ? log2_block : LOG2_CHUNK_THREADS;
    sum->steps = clamp(ilogb(sum->chunk_subsets) - inner - log2_threads, 1, most_steps);
    sum->threads = INT64_C(1) << (sum->n - 1 - inner - sum->steps);
    sum->chunk_blocks = sum->threads / chunk_count / sum->block_threads;
    sum->chunk_blocks += sum->chunk_blocks == 0; /* there is one chunk then */
}

void perm_device_sum_halve(perm_device_sum *sum) {
    if (sum->steps < 2)
        return;
    sum->steps--;
    sum->threads *= 2;
    sum->chunk_blocks *= 2;
}

void perm_device_sum_plan(perm_device_sum *sum, int64_t chunks, int devices, int log2_most) {
    int64_t blocks = INT64_C(1) << log2_most;
    if (sum->chunk_blocks > blocks)
        blocks = INT64_C(1) << LOG2_LONG_LAUNCH;
    while (blocks > sum->chunk_blocks && 16 * blocks * devices > chunks * sum->chunk_blocks)
        blocks /= 2;
    sum->launch_blocks = blocks;
}

int64_t perm_device_sum_batch(const perm_device_sum *sum) {
    const int64_t chunks = sum->launch_blocks / sum->chunk_blocks;
    return chunks > 1 ? chunks : 1;
}

void perm_device_sum_free(perm_device_sum *sum) {
    free(sum->columns);
    free(sum->code);
    *sum = (perm_device_sum){.n = 0};
}

static base_status load(base_context *context, perm_device_worker *worker) {
    const perm_device_sum *sum = worker->sum;
    const base_device_source source = {"the kernel of a dense permanent", sum->code,
                                       (const char *const[]){"--fmad=false", NULL}};
    return sum->code == NULL ? base_device_load_fatbin(context, worker->device, sum->fatbin, &worker->module)
                             : base_device_build(context, worker->device, &source, &worker->module, NULL);
}

base_status perm_device_worker_open(base_context *context, base_device *device, const perm_device_sum *sum,
                                    perm_device_worker **result) {
    base_status status = BASE_MACHINE;
    perm_device_worker *worker = base_alloc_zero(context, 1, sizeof *worker);
    *result = NULL;
    if (worker == NULL)
        goto done;
    worker->sum = sum;
    worker->device = device;
    BASE_TRY(load(context, worker));
    BASE_TRY(base_device_get_function(context, worker->module, sum->kernel, &worker->function));
    BASE_TRY(base_device_allow_shared(context, &worker->function, sum->shared_bytes));
    BASE_TRY(base_device_alloc(context, device, sum->column_bytes, 1, &worker->columns));
    BASE_TRY(base_device_upload(context, &worker->columns, 0, sum->columns, sum->column_bytes, NULL));
    for (slot *slot = worker->slot; slot < worker->slot + PERM_DEVICE_SLOTS; slot++) {
        BASE_TRY(base_device_stream_open(context, device, &slot->stream));
        BASE_TRY(base_device_alloc(context, device, sum->launch_blocks, sum->sum_bytes, &slot->sums));
        BASE_TRY(base_device_alloc_pinned(context, device, sum->launch_blocks, sum->sum_bytes,
                                          (void **)&slot->host));
    }
    *result = worker;
done:
    if (status != BASE_OK)
        perm_device_worker_close(worker);
    return status;
}

void perm_device_worker_close(perm_device_worker *worker) {
    if (worker == NULL)
        return;
    for (slot *slot = worker->slot; slot < worker->slot + PERM_DEVICE_SLOTS; slot++) {
        base_device_stream_close(slot->stream);
        base_device_free(&slot->sums);
        base_device_free_pinned(worker->device, slot->host);
    }
    base_device_free(&worker->columns);
    base_device_module_close(worker->module);
    free(worker);
}

/* The next launch of a slot. */
static base_status launch(base_context *context, perm_device_worker *worker, slot *slot) {
    base_status status;
    const perm_device_sum *sum = worker->sum;
    const int64_t rest = slot->end - slot->block;
    slot->blocks = rest < sum->launch_blocks ? rest : sum->launch_blocks;
    const base_device_launch_config config = {.grid = {(unsigned)slot->blocks},
                                              .block = {(unsigned)sum->block_threads},
                                              .shared_bytes = sum->shared_bytes};
    int n = sum->n, steps = sum->steps;
    long long threads = sum->threads, first = slot->block;
    slot->block += slot->blocks;
    BASE_TRY(base_device_launch(
        context, &worker->function, &config, slot->stream,
        (void *[]){&n, &steps, &threads, &first, &worker->columns.address, &slot->sums.address}));
    BASE_TRY(base_device_download(context, &slot->sums, 0, slot->host, slot->blocks * sum->sum_bytes,
                                  slot->stream));
done:
    return status;
}

base_status perm_device_worker_submit(base_context *context, perm_device_worker *worker, int number,
                                      int64_t first, int64_t count) {
    slot *slot = &worker->slot[number];
    slot->first = first;
    slot->count = count;
    slot->block = first * worker->sum->chunk_blocks;
    slot->end = (first + count) * worker->sum->chunk_blocks;
    return launch(context, worker, slot);
}

base_status perm_device_worker_collect(base_context *context, perm_device_worker *worker, int number,
                                       void *partials) {
    base_status status;
    const perm_device_sum *sum = worker->sum;
    slot *slot = &worker->slot[number];
    char *start = (char *)partials + sum->partial_offset;
    for (int64_t chunk = 0; chunk < slot->count; chunk++)
        memset(start + chunk * sum->partial_stride, 0, (size_t)sum->partial_bytes);
    for (;;) {
        BASE_TRY(base_device_stream_wait(context, slot->stream));
        const int64_t block = slot->block - slot->blocks;
        for (int64_t at = 0, count; at < slot->blocks; at += count) {
            count = slot->blocks < sum->chunk_blocks ? slot->blocks : sum->chunk_blocks;
            sum->add(sum, slot->host + at * sum->sum_bytes, count,
                     start + ((block + at) / sum->chunk_blocks - slot->first) * sum->partial_stride);
        }
        base_progress_add(context,
                          (int64_t)((double)slot->blocks / (double)sum->chunk_blocks * sum->chunk_subsets));
        if (slot->block == slot->end)
            break;
        BASE_TRY(launch(context, worker, slot));
    }
done:
    return status;
}

/* ---- all chunks on all devices ---- */

typedef struct device_job {
    const perm_device_sum *sum;
    int64_t first, count; /* chunks */
    char *partials;
    atomic_int_fast64_t next; /* chunk that no device has taken yet */
} device_job;

static base_status run_device(base_context *context, base_device *device, int position, void *data) {
    base_status status;
    device_job *job = data;
    const int64_t batch = perm_device_sum_batch(job->sum);
    int64_t taken[PERM_DEVICE_SLOTS] = {0}; /* 1 + the first chunk */
    perm_device_worker *worker = NULL;
    int ended = 0;
    (void)position;
    BASE_TRY(perm_device_worker_open(context, device, job->sum, &worker));
    for (int turn = 0; ended < PERM_DEVICE_SLOTS; turn = (turn + 1) % PERM_DEVICE_SLOTS) {
        if (taken[turn] > 0)
            BASE_TRY(perm_device_worker_collect(
                context, worker, turn, job->partials + (taken[turn] - 1) * job->sum->partial_stride));
        const int64_t at = atomic_fetch_add(&job->next, batch), rest = job->count - at;
        taken[turn] = rest > 0 ? at + 1 : 0;
        if (rest > 0)
            BASE_TRY(perm_device_worker_submit(context, worker, turn, job->first + at,
                                               rest < batch ? rest : batch));
        else
            ended++;
    }
done:
    perm_device_worker_close(worker);
    return status;
}

base_status perm_device_sum_run(base_context *context, base_devices *devices, const perm_device_sum *sum,
                                int64_t first, int64_t count, void *partials) {
    device_job job = {.sum = sum, .first = first, .count = count, .partials = partials};
    return base_devices_each(context, devices, run_device, &job);
}
