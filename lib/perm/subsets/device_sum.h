/* SPDX-License-Identifier: BSD-3-Clause */
/* A sum over blocks of threads, computed by one device: the dense permanents. Kernels take
 *
 *     (int n, int steps, long long threads, long long first, const void *columns, void *sums)
 *
 * and leave a sum for each block of the grid, whose number in the whole begins with `first`. Chunks are
 * blocks that follow each other. What a block gives depends on its number only. */
#ifndef PERM_SUBSETS_DEVICE_SUM_H
#define PERM_SUBSETS_DEVICE_SUM_H

#include "base/device/device.h"

/* Read-only while devices work on it. */
typedef struct perm_device_sum {
    const base_device_fatbin *fatbin;
    char *code; /* instead: source that is compiled, which belongs to the sum; NULL: none */
    const char *kernel;
    int n, steps, block_threads;
    int64_t threads;      /* of the whole sum; more of them do nothing */
    int64_t chunk_blocks; /* all chunks have as many */
    int64_t shared_bytes; /* of a block */
    void *columns;        /* the matrix as the kernel takes it; belongs to the sum */
    int64_t column_bytes;
    int64_t sum_bytes;     /* of a block */
    int64_t launch_blocks; /* at most */
    double chunk_subsets;
    /* What a chunk leaves stands partial_offset bytes behind every partial_stride bytes. */
    int64_t partial_bytes, partial_offset, partial_stride;
    /* Adds the sums of blocks that follow each other to a partial, which begins with zero bytes. */
    void (*add)(const struct perm_device_sum *sum, const void *sums, int64_t count, void *partial);
    const void *data; /* for `add` */
} perm_device_sum;

/* Sets steps, threads and chunk_blocks: 2^inner subsets a step of a thread, 2 to 2^most_steps
 * steps; n, block_threads and chunk_subsets are set. */
void perm_device_sum_configure(perm_device_sum *sum, int64_t chunk_count, int inner, int most_steps);

/* Twice the threads with half the steps, where there are more than two: the same sum in another order. */
void perm_device_sum_halve(perm_device_sum *sum);

/* Sets launch_blocks for `chunks` chunks on some devices, each of which gets 16 launches or more of at most
 * 2^log2_most blocks. A launch has some chunks or a part of one. */
void perm_device_sum_plan(perm_device_sum *sum, int64_t chunks, int devices, int log2_most);

/* Chunks of a launch. */
int64_t perm_device_sum_batch(const perm_device_sum *sum);

void perm_device_sum_free(perm_device_sum *sum);

/* Launches under way on a device, so that it never waits for the host, and one more. */
enum { PERM_DEVICE_SLOTS = 3 };

typedef struct perm_device_worker perm_device_worker; /* one device at work on a sum */

base_status perm_device_worker_open(base_context *context, base_device *device, const perm_device_sum *sum,
                                    perm_device_worker **worker);
void perm_device_worker_close(perm_device_worker *worker); /* NULL is allowed */

/* Starts chunks first … first+count-1, at most a batch or one; the slot is free. */
base_status perm_device_worker_submit(base_context *context, perm_device_worker *worker, int slot,
                                      int64_t first, int64_t count);

/* Waits for them: their partials, one after the other. Adds subsets to the context's progress. */
base_status perm_device_worker_collect(base_context *context, perm_device_worker *worker, int slot,
                                       void *partials);

/* Chunks first … first+count-1 on all devices, one thread each. */
base_status perm_device_sum_run(base_context *context, base_devices *devices, const perm_device_sum *sum,
                                int64_t first, int64_t count, void *partials);

#endif
