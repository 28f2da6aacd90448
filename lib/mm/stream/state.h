/* SPDX-License-Identifier: BSD-3-Clause */
/* States of long computations: a binary stream of one record of kind `state`, whose metadata say what was
 * computed and whose payload only its program understands. */
#ifndef MM_STREAM_STATE_H
#define MM_STREAM_STATE_H

#include "base/run/checkpoint.h"
#include "base/run/identity.h"
#include "mm/record/record.h"

/* What stands behind the payload: pieces of what is too large to be held twice. */
typedef struct mm_state_pieces {
    int64_t count, capacity;
    struct mm_state_piece {
        char *data;
        int64_t bytes;
    } * piece;
} mm_state_pieces;
void mm_state_pieces_free(mm_state_pieces *pieces); /* NULL is allowed */

/* Gives piece `number` (from 0), from malloc and then the caller's; *piece NULL: there are no more. */
typedef base_status mm_state_more(base_context *context, void *data, int64_t number, char **piece,
                                  int64_t *bytes);

/* Saves a payload and the pieces of `more`, which may be NULL. `identity` holds
 * every option that changes results. `replace`: see base_checkpoint_save. */
base_status mm_state_save(base_context *context, base_checkpoint *checkpoint, bool replace,
                          const base_identity *identity, char *payload, int64_t bytes, mm_state_more *more,
                          void *data);

/* Reads the state in `path`, or where that is missing or damaged the one before, in FILE.old. *payload is
 * released by the caller, with a NUL behind it; NULL when there is neither file. `pieces` may be NULL where
 * none are saved. *damaged: FILE was passed over for the reason in `note`. Fails with BASE_USAGE when the
 * state has another identity, is of another format (an older version's) or is none, and with BASE_DAMAGED
 * when no file is whole. */
base_status mm_state_load(base_context *context, const char *path, const base_identity *identity,
                          char **payload, int64_t *bytes, mm_state_pieces *pieces, bool *damaged,
                          char note[512]);

/* Fails with BASE_USAGE unless the first record of the file is a state of this computation, in the format
 * that is written here. */
base_status mm_state_check(base_context *context, const char *path, const mm_record *record,
                           const base_identity *identity);

#endif
