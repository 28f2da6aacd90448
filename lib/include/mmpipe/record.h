/* SPDX-License-Identifier: BSD-3-Clause */
/* Records: a matrix with its metadata, as it stands in a stream (mm-stream(5)). */
#ifndef MMPIPE_RECORD_H
#define MMPIPE_RECORD_H

#include <mmpipe/context.h>

MMPIPE_BEGIN

typedef enum mmpipe_kind {
    MMPIPE_MATRIX,
    MMPIPE_SCHEME, /* scheme.h */
    MMPIPE_H2,     /* h2.h */
    MMPIPE_STATE   /* a checkpoint of a program */
} mmpipe_kind;
typedef enum mmpipe_format { MMPIPE_COORDINATE, MMPIPE_ARRAY } mmpipe_format;
typedef enum mmpipe_field { MMPIPE_PATTERN, MMPIPE_INTEGER, MMPIPE_REAL, MMPIPE_COMPLEX } mmpipe_field;
typedef enum mmpipe_symmetry {
    MMPIPE_GENERAL,
    MMPIPE_SYMMETRIC,
    MMPIPE_SKEW_SYMMETRIC,
    MMPIPE_HERMITIAN
} mmpipe_symmetry;

typedef struct mmpipe_record mmpipe_record;

/* What a matrix is made of. Of a symmetric matrix only entries on and below the diagonal are given. Values:
 * int64_t for MMPIPE_INTEGER, double for MMPIPE_REAL, two doubles (real, imaginary) for MMPIPE_COMPLEX, none
 * for MMPIPE_PATTERN. */
typedef struct mmpipe_shape {
    int64_t nrow, ncol;
    mmpipe_field field;
    mmpipe_symmetry symmetry;
} mmpipe_shape;

/* Whose the arrays are that a record is made from. */
typedef enum mmpipe_owner {
    MMPIPE_COPY,  /* they are copied */
    MMPIPE_BORROW /* they stay the caller's, who keeps them as they are until the record is freed */
} mmpipe_owner;

/* `nnz` entries in any order, indices from 0. MMPIPE_USAGE: an index beyond the shape, or above the diagonal
 * where only the lower triangle is stored. O(nnz). */
MMPIPE_API mmpipe_status mmpipe_record_from_entries(mmpipe_context *context, mmpipe_shape shape, int64_t nnz,
                                                    const int64_t *row, const int64_t *col, const void *value,
                                                    mmpipe_owner owner, mmpipe_record **record);
/* A dense matrix, column by column; of a symmetric one the lower triangle. */
MMPIPE_API mmpipe_status mmpipe_record_from_array(mmpipe_context *context, mmpipe_shape shape,
                                                  const void *value, mmpipe_owner owner,
                                                  mmpipe_record **record);
MMPIPE_API mmpipe_status mmpipe_record_copy(mmpipe_context *context, const mmpipe_record *record,
                                            mmpipe_record **copy);
MMPIPE_API void mmpipe_record_free(mmpipe_record *record);

MMPIPE_API mmpipe_kind mmpipe_record_kind(const mmpipe_record *record);
MMPIPE_API mmpipe_format mmpipe_record_format(const mmpipe_record *record);
MMPIPE_API mmpipe_shape mmpipe_record_shape(const mmpipe_record *record);
MMPIPE_API int64_t mmpipe_record_nnz(const mmpipe_record *record); /* stored entries */

/* The record's own arrays of nnz elements, until it changes. Rows and columns are NULL for arrays. `real` is
 * NULL unless the field is real or complex, `integer` unless it is integer and every value fits 64 bits. */
MMPIPE_API const int64_t *mmpipe_record_row(const mmpipe_record *record);
MMPIPE_API const int64_t *mmpipe_record_col(const mmpipe_record *record);
MMPIPE_API const double *mmpipe_record_real(const mmpipe_record *record);
MMPIPE_API const int64_t *mmpipe_record_integer(const mmpipe_record *record);
/* Value k in decimal where integers do not fit 64 bits; else NULL. */
MMPIPE_API const char *mmpipe_record_digits(const mmpipe_record *record, int64_t k);

/* The name for people: `% name`, or the file that the record came from. To be released by mmpipe_free. */
MMPIPE_API mmpipe_status mmpipe_record_name(mmpipe_context *context, const mmpipe_record *record,
                                            char **name);
/* The comment lines, each with its '%'; NULL without any. Valid until the record changes. */
MMPIPE_API const char *mmpipe_record_comments(const mmpipe_record *record);
/* The value of the line `% key: value`, to be released; *value stays NULL where there is none. */
MMPIPE_API mmpipe_status mmpipe_record_get(mmpipe_context *context, const mmpipe_record *record,
                                           const char *key, char **value);
/* Sets such a line; `value` NULL removes it. */
MMPIPE_API mmpipe_status mmpipe_record_set(mmpipe_context *context, mmpipe_record *record, const char *key,
                                           const char *value);

/* Change how a matrix is stored: entries instead of an array, an array instead of entries, both triangles of
 * a symmetric matrix, no explicit zeros. */
MMPIPE_API mmpipe_status mmpipe_record_to_coordinate(mmpipe_context *context, mmpipe_record *record);
MMPIPE_API mmpipe_status mmpipe_record_to_array(mmpipe_context *context, mmpipe_record *record);
MMPIPE_API mmpipe_status mmpipe_record_expand(mmpipe_context *context, mmpipe_record *record);
MMPIPE_API mmpipe_status mmpipe_record_drop_zeros(mmpipe_context *context, mmpipe_record *record);

MMPIPE_END

#endif
