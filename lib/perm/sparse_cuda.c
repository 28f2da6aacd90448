#include "perm/sparse_cuda.h"
#include "base/device_compile.h"
#include "base/memory.h"
#include "base/progress.h"

#include <stdlib.h>
#include <string.h>

enum { LOG2_LAUNCH = 20 };

const perm_sparse_shape perm_sparse_cuda_shape = {64, 4, 6};

/* A block of threads is no larger than a chunk. */
static perm_sparse_shape fit_shape(const perm_sparse *sparse, const perm_sparse_shape *shape) {
    perm_sparse_shape fitted = shape != NULL ? *shape : perm_sparse_cuda_shape;
    while (fitted.threads > sparse->chunk_runs)
        fitted.threads /= 2;
    return fitted;
}

base_status perm_sparse_cuda_init(base_context *context, base_device *device, const perm_sparse *sparse,
                                  const perm_sparse_shape *shape, perm_sparse_cuda *cuda) {
    base_status status = BASE_MACHINE;
    memset(cuda, 0, sizeof *cuda);
    cuda->shape = fit_shape(sparse, shape);
    const int64_t runs = sparse->chunk_count * sparse->chunk_runs,
                  run_doubles = perm_sparse_run_doubles(&sparse->problem);
    cuda->launch_runs = runs < INT64_C(1) << LOG2_LAUNCH ? runs : INT64_C(1) << LOG2_LAUNCH;
    char *text = perm_sparse_print_code(&sparse->problem, &cuda->shape);
    if (text == NULL) {
        base_fail(context, BASE_MACHINE, "out of memory");
        goto done;
    }
    const base_device_source source = {"the kernel of a sparse permanent", text,
                                       (const char *const[]){"--fmad=false", NULL}};
    BASE_TRY(base_device_build(context, device, &source, &cuda->module, &cuda->from_cache));
    BASE_TRY(base_device_get_function(context, cuda->module, "perm_sparse", &cuda->function));
    BASE_TRY(base_device_allow_shared(context, &cuda->function,
                                      perm_sparse_shared_bytes(&sparse->problem, &cuda->shape)));
    BASE_TRY(base_device_alloc(context, device, cuda->launch_runs * run_doubles, sizeof(double), &cuda->out));
    cuda->host = base_alloc(context, cuda->launch_runs * run_doubles, sizeof(double));
    status = cuda->host != NULL ? BASE_OK : BASE_MACHINE;
done:
    free(text);
    if (status != BASE_OK)
        perm_sparse_cuda_free(cuda);
    return status;
}

void perm_sparse_cuda_free(perm_sparse_cuda *cuda) {
    if (cuda == NULL)
        return;
    base_device_free(&cuda->out);
    base_device_module_close(cuda->module);
    free(cuda->host);
    memset(cuda, 0, sizeof *cuda);
}

static base_status launch(base_context *context, perm_sparse_cuda *cuda, const perm_sparse *sparse,
                          int64_t first_run, int64_t count) {
    base_status status;
    const base_device_shape shape = {.grid = {(unsigned)(count / cuda->shape.threads)},
                                     .block = {(unsigned)cuda->shape.threads},
                                     .shared_bytes =
                                         perm_sparse_shared_bytes(&sparse->problem, &cuda->shape)};
    long long first = first_run, number = count;
    void *arguments[] = {&first, &number, &cuda->out.address};
    BASE_TRY(base_device_launch(context, &cuda->function, &shape, NULL, arguments));
    BASE_TRY(base_device_download(context, &cuda->out, 0, cuda->host,
                                  count * perm_sparse_run_doubles(&sparse->problem) * (int64_t)sizeof(double),
                                  NULL));
done:
    return status;
}

/* Run `number` of the last launch, of `count`. */
static void add_run(const perm_sparse_cuda *cuda, const perm_sparse *sparse, int64_t run, int64_t number,
                    int64_t count, perm_dense_partial *partial) {
    const int parts = sparse->problem.is_complex ? 2 : 1;
    double high[2] = {0}, low[2] = {0};
    for (int part = 0; part < parts; part++) {
        high[part] = cuda->host[2 * part * count + number];
        low[part] = cuda->host[(2 * part + 1) * count + number];
    }
    perm_sparse_add_run(sparse, run, high, low, cuda->host[2 * parts * count + number], partial);
}

base_status perm_sparse_cuda_run(base_context *context, perm_sparse_cuda *cuda, const perm_sparse *sparse,
                                 int64_t first, int64_t count, perm_dense_partial *partial) {
    base_status status = BASE_OK;
    const int64_t end = (first + count) * sparse->chunk_runs;
    memset(partial, 0, (size_t)count * sizeof *partial);
    for (int64_t run = first * sparse->chunk_runs; run < end;) {
        const int64_t runs = end - run < cuda->launch_runs ? end - run : cuda->launch_runs;
        BASE_TRY(launch(context, cuda, sparse, run, runs));
        for (int64_t number = 0; number < runs; number++)
            add_run(cuda, sparse, run + number, number, runs,
                    &partial[(run + number) / sparse->chunk_runs - first]);
        base_progress_add(context,
                          (int64_t)(sparse->chunk_subsets * (double)runs / (double)sparse->chunk_runs));
        run += runs;
    }
done:
    return status;
}
