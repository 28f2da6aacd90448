/* SPDX-License-Identifier: BSD-3-Clause */
/* One matrix of a Binsparse file in HDF5 (binsparse.c): a group with its datasets. */
#ifndef MM_FORMATS_BINSPARSE_MATRIX_H
#define MM_FORMATS_BINSPARSE_MATRIX_H

#include "mm/arrays/hdf5.h"
#include "mm/record/record.h"

/* Reads the matrix of a group. `text` is its descriptor, in JSON; `name` becomes the record's where it has
 * none, NULL: none. Fails with BASE_DAMAGED, or with BASE_FAILED for what is not read. */
base_status mm_binsparse_read(base_context *context, const mm_whole *whole, mm_hdf5_id group,
                              const char *text, const char *name, mm_record *record);

#endif
