/* SPDX-License-Identifier: BSD-3-Clause */
/* The library HDF5 as a table of its functions. Private to the files hdf5*.c. */
#ifndef MM_ARRAYS_HDF5_LIBRARY_H
#define MM_ARRAYS_HDF5_LIBRARY_H

#include "mm/arrays/hdf5_load.h"
#include "mm/arrays/whole.h"

#include <sys/types.h>

/* What HDF5's headers define (H5public.h, H5Tpublic.h, H5Dpublic.h of 1.10 to 1.14). */
typedef unsigned long long mm_hdf5_size;
enum {
    MM_HDF5_READ_ONLY = 0,
    MM_HDF5_TRUNCATE = 2,
    MM_HDF5_SCALAR = 0,
    MM_HDF5_INDEX_NAME = 0,
    MM_HDF5_INDEX_CREATION = 1,
    MM_HDF5_ASCENDING = 0,
    MM_HDF5_TRACKED = 3,
    MM_HDF5_UTF8 = 1
};
enum {
    MM_HDF5_CLASS_INTEGER = 0,
    MM_HDF5_CLASS_FLOAT = 1,
    MM_HDF5_CLASS_STRING = 3,
    MM_HDF5_CLASS_COMPOUND = 6,
    MM_HDF5_CLASS_ENUM = 8
};
enum {
    MM_HDF5_ORDER_LITTLE = 0,
    MM_HDF5_ORDER_BIG = 1,
    MM_HDF5_CONTIGUOUS = 1,
    MM_HDF5_CHUNKED = 2,
    MM_HDF5_EARLY = 1,
    MM_HDF5_NEVER = 1
};
#define MM_HDF5_VARIABLE ((size_t)-1)
typedef struct mm_hdf5_group {
    int storage;
    mm_hdf5_size links;
    int64_t order;
    bool mounted;
} mm_hdf5_group;

extern struct mm_hdf5 {
    int (*open)(void), (*get_version)(unsigned *, unsigned *, unsigned *),
        (*set_errors)(mm_hdf5_id, void *, void *), (*clear_errors)(mm_hdf5_id);
    int (*free_memory)(void *);
    mm_hdf5_id (*open_file)(const char *, unsigned, mm_hdf5_id),
        (*create_file)(const char *, unsigned, mm_hdf5_id, mm_hdf5_id);
    int (*close_file)(mm_hdf5_id);
    mm_hdf5_id (*open_object)(mm_hdf5_id, const char *, mm_hdf5_id),
        (*create_group)(mm_hdf5_id, const char *, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id);
    int (*close_object)(mm_hdf5_id), (*get_group_info)(mm_hdf5_id, mm_hdf5_group *);
    ssize_t (*get_link)(mm_hdf5_id, const char *, int, int, mm_hdf5_size, char *, size_t, mm_hdf5_id);
    int (*has_link)(mm_hdf5_id, const char *, mm_hdf5_id), (*has_attribute)(mm_hdf5_id, const char *);
    mm_hdf5_id (*open_attribute)(mm_hdf5_id, const char *, mm_hdf5_id), (*get_attribute_type)(mm_hdf5_id),
        (*get_attribute_space)(mm_hdf5_id);
    mm_hdf5_id (*create_attribute)(mm_hdf5_id, const char *, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id);
    int (*read_attribute)(mm_hdf5_id, mm_hdf5_id, void *),
        (*write_attribute)(mm_hdf5_id, mm_hdf5_id, const void *), (*close_attribute)(mm_hdf5_id);
    mm_hdf5_id (*copy_type)(mm_hdf5_id);
    int (*set_type_size)(mm_hdf5_id, size_t), (*set_charset)(mm_hdf5_id, int), (*close_type)(mm_hdf5_id),
        (*is_variable)(mm_hdf5_id);
    int (*get_class)(mm_hdf5_id), (*get_order)(mm_hdf5_id), (*get_sign)(mm_hdf5_id),
        (*get_members)(mm_hdf5_id);
    size_t (*get_size)(mm_hdf5_id);
    mm_hdf5_id (*create_space)(int), (*create_simple)(int, const mm_hdf5_size *, const mm_hdf5_size *);
    int (*get_rank)(mm_hdf5_id), (*get_extent)(mm_hdf5_id, mm_hdf5_size *, mm_hdf5_size *),
        (*close_space)(mm_hdf5_id);
    int64_t (*get_points)(mm_hdf5_id);
    mm_hdf5_id (*open_data)(mm_hdf5_id, const char *, mm_hdf5_id), (*get_data_space)(mm_hdf5_id),
        (*get_data_type)(mm_hdf5_id), (*get_data_list)(mm_hdf5_id);
    mm_hdf5_id (*create_data)(mm_hdf5_id, const char *, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id,
                              mm_hdf5_id);
    mm_hdf5_size (*get_offset)(mm_hdf5_id), (*get_stored)(mm_hdf5_id);
    int (*get_chunk)(mm_hdf5_id, const mm_hdf5_size *, unsigned *, mm_hdf5_size *, mm_hdf5_size *);
    int (*read_data)(mm_hdf5_id, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id, mm_hdf5_id, void *),
        (*close_data)(mm_hdf5_id);
    mm_hdf5_id (*create_list)(mm_hdf5_id);
    int (*get_layout)(mm_hdf5_id), (*get_chunk_size)(mm_hdf5_id, int, mm_hdf5_size *),
        (*get_filters)(mm_hdf5_id);
    int (*set_layout)(mm_hdf5_id, int), (*set_allocation)(mm_hdf5_id, int), (*set_fill)(mm_hdf5_id, int),
        (*set_times)(mm_hdf5_id, bool);
    int (*set_stdio)(mm_hdf5_id), (*set_order)(mm_hdf5_id, unsigned),
        (*set_alignment)(mm_hdf5_id, mm_hdf5_size, mm_hdf5_size);
    int (*close_list)(mm_hdf5_id);
    mm_hdf5_id *text, *list_of_data, *list_of_access, *list_of_file, *u[4], *i[4], *f4, *f8;
} mm_hdf5;

/* Opens or creates a file; negative on failure. */
mm_hdf5_id mm_hdf5_open_file(const mm_whole *whole, bool create);

#endif
