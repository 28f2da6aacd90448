/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes for other formats made from schemes at hand; over F2, Z or Q alike. The result is the caller's to
 * free. Coefficients beyond 63 bits fail with BASE_FAILED, sizes as in flip_scheme_alloc. Each costs
 * O(entries of the result). Source: A. Perminov, Fast matrix multiplication via ternary meta flip graphs,
 * 2025, who names these moves; they are older than that.
 *
 * The room makes a scheme, or code, from schemes: combine.h joins, extends and projects them; lift.h takes a
 * scheme over F2 to Z or Q, with linear.h for its systems of equations; emit.h writes C. */
#ifndef FLIP_DERIVE_COMBINE_H
#define FLIP_DERIVE_COMBINE_H

#include "flip/scheme/scheme.h"

/* n×m×p becomes m×p×n (tr(A B C') = tr(B C' A)), and p×m×n ((A B)' = B' A'). */
base_status flip_rotate(base_context *context, const flip_scheme *scheme, flip_scheme *result);
base_status flip_transpose(base_context *context, const flip_scheme *scheme, flip_scheme *result);

/* `axis` 0, 1, 2: n, m or p. One more along it, by the standard algorithm: the product of the other two sizes
 * is added to the rank. */
base_status flip_extend(base_context *context, const flip_scheme *scheme, int axis, flip_scheme *result);

/* Makes a scheme whose size along the axis is one less: the row or column that leaves the fewest terms is put
 * to zero, the first of several. The size must be more than 1. */
base_status flip_project(base_context *context, const flip_scheme *scheme, int axis, flip_scheme *result);

/* Two schemes side by side: sizes along the axis add up, the others agree (else BASE_FAILED); ranks add up.
 */
base_status flip_merge(base_context *context, const flip_scheme *first, const flip_scheme *second, int axis,
                       flip_scheme *result);

/* The second scheme used for blocks by the first one: sizes and ranks are multiplied. */
base_status flip_product(base_context *context, const flip_scheme *first, const flip_scheme *second,
                         flip_scheme *result);

#endif
