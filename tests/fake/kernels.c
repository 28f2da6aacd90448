/* The kernels for dense permanents on the fake device, by the shim. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "perm/dense_gpu.cu"
#include "tests/fake/kernels.h"

typedef struct launch {
    const char *name;
    void **arguments;
} launch;

/* (int n, int steps, long long threads, long long first, const double *columns, dense_gpu_sums *sums) */
static void thread(void *data) {
    const launch *it = data;
    void **a = it->arguments;
    void (*const kernel)(int, int, long long, long long, const double *, dense_gpu_sums *) =
        strcmp(it->name, "dense_gpu_real") == 0 ? dense_gpu_real : dense_gpu_complex;
    kernel(*(int *)a[0], *(int *)a[1], *(long long *)a[2], *(long long *)a[3], *(const double **)a[4],
           *(dense_gpu_sums **)a[5]);
}

bool fake_has_kernel(const char *name) {
    return strcmp(name, "dense_gpu_real") == 0 || strcmp(name, "dense_gpu_complex") == 0;
}

void fake_run_kernel(const char *name, unsigned grid, unsigned block, unsigned shared_bytes,
                     void **arguments) {
    launch it = {name, arguments};
    shim_launch(thread, &it, (shim_index){grid, 1, 1}, (shim_index){block, 1, 1}, shared_bytes);
}
