/* SPDX-License-Identifier: BSD-3-Clause */
/* A record: one matrix with its metadata, as it stands in a stream. mm-stream(5) describes both forms.
 *
 * The arrays are those of the Matrix Market object: `nnz` stored entries in file order (of a symmetric matrix
 * only the lower triangle), indices from 0. Algorithms work on mm_sparse or mm_dense (matrix/sparse.h), which
 * are made from a record and expand the symmetry.
 *
 * value.h reads one value exactly, whatever its field; hash.h is a hash of the content; width.h packs
 * integers into as few bytes as they need. */
#ifndef MM_RECORD_RECORD_H
#define MM_RECORD_RECORD_H

#include "base/core/context.h"

typedef enum mm_kind { MM_MATRIX, MM_SCHEME, MM_H2, MM_STATE } mm_kind;
typedef enum mm_format { MM_COORDINATE, MM_ARRAY } mm_format;
typedef enum mm_field { MM_PATTERN, MM_INTEGER, MM_REAL, MM_COMPLEX } mm_field;
typedef enum mm_symmetry { MM_GENERAL, MM_SYMMETRIC, MM_SKEW_SYMMETRIC, MM_HERMITIAN } mm_symmetry;

/* Bytes of a payload, or all numbers of an array, that lie in the memory of a device instead
 * (base_device_import). */
typedef struct mm_device_memory {
    int descriptor;         /* 1 more than it; 0: all of the payload is where it should be */
    int64_t first, bytes;   /* of the content as it is handed over */
    unsigned char uuid[16]; /* of the device */
} mm_device_memory;

/* Compressed columns or rows as a file has them. "Majors" are the columns of compressed columns, the rows of
 * compressed rows; "minors" the others. */
typedef struct mm_places {
    int64_t *start; /* majors + 1, from 0 to nnz without falling; NULL: there are none */
    int32_t *minor; /* nnz indices from 0 */
    bool by_columns;
    bool is_ordered; /* the minors of each major ascend, none of them twice */
} mm_places;

typedef struct mm_record {
    mm_kind kind;
    mm_format format;
    mm_field field;
    mm_symmetry symmetry;
    int64_t nrow, ncol;
    int64_t nnz; /* stored entries; of an array all the form stores (mm_array_length) */

    int64_t *row, *col; /* nnz each, from 0; NULL for arrays, which go column by column */

    mm_places places; /* of a coordinate matrix instead of row and col; places.h makes these of it. Readers do
                         unless they are told to leave it */

    /* Values in the order of the entries; exactly one of them is set, none for a pattern. */
    double *real;          /* MM_REAL: nnz; MM_COMPLEX: 2·nnz, real and imaginary parts in turn */
    int64_t *integer;      /* MM_INTEGER when every value fits */
    char *digits;          /* MM_INTEGER otherwise: decimal numbers, each ended by a NUL … */
    int64_t *digits_start; /* … at these offsets, nnz + 1 of them */

    char *payload; /* MM_H2, MM_STATE: payload_bytes bytes that only their programs understand */
    int64_t payload_bytes;
    int64_t payload_mapped; /* bytes of it that are mapped from a file (base_free_mapped); 0: none */
    int payload_descriptor; /* of the memory file that `payload` is, plus 1, which is handed on with what is
                               written to it (BASE_RESIDENT_OWNED); 0: none */

    /* Memory that was handed over (mm/binary/resident.c): the arrays lie in it, or elsewhere once they were
     * replaced. A payload is mapped instead. */
    char *memory;
    int64_t memory_bytes;
    int descriptor; /* 1 more than that of the memory, while nothing was changed there; 0: none */

    mm_device_memory on_device; /* readers fetch it unless they are told to leave it: until then zeros, or
                                   nothing, stand in its place */

    struct base_device_arrival *arriving; /* array: `real` is on its way from a device; mm_record_fetch waits
                                             for it, and it stays in that memory, which outlives the record */

    char *comments; /* lines between banner and size line, each with '%' and newline; a text, or NULL */
} mm_record;

/* An empty 0×0 general real coordinate matrix. */
void mm_record_init(mm_record *record);
void mm_record_free(mm_record *record); /* the arrays; leaves it as init does. NULL is allowed */

/* Frees one of the record's arrays, wherever it lies. */
void mm_record_free_array(const mm_record *record, void *array);

/* The arrays are about to be others than those that were handed over. */
void mm_record_close_descriptor(mm_record *record);

/* Copies what lies on a device to its place. BASE_MACHINE where that device is not there. */
base_status mm_record_fetch(base_context *context, mm_record *record);
void mm_device_memory_close(mm_device_memory *memory);

/* Moves the content of `from` to `to` (which is freed first) and leaves `from` empty. */
void mm_record_move(mm_record *to, mm_record *from);

/* Allocates the arrays for the record's kind, format, field, sizes and nnz (integer values as int64). For
 * arrays nnz is set. */
base_status mm_record_alloc(base_context *context, mm_record *record);

/* Entries that array form stores for a shape and symmetry; -1 if that exceeds 2^62. */
int64_t mm_array_length(int64_t nrow, int64_t ncol, mm_symmetry symmetry);

/* Steps through an array's positions in stored order (column by column, the lower triangle when symmetric,
 * without the diagonal when skew-symmetric). Start at mm_array_first. */
void mm_array_first(const mm_record *record, int64_t *row, int64_t *col);
void mm_array_next(const mm_record *record, int64_t *row, int64_t *col);

/* The words of the enumerations: the Matrix Market's, and those of mm-stream(5) for kinds. */
const char *mm_format_name(mm_format format);
const char *mm_field_name(mm_field field);
const char *mm_symmetry_name(mm_symmetry symmetry);
const char *mm_kind_name(mm_kind kind);

#endif
