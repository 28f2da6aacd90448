/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of the kernels for sparse × dense products, C (M × N) = alpha A (M × K) B (K × N) + beta C, on
 * processors; those of GPUs share the types. B and C are row-major.
 *
 * A precision says to which format the numbers of A and B are rounded (to nearest, ties to even) before they
 * are multiplied. Products are exact or rounded to fp32 (fp64 for fp64), sums are kept in fp32 (fp64), never
 * narrower, and added in an order that depends on the matrix only: the same arguments give the same bits,
 * for any number of threads. With m numbers in a row of A, u = 2^-24 (2^-53 for fp64) and A, B as rounded,
 *
 *     |computed - exact| <= (m + 3) u / (1 - (m + 3) u) · sum |alpha a b| + 3 u |beta c|. */
#ifndef SPMM_COMMON_KERNEL_H
#define SPMM_COMMON_KERNEL_H

#include "processor.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum spmm_precision {
    SPMM_FP16,   /* IEEE binary16 */
    SPMM_BF16,   /* 8 bits of significand, range of fp32 */
    SPMM_TF32,   /* 11 bits of significand, range of fp32 */
    SPMM_3XTF32, /* fp32, each number as a sum of two of tf32; the product of the low parts is left out */
    SPMM_FP32,
    SPMM_FP64,
    SPMM_PRECISIONS
} spmm_precision;

/* How numbers lie in memory: fp16 and bf16 as 16-bit words, tf32 and 3xtf32 as fp32. */
typedef enum spmm_format {
    SPMM_FORMAT_FP16,
    SPMM_FORMAT_BF16,
    SPMM_FORMAT_FP32,
    SPMM_FORMAT_FP64,
    SPMM_FORMATS
} spmm_format;

/* A in compressed rows. */
typedef struct spmm_csr {
    int64_t nrow, ncol, nnz;
    const int64_t *start; /* nrow + 1 */
    const int32_t *index; /* nnz columns, ascending in each row */
    const void *value;    /* nnz floats (fp64: doubles), rounded to the precision's format */
} spmm_csr;

/* A product, or a panel of columns of one. Rows of B and C lie b_row and c_row numbers apart. */
typedef struct spmm_job {
    const spmm_csr *a;
    int64_t n;
    const void *b; /* in the kernel's format */
    int64_t b_row;
    void *c; /* floats (fp64: doubles) */
    int64_t c_row;
    double alpha, beta;       /* beta 0: C is not read and may hold anything */
    const uint8_t *supernode; /* [row]: 1 where a row has the columns of the row before it; NULL: not known */
} spmm_job;

/* Rows side by side, with their entries in a block of columns step by step: for each row a place in the panel
 * (16 bits), then for each the value. */
enum { SPMM_SELL_ROWS = 4, SPMM_SELL_BYTES = 64 /* of a row of a panel, as sums */ };
typedef struct spmm_sell_slice {
    int32_t steps, rows;
    int32_t row[SPMM_SELL_ROWS]; /* the first once more where there are fewer */
} spmm_sell_slice;

/* Slices with the rows of B of a block of columns, as sums in a panel. */
typedef struct spmm_sell_job {
    const spmm_job *whole;
    int64_t column, columns; /* of C: of the panel, at most as many as a row of it has */
    const spmm_sell_slice *slice;
    int64_t slices;
    const char *entry;
    const void *panel;
    void *partial;     /* sums between blocks: rows as those of the panel, the first for row first_row of C */
    int64_t first_row; /* of A and C */
    bool is_first, is_last;
} spmm_sell_job;

/* Kernels of one instruction set. */
typedef struct spmm_rows_kernel {
    const char *name;
    unsigned features; /* needed (processor.h) */
    /* By the format of B: rows first … end-1 of C. Any thread. 2 n flop an entry. */
    void (*run[SPMM_FORMATS])(const spmm_job *job, int64_t first, int64_t end);
    /* The same by slices, which gives the same bits; and rows first … end-1 of B, the job's columns, into a
     * panel. NULL: not for these instructions, nor formats of 16 bits, whose B is half as large. */
    void (*run_sell[SPMM_FORMATS])(const spmm_sell_job *job);
    void (*spread[SPMM_FORMATS])(const spmm_sell_job *job, int64_t first, int64_t end, void *panel);
} spmm_rows_kernel;

extern const spmm_rows_kernel spmm_ref, spmm_portable, spmm_avx2, spmm_avx512;

static inline spmm_format spmm_format_of(spmm_precision precision) {
    return precision == SPMM_FP16   ? SPMM_FORMAT_FP16
           : precision == SPMM_BF16 ? SPMM_FORMAT_BF16
           : precision == SPMM_FP64 ? SPMM_FORMAT_FP64
                                    : SPMM_FORMAT_FP32;
}

static inline int64_t spmm_format_bytes(spmm_format format) {
    return format == SPMM_FORMAT_FP64 ? 8 : format == SPMM_FORMAT_FP32 ? 4 : 2;
}

#endif
