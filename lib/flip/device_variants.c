#include "flip/device_variants.h"
#include "flip/device.h"
#include "flip/gpu.h"

#include <string.h>

const flip_device_kernel flip_device_kernels[] = {
    {"flip-lanes", "a walker a thread"},
    {"flip-match", "a walker a warp: all pairs that match in a draw of terms flip"},
    {"flip-list", "a walker a warp: a pair from the list of those that match flips"},
    {NULL, NULL},
};

#define LANES(name, bits, rows, cyclic, resident)                                                            \
    { "flip_gpu_" #name, true, cyclic, bits, rows, 3 * rows *bits / 8 * FLIP_GPU_LANES, resident }
#define WARPS(name, bits, rows, resident)                                                                    \
    { "flip_gpu_" #name, false, false, bits, rows, FLIP_GPU_WARPS *(3 * rows * bits / 8 + 2 * 4), resident }

/* Faster ones first. */
const flip_device_variant_entry flip_device_variants[FLIP_DEVICE_VARIANTS] = {
    LANES(half_32, 16, 32, false, 24),  LANES(half_56, 16, 56, false, 16),
    LANES(half_64, 16, 64, false, 16),  LANES(full_64, 32, 64, false, 9),
    LANES(full_80, 32, 80, false, 7),   LANES(full_104, 32, 104, false, 5),
    LANES(full_128, 32, 128, false, 4), LANES(cyclic_24, 32, 24, true, 16),
    LANES(cyclic_56, 32, 56, true, 10), WARPS(short_2, 32, 64, 2),
    WARPS(short_4, 32, 128, 2),         WARPS(long_2, 64, 64, 2),
    WARPS(long_5, 64, 160, 1),          WARPS(long_17, 64, 544, 1),
};

int flip_device_width(const flip_device_variant_entry *variant) {
    return variant->is_lanes ? FLIP_GPU_LANES : FLIP_GPU_WARPS;
}

const flip_device_variant_entry *flip_device_choose(bool is_lanes, bool cyclic, int64_t bits, int64_t rows) {
    for (int v = 0; v < FLIP_DEVICE_VARIANTS; v++) {
        const flip_device_variant_entry *variant = &flip_device_variants[v];
        if (variant->is_lanes == is_lanes && variant->cyclic == cyclic && variant->bits >= bits &&
            variant->rows >= rows)
            return variant;
    }
    return NULL;
}

base_status flip_device_find(base_context *context, const char *kernel, bool cyclic, int64_t bits,
                             int64_t rows, const flip_device_variant_entry **variant) {
    const flip_device_kernel *known = flip_device_kernels;
    while (kernel != NULL && known->name != NULL && strcmp(known->name, kernel) != 0)
        known++;
    if (known->name == NULL)
        return base_fail(context, BASE_USAGE, "there is no device kernel '%s'", kernel);
    *variant = NULL;
    if (kernel == NULL || strcmp(kernel, "flip-lanes") == 0)
        *variant = flip_device_choose(true, cyclic, bits, rows);
    if (*variant == NULL && (kernel == NULL || strcmp(kernel, "flip-lanes") != 0))
        *variant = flip_device_choose(false, cyclic, bits, rows);
    if (*variant == NULL)
        return base_fail(context, BASE_FAILED, "no device kernel has room for this scheme");
    return BASE_OK;
}
