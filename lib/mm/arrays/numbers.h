/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of numbers of the machine types that files of other programs hold, to and from the arrays of a
 * record.
 *
 * The room is what the readers and writers of formats/ share. numbers.c reads, numbers_put.c writes;
 * compressed.h goes between compressed rows or columns and pairs of indices; words.h takes lines of text
 * apart; whole.h makes a file of bytes that come from a pipe, for libraries that want one; hdf5.h and matio.h
 * are two of these. */
#ifndef MM_ARRAYS_NUMBERS_H
#define MM_ARRAYS_NUMBERS_H

#include "base/run/output.h"
#include "mm/record/record.h"
#include "mm/source/source.h"

typedef struct mm_number_type {
    char letter;  /* u, i: whole numbers; f: binary32, binary64; c: pairs of those; b: bytes 0 and 1 */
    int bytes;    /* of a number, of both parts of a complex one */
    bool swapped; /* big-endian */
} mm_number_type;

/* Whether the letter has that width. */
bool mm_number_type_is_known(mm_number_type type);

mm_field mm_number_field(mm_number_type type);

/* Where bytes come from, in order. */
typedef struct mm_number_bytes {
    base_status (*read)(base_context *context, void *self, char *to, size_t bytes); /* all of them */
    void *self;
    int64_t available; /* bytes that are known to be there, -1: not known; nothing is allocated before */
} mm_number_bytes;

/* The bytes of a source's part; of memory. Both fail with BASE_DAMAGED when they end too early. */
mm_number_bytes mm_number_bytes_of_source(mm_source *source);
typedef struct mm_number_memory {
    const char *at, *end;
} mm_number_memory;
mm_number_bytes mm_number_bytes_of_memory(mm_number_memory *memory);

/* `count` whole numbers as int64, to be freed. Fails with BASE_DAMAGED where they do not fit or are no whole
 * numbers. A byte is read once and converted while it is in the cache. */
base_status mm_numbers_read_whole(base_context *context, mm_number_bytes *from, mm_number_type type,
                                  int64_t count, int64_t **result);

/* The same for indices: fails where one is not in 0 … limit - 1. `what` is for the message. */
base_status mm_numbers_read_indices(base_context *context, mm_number_bytes *from, mm_number_type type,
                                    int64_t count, const char *what, int64_t limit, int64_t **result);

/* The values of a record whose field is that of the type, nnz of them. Fails with BASE_DAMAGED on NaN. */
base_status mm_numbers_read_values(base_context *context, mm_number_bytes *from, mm_number_type type,
                                   mm_record *record);

/* Fail like those two where indices, or values that are doubles, are in memory already. */
base_status mm_numbers_check_indices(base_context *context, const int64_t *index, int64_t count,
                                     const char *what, int64_t limit);
base_status mm_numbers_check_values(base_context *context, const double *value, int64_t count);

/* The least type that holds the values of a record as they are: bytes 1 to 8 of u if none is negative, else
 * of i; binary32 if no digit is lost. Fails with BASE_FAILED on integers beyond 64 bits. */
base_status mm_numbers_least_type(base_context *context, const mm_record *record, mm_number_type *type);

/* Puts whole numbers, or the values first … first + count - 1 of a record, in that type, little-endian. */
void mm_numbers_put_whole(char *to, mm_number_type type, const int64_t *from, int64_t count);
void mm_numbers_put_values(char *to, mm_number_type type, const mm_record *record, int64_t first,
                           int64_t count);

/* The bytes of whole numbers, or of the values of the record where `whole` is NULL, if they lie in memory as
 * that type has them; NULL: they have to be put. */
const char *mm_numbers_in_place(mm_number_type type, const int64_t *whole, const mm_record *record);

/* Writes the first `count` of them in that type; those that lie so in memory are copied nowhere. */
base_status mm_numbers_write(base_context *context, base_output *output, mm_number_type type,
                             const int64_t *whole, const mm_record *record, int64_t count);

#endif
