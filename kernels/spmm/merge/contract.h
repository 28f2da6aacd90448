/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/merge.c and the device kernels merge_…: merge-based CSR, that is
 * pieces of about equal numbers of entries whatever the lengths of rows (Merrill and Garland, Merge-based
 * parallel sparse matrix-vector multiplication, SC 2016; for dense right-hand sides Yang, Buluç and Owens,
 * Euro-Par 2018).
 *
 * Short rows are put together and long ones cut; the kernel of reduction/ adds the parts of a cut row.
 * body.h has the kernel, types.h its variants for a type and variants.h all of them; pack/rows.h makes the
 * partitions. common/gpu.h has what all families share. */
#ifndef SPMM_MERGE_CONTRACT_H
#define SPMM_MERGE_CONTRACT_H

#include "spmm/common/gpu.h"

/* Consecutive entries of rows row … row + rows - 1 that are whole, or of one row that is cut. */
typedef struct spmm_gpu_merge_partition {
    long long first; /* entry */
    int count;
    int row; /* part p of a cut row: -1-p */
    int rows;
    int unused;
} spmm_gpu_merge_partition;

/* kernels merge_…: A in compressed rows, in partitions of about equal length. */
typedef struct spmm_gpu_merge {
    const spmm_gpu_merge_partition *partitions;
    const long long *start; /* [row], and the end: entries */
    const void *entry;      /* spmm_gpu_entry, or the doubles of all entries, … */
    const int *column;      /* … with their columns */
    long long partition_count;
    spmm_gpu_operands operands; /* partial as of rows_… */
} spmm_gpu_merge;

#endif
