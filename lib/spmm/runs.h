/* A in compressed rows as the device kernels runs_… take it (kernels/spmm/gpu.h): short rows are put together
 * to runs, long ones are cut. */
#ifndef SPMM_RUNS_H
#define SPMM_RUNS_H

#include "base/context.h"
#include "spmm/gpu.h"
#include "spmm/kernel.h"

typedef struct spmm_runs {
    int64_t count, part_count;
    spmm_gpu_run *run;   /* in the order of the rows */
    spmm_gpu_part *part; /* at least one is allocated */
} spmm_runs;

/* Runs of at most `most` entries and 4 `most` rows. Fails with BASE_MACHINE. O(rows + runs). */
base_status spmm_runs_init(base_context *context, const spmm_csr *a, int64_t most, spmm_runs *runs);
void spmm_runs_free(spmm_runs *runs); /* NULL is allowed */

#endif
