/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of bases: what orthogonalization and compression do to the blocks.
 *
 * orthog.h makes bases orthonormal; compress.h cuts them to a tolerance, with weights.h for what each block
 * weighs, rule.c for what the tolerance means at a node, truncate.h for the new bases. change.c then moves
 * the coupling blocks into the new bases. Everything here is the CPU's form; device/ has the same steps
 * under the same names. */
#ifndef H2_CHANGE_CHANGE_H
#define H2_CHANGE_CHANGE_H

#include "h2/matrix/matrix.h"
#include "h2/matrix/phases.h"

/* T (new rank × old) of each node: what the old basis's coefficients become in the new one. */
typedef struct h2_change {
    int64_t *offset; /* of each node's T, in numbers */
    void *t;
} h2_change;

/* Room for a T of at most most_rank[node] rows. */
base_status h2_change_alloc(base_context *context, const h2_matrix *matrix, const h2_basis *basis,
                            const int64_t *most_rank, h2_change *change);
void h2_change_free(h2_change *change);

static inline void *h2_change_of(const h2_matrix *matrix, const h2_change *change, int64_t node) {
    return h2_at(matrix, change->t, change->offset[node]);
}

/* Rows of a node's children in a parent's stack, and the most there are of any node. */
int64_t h2_child_ranks(const h2_matrix *matrix, const int64_t *rank, int64_t node);
int64_t h2_most_child_ranks(const h2_matrix *matrix, const int64_t *rank);

/* z (rows of the children's new ranks × the node's old rank) = T_c E_c over T_d E_d: the node's basis in the
 * children's new ones. 2·rank³ flop a child. */
void h2_stack_children(const h2_matrix *matrix, const h2_basis *basis, const h2_change *change,
                       const int64_t *new_rank, int64_t node, void *z);

/* Coupling blocks of `to` = T_i S T_jᵀ of those of `from`; both have the same structure, and may be one
 * matrix. Memory: the transposes of the T. 2 (new rank·rank² + new rank²·rank) flop a block. */
base_status h2_change_blocks(base_context *context, const h2_matrix *from, const h2_change *row,
                             const h2_change *col, h2_matrix *to);

/* Adds the bytes and flop of that to the phase "blocks" of all levels. */
void h2_change_count(const h2_matrix *from, const h2_matrix *to, h2_phases *phases);

/* Arrays of one size for each thread, aligned; to be freed with free(). */
static inline int64_t h2_padded_bytes(int64_t bytes) {
    return (bytes + H2_ALIGNMENT - 1) / H2_ALIGNMENT * H2_ALIGNMENT;
}

#endif
