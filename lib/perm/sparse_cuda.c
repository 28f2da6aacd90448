#include "perm/sparse_cuda.h"
#include "base/device_compile.h"
#include "base/memory.h"
#include "base/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs of a launch, a fifth of a second and less. */
enum { LOG2_LAUNCH = 18 };

const perm_sparse_shape perm_sparse_cuda_shape = {64, 4, 6};

/* A block of threads is no larger than a chunk. */
static perm_sparse_shape fit_shape(const perm_sparse *sparse, const perm_sparse_shape *shape) {
    perm_sparse_shape fitted = shape != NULL ? *shape : perm_sparse_cuda_shape;
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
                                  const perm_sparse_shape *shape, perm_sparse_cuda *cuda) {
    base_status status;
    const int64_t runs = sparse->chunk_count * sparse->chunk_runs;
    *cuda = (perm_sparse_cuda){.sparse = sparse, .shape = fit_shape(sparse, shape), .device = device};
    cuda->launch_runs = runs < INT64_C(1) << LOG2_LAUNCH ? runs : INT64_C(1) << LOG2_LAUNCH;
    char *text = perm_sparse_print_code(&sparse->problem, &cuda->shape);
    if (text == NULL)
        BASE_TRY(base_fail(context, BASE_MACHINE, "out of memory"));
    const base_device_source source = {"the kernel of a sparse permanent", text,
                                       (const char *const[]){"--fmad=false", NULL}};
    BASE_TRY(base_device_build(context, device, &source, &cuda->module, &cuda->from_cache));
    BASE_TRY(base_device_get_function(context, cuda->module, "perm_sparse", &cuda->function));
    BASE_TRY(base_device_allow_shared(context, &cuda->function,
                                      perm_sparse_shared_bytes(&sparse->problem, &cuda->shape)));
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

/* Two thirds of what the FP64 units allow. */
double perm_sparse_cuda_seconds(const perm_sparse *sparse, double rate) {
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
    const base_device_shape shape = {.grid = {(unsigned)(slot->runs / cuda->shape.threads)},
                                     .block = {(unsigned)cuda->shape.threads},
                                     .shared_bytes = perm_sparse_shared_bytes(problem, &cuda->shape)};
    long long first = slot->run, number = slot->runs;
    slot->run += slot->runs;
    BASE_TRY(base_device_launch(context, &cuda->function, &shape, slot->stream,
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
