/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of an H² matrix (matrix.h): header, bases, lists of blocks, and what reads them. */
#ifndef H2_MATRIX_TYPES_H
#define H2_MATRIX_TYPES_H

#include "base/core/context.h"
#include "h2/common/kernel.h"
#include "h2/matrix/function.h"
#include "h2/matrix/structure.h"
#include "h2/matrix/tree.h"
#include "mm/record/record.h"

typedef enum h2_flag {
    H2_SYMMETRIC = 1,   /* only blocks with column ≥ row are stored; the rest are their transposes */
    H2_OWN_COLUMNS = 2, /* columns have a basis of their own */
    H2_ORTHOGONAL = 4   /* bases have orthonormal columns */
} h2_flag;

enum { H2_VERSION = 1, H2_ALIGNMENT = 64, H2_MOST_RANK = 1 << 14 };

/* The payload's first 256 bytes; all little-endian. */
typedef struct h2_header {
    char magic[8]; /* "mmpipeH2" */
    int64_t version;
    int64_t value_bytes; /* of a number in bases and blocks: 8 or 4 */
    int64_t flags;       /* h2_flag */
    int64_t n, dim, levels, nodes;
    int64_t coupling, dense; /* blocks stored */
    int64_t leaf_size, order;
    int64_t split, admissibility, function;
    double eta, length, nugget;
    double error; /* bound of the Frobenius error of compressions so far; 0 before */
    int64_t reserved[13];
} h2_header;

typedef struct h2_basis {
    int64_t *rank;            /* of each node; 0 where neither it nor an ancestor has coupling blocks */
    void *leaf;               /* of each leaf: points × rank */
    void *transfer;           /* of each node whose parent has a rank: rank × the parent's */
    int64_t *start;           /* place of each node's coefficients: sums of the ranks before it; nodes + 1 */
    int64_t *leaf_offset;     /* of leaf node first_leaf + i, in numbers; leaves + 1 */
    int64_t *transfer_offset; /* nodes + 1 */
} h2_basis;

typedef struct h2_block_list {
    int64_t count;
    int64_t *start, *col; /* of row i the blocks start[i] … start[i+1]-1, columns ascending */
    void *value;          /* block after block, row-major */
    int64_t *offset;      /* of each block in value, in numbers; count + 1 */
    int64_t *row;         /* of each block */
    /* by columns, rows ascending; without diagonal blocks if only half is stored */
    int64_t *incoming_start, *incoming; /* blocks of column j: incoming[incoming_start[j]] … */
    int64_t *position;                  /* of each block in `incoming`, or -1 */
} h2_block_list;

typedef struct h2_matrix {
    h2_header head;
    char *payload;
    int64_t payload_bytes;
    int64_t payload_mapped;     /* bytes of it that are mapped from a file (base_free_mapped); 0: none */
    int payload_descriptor;     /* as in a record (mm/record/record.h) */
    mm_device_memory on_device; /* bases and blocks, where they are not in the payload */
    h2_tree tree;
    int64_t *child;    /* children of node i: child[i] … child[i+1]-1 */
    h2_basis row, col; /* the same arrays unless H2_OWN_COLUMNS */
    h2_block_list coupling, dense;
    const h2_kernels *kernels;
} h2_matrix;

/* What an empty matrix is made from. */
typedef struct h2_shape {
    h2_header head; /* value_bytes, flags, leaf_size, order, split, admissibility, eta, function … */
    const h2_tree *tree;
    const int64_t *coupling_start, *coupling_col, *dense_start, *dense_col;
    const int64_t *row_rank, *col_rank; /* col_rank is only looked at with H2_OWN_COLUMNS */
    bool without_dense;                 /* no room for dense blocks: h2_matrix_take_dense brings them */
} h2_shape;

static inline bool h2_is_symmetric(const h2_matrix *matrix) {
    return (matrix->head.flags & H2_SYMMETRIC) != 0;
}

/* The number at an index of an array of bases or blocks. */
static inline void *h2_at(const h2_matrix *matrix, const void *array, int64_t index) {
    return (char *)(uintptr_t)array + index * matrix->head.value_bytes;
}

static inline int64_t h2_points_of(const h2_matrix *matrix, int64_t node) {
    return matrix->tree.end[node] - matrix->tree.begin[node];
}

static inline void *h2_leaf_basis(const h2_matrix *matrix, const h2_basis *basis, int64_t node) {
    return h2_at(matrix, basis->leaf, basis->leaf_offset[node - matrix->tree.first_leaf]);
}

static inline void *h2_transfer(const h2_matrix *matrix, const h2_basis *basis, int64_t node) {
    return h2_at(matrix, basis->transfer, basis->transfer_offset[node]);
}

static inline void *h2_block(const h2_matrix *matrix, const h2_block_list *list, int64_t block) {
    return h2_at(matrix, list->value, list->offset[block]);
}

static inline int64_t h2_parent_rank(const h2_matrix *matrix, const h2_basis *basis, int64_t node) {
    return node > 0 ? basis->rank[matrix->tree.parent[node]] : 0;
}

#endif
