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
    launch *launch;
    int64_t count;
    atomic_int_fast64_t next; /* launch that no device has taken yet */
} job;

static int compare_items(const void *left, const void *right) {
    const perm_dense_problem *a = &((const perm_dense_batch_item *)left)->dense->problem,
                             *b = &((const perm_dense_batch_item *)right)->dense->problem;
    return a->n != b->n ? (a->n > b->n) - (a->n < b->n) : (int)a->is_complex - (int)b->is_complex;
}

/* Fills the columns of the matrices of a launch, one after the other; `sum` is that of the last one, without
 * columns. */
static base_status fill_columns(base_context *context, const launch *launch, perm_device_sum *sum,
                                char **columns) {
    base_status status = BASE_OK;
    for (int64_t k = 0; k < launch->count; k++) {
        BASE_TRY(perm_dense_device_sum(context, launch->item[k].dense, sum));
        if (k == 0)
            *columns = base_alloc(context, launch->count, sum->column_bytes);
        if (*columns != NULL)
            memcpy(*columns + k * sum->column_bytes, sum->columns, (size_t)sum->column_bytes);
        free(sum->columns);
        sum->columns = NULL;
        if (*columns == NULL)
            return BASE_MACHINE;
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

static base_status run_launch(base_context *context, base_device *device, base_device_module *module,
                              const launch *launch) {
    base_status status;
    perm_device_sum sum = {.n = 0};
    base_device_buffer columns = {0}, sums = {0};
    base_device_function function;
    char *host_columns = NULL, *host_sums = NULL;
    BASE_TRY(fill_columns(context, launch, &sum, &host_columns));
    const int64_t blocks = sum.chunk_blocks * launch->item[0].dense->chunk_count;
    const base_device_shape shape = {.grid = {(unsigned)blocks, (unsigned)launch->count},
                                     .block = {(unsigned)sum.block_threads},
                                     .shared_bytes = sum.shared_bytes};
    int n = sum.n, steps = sum.steps;
    long long threads = sum.threads, first = 0;
    BASE_TRY(base_device_get_function(context, module, sum.kernel, &function));
    BASE_TRY(base_device_allow_shared(context, &function, sum.shared_bytes));
    BASE_TRY(base_device_alloc(context, device, launch->count, sum.column_bytes, &columns));
    BASE_TRY(base_device_alloc(context, device, launch->count * blocks, sum.sum_bytes, &sums));
    host_sums = base_alloc(context, launch->count * blocks, sum.sum_bytes);
    if (host_sums == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(base_device_upload(context, &columns, 0, host_columns, columns.bytes, NULL));
    BASE_TRY(base_device_launch(context, &function, &shape, NULL,
                                (void *[]){&n, &steps, &threads, &first, &columns.address, &sums.address}));
    BASE_TRY(base_device_download(context, &sums, 0, host_sums, sums.bytes, NULL));
    add_blocks(launch, &sum, host_sums);
done:
    base_device_free(&columns);
    base_device_free(&sums);
    free(host_columns);
    free(host_sums);
    return status;
}

static base_status run_device(base_context *context, base_device *device, int position, void *data) {
    base_status status = BASE_OK;
    job *job = data;
    base_device_module *module = NULL;
    (void)position;
    for (int64_t at; (at = atomic_fetch_add(&job->next, 1)) < job->count;) {
        if (module == NULL)
            BASE_TRY(perm_dense_device_load(context, device, &module));
        BASE_TRY(run_launch(context, device, module, &job->launch[at]));
    }
done:
    base_device_module_close(module);
    return status;
}

base_status perm_dense_batch_run(base_context *context, base_devices *devices, perm_dense_batch_item *item,
                                 int64_t count) {
    job job = {.launch = base_alloc(context, count, sizeof(launch))};
    if (job.launch == NULL)
        return BASE_MACHINE;
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
