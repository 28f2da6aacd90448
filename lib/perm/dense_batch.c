#include "perm/dense_batch.h"
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Of a launch: matrices, and blocks. */
enum { MOST_MATRICES = 1 << 12, LOG2_MOST_BLOCKS = 16 };

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

/* Room for so many bytes on the device; what was there is lost. */
static base_status reserve(base_context *context, base_device *device, int64_t bytes,
                           base_device_buffer *buffer) {
    if (buffer->bytes >= bytes)
        return BASE_OK;
    base_device_free(buffer);
    return base_device_alloc(context, device, bytes + bytes / 4, 1, buffer);
}

static base_status reserve_host(base_context *context, base_device *device, int64_t bytes,
                                struct perm_dense_batch_device *at) {
    base_status status = BASE_OK;
    if (at->host_bytes >= bytes)
        return BASE_OK;
    base_device_free_pinned(device, at->host);
    at->host = NULL;
    at->host_bytes = 0;
    BASE_TRY(base_device_alloc_pinned(context, device, bytes + bytes / 4, 1, (void **)&at->host));
    at->host_bytes = bytes + bytes / 4;
done:
    return status;
}

/* Fills the columns of the matrices of a launch, one after the other; `sum` is that of the last one, without
 * columns. */
static base_status fill_columns(base_context *context, base_device *device,
                                struct perm_dense_batch_device *at, const launch *launch,
                                perm_device_sum *sum) {
    base_status status = BASE_OK;
    for (int64_t k = 0; k < launch->count; k++) {
        BASE_TRY(perm_dense_device_sum(context, launch->item[k].dense, sum));
        status = k == 0 ? reserve_host(context, device, launch->count * sum->column_bytes, at) : BASE_OK;
        if (status == BASE_OK)
            memcpy(at->host + k * sum->column_bytes, sum->columns, (size_t)sum->column_bytes);
        free(sum->columns);
        sum->columns = NULL;
        BASE_TRY(status);
    }
done:
    return status;
}

static void add_blocks(const launch *launch, const perm_device_sum *sum, const char *sums) {
    for (int64_t k = 0; k < launch->count; k++)
        for (int64_t chunk = 0; chunk < launch->item[k].dense->chunk_count; chunk++) {
            perm_dense_partial *partial = &launch->item[k].partial[chunk];
            memset(partial, 0, sizeof *partial);
            sum->add(sum, sums, sum->chunk_blocks, partial);
            sums += sum->chunk_blocks * sum->sum_bytes;
        }
}

static base_status run_launch(base_context *context, base_device *device, struct perm_dense_batch_device *at,
                              const launch *launch) {
    base_status status;
    perm_device_sum sum = {.n = 0};
    base_device_function function;
    BASE_TRY(fill_columns(context, device, at, launch, &sum));
    const int64_t blocks = sum.chunk_blocks * launch->item[0].dense->chunk_count,
                  column_bytes = launch->count * sum.column_bytes,
                  sum_bytes = launch->count * blocks * sum.sum_bytes;
    const base_device_shape shape = {.grid = {(unsigned)blocks, (unsigned)launch->count},
                                     .block = {(unsigned)sum.block_threads},
                                     .shared_bytes = sum.shared_bytes};
    int n = sum.n, steps = sum.steps;
    long long threads = sum.threads, first = 0;
    BASE_TRY(base_device_get_function(context, at->module, sum.kernel, &function));
    BASE_TRY(base_device_allow_shared(context, &function, sum.shared_bytes));
    BASE_TRY(reserve(context, device, column_bytes, &at->columns));
    BASE_TRY(reserve(context, device, sum_bytes, &at->sums));
    BASE_TRY(base_device_upload(context, &at->columns, 0, at->host, column_bytes, NULL));
    BASE_TRY(base_device_launch(
        context, &function, &shape, NULL,
        (void *[]){&n, &steps, &threads, &first, &at->columns.address, &at->sums.address}));
    BASE_TRY(reserve_host(context, device, sum_bytes, at));
    BASE_TRY(base_device_download(context, &at->sums, 0, at->host, sum_bytes, NULL));
    add_blocks(launch, &sum, at->host);
done:
    return status;
}

static base_status run_device(base_context *context, base_device *device, int position, void *data) {
    base_status status = BASE_OK;
    job *job = data;
    struct perm_dense_batch_device *at = &job->batch->device[position];
    for (int64_t number; (number = atomic_fetch_add(&job->next, 1)) < job->count;) {
        if (at->module == NULL)
            BASE_TRY(perm_dense_device_load(context, device, &at->module));
        BASE_TRY(run_launch(context, device, at, &job->launch[number]));
    }
done:
    return status;
}

void perm_dense_batch_free(perm_dense_batch *batch) {
    for (int k = 0; batch->devices != NULL && k < base_devices_count(batch->devices); k++) {
        struct perm_dense_batch_device *at = &batch->device[k];
        base_device_free(&at->columns);
        base_device_free(&at->sums);
        base_device_free_pinned(base_devices_get(batch->devices, k), at->host);
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
    const int devices_count = base_devices_count(devices);
    for (int64_t first = 0, next; first < count; first = next) {
        const int64_t n = item[first].dense->problem.n;
        /* A matrix has 2^(n - 21) blocks or a few more. */
        int64_t most = n > 21 + 4 ? (INT64_C(1) << LOG2_MOST_BLOCKS) >> (n - 21) : MOST_MATRICES;
        most = most < (count + devices_count - 1) / devices_count
                   ? most
                   : (count + devices_count - 1) / devices_count;
        for (next = first + 1;
             next < count && next - first < most && compare_items(&item[first], &item[next]) == 0; next++)
            ;
        job.launch[job.count++] = (launch){item + first, next - first};
    }
    const base_status status = base_devices_each(context, devices, run_device, &job);
    free(job.launch);
    return status;
}
