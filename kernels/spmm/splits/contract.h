/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/splits.c and the device kernels splits_…: A as a dense matrix in
 * fp32, by three products of tf32 (Ootomo and Yokota, Recovering single precision accuracy from tensor
 * cores, IJHPCA 2022), for compute capability 9.0.
 *
 * Each number is the sum of two of tf32, a high and a low half; low times low is left out. gpu.cu has the
 * kernel and the one that splits B. common/gpu.h has what all families share. */
#ifndef SPMM_SPLITS_CONTRACT_H
#define SPMM_SPLITS_CONTRACT_H

#include "spmm/bands/contract.h"
#include "spmm/common/gpu.h"

/* kernels splits_…: A as a dense matrix in tiles of 128 rows and 128 bytes of columns, tile number band *
 * steps + tile, each as two of tf32 one after the other, the high halves of the numbers and the low ones,
 * with the positions of bands_…. B comes in such tiles too, of 64 columns, tile number step * tiles + tile,
 * by columns: the kernel halves_… makes them before the product. */
typedef struct spmm_gpu_splits {
    const void *a;
    void *halves;               /* of B */
    long long nrow, ncol;       /* of A */
    int steps;                  /* tiles in a band */
    int parts;                  /* of a band, each by a block */
    spmm_gpu_operands operands; /* partial: [band][part][tile][sum / 4][thread][4] */
} spmm_gpu_splits;

enum { SPMM_GPU_SPLIT_COLUMNS = 64, SPMM_GPU_SPLIT_WORKERS = 256, SPMM_GPU_SPLIT_STAGES = 4 };

#endif
