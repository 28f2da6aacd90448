/* SPDX-License-Identifier: BSD-3-Clause */
/* The device that tests of sums over blocks of threads use: the shim, which their source includes before. */
#ifndef TESTS_SUPPORT_DEVICE_SUM_H
#define TESTS_SUPPORT_DEVICE_SUM_H

#include "perm/dense/dense.h"
#include "perm/dense/gpu.h"
#include "perm/subsets/device_sum.h"

/* What a thread of the shim is called with. */
typedef struct device_sum_launch {
    const perm_device_sum *sum;
    long long first; /* block */
    void *sums;      /* of sum->sum_bytes */
} device_sum_launch;

/* Fills the partials of all chunks, one after the other, with blocks in launches of at most `most`. */
static void device_sum_run(const perm_device_sum *sum, void (*thread)(void *launch), int64_t chunk_count,
                           int64_t most, perm_dense_partial *partial) {
    const size_t bytes = (size_t)sum->sum_bytes;
    char *sums = calloc((size_t)sum->chunk_blocks, bytes);
    for (int64_t chunk = 0; chunk < chunk_count; chunk++) {
        memset(sums, 0xff, (size_t)sum->chunk_blocks * bytes);
        for (int64_t block = 0; block < sum->chunk_blocks; block += most) {
            const int64_t rest = sum->chunk_blocks - block;
            device_sum_launch launch = {sum, chunk * sum->chunk_blocks + block, sums + (size_t)block * bytes};
            shim_launch(thread, &launch, (shim_index){(unsigned)(rest < most ? rest : most), 1, 1},
                        (shim_index){(unsigned)sum->block_threads, 1, 1}, (size_t)sum->shared_bytes);
        }
        partial[chunk] = (perm_dense_partial){.magnitude = 0};
        sum->add(sum, sums, sum->chunk_blocks, &partial[chunk]);
    }
    free(sums);
}

#endif
