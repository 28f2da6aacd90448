/* SPDX-License-Identifier: BSD-3-Clause */
/* One array of NumPy, version 1 to 3 of its format (numpy.lib.format): a header, a Python dictionary, and the
 * numbers. Private to this room. */
#ifndef MM_FORMATS_NPY_H
#define MM_FORMATS_NPY_H

#include "base/run/output.h"
#include "mm/arrays/numbers.h"

typedef struct mm_npy {
    mm_number_type type; /* letter S, U, O and others are kept, too: of texts, `bytes` */
    bool by_columns;     /* Fortran's order */
    int rank;
    int64_t extent[3]; /* of the first three dimensions; 1 where there are fewer */
} mm_npy;

enum { MM_NPY_MAGIC_BYTES = 8, MM_NPY_HEADER_LIMIT = 65536 };

/* Reads the header off the bytes: what follows are the numbers. Fails with BASE_DAMAGED. */
base_status mm_npy_read_header(base_context *context, mm_number_bytes *from, mm_npy *npy);

/* The array as an array record: a matrix, or a vector of one column. Fails with BASE_FAILED on other ranks
 * and on what are no numbers of 8 to 64 bits. */
base_status mm_npy_read_matrix(base_context *context, mm_number_bytes *from, const mm_npy *npy,
                               mm_record *record);

/* The header of an array with one or two dimensions, a multiple of 64 bytes long; its length. `ncol` -1: one
 * dimension. */
enum { MM_NPY_HEADER_BYTES = 128 };
void mm_npy_print_header(mm_number_type type, bool by_columns, int64_t nrow, int64_t ncol,
                         char text[MM_NPY_HEADER_BYTES]);

/* The type in which NumPy keeps the values of a record: int64, uint64, float64, complex128; bool for a
 * pattern.
 */
base_status mm_npy_type(base_context *context, const mm_record *record, mm_number_type *type);

#endif
