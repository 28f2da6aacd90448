/* The contract between lib/spmm/families and the device kernels merge_… (see common/gpu.h). */
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
