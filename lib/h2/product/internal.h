/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on the CPU: workspace and passes; and what the lists of tasks are made from. */
#ifndef H2_PRODUCT_INTERNAL_H
#define H2_PRODUCT_INTERNAL_H

#include "h2/product/mv.h"
#include "h2/product/tasks.h"

#include <stddef.h>

enum { H2_MV_GROUP = 16 }; /* vectors at a time */

/* What the blocks of one kind are multiplied with and added to; numbers of node i begin at place[i]. */
typedef struct h2_mv_operands {
    const h2_block_list *list;
    const int64_t *in_place, *out_place, *in_count, *out_count; /* numbers of each node, times vectors */
    const char *in;
    char *out;
    char *own;     /* half storage: a row's own products, before those of its transposed blocks join them */
    char *slots;   /* … and those, by columns, when several threads work; NULL: straight to `out` */
    int64_t *slot; /* of each column's first */
} h2_mv_operands;

struct h2_product_plan {
    const h2_matrix *matrix;
    int threads;
    int64_t vectors;               /* of the group at hand */
    int64_t *points, *point_place; /* of each leaf, by nodes; others have none */
    char *x, *y, *in, *out;        /* vectors in the tree's order, coefficients */
    const h2_basis *in_basis, *out_basis;
    bool transposed;
    h2_mv_operands coupling, dense;
    h2_phases *phases; /* where products note their phases; NULL: nowhere */
};

static inline char *h2_mv_at(const h2_product_plan *plan, const char *array, int64_t number) {
    return (char *)(uintptr_t)array + number * plan->vectors * plan->matrix->head.value_bytes;
}

static inline size_t h2_mv_size(const h2_product_plan *plan, int64_t numbers) {
    return (size_t)(numbers * plan->vectors * plan->matrix->head.value_bytes);
}

/* A plan like h2_mv_open's; without `whole` it lacks the workspace of products with all rows of a matrix of
 * which half is stored. */
base_status h2_mv_plan_open(base_context *context, const h2_matrix *matrix, int64_t vectors, bool whole,
                            h2_product_plan **plan);

/* Says which basis x and y are in. */
void h2_mv_set_bases(h2_product_plan *plan, bool transposed);

/* Loads x, takes it upwards through the bases and sets all results to 0. To be called by all threads of a
 * parallel region. */
void h2_mv_go_up(const h2_product_plan *plan, const double *x);

/* Adds a node's coefficients to its children's, or to its points' results. */
void h2_mv_go_down(const h2_product_plan *plan, int64_t node);

/* Both kinds of blocks, and what they are multiplied with and added to. */
typedef struct h2_operands {
    const h2_block_list *list;
    const int64_t *row_place, *row_count; /* of the stored rows */
    const int64_t *col_place, *col_count;
} h2_operands;

/* The pairs of both kinds of blocks, their pieces, sums and slots. */
base_status h2_product_pairs_init(base_context *context, const h2_matrix *matrix, const h2_operands *coupling,
                                  const h2_operands *dense, int flags, h2_product_tasks *tasks);

#endif
