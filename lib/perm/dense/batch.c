/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/dense/batch.h"
#include "base/core/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The most matrices and blocks of a launch, and the launches of a device where there are enough matrices. */
enum { MOST_MATRICES = 1 << 12, LOG2_MOST_BLOCKS = 14, LAUNCHES = 4 };

/* Matrices of one order, in a launch. */
typedef struct launch {
    perm_dense_batch_item *item;
    int64_t count;
} launch;

typedef struct job {
    perm_dense_batch *batch;
    launch *launch;
    int64_t count;
    atomic_int_fast64_t next; /* launch that no device has taken yet */
} job;

static int compare_items(const void *left, const void *right) {
    const perm_dense_problem *a = &((const perm_dense_batch_item *)left)->dense->problem,
                             *b = &((const perm_dense_batch_item *)right)->dense->problem;
    return a->n != b->n ? (a->n > b->n) - (a->n < b->n) : (int)a->is_complex - (int)b->is_complex;
}

/* Room for so many bytes on the device and, pinned, here; what was there is lost. */
static base_status reserve(base_context *context, base_device *device, int64_t bytes,
                           perm_dense_batch_room *room) {
    base_status status = BASE_OK;
    if (room->buffer.bytes >= bytes)
        goto done;
    base_device_free(&room->buffer);
    base_device_free_pinned(device, room->host);
    room->host = NULL;
    BASE_TRY(base_device_alloc_pinned(context, device, bytes + bytes / 4, 1, (void **)&room->host));
    BASE_TRY(base_device_alloc(context, device, bytes + bytes / 4, 1, &room->buffer));
done:
    return status;
}

static int64_t count_blocks(const perm_device_sum *sum, const launch *launch) {
    return sum->chunk_blocks * launch->item[0].dense->chunk_count;
}

/* Submits a launch: the columns of its matrices go there, one after the other, and the sums come back. */
static base_status submit(base_context *context, base_device *device, base_device_module *module,
                          perm_dense_batch_slot *slot, const launch *launch) {
    base_status status = BASE_OK;
    perm_device_sum sum;
    base_device_function function;
    perm_dense_device_configure(launch->item[0].dense, &sum);
    const int64_t blocks = count_blocks(&sum, launch), column_bytes = launch->count * sum.column_bytes,
                  sum_bytes = launch->count * blocks * sum.sum_bytes;
    const base_device_launch_config config = {.grid = {(unsigned)blocks, (unsigned)launch->count},
                                              .block = {(unsigned)sum.block_threads},
                                              .shared_bytes = sum.shared_bytes};
    int n = sum.n, steps = sum.steps;
    long long threads = sum.threads, first = 0;
    if (slot->stream == NULL)
        BASE_TRY(base_device_stream_open(context, device, &slot->stream));
    BASE_TRY(base_device_get_function(context, module, sum.kernel, &function));
    BASE_TRY(base_device_allow_shared(context, &function, sum.shared_bytes));
    BASE_TRY(reserve(context, device, column_bytes, &slot->columns));
    BASE_TRY(reserve(context, device, sum_bytes, &slot->sums));
    for (int64_t k = 0; k < launch->count; k++)
        perm_dense_device_fill(launch->item[k].dense, slot->columns.host + k * sum.column_bytes);
    BASE_TRY(base_device_upload(context, &slot->columns.buffer, 0, slot->columns.host, column_bytes,
                                slot->stream));
    BASE_TRY(base_device_launch(
        context, &function, &config, slot->stream,
        (void *[]){&n, &steps, &threads, &first, &slot->columns.buffer.address, &slot->sums.buffer.address}));
    BASE_TRY(base_device_download(context, &slot->sums.buffer, 0, slot->sums.host, sum_bytes, slot->stream));
done:
    return status;
}

static base_status collect(base_context *context, perm_dense_batch_slot *slot, const launch *launch) {
    base_status status;
    perm_device_sum sum;
    const char *sums = slot->sums.host;
    BASE_TRY(base_device_stream_wait(context, slot->stream));
    perm_dense_device_configure(launch->item[0].dense, &sum);
    for (int64_t k = 0; k < launch->count; k++)
        for (int64_t chunk = 0; chunk < launch->item[k].dense->chunk_count; chunk++) {
            perm_dense_partial *partial = &launch->item[k].partial[chunk];
            memset(partial, 0, sizeof *partial);
            sum.add(&sum, sums, sum.chunk_blocks, partial);
            sums += sum.chunk_blocks * sum.sum_bytes;
        }
done:
    return status;
}

/* Several launches are under way, so that the device never waits for the host. */
static base_status run_device(base_context *context, base_device *device, int position, void *data) {
    base_status status = BASE_OK;
    job *job = data;
    struct perm_dense_batch_device *at = &job->batch->device[position];
    const launch *under_way[PERM_DENSE_BATCH_SLOTS] = {NULL};
    int ended = 0;
    for (int turn = 0; ended < PERM_DENSE_BATCH_SLOTS; turn = (turn + 1) % PERM_DENSE_BATCH_SLOTS) {
        perm_dense_batch_slot *slot = &at->slot[turn];
        if (under_way[turn] != NULL)
            BASE_TRY(collect(context, slot, under_way[turn]));
        const int64_t number = atomic_fetch_add(&job->next, 1);
        under_way[turn] = number < job->count ? &job->launch[number] : NULL;
        if (under_way[turn] == NULL) {
            ended++;
            continue;
        }
        if (at->module == NULL)
            BASE_TRY(perm_dense_device_load(context, device, &at->module));
        BASE_TRY(submit(context, device, at->module, slot, under_way[turn]));
    }
done:
    return status;
}

void perm_dense_batch_free(perm_dense_batch *batch) {
    for (int k = 0; batch->devices != NULL && k < base_devices_count(batch->devices); k++) {
        struct perm_dense_batch_device *at = &batch->device[k];
        for (perm_dense_batch_slot *slot = at->slot; slot < at->slot + PERM_DENSE_BATCH_SLOTS; slot++) {
            base_device_stream_close(slot->stream);
            perm_dense_batch_room *rooms[] = {&slot->columns, &slot->sums};
            for (int room = 0; room < 2; room++) {
                base_device_free(&rooms[room]->buffer);
                base_device_free_pinned(base_devices_get(batch->devices, k), rooms[room]->host);
            }
        }
        base_device_module_close(at->module);
    }
    memset(batch, 0, sizeof *batch);
}

base_status perm_dense_batch_run(base_context *context, perm_dense_batch *batch, base_devices *devices,
                                 perm_dense_batch_item *item, int64_t count) {
    job job = {.batch = batch, .launch = base_alloc(context, count, sizeof(launch))};
    if (job.launch == NULL)
        return BASE_MACHINE;
    batch->devices = devices;
    qsort(item, (size_t)count, sizeof *item, compare_items);
    const int64_t launches = LAUNCHES * base_devices_count(devices),
                  share = (count + launches - 1) / launches;
    for (int64_t first = 0, next; first < count; first = next) {
        const int64_t n = item[first].dense->problem.n;
        /* A matrix has 2^(n - 21) blocks or a few more. */
        int64_t most = n > 21 + 2 ? (INT64_C(1) << LOG2_MOST_BLOCKS) >> (n - 21) : MOST_MATRICES;
        most = most < share ? most : share;
        for (next = first + 1;
             next < count && next - first < most && compare_items(&item[first], &item[next]) == 0; next++)
            ;
        job.launch[job.count++] = (launch){item + first, next - first};
    }
    const base_status status = base_devices_each(context, devices, run_device, &job);
    free(job.launch);
    return status;
}
