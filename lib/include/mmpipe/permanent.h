/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents: exact, or with a bound of the error. perm-gpu(1) describes the methods. */
#ifndef MMPIPE_PERMANENT_H
#define MMPIPE_PERMANENT_H

#include <mmpipe/record.h>

MMPIPE_BEGIN

/* Begin with = {.size = sizeof (mmpipe_permanent_options)}: what is not set is chosen for the matrix. */
typedef struct mmpipe_permanent_options {
    size_t size;                         /* of this structure */
    const char *kernel;                  /* one of the names of perm-gpu --kernel list */
    const char *precision;               /* "double", "kahan", "dd", "mpfr:256" or "exact" */
    bool decimals;                       /* with "exact": 0.1 is 1/10, not the double nearest to it */
    bool certify;                        /* rely on proved bounds, not on estimates of errors */
    bool raw;                            /* take the matrix as it is: no blocks, no reduction */
    bool verify;                         /* recompute a sample with another kernel */
    double max_seconds;                  /* refuse what is expected to take longer; 0: 30 days */
    const char *row_counts, *col_counts; /* how often rows and columns count: "1,0,2" */
} mmpipe_permanent_options;

typedef struct mmpipe_permanent mmpipe_permanent;

/* The permanent of a matrix, times its `% perm.factor` if it has one. Patterns and matrices of integers have
 * exact ones. Of an m x n matrix with m < n: the sum over all ways to choose an entry in each row, no two in
 * a column. `options` may be NULL. MMPIPE_FAILED for a piece of a matrix (use a fold) and for what would take
 * too long or too much memory; the message says how long and how much. */
MMPIPE_API mmpipe_status mmpipe_permanent_compute(mmpipe_context *context, const mmpipe_record *record,
                                                  const mmpipe_permanent_options *options,
                                                  mmpipe_permanent **permanent);
MMPIPE_API void mmpipe_permanent_free(mmpipe_permanent *permanent);

/* The value: all digits of an exact integer, else the shortest decimal that reads back as the nearest double
 * or as many digits as the error leaves; two numbers with a blank for complex matrices. */
MMPIPE_API const char *mmpipe_permanent_text(const mmpipe_permanent *permanent);
/* The nearest doubles; infinite beyond their range. */
MMPIPE_API double mmpipe_permanent_real(const mmpipe_permanent *permanent);
MMPIPE_API double mmpipe_permanent_imag(const mmpipe_permanent *permanent);
MMPIPE_API mmpipe_field mmpipe_permanent_field(const mmpipe_permanent *permanent);
MMPIPE_API bool mmpipe_permanent_is_exact(const mmpipe_permanent *permanent);
/* A bound of the absolute error that holds for certain, and an estimate of the error from a sample of the
 * terms, or the bound again where there is none; 0 for exact values. Rounded up; the texts have three digits
 * and any exponent. */
MMPIPE_API double mmpipe_permanent_bound(const mmpipe_permanent *permanent);
MMPIPE_API double mmpipe_permanent_estimate(const mmpipe_permanent *permanent);
MMPIPE_API const char *mmpipe_permanent_bound_text(const mmpipe_permanent *permanent);
MMPIPE_API const char *mmpipe_permanent_estimate_text(const mmpipe_permanent *permanent);
/* The method of the most expensive block; "reduction" and "structure" where none was needed. */
MMPIPE_API const char *mmpipe_permanent_method(const mmpipe_permanent *permanent);
MMPIPE_API int64_t mmpipe_permanent_blocks(const mmpipe_permanent *permanent); /* that a method worked on */

/* Pieces of a matrix (the blocks of mmpipe_dm_split, the terms of mm-fmdecompose) fold to the permanent of
 * the whole. `options` and its texts must outlive the fold. */
typedef struct mmpipe_permanent_fold mmpipe_permanent_fold;
MMPIPE_API mmpipe_status mmpipe_permanent_fold_open(mmpipe_context *context,
                                                    const mmpipe_permanent_options *options,
                                                    mmpipe_permanent_fold **fold);
/* Adds a record; *permanent stays NULL until the last piece of a matrix has come. Pieces of two matrices do
 * not mix: MMPIPE_FAILED. */
MMPIPE_API mmpipe_status mmpipe_permanent_fold_add(mmpipe_context *context, mmpipe_permanent_fold *fold,
                                                   const mmpipe_record *record, mmpipe_permanent **permanent);
MMPIPE_API void mmpipe_permanent_fold_close(mmpipe_permanent_fold *fold);

/* The matrix of the permanents without row i and column j, for all i and j; `% perm.error` bounds them. */
MMPIPE_API mmpipe_status mmpipe_permanent_minors(mmpipe_context *context, const mmpipe_record *record,
                                                 const mmpipe_permanent_options *options,
                                                 mmpipe_record **minors);

MMPIPE_END

#endif
