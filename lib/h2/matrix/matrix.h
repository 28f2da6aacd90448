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
 * tree.h clusters points, structure.h decides which pairs of clusters are coupled, function.h has the kernel
 * functions, layout.h the places of all arrays in the payload, io.h reads and writes records, report.h and
 * picture.h tell of a matrix. */
#ifndef H2_MATRIX_MATRIX_H
#define H2_MATRIX_MATRIX_H

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

/* A matrix with room for all numbers, which are not set. BASE_MACHINE when it would exceed
 * context->memory_bytes. */
base_status h2_matrix_alloc(base_context *context, const h2_shape *shape, h2_matrix *matrix);

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

/* The largest rank of a basis, and the largest number of points in a leaf. */
int64_t h2_most_rank(const h2_matrix *matrix);
int64_t h2_most_points(const h2_matrix *matrix);

/* Bytes of the parts: bases and transfers, coupling, dense. */
typedef struct h2_sizes {
    int64_t leaf_bytes, transfer_bytes, coupling_bytes, dense_bytes;
} h2_sizes;
h2_sizes h2_matrix_sizes(const h2_matrix *matrix);

#endif
