/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the search on devices share. */
#ifndef FLIP_DEVICE_INTERNAL_H
#define FLIP_DEVICE_INTERNAL_H

#include "flip/device/device.h"
#include "flip/device/variants.h"

/* One device and its islands. */
typedef struct device_part {
    base_device *device;
    base_device_stream *stream;
    base_device_module *module;
    base_device_function functions[FLIP_DEVICE_VARIANTS];
    base_device_buffer islands, factors, random, since, saved, first;
    int64_t begin, count; /* islands */
} device_part;

struct flip_device_search {
    flip_gpu_rules rules;
    flip_symmetry symmetry;
    int64_t size[3], longest; /* bits of the longest factor */
    int64_t island_count, first_count;
    int64_t most_shared_bytes; /* of a block, on every device */
    int64_t launches;
    const flip_device_variant_entry *last;
    flip_gpu_island *islands;
    int *pooled; /* by island: the best rank that is in the pools */
    unsigned long long *first;
    uint64_t *terms; /* of one scheme, and as it is stored */
    device_part *parts;
    int part_count;
};

/* A scheme as kernels store it (gpu.h), as masks in search->terms. Returns its rank. */
int64_t flip_device_unfold(flip_device_search *search, const uint64_t *stored, uint64_t **masks);

#endif
