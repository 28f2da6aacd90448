/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of linear equations over F2, eliminated once and solved for any number of right-hand sides. */
#ifndef FLIP_DERIVE_LINEAR_H
#define FLIP_DERIVE_LINEAR_H

#include "base/core/context.h"

/* A system of `equations` × `unknowns`; bit u of row e is at row[e · words + u / 64] >> u % 64. */
typedef struct flip_linear {
    int64_t equations, unknowns;
    int64_t words, rhs_words; /* of a row; of a bit set over the equations */
    uint64_t *row;
    int64_t rank;
    int64_t *pivot_row, *pivot_unknown; /* rank */
    uint64_t *changed; /* for each pivot the bit set of the equations that its row was added to */
    uint64_t *free;    /* bit set of the unknowns that are no pivots */
    bool *is_pivot;    /* equations: its row became a pivot's */
} flip_linear;

/* A system of zeros. Fails with BASE_MACHINE when it exceeds context->memory_bytes. */
base_status flip_linear_open(base_context *context, int64_t equations, int64_t unknowns, flip_linear *system);
void flip_linear_close(flip_linear *system);

/* Gauss-Jordan elimination: O(equations · unknowns · rank / 64). Destroys the rows. */
base_status flip_linear_eliminate(base_context *context, flip_linear *system);

/* Solves for a right-hand side (a bit set over the equations, destroyed). `solution` is a bit set over the
 * unknowns; those that are free stay as they are in it. False if there is no solution. Among unknowns the
 * first become pivots: the last ones are free wherever that is possible. */
bool flip_linear_solve(const flip_linear *system, uint64_t *rhs, uint64_t *solution);

#endif
