/* SPDX-License-Identifier: BSD-3-Clause */
/* Truncated bases; private to compress.c and truncate.c. */
#ifndef H2_CHANGE_TRUNCATE_H
#define H2_CHANGE_TRUNCATE_H

#include "h2/change/change.h"
#include "h2/change/rule.h"
#include "h2/change/weights.h"

typedef struct h2_truncation {
    const h2_matrix *matrix;
    const h2_basis *basis;
    const h2_weights *weights;
    h2_rule rule;
    h2_method method;
    double threshold; /* relative: of σ₁; absolute: of σ; Frobenius: of the squares cut off at a node */
    bool level_ranks;
    h2_phases *phases;

    /* out */
    int64_t *rank;     /* kept at each node */
    h2_change change;  /* from the old coefficients to the new ones */
    int64_t *offset;   /* of each inner node's kept vectors, in numbers */
    void *vectors;     /* rows by falling σ, as long as the children's kept ranks; a leaf's are its change */
    double cut_square; /* squares of all σ cut off */

    /* private */
    int64_t change_end, vectors_end; /* numbers in use */
    int64_t *level_offset;           /* of each node's in the vectors of the level at hand */
    void *level_vectors;
    int64_t *found;       /* singular values of each node above rounding or far below the threshold */
    double *sigma, *left; /* of each node, at basis->start; and the squares beyond them */
    char *stack, *product, *work;
    int64_t stack_step, product_step, work_step;
} h2_truncation;

/* Finds what each node keeps, from the leaves to the root (compress.h has the sources). In: what stands
 * before `out`, the rest zeroed; the basis is orthonormal. Free it after a failure too. */
base_status h2_truncate(base_context *context, h2_truncation *truncation);
void h2_truncation_free(h2_truncation *truncation);

/* Leaves and transfers of the new basis. */
void h2_truncation_store(base_context *context, const h2_truncation *truncation, h2_matrix *result,
                         h2_basis *to);

#endif
