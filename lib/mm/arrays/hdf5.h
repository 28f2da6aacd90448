/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of HDF5 that Binsparse files take, from the library that the machine has (1.10.5 or later).
 * The declarations are ours: nothing of HDF5 is needed to build. */
#ifndef MM_ARRAYS_HDF5_H
#define MM_ARRAYS_HDF5_H

#include "mm/arrays/hdf5_load.h"
#include "mm/arrays/numbers.h"
#include "mm/arrays/whole.h"

/* ---- reading. What HDF5 cannot make sense of fails with BASE_DAMAGED. ---- */

base_status mm_hdf5_open(base_context *context, const mm_whole *whole, mm_hdf5_id *file);
void mm_hdf5_close_file(mm_hdf5_id file);

/* A group, or whatever else has that name. */
base_status mm_hdf5_open_object(base_context *context, mm_hdf5_id file, const char *name, mm_hdf5_id *object);
void mm_hdf5_close_object(mm_hdf5_id object);

/* Link `index` (from 0, in the order in which they were made, or that of their names where
 * this is not known) of a group, to be freed; *name NULL: there are fewer. */
base_status mm_hdf5_link(base_context *context, mm_hdf5_id group, int64_t index, char **name);

/* The text of an attribute, to be freed; *text NULL: there is none of that name. */
base_status mm_hdf5_read_text(base_context *context, mm_hdf5_id object, const char *name, char **text);

/* A dataset of one dimension; `id` -1: there is none of that name. */
typedef struct mm_hdf5_data {
    mm_hdf5_id id;
    mm_number_type type;
    int64_t count;
    const mm_whole *whole;
    /* where numbers are: in the file as they are, in chunks of so many, … */
    bool is_plain;
    int64_t offset;       /* of all numbers; -1: in chunks */
    int64_t chunk_length; /* numbers */
    char *copy;           /* … or decoded by HDF5 */
    int64_t at;           /* bytes read so far */
} mm_hdf5_data;

/* Opens it. Numbers that are stored as they are, in one run or in chunks, are read from the file without
 * HDF5's buffers; all others are decoded by HDF5, and refused when they would exceed 4096 times what is
 * stored. */
base_status mm_hdf5_open_data(base_context *context, mm_hdf5_id object, const mm_whole *whole,
                              const char *name, mm_hdf5_data *data);
void mm_hdf5_close_data(mm_hdf5_data *data); /* NULL is allowed */
mm_number_bytes mm_hdf5_bytes(mm_hdf5_data *data);

/* Many numbers of so many bytes that lie in one run of the file as memory has them need not be copied: the
 * kernel then clears no pages for the copy, which takes longer than to check them. They are in the record's
 * memory, into which the file is mapped once. NULL: they are to be read. */
void *mm_hdf5_map_data(const base_context *context, const mm_hdf5_data *data, int bytes, mm_record *record);

/* ---- writing ---- */

base_status mm_hdf5_create(base_context *context, const mm_whole *whole, mm_hdf5_id *file);

/* Closes a file that was written; fails if it could not be. */
base_status mm_hdf5_finish_file(base_context *context, mm_hdf5_id file);
base_status mm_hdf5_create_group(base_context *context, mm_hdf5_id file, const char *name, mm_hdf5_id *group);
bool mm_hdf5_has_link(mm_hdf5_id group, const char *name);
base_status mm_hdf5_write_text(base_context *context, mm_hdf5_id object, const char *name, const char *text);

/* Makes a dataset in one run and says where in the file its numbers have to be written. */
base_status mm_hdf5_create_data(base_context *context, mm_hdf5_id object, const char *name,
                                mm_number_type type, int64_t count, int64_t *offset);

#endif
