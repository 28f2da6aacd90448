/* Permanents of integer matrices of small order by the formula of Nijenhuis and Wilf (see
 * kernels/perm/kernel.h), computed modulo a power of two that is large enough: every operation wraps, the
 * result is exact. n·2^(n-1) multiplications of a few words by one word. */
#ifndef PERM_GRAY_H
#define PERM_GRAY_H

#include "perm/matrix.h"

/* Beyond this the sum takes a day or more on a core. */
enum { PERM_GRAY_LARGEST = 40 };

/* The expected time on one core; 0 when the matrix does not fit: entries that are no integers, lines whose
 * sum of absolute values exceeds 62 bits, n too large. */
base_status perm_gray_price(base_context *context, const perm_matrix *matrix, double *seconds);

/* Uses context->threads threads. */
base_status perm_gray_run(base_context *context, const perm_matrix *matrix, perm_value *value);

#endif
