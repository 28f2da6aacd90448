/* SPDX-License-Identifier: BSD-3-Clause */
/* Random matrices that are hard on sums of doubles: their terms cancel, differ in size or are alike. */
#ifndef TESTS_SUPPORT_HARD_MATRICES_H
#define TESTS_SUPPORT_HARD_MATRICES_H

#include "base/core/random.h"

#include <stdbool.h>

enum { HARD_LARGEST = 16, HARD_KINDS = 17, HARD_UNITARY = HARD_KINDS };

const char *hard_matrix_name(int kind);

/* One of order n up to HARD_LARGEST, entry (i, j) at j n + i, complex ones as pairs; both parts are of the
 * kind. HARD_UNITARY, one kind more, is complex: a corner of a unitary matrix. */
void hard_matrix_draw(base_random *random, int kind, int n, bool is_complex, double *entries);

#endif
