/* The variants of the device kernels: private to device.c and its tests. */
#ifndef FLIP_DEVICE_VARIANTS_H
#define FLIP_DEVICE_VARIANTS_H

#include "base/core/context.h"
#include "flip/kernel.h"

enum {
    FLIP_DEVICE_VARIANTS = 19,
    /* Of an H200. The number of islands does not depend on the device, as results depend on it. */
    FLIP_DEVICE_MULTIPROCESSORS = 132
};

typedef struct flip_device_variant_entry {
    const char *function;
    bool is_lanes; /* a walker a thread, a island a warp; otherwise a walker a warp, a island a block of 16 */
    flip_symmetry symmetry;
    int bits, rows;       /* of a factor; of a scheme */
    int64_t shared_bytes; /* of a island */
    int resident;         /* islands that a multiprocessor holds */
} flip_device_variant_entry;

extern const flip_device_variant_entry flip_device_variants[FLIP_DEVICE_VARIANTS];

/* Walkers of a island. */
int flip_device_width(const flip_device_variant_entry *variant);

/* The first variant with room, NULL if there is none. */
const flip_device_variant_entry *flip_device_choose(bool is_lanes, flip_symmetry symmetry, int64_t bits,
                                                    int64_t rows);

/* The same by the name of the kernel, NULL for any; fails as flip_device_open. */
base_status flip_device_find(base_context *context, const char *kernel, flip_symmetry symmetry, int64_t bits,
                             int64_t rows, const flip_device_variant_entry **variant);

#endif
