/* SPDX-License-Identifier: BSD-3-Clause */
/* Times generated kernels for sparse permanents on GPU 0, for Matrix Market files (coordinate, real or
 * complex, general) and shapes ENTRIES:THREADS:RESIDENT: limit of values alive in the plan, threads of a
 * block, blocks on a multiprocessor. A line for each: columns in the block, operations per subset as planned,
 * seconds of the search and of the compilation, registers and bytes spilled of a thread, seconds of the whole
 * sum, operations a second over the 16.4e12 FP64 instructions a second of an H200, value, error bound
 * relative to it. SHARE: only that part of the chunks is computed, the time is scaled up, and there is no
 * value.
 *
 *     bench_gpu_sparse SHARE ENTRIES:THREADS:RESIDENT[,…] FILE… */
#include "base/device/device.h"
#include "base/run/progress.h"
#include "perm/sparse/device.h"
#include "pipelines/bench_matrix.h"

#include <math.h>

typedef struct trial {
    const char *path;
    double share, entries;
    perm_sparse_launch shape;
} trial;

static base_status run_trial(base_context *context, base_device *device, const perm_dense_matrix *matrix,
                             const trial *trial) {
    base_status status;
    perm_sparse sparse = {0};
    perm_sparse_cuda cuda = {0};
    perm_dense_result result;
    perm_dense_partial *partial = NULL;
    base_device_function_info info;
    perm_sparse_device limits = perm_sparse_device_gpu;
    limits.entries = trial->entries;
    double start = base_clock_seconds();
    BASE_TRY(perm_sparse_init(context, matrix, NULL, &limits, NULL, &sparse));
    const double search = base_clock_seconds() - start;
    start = base_clock_seconds();
    BASE_TRY(perm_sparse_cuda_init(context, device, &sparse, &trial->shape, &cuda));
    const double compile = base_clock_seconds() - start;
    BASE_TRY(base_device_get_function_info(context, &cuda.function, &info));
    const int64_t count = (int64_t)ceil(trial->share * (double)sparse.chunk_count);
    partial = malloc((size_t)sparse.chunk_count * sizeof *partial);
    start = base_clock_seconds();
    BASE_TRY(perm_sparse_cuda_run(context, &cuda, 0, count, partial));
    const double part_seconds = base_clock_seconds() - start,
                 seconds = part_seconds * (double)sparse.chunk_count / (double)count;
    const double operations = ldexp(sparse.problem.operations, -(int)sparse.problem.low),
                 subsets = ldexp(1, (int)sparse.problem.n - 1);
    printf("%s\t%g:%d:%d\t%d\t%.4g\t%.2f\t%.2f\t%d\t%" PRId64 "\t%.3f\t%.3f", trial->path, trial->entries,
           trial->shape.threads, trial->shape.resident, (int)sparse.problem.low, operations, search, compile,
           info.registers, info.local_bytes, seconds, operations * subsets / seconds / 16.4e12);
    if (count == sparse.chunk_count) {
        perm_sparse_fold(&sparse, partial, &result);
        printf("\t%.17Lg\t%.2g", ldexpl(result.high[0], (int)result.exponent),
               result.error / hypot(result.high[0], result.high[1]));
    }
    printf("\n");
    fflush(stdout);
done:
    free(partial);
    perm_sparse_cuda_free(&cuda);
    perm_sparse_free(&sparse);
    return status;
}

static void run_file(base_context *context, base_device *device, double share, const char *shapes,
                     const char *path) {
    int64_t n;
    bool is_complex;
    char copy[1024];
    double *entries = bench_read_matrix(path, PERM_SPARSE_LARGEST, &n, &is_complex);
    if (entries == NULL) {
        fprintf(stderr, "bench_gpu_sparse: cannot read %s\n", path);
        return;
    }
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0};
    snprintf(copy, sizeof copy, "%s", shapes);
    for (char *word = strtok(copy, ","); word != NULL; word = strtok(NULL, ",")) {
        trial trial = {.path = path, .share = share, .shape = perm_sparse_cuda_launch};
        if (sscanf(word, "%lf:%d:%d", &trial.entries, &trial.shape.threads, &trial.shape.resident) != 3 ||
            run_trial(context, device, &matrix, &trial) != BASE_OK)
            fprintf(stderr, "bench_gpu_sparse: %s: %s\n", word, context->error.cause);
    }
    free(entries);
}

int main(int argc, char **argv) {
    base_context context;
    base_devices *devices;
    base_context_init(&context);
    if (argc < 4) {
        fprintf(stderr, "usage: bench_gpu_sparse SHARE ENTRIES:THREADS:RESIDENT[,...] FILE...\n");
        return BASE_USAGE;
    }
    if (base_devices_open(&context, BASE_DEVICE_CUDA, NULL, 0, &devices) != BASE_OK) {
        fprintf(stderr, "bench_gpu_sparse: %s\n", context.error.cause);
        return BASE_MACHINE;
    }
    printf("matrix\tshape\tlow\top/subset\tsearch\tcompile\tregisters\tlocal\tseconds\tshare of "
           "FP64\tvalue\tbound\n");
    base_device_start(&context, base_devices_get(devices, 0));
    for (int k = 3; k < argc; k++)
        run_file(&context, base_devices_get(devices, 0), atof(argv[1]), argv[2], argv[k]);
    base_devices_close(devices);
    return BASE_OK;
}
