/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of sparse matrices with dense ones, C = alpha A B + beta C; spmm-tc(1). */
#ifndef MMPIPE_SPMM_H
#define MMPIPE_SPMM_H

#include <mmpipe/record.h>

MMPIPE_BEGIN

/* The format of the numbers of A and B. Sums are kept in fp32, of fp64 in fp64. fp16 and bf16 are 16-bit
 * words, tf32 and 3xtf32 floats. */
typedef enum mmpipe_precision {
    MMPIPE_FP16,
    MMPIPE_BF16,
    MMPIPE_TF32,
    MMPIPE_3XTF32,
    MMPIPE_FP32,
    MMPIPE_FP64
} mmpipe_precision;

/* A in compressed rows, in host memory: columns ascending in each row; doubles for MMPIPE_FP64, else floats.
 */
typedef struct mmpipe_csr {
    int64_t nrow, ncol;
    const int64_t *start; /* nrow + 1 */
    const int32_t *index; /* start[nrow] columns */
    const void *value;
} mmpipe_csr;

/* B (ncol x n) and C (nrow x n), row by row, rows b_row and c_row numbers apart. B is in the format of the
 * precision; C has doubles for MMPIPE_FP64, else floats, and is read only if beta is not 0. */
typedef struct mmpipe_spmm_operands {
    const void *b;
    int64_t b_row;
    void *c;
    int64_t c_row;
    double alpha, beta;
} mmpipe_spmm_operands;

typedef struct mmpipe_spmm_options {
    size_t size;        /* of this structure */
    const char *kernel; /* a name of spmm-tc --kernel list; NULL: the cheapest */
    int64_t products;   /* with this A that are expected; 0: one */
    bool resident;      /* B and C are in the memory of the context's first device */
} mmpipe_spmm_options;

typedef struct mmpipe_spmm mmpipe_spmm;

/* Prepares products with B of n columns. The arrays of A must stay; values are rounded to the precision, in a
 * copy where that changes their type. `options` may be NULL. MMPIPE_USAGE for rows that are not sorted or an
 * index beyond the shape; MMPIPE_MACHINE where `resident` is set and there is no device. The context must
 * outlive the product. */
MMPIPE_API mmpipe_status mmpipe_spmm_open(mmpipe_context *context, const mmpipe_csr *a,
                                          mmpipe_precision precision, int64_t n,
                                          const mmpipe_spmm_options *options, mmpipe_spmm **spmm);
/* The same with a record, or its transpose. Explicit zeros are dropped, symmetry is expanded. */
MMPIPE_API mmpipe_status mmpipe_spmm_open_record(mmpipe_context *context, const mmpipe_record *a,
                                                 bool transposed, mmpipe_precision precision, int64_t n,
                                                 const mmpipe_spmm_options *options, mmpipe_spmm **spmm);
/* One product. With `resident` b and c are device pointers; the producer of B has finished or works in the
 * legacy default stream, and C is complete on return. Their rows begin at multiples of 16 bytes and have room
 * for n rounded up to whole vectors of 16 bytes of B, beyond n with anything in it, which C does not keep. */
MMPIPE_API mmpipe_status mmpipe_spmm_multiply(mmpipe_context *context, mmpipe_spmm *spmm,
                                              const mmpipe_spmm_operands *operands);
/* The name of the kernel that was chosen. */
MMPIPE_API const char *mmpipe_spmm_kernel(const mmpipe_spmm *spmm);
MMPIPE_API void mmpipe_spmm_close(mmpipe_spmm *spmm);

/* Rounds doubles to the format of a precision. Returns the first position at which a finite number became
 * infinite, or -1. */
MMPIPE_API int64_t mmpipe_spmm_pack(mmpipe_precision precision, const double *from, int64_t count, void *to);

MMPIPE_END

#endif
