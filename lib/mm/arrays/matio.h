/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of matio that .mat files take, from the library that the machine has (1.5). The declarations
 * are ours and say what those of matio.h say: nothing of matio is needed to build. */
#ifndef MM_ARRAYS_MATIO_H
#define MM_ARRAYS_MATIO_H

#include "base/core/context.h"

#include <stddef.h>

typedef struct mm_mat_variable {
    size_t bytes;
    int rank;
    int type; /* of numbers in memory */
    int number_bytes;
    int class;
    int is_complex, is_global, is_logical;
    size_t *extents;
    char *name;
    void *data; /* numbers by columns; mm_mat_parts if complex; mm_mat_sparse */
    int mem_conserve, compression;
    void *internal;
} mm_mat_variable;

typedef struct mm_mat_parts {
    void *real, *imaginary;
} mm_mat_parts;

typedef struct mm_mat_sparse {
    uint32_t room;
    uint32_t *row; /* of each entry, from 0 */
    uint32_t rows;
    uint32_t *start; /* of each column, and the end */
    uint32_t starts;
    uint32_t count;
    void *data;
} mm_mat_sparse;

enum {
    MM_MAT_INT8 = 1,
    MM_MAT_UINT8 = 2,
    MM_MAT_INT16 = 3,
    MM_MAT_UINT16 = 4,
    MM_MAT_INT32 = 5,
    MM_MAT_UINT32 = 6,
    MM_MAT_SINGLE = 7,
    MM_MAT_DOUBLE = 9,
    MM_MAT_INT64 = 12,
    MM_MAT_UINT64 = 13,
    MM_MAT_CLASS_STRUCT = 2,
    MM_MAT_CLASS_CHAR = 4,
    MM_MAT_CLASS_SPARSE = 5,
    MM_MAT_CLASS_DOUBLE = 6,
    MM_MAT_CLASS_UINT8 = 9,
    MM_MAT_CLASS_INT64 = 14,
    MM_MAT_CLASS_UINT64 = 15,
    MM_MAT_READ = 0,
    MM_MAT_VERSION_5 = 0x100,
    MM_MAT_LOGICAL = 0x200,
    MM_MAT_COMPLEX = 0x800,
    MM_MAT_KEEP = 1 /* the data stay the caller's */
};

extern struct mm_matio {
    void *(*open)(const char *path, int mode);
    void *(*create)(const char *path, const char *header, int version);
    int (*close)(void *file);
    mm_mat_variable *(*read_next)(void *file);
    mm_mat_variable *(*create_variable)(const char *name, int class, int type, int rank, size_t *extents,
                                        void *data, int options);
    int (*write)(void *file, mm_mat_variable *variable, int compression);
    void (*free)(mm_mat_variable *variable);
    mm_mat_variable *(*field)(mm_mat_variable *variable, const char *name, size_t index);
} mm_matio;

/* Finds the library once, and has HDF5, by which it reads version 7.3, print no errors of the calling thread.
 * Called before work that a thread may begin. Fails with BASE_MACHINE. */
base_status mm_matio_load(base_context *context);

/* Gives back what HDF5 keeps of errors in the calling thread, and would lose when the thread ends; behind the
 * last call for a file. */
void mm_matio_forget_errors(void);

#endif
