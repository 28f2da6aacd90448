/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of the factors as matrices: what a change of bases leaves as it is, so that schemes with different
 * ones are not such changes of each other. */
#ifndef FLIP_SCHEME_TYPES_H
#define FLIP_SCHEME_TYPES_H

#include "flip/scheme/scheme.h"

#include <stddef.h>

/* How many terms there are of each type, the ranks of their three factors in ascending order: Strassen's is
 * "1-1-2:6,2-2-2:1". Ranks over F2, or modulo a prime near 2^31 for Z and Q (that they differ there from what
 * they are over Q has not been seen). `text` is cut to `size` bytes. O(rank · n³). */
base_status flip_types_describe(base_context *context, const flip_scheme *scheme, char *text, size_t size);

#endif
