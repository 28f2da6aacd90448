/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix in pieces: programs that split a matrix say in each record which piece it is,
 *
 *     % piece: block 2/5; term 7
 *
 * outermost split first: here the seventh term of the second of five blocks. The permanents of blocks
 * multiply to that of the matrix they are of, those of terms add up. `k/K` tells how many pieces there are;
 * where a stream of terms knows that at its end only, just the last one has it. All pieces keep the matrix's
 * name. */
#ifndef MM_METADATA_PIECE_H
#define MM_METADATA_PIECE_H

#include "mm/record/record.h"

typedef enum mm_piece_kind { MM_BLOCK, MM_TERM } mm_piece_kind;

typedef struct mm_piece_step {
    mm_piece_kind kind;
    int64_t number, count; /* from 1; count 0: not said */
} mm_piece_step;

enum { MM_PIECE_DEPTH = 16 };

typedef struct mm_piece {
    int depth; /* 0: a whole matrix */
    mm_piece_step step[MM_PIECE_DEPTH];
} mm_piece;

const char *mm_piece_word(mm_piece_kind kind); /* "block", "term" */

/* Fails with BASE_DAMAGED where the line is malformed or deeper than MM_PIECE_DEPTH. */
base_status mm_piece_get(base_context *context, const mm_record *record, mm_piece *piece);

/* Makes `record` a piece of `parent`, which may be the same one: the name, the line with one step more, and
 * what holds for each piece: the number of roundings (`% rounded`) and the field (`% scaled`). Fails with
 * BASE_FAILED when the parent is MM_PIECE_DEPTH deep already. */
base_status mm_piece_set(base_context *context, mm_record *record, const mm_record *parent,
                         mm_piece_step step);

/* The field of what the record is a piece of: that of its entries, or MM_REAL where `% scaled: real` says
 * that a real matrix was multiplied by powers of two, so that its entries are integers. */
mm_field mm_piece_field(const mm_record *record);

#endif
