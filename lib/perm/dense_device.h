/* Dense permanents on NVIDIA GPUs: the chunks of dense.h, added up by the kernels of perm/dense_gpu.h. */
#ifndef PERM_DENSE_DEVICE_H
#define PERM_DENSE_DEVICE_H

#include "base/device.h"
#include "perm/dense.h"
#include "perm/dense_gpu.h"

/* A problem as the kernels take it. */
typedef struct perm_dense_device_plan {
    const char *kernel;   /* the function of kernels/perm/dense_gpu.cu */
    int inner, steps;     /* B and S of dense_gpu.h */
    int64_t threads;      /* of the whole sum */
    int64_t chunk_blocks; /* blocks of threads in a chunk; all chunks have as many */
    int64_t shared_bytes; /* of a block */
    double *columns;      /* [0]: start, [1 + column]: up, each [part][row] */
    int64_t column_count;
} perm_dense_device_plan;

/* Depends on the problem only, not on the device. */
base_status perm_dense_device_plan_init(base_context *context, const perm_dense *dense,
                                        perm_dense_device_plan *plan);
void perm_dense_device_plan_free(perm_dense_device_plan *plan); /* NULL is allowed */

/* Adds the sums of blocks that follow each other to a partial, which begins as zero. */
void perm_dense_device_add(const dense_gpu_sums *sums, int64_t count, perm_dense_partial *partial);

/* Expected seconds on so many devices, with the start of the device: about 0.25 s, and 8e12 (row, subset)
 * pairs a second for each H200, a third of that for complex matrices. */
double perm_dense_device_seconds(const perm_dense_problem *problem, int devices);

/* perm_dense_run on devices, one thread each. A chunk's numbers depend on the matrix only, not on the devices
 * and their number, and differ in last bits from those of a processor's kernel; the bound of perm_dense_fold
 * holds for both. Fails with BASE_MACHINE. */
base_status perm_dense_device_run(base_context *context, base_devices *devices, const perm_dense *dense,
                                  int64_t first, int64_t count, perm_dense_partial *partial);

/* All of it. */
base_status perm_dense_device_permanent(base_context *context, base_devices *devices,
                                        const perm_dense_matrix *matrix, perm_dense_result *result);

#endif
