/* SPDX-License-Identifier: BSD-3-Clause */
/* The variants of the device kernels; private to this room and its tests. */
#ifndef FLIP_DEVICE_VARIANTS_H
#define FLIP_DEVICE_VARIANTS_H

#include "flip/device/device.h"

/* As many as lane_variants.h and warp_variants.h of kernels/flip have. */
#define LANE_ENTRY(name, bits, rows, cyclic, reversed, resident) +1
#define WARP_ENTRY(name, factor, slots, resident) +1
#define LANE_EACH "flip/lane_entry.h"
#define WARP_EACH "flip/warp_entry.h"
enum {
    FLIP_DEVICE_VARIANTS = 0
#include "flip/lane_variants.h"
#include "flip/warp_variants.h"
};
#undef LANE_ENTRY
#undef WARP_ENTRY

enum {
    FLIP_DEVICE_FAMILIES = 2,
    /* The multiprocessors of an H200. The number of islands is the same for every device, as results depend
       on it. */
    FLIP_DEVICE_MULTIPROCESSORS = 132
};

/* How walkers lie on a device, in the code of one file. A family is a row here, its kernels in
 * flip_device_kernels, their sizes in flip_device_variants. */
struct flip_device_family {
    const base_device_fatbin *fatbin;
    int walkers;      /* of an island */
    int threads;      /* of the block that an island is */
    bool is_measured; /* the islands of search/settings.h were found with it */
};
extern const flip_device_family flip_device_families[FLIP_DEVICE_FAMILIES]; /* the faster one first */

typedef struct flip_device_variant_entry {
    const char *function;
    const flip_device_family *family;
    flip_symmetry symmetry;
    int bits, rows;       /* of a factor; of a scheme */
    int64_t shared_bytes; /* of an island */
    int resident;         /* islands that a multiprocessor holds */
} flip_device_variant_entry;

extern const flip_device_variant_entry flip_device_variants[FLIP_DEVICE_VARIANTS];

/* The first variant with room, NULL if there is none. */
const flip_device_variant_entry *flip_device_choose(const flip_device_family *family, flip_symmetry symmetry,
                                                    int64_t bits, int64_t rows);

/* Finds the first variant with room of a kernel, NULL standing for any kernel; fails as flip_device_open. */
base_status flip_device_find(base_context *context, const flip_device_kernel *kernel, flip_symmetry symmetry,
                             int64_t bits, int64_t rows, const flip_device_variant_entry **variant);

#endif
