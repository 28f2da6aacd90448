/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels for flip graphs on the fake device, by the shim. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "flip/lane_gpu.cu"
#include "flip/warp_gpu.cu"
#include "tests/fake/kernels.h"

static const struct {
    const char *name;
    void (*run)(flip_gpu_rules rules, flip_gpu_state state);
} variants[] = {
#define KERNEL(name) {"flip_gpu_" #name, flip_gpu_##name},
#define LANE_ENTRY(name, bits, rows, cyclic, reversed, resident) KERNEL_OF(name)
#define WARP_ENTRY(name, factor, slots, resident) KERNEL_OF(name)
#define KERNEL_OF(name) KERNEL(name)
#define LANE_EACH "flip/lane_entry.h"
#include "flip/lane_variants.h"
#define WARP_EACH "flip/warp_entry.h"
#include "flip/warp_variants.h"
};

static bool run_variant(const char *name, void **a) {
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        if (strcmp(name, variants[k].name) == 0) {
            if (a != NULL)
                variants[k].run(*(const flip_gpu_rules *)a[0], *(const flip_gpu_state *)a[1]);
            return true;
        }
    return false;
}

#define KERNELS(X) /* all are variants */
#define FAKE_HAS fake_has_flip_kernel
#define FAKE_RUN fake_run_flip_kernel
#define FAKE_VARIANT run_variant
#include "tests/fake/list.h"
