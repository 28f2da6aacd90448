/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes that multiply an n x m matrix by an m x p one with `rank` products; flip-check(1).
 *
 * Entry i m + j of u belongs to a_ij, entry j p + k of v to b_jk, entry i p + k of w to c_ik; the factors of
 * term r begin at r n m, r m p and r n p. */
#ifndef MMPIPE_SCHEME_H
#define MMPIPE_SCHEME_H

#include <mmpipe/record.h>

MMPIPE_BEGIN

typedef enum mmpipe_scheme_field {
    MMPIPE_F2, /* integers modulo 2 */
    MMPIPE_Z,
    MMPIPE_Q /* integers over a denominator */
} mmpipe_scheme_field;

typedef struct mmpipe_scheme mmpipe_scheme;

typedef struct mmpipe_scheme_info {
    int64_t n, m, p, rank;
    mmpipe_scheme_field field;
    int64_t denominator;      /* 1 unless the field is Q */
    const int64_t *u, *v, *w; /* of the scheme, until it is freed */
} mmpipe_scheme_info;

/* Copies the factors; nothing is verified. */
MMPIPE_API mmpipe_status mmpipe_scheme_new(mmpipe_context *context, const mmpipe_scheme_info *info,
                                           mmpipe_scheme **scheme);
MMPIPE_API mmpipe_status mmpipe_scheme_from_record(mmpipe_context *context, const mmpipe_record *record,
                                                   mmpipe_scheme **scheme);
MMPIPE_API mmpipe_status mmpipe_scheme_to_record(mmpipe_context *context, const mmpipe_scheme *scheme,
                                                 mmpipe_record **record);
MMPIPE_API void mmpipe_scheme_get_info(const mmpipe_scheme *scheme, mmpipe_scheme_info *info);
MMPIPE_API void mmpipe_scheme_free(mmpipe_scheme *scheme);

/* Multiplies the scheme out, exactly: over its own field with `modulus` 0, else modulo 2 or more. `fault` may
 * be NULL; it gets the first wrong coefficient, cut to `fault_bytes`: "a12 b21 c11 has the coefficient 2
 * instead of 1". */
MMPIPE_API mmpipe_status mmpipe_scheme_verify(mmpipe_context *context, const mmpipe_scheme *scheme,
                                              int64_t modulus, bool *valid, char *fault, size_t fault_bytes);

MMPIPE_END

#endif
