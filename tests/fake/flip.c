/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels for flip graphs on the fake device, by the shim. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "flip/lane_gpu.cu"
#include "flip/warp_gpu.cu"
#include "tests/fake/kernels.h"

typedef void flip_kernel_function(flip_gpu_rules rules, flip_gpu_state state);

static const struct {
    const char *name;
    flip_kernel_function *run;
} kernels[] = {
#define KERNEL(name) {"flip_gpu_" #name, flip_gpu_##name},
#define LANE_ENTRY(name, bits, rows, cyclic, reversed, resident) KERNEL_OF(name)
#define WARP_ENTRY(name, factor, slots, resident) KERNEL_OF(name)
#define KERNEL_OF(name) KERNEL(name)
#define LANE_EACH "flip/lane_entry.h"
#include "flip/lane_variants.h"
#define WARP_EACH "flip/warp_entry.h"
#include "flip/warp_variants.h"
};

typedef struct launch {
    flip_kernel_function *run;
    void **arguments;
} launch;

static flip_kernel_function *find(const char *name) {
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, name) == 0)
            return kernels[k].run;
    return NULL;
}

static void thread(void *data) {
    const launch *it = data;
    it->run(*(const flip_gpu_rules *)it->arguments[0], *(const flip_gpu_state *)it->arguments[1]);
}

bool fake_has_flip_kernel(const char *name) {
    return find(name) != NULL;
}

void fake_run_flip_kernel(const char *name, const unsigned grid[2], unsigned block, unsigned shared_bytes,
                          void **arguments) {
    launch it = {find(name), arguments};
    shim_launch(thread, &it, (shim_index){grid[0], grid[1], 1}, (shim_index){block, 1, 1}, shared_bytes);
}
