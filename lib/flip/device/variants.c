/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/device/variants.h"
#include "flip/gpu.h"

#include <limits.h>
#include <string.h>

extern const base_device_fatbin flip_lane_gpu_fatbin, flip_warp_gpu_fatbin;

/* In the first family a walker is a thread and an island a warp; in the second a walker is a warp and an
 * island a block of 16 warps. */
const flip_device_family flip_device_families[FLIP_DEVICE_FAMILIES] = {
    {&flip_lane_gpu_fatbin, FLIP_GPU_LANES, FLIP_GPU_LANES, true},
    {&flip_warp_gpu_fatbin, FLIP_GPU_WARPS, 32 * FLIP_GPU_WARPS, false},
};

const flip_device_kernel flip_device_kernels[] = {
    {"flip-lanes", "a walker a thread", &flip_device_families[0], 0},
    {"flip-match", "a walker a warp: all pairs that match in a draw of terms flip", &flip_device_families[1],
     0},
    {"flip-list", "a walker a warp: a pair from the list of those that match flips", &flip_device_families[1],
     INT_MAX},
    {NULL, NULL, NULL, 0},
};

bool flip_device_is_built(void) {
    return base_device_has_code(flip_device_families[0].fatbin);
}

/* The variants of kernels/flip/lane_variants.h and warp_variants.h. Each walker has three factors of every
 * row in shared memory, with their marks; one that is a warp has two words beside them, its rank and its
 * flips. */
#define LANE_ENTRY(name, bits, rows, cyclic, reversed, resident)                                             \
    LANE_ROW(name, bits, rows, cyclic, reversed, resident)
#define LANE_ROW(name, bits, rows, cyclic, reversed, resident)                                               \
    {"flip_gpu_" #name,                                                                                      \
     &flip_device_families[0],                                                                               \
     (reversed) ? FLIP_REVERSED                                                                              \
     : (cyclic) ? FLIP_CYCLIC                                                                                \
                : FLIP_PLAIN,                                                                                \
     bits,                                                                                                   \
     rows,                                                                                                   \
     FLIP_GPU_LANE_BYTES(bits) * 3 * (rows)*FLIP_GPU_LANES,                                                  \
     resident},
#define WARP_ENTRY(name, factor, slots, resident) WARP_ROW(name, (int)sizeof(factor), 32 * (slots), resident)
#define WARP_ROW(name, bytes, rows, resident)                                                                \
    {"flip_gpu_" #name,                                                                                      \
     &flip_device_families[1],                                                                               \
     FLIP_PLAIN,                                                                                             \
     8 * (bytes),                                                                                            \
     rows,                                                                                                   \
     FLIP_GPU_WARPS * (3 * (rows) * (bytes) + 2 * 4),                                                        \
     resident},
const flip_device_variant_entry flip_device_variants[FLIP_DEVICE_VARIANTS] = {
#define LANE_EACH "flip/lane_entry.h"
#include "flip/lane_variants.h"
#define WARP_EACH "flip/warp_entry.h"
#include "flip/warp_variants.h"
};

const flip_device_kernel *flip_device_get_kernel(const char *name) {
    for (const flip_device_kernel *kernel = flip_device_kernels; kernel->name != NULL; kernel++)
        if (name != NULL && strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

const flip_device_variant_entry *flip_device_choose(const flip_device_family *family, flip_symmetry symmetry,
                                                    int64_t bits, int64_t rows) {
    for (int v = 0; v < FLIP_DEVICE_VARIANTS; v++) {
        const flip_device_variant_entry *variant = &flip_device_variants[v];
        if (variant->family == family && variant->symmetry == symmetry && variant->bits >= bits &&
            variant->rows >= rows)
            return variant;
    }
    return NULL;
}

base_status flip_device_find(base_context *context, const flip_device_kernel *kernel, flip_symmetry symmetry,
                             int64_t bits, int64_t rows, const flip_device_variant_entry **variant) {
    *variant = NULL;
    for (int f = 0; f < FLIP_DEVICE_FAMILIES && *variant == NULL; f++)
        if (kernel == NULL || kernel->family == &flip_device_families[f])
            *variant = flip_device_choose(&flip_device_families[f], symmetry, bits, rows);
    if (*variant == NULL)
        return base_fail(context, BASE_FAILED, "no device kernel has room for this scheme");
    return BASE_OK;
}
