/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of numbers as NumPy stores them, in the bytes of a file. */
#ifndef FLIP_FORMATS_ARRAY_H
#define FLIP_FORMATS_ARRAY_H

#include "flip/formats/internal.h"

typedef struct flip_array {
    char type; /* i, u, b, f */
    int bytes; /* of a number */
    bool fortran;
    int64_t nrow, ncol;
    const char *data;
} flip_array;

/* A whole number of 1 to 8 bytes, little-endian. */
uint64_t flip_read_little(const char *data, int bytes);

/* The type of "i8" and its like; false for others. */
bool flip_array_read_type(const char *text, flip_array *result);

/* Adds the array, of a column per term, as the factor at `position`. Fails with BASE_DAMAGED. */
base_status flip_array_add(base_context *context, const flip_array *from, int position,
                           flip_entries *entries);

/* Three arrays in a pickle, of which only shapes, orders and bytes are read: nothing in it is executed. */
base_status flip_read_pickle(base_context *context, const char *data, size_t size, flip_entries *entries);

#endif
