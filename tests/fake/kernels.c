/* The kernels for permanents on the fake device, by the shim. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "perm/dense_gpu.cu"
#include "perm/exact_gpu.cu"
#include "perm/twofold_gpu.cu"
#include "tests/fake/kernels.h"

/* All have the arguments of perm/device_sum.h. */
#define KERNELS(X)                                                                                           \
    X(dense_gpu_real, const double *, dense_gpu_sums *)                                                      \
    X(dense_gpu_complex, const double *, dense_gpu_sums *)                                                   \
    X(exact_gpu_1, const exact_gpu_tables *, long long *)                                                    \
    X(exact_gpu_2, const exact_gpu_tables *, long long *)                                                    \
    X(exact_gpu_3, const exact_gpu_tables *, long long *)                                                    \
    X(exact_gpu_4, const exact_gpu_tables *, long long *)                                                    \
    X(sieve_gpu_1, const sieve_gpu_tables *, long long *)                                                    \
    X(sieve_gpu_2, const sieve_gpu_tables *, long long *)                                                    \
    X(sieve_gpu_3, const sieve_gpu_tables *, long long *)                                                    \
    X(sieve_gpu_4, const sieve_gpu_tables *, long long *)                                                    \
    X(twofold_gpu_1, const double *, twofold_gpu_sums *)                                                     \
    X(twofold_gpu_2, const double *, twofold_gpu_sums *)

typedef struct launch {
    const char *name;
    void **arguments;
} launch;

static void thread(void *data) {
    const launch *it = data;
    void **a = it->arguments;
    const int n = *(int *)a[0], steps = *(int *)a[1];
    const long long threads = *(long long *)a[2], first = *(long long *)a[3];
#define RUN(kernel, columns_type, sums_type)                                                                 \
    if (strcmp(it->name, #kernel) == 0)                                                                      \
        kernel(n, steps, threads, first, *(columns_type *)a[4], *(sums_type *)a[5]);
    KERNELS(RUN)
#undef RUN
}

bool fake_has_kernel(const char *name) {
    bool found = false;
#define FIND(kernel, columns_type, sums_type) found = found || strcmp(name, #kernel) == 0;
    KERNELS(FIND)
#undef FIND
    return found;
}

void fake_run_kernel(const char *name, const unsigned grid[2], unsigned block, unsigned shared_bytes,
                     void **arguments) {
    launch it = {name, arguments};
    shim_launch(thread, &it, (shim_index){grid[0], grid[1], 1}, (shim_index){block, 1, 1}, shared_bytes);
}
