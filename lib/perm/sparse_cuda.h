/* Sparse permanents on NVIDIA GPUs, by code that is generated for the matrix (kernels/perm/sparse_code.h) and
 * compiled while the program runs. Same chunks, same bits as the kernels with fma on the CPU for the same
 * plan, which should be made for perm_sparse_device_gpu. */
#ifndef PERM_SPARSE_CUDA_H
#define PERM_SPARSE_CUDA_H

#include "base/device.h"
#include "perm/sparse.h"
#include "perm/sparse_code.h"

/* A compiled permanent on one device. */
typedef struct perm_sparse_cuda {
    perm_sparse_shape shape;
    base_device_module *module;
    base_device_function function;
    base_device_buffer out; /* of a launch */
    double *host;
    int64_t launch_runs; /* at most */
    bool from_cache;
} perm_sparse_cuda;

/* All registers for the tables: 4 blocks of 64 threads. */
extern const perm_sparse_shape perm_sparse_cuda_shape;

/* Prints, compiles and loads the code; `shape` may be NULL. About a second, unless it is in the cache. */
base_status perm_sparse_cuda_init(base_context *context, base_device *device, const perm_sparse *sparse,
                                  const perm_sparse_shape *shape, perm_sparse_cuda *cuda);
void perm_sparse_cuda_free(perm_sparse_cuda *cuda); /* NULL is allowed */

/* As perm_sparse_run. */
base_status perm_sparse_cuda_run(base_context *context, perm_sparse_cuda *cuda, const perm_sparse *sparse,
                                 int64_t first, int64_t count, perm_dense_partial *partial);

#endif
