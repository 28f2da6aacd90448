#include "perm/device_sum.h"
#include "base/memory.h"
#include "base/progress.h"

#include <stdlib.h>
#include <string.h>

/* Of a launch in parts of a chunk, which no other launch overlaps. */
enum { LOG2_LONG_LAUNCH = 15 };

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
    *sum = (perm_device_sum){.n = 0};
}

base_status perm_device_worker_open(base_context *context, base_device *device, const perm_device_sum *sum,
                                    perm_device_worker **result) {
    base_status status = BASE_MACHINE;
    perm_device_worker *worker = base_alloc_zero(context, 1, sizeof *worker);
    *result = NULL;
    if (!worker)
        goto done;
    worker->sum = sum;
    worker->device = device;
    BASE_TRY(base_device_load_fatbin(context, device, sum->fatbin, &worker->module));
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
    if (!worker)
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
    const base_device_shape shape = {.grid = {(unsigned)slot->blocks},
                                     .block = {(unsigned)sum->block_threads},
                                     .shared_bytes = sum->shared_bytes};
    int n = sum->n, steps = sum->steps;
    long long threads = sum->threads, first = slot->block;
    slot->block += slot->blocks;
    BASE_TRY(base_device_launch(
        context, &worker->function, &shape, slot->stream,
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
    memset(partials, 0, (size_t)(slot->count * sum->partial_bytes));
    for (;;) {
        BASE_TRY(base_device_stream_wait(context, slot->stream));
        const int64_t start = slot->block - slot->blocks;
        for (int64_t at = 0, count; at < slot->blocks; at += count) {
            count = slot->blocks < sum->chunk_blocks ? slot->blocks : sum->chunk_blocks;
            sum->add(slot->host + at * sum->sum_bytes, count,
                     (char *)partials +
                         ((start + at) / sum->chunk_blocks - slot->first) * sum->partial_bytes);
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
