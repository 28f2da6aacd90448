/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods whose chunks are sums over subsets (subsets/device_sum.h) computed by devices: the processor's
 * method in everything but the computation of a chunk. */
#ifndef PERM_CHUNKS_DEVICE_SUMS_H
#define PERM_CHUNKS_DEVICE_SUMS_H

#include "perm/chunks/chunks.h"
#include "perm/subsets/device_sum.h"

/* What differs from method to method. `problem` is what the processor's method begins with. */
typedef struct perm_chunks_sums_kind {
    const char *name; /* of the kernel */
    int log2_launch;  /* perm_device_sum_plan */
    base_status (*make)(base_context *context, const void *problem, int64_t number, perm_device_sum *sum);
    bool (*agree)(const void *problem, const void *a, const void *b); /* two partials of a chunk */
} perm_chunks_sums_kind;

typedef struct perm_chunks_sums {
    perm_chunked processor; /* its method begins with the problem */
    const perm_chunks_sums_kind *kind;
    base_devices *devices;
    int64_t count;                               /* of sums, all of which a chunk consists of */
    perm_device_sum *sum, *other;                /* `other`: with half the steps */
    perm_device_worker **worker, **other_worker; /* [device][sum]; opened by need */
    double chunk_seconds;                        /* on the processor */
} perm_chunks_sums;

/* An empty method of one sum, which `chunked` owns and releases; the caller makes its processor's form. */
base_status perm_chunks_sums_begin(base_context *context, base_devices *devices, perm_chunks_sums **method,
                                   perm_chunked *chunked);

/* `chunked` becomes the devices' form of method->processor, which is ready and takes `seconds` for all
 * chunks. Out of memory: BASE_MACHINE; `chunked` is the caller's to free in any case. */
base_status perm_chunks_sums_finish(base_context *context, const perm_chunks_sums_kind *kind, double seconds,
                                    perm_chunks_sums *method, perm_chunked *chunked);

#endif
