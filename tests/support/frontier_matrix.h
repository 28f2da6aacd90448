/* SPDX-License-Identifier: BSD-3-Clause */
/* Square matrices under construction, and their permanents by a frontier, for tests. */
#ifndef SUPPORT_FRONTIER_MATRIX_H
#define SUPPORT_FRONTIER_MATRIX_H

#include "base/core/random.h"
#include "perm/frontier/frontier.h"

enum { LARGEST = 100 };

/* Integers, or doubles where the field says so. */
typedef struct square {
    int64_t n;
    mm_field field;
    double re[LARGEST][LARGEST], im[LARGEST][LARGEST];
} square;

/* The matrix at hand. */
extern square a;

/* Zeros of order n. */
void clear(int64_t n);
/* Random doubles on the diagonal and at a share of the other places: from 0 to 1, with signs from -1/2 to
 * 1/2. */
void fill_random(base_random *random, int64_t n, double density, bool with_signs);
/* Its nonzeros; free it with perm_matrix_free. */
void make(base_context *context, const square *a, perm_matrix *matrix);
/* In an order that is searched; -1 and a note where that fails. */
void permanent(base_context *context, const square *a, perm_arithmetic arithmetic, perm_value *value);

#endif
