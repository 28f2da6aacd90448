/* Which pairs of clusters become coupling blocks, which dense blocks. */
#ifndef H2_MATRIX_STRUCTURE_H
#define H2_MATRIX_STRUCTURE_H

#include "h2/matrix/tree.h"

typedef enum h2_admissibility {
    H2_CENTER, /* (diameter + diameter)/2 ≤ eta · distance of the centres */
    H2_BOX     /* least diameter ≤ eta · distance of the boxes */
} h2_admissibility;

/* Rows are nodes, whatever their level; columns, nodes of the same level, ascend in a row. */
typedef struct h2_structure {
    int64_t coupling, dense;                /* blocks */
    int64_t *coupling_start, *coupling_col; /* nodes + 1; coupling */
    int64_t *dense_start, *dense_col;       /* only leaves have any */
} h2_structure;

/* Traverses the tree against itself, level by level. Distinct centres (center) or boxes (box) are demanded,
 * so that a cluster is never admissible with itself. `symmetric`: only columns ≥ row. O(blocks). */
base_status h2_structure_build(base_context *context, const h2_tree *tree, const double *box,
                               h2_admissibility rule, double eta, bool symmetric, h2_structure *structure);
void h2_structure_free(h2_structure *structure);

#endif
