/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes that multiply an n×m matrix A by an m×p matrix B with `rank` products: decompositions of the tensor
 * of matrix multiplication,
 *
 *     denominator · sum over i, j, k of e_ij ⊗ e_jk ⊗ e_ik = sum over terms of u ⊗ v ⊗ w,
 *
 * where entry i·m + j of u belongs to a_ij, entry j·p + k of v to b_jk and entry i·p + k of w to c_ik: C
 * stands as it is, not transposed. A scheme over Q is kept in integers by its denominator.
 *
 * verify.h checks a scheme exactly; verdict.h and measure.h say what is worth knowing of it, with types.h
 * for the types of its terms and known.h for the least ranks that are known. entries.h collects coefficients
 * while a scheme is read; forms.h sees its factors as linear forms; cyclic.h folds schemes that are
 * invariant under turning their factors. */
#ifndef FLIP_SCHEME_SCHEME_H
#define FLIP_SCHEME_SCHEME_H

#include "mm/record/record.h"

typedef enum flip_field { FLIP_F2, FLIP_Z, FLIP_Q } flip_field;

typedef struct flip_scheme {
    int64_t size[3]; /* n, m, p */
    int64_t rank;
    flip_field field;
    int64_t denominator; /* 1 unless the field is Q */
    int64_t *factor[3];  /* u, v, w: term r's are the flip_length entries from r · flip_length on */
} flip_scheme;

enum {
    FLIP_LARGEST_SIZE = 1024, /* n, m, p */
    FLIP_MASK_BITS = 64       /* longest factor that searches work on */
};

/* Entries of a factor at position 0 (nm), 1 (mp) or 2 (np). */
int64_t flip_length(const int64_t size[3], int position);

/* Zero factors. Sizes from 1 to FLIP_LARGEST_SIZE, any rank ≥ 0. */
base_status flip_scheme_alloc(base_context *context, const int64_t size[3], int64_t rank,
                              flip_scheme *scheme);
void flip_scheme_free(flip_scheme *scheme); /* leaves it empty; NULL is allowed */

/* Reads a scheme record (mm-stream(5)). Fails with BASE_DAMAGED when its metadata and sizes do not agree,
 * with BASE_FAILED when values exceed 64 bits or stand twice at one place. */
base_status flip_scheme_from_record(base_context *context, const mm_record *record, flip_scheme *scheme);

/* Makes the record that scheme; its comments stay, but for those that describe the scheme. */
base_status flip_scheme_to_record(base_context *context, const flip_scheme *scheme, mm_record *record);

/* "4x4x5". `text` has room for 64 bytes. */
const char *flip_format_name(const int64_t size[3], char *text);
const char *flip_field_name(flip_field field);

/* Schemes over F2 as bit masks: bit e of a mask is entry e of a factor, masks[3r + position] that of term r.
 */

/* Whether all factors have at most FLIP_MASK_BITS entries. */
bool flip_fits_masks(const int64_t size[3]);

/* The scheme modulo 2, without terms that vanish; `masks` has room for 3 · rank words. Returns the rank. */
int64_t flip_scheme_get_masks(const flip_scheme *scheme, uint64_t *masks);
base_status flip_scheme_from_masks(base_context *context, const int64_t size[3], int64_t rank,
                                   const uint64_t *masks, flip_scheme *scheme);
base_status flip_masks_to_record(base_context *context, const int64_t size[3], int64_t rank,
                                 const uint64_t *masks, mm_record *record);

#endif
