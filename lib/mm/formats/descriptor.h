/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON text that describes the arrays of a Binsparse matrix. Private to this room. */
#ifndef MM_FORMATS_DESCRIPTOR_H
#define MM_FORMATS_DESCRIPTOR_H

#include "mm/arrays/numbers.h"

typedef enum mm_binsparse_layout {
    MM_BINSPARSE_PAIRS,  /* COO, COOR, COOC; VEC, CVEC: the column is 0 */
    MM_BINSPARSE_STARTS, /* CSR, CSC */
    MM_BINSPARSE_DOUBLE, /* DCSR, DCSC: only majors with entries */
    MM_BINSPARSE_DENSE   /* DMAT, DMATR, DMATC, DVEC */
} mm_binsparse_layout;

typedef struct mm_descriptor {
    mm_binsparse_layout layout;
    bool by_columns; /* majors are columns; of a dense matrix, columns lie together */
    bool is_vector;  /* one dimension */
    bool is_dmat;    /* called DMAT */
    int64_t nrow, ncol;
    int64_t nnz; /* -1: not told */
    mm_symmetry symmetry;
    bool is_upper;
    bool is_iso, is_complex, is_boolean; /* of the values */
    char *comments;                      /* lines for the record's comments; to be freed */
    bool from_mtx2bsp; /* the reference library's converter made the file: its comment is that of a .mtx */
} mm_descriptor;

base_status mm_descriptor_parse(base_context *context, const char *text, mm_descriptor *descriptor);
void mm_descriptor_free(mm_descriptor *descriptor); /* NULL is allowed */

/* The text for a matrix in `format`, with the types of its arrays: names and types in turn, up to a NULL. To
 * be freed. */
base_status mm_descriptor_print(base_context *context, const mm_record *record, const char *format,
                                const char *const *types, char **text);

/* The name of a type: uint8, complex[float64], … */
const char *mm_descriptor_type(mm_number_type type);

#endif
