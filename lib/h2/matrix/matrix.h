/* SPDX-License-Identifier: BSD-3-Clause */
/* An H² matrix: a cluster tree over points, nested bases, coupling blocks between clusters that are far
 * apart, dense blocks between leaves that are not (Boukaram, Turkiyyah, Keyes: Hierarchical matrix operations
 * on GPUs, ACM TOMS 45, 2019; Börm: Efficient numerical methods for non-local operators, 2010).
 *
 * A node's rows and columns are the contiguous points begin … end-1 in the tree's order. All leaves are on
 * the last level; a cluster that is small enough earlier is handed down as an only child. Nodes are numbered
 * level by level, siblings side by side, so that everything about nodes and blocks is one flat array in which
 * each level is a piece.
 *
 * All arrays lie in one payload, as they stand in a record's (io.h, mm-stream(5)): `payload` owns them. What
 * follows from them (offsets, lists by columns) is allocated apart.
 *
 * types.h has the types, tree.h clusters points, structure.h decides which pairs of clusters are coupled,
 * function.h has the kernel functions, layout.h the places of all arrays in the payload; io.h reads and
 * writes records, report.h and picture.h describe a matrix. */
#ifndef H2_MATRIX_MATRIX_H
#define H2_MATRIX_MATRIX_H

#include "h2/matrix/types.h"

/* A matrix with room for all numbers, which are not set. BASE_MACHINE when it would exceed
 * context->memory_bytes. */
base_status h2_matrix_alloc(base_context *context, const h2_shape *shape, h2_matrix *matrix);

/* Before all numbers are written: makes the pages of a payload that is in a memory file. A hint. */
void h2_matrix_prepare(base_context *context, h2_matrix *matrix);

/* Before numbers are written: where pages are mapped from a file, threads copy them all to memory of the
 * matrix's own. Pointers into the payload move. */
base_status h2_matrix_own(base_context *context, h2_matrix *matrix);

/* `matrix`, made without dense blocks for the same tree and structure, takes those of `old`, which it
 * replaces: in the memory of `old` if it fits there. */
base_status h2_matrix_take_dense(base_context *context, h2_matrix *matrix, h2_matrix *old);

/* The shape of a matrix with other ranks and flags; points into it. */
h2_shape h2_matrix_shape(const h2_matrix *matrix);

/* Takes a payload, which stays the matrix's also if this fails. Everything that says where something lies is
 * checked: BASE_DAMAGED. */
base_status h2_matrix_take(base_context *context, char *payload, int64_t bytes, h2_matrix *matrix);

/* Copies bases and blocks that are on a device into the payload. BASE_MACHINE where that is not there. */
base_status h2_matrix_fetch(base_context *context, h2_matrix *matrix);

void h2_matrix_free(h2_matrix *matrix); /* NULL is allowed; leaves it zeroed */

/* The largest rank of a basis, and the largest number of points in a leaf. */
int64_t h2_most_rank(const h2_matrix *matrix);
int64_t h2_most_points(const h2_matrix *matrix);

/* Bytes of the parts: bases and transfers, coupling, dense. */
typedef struct h2_sizes {
    int64_t leaf_bytes, transfer_bytes, coupling_bytes, dense_bytes;
} h2_sizes;
h2_sizes h2_matrix_sizes(const h2_matrix *matrix);

#endif
