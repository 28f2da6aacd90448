/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse permanents on NVIDIA GPUs, by code that is generated for the matrix (kernels/perm/sparse/code.h) and
 * compiled while the program runs. Same chunks, same bits as the kernels with fma on the CPU for the same
 * plan, which should be made for perm_sparse_device_gpu. */
#ifndef PERM_SPARSE_DEVICE_H
#define PERM_SPARSE_DEVICE_H

#include "base/device/device.h"
#include "perm/sparse/code.h"
#include "perm/sparse/sparse.h"

/* Launches under way, so that the device never waits for the host, and one more. */
enum { PERM_SPARSE_CUDA_SLOTS = 3 };

/* A compiled permanent on one device. */
typedef struct perm_sparse_cuda {
    const perm_sparse *sparse;
    perm_sparse_launch launch;
    base_device *device;
    base_device_module *module;
    base_device_function function;
    int64_t launch_runs; /* at most */
    bool from_cache;
    struct perm_sparse_cuda_slot {
        base_device_stream *stream;
        base_device_buffer out; /* of a launch */
        double *host;
        int64_t first, count;   /* chunks */
        int64_t run, runs, end; /* the runs under way are the last `runs` ones before `run` */
    } slot[PERM_SPARSE_CUDA_SLOTS];
} perm_sparse_cuda;

/* All registers for the tables: 4 blocks of 64 threads. */
extern const perm_sparse_launch perm_sparse_cuda_launch;

/* The launch configuration of another variant of a problem that was made without a search (sparse-gray). */
perm_sparse_launch perm_sparse_cuda_gray_launch(const perm_sparse_problem *problem,
                                                perm_sparse_variant variant);

/* The launch configuration, NULL for the usual one, with blocks of threads no larger than a chunk. */
perm_sparse_launch perm_sparse_cuda_fit(const perm_sparse *sparse, const perm_sparse_launch *launch);

/* Prepares a matrix for one of the variants; `plan` may be NULL. */
base_status perm_sparse_cuda_prepare(base_context *context, const perm_dense_matrix *matrix,
                                     perm_sparse_variant variant, const perm_sparse_plan *plan,
                                     perm_sparse *sparse);

/* Prints, compiles and loads the code; `launch` may be NULL. About a second, unless it is in the cache.
 * `sparse` must stay. */
base_status perm_sparse_cuda_init(base_context *context, base_device *device, const perm_sparse *sparse,
                                  const perm_sparse_launch *launch, perm_sparse_cuda *cuda);
void perm_sparse_cuda_free(perm_sparse_cuda *cuda); /* NULL is allowed */

/* Chunks of a launch on one of so many devices. */
int64_t perm_sparse_cuda_batch(const perm_sparse *sparse, int devices);

/* Starts chunks first … first+count-1, at most a batch; the slot is free. */
base_status perm_sparse_cuda_submit(base_context *context, perm_sparse_cuda *cuda, int slot, int64_t first,
                                    int64_t count);

/* Waits for them: their partials, one after the other. Adds subsets to the context's progress. */
base_status perm_sparse_cuda_collect(base_context *context, perm_sparse_cuda *cuda, int slot,
                                     perm_dense_partial *partial);

/* Expected seconds, but for the start of the device and the compiler, where the FP64 units do `rate`
 * instructions a second. */
double perm_sparse_cuda_seconds(const perm_sparse *sparse, const perm_sparse_launch *launch, double rate);

/* As perm_sparse_run. */
base_status perm_sparse_cuda_run(base_context *context, perm_sparse_cuda *cuda, int64_t first, int64_t count,
                                 perm_dense_partial *partial);

#endif
