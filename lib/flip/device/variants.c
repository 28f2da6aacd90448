#include "flip/device/variants.h"
#include "flip/gpu.h"

#include <limits.h>
#include <string.h>

extern const base_device_fatbin flip_lane_gpu_fatbin, flip_warp_gpu_fatbin;

/* A walker a thread, an island a warp; a walker a warp, an island a block of 16. */
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

#define LANES(name, bits, rows, symmetry, resident)                                                          \
    {                                                                                                        \
        "flip_gpu_" #name, &flip_device_families[0], symmetry, bits, rows,                                   \
            3 * rows *bits / 8 * FLIP_GPU_LANES, resident                                                    \
    }
#define WARPS(name, bits, rows, resident)                                                                    \
    {                                                                                                        \
        "flip_gpu_" #name, &flip_device_families[1], FLIP_PLAIN, bits, rows,                                 \
            FLIP_GPU_WARPS *(3 * rows * bits / 8 + 2 * 4), resident                                          \
    }

/* Faster ones first. */
const flip_device_variant_entry flip_device_variants[FLIP_DEVICE_VARIANTS] = {
    LANES(half_32, 16, 32, FLIP_PLAIN, 24),
    LANES(half_56, 16, 56, FLIP_PLAIN, 16),
    LANES(half_64, 16, 64, FLIP_PLAIN, 16),
    LANES(full_64, 32, 64, FLIP_PLAIN, 9),
    LANES(full_80, 32, 80, FLIP_PLAIN, 7),
    LANES(full_104, 32, 104, FLIP_PLAIN, 5),
    LANES(full_128, 32, 128, FLIP_PLAIN, 4),
    LANES(cyclic_24, 32, 24, FLIP_CYCLIC, 16),
    LANES(cyclic_56, 32, 56, FLIP_CYCLIC, 10),
    LANES(cyclic_long_88, 64, 88, FLIP_CYCLIC, 3),
    LANES(cyclic_long_192, 64, 192, FLIP_CYCLIC, 1),
    LANES(reversed_32, 64, 32, FLIP_REVERSED, 9),
    LANES(reversed_48, 64, 48, FLIP_REVERSED, 6),
    LANES(reversed_96, 64, 96, FLIP_REVERSED, 3),
    WARPS(short_2, 32, 64, 2),
    WARPS(short_4, 32, 128, 2),
    WARPS(long_2, 64, 64, 2),
    WARPS(long_5, 64, 160, 1),
    WARPS(long_17, 64, 544, 1),
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
