/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a checkpoint. It is replaced as a whole, and what was there before stays beside it: FILE and
 * FILE.old; FILE.new is one that was not finished. Whatever moment a program is killed at, FILE or FILE.old
 * is complete once the first state is saved. What a state says is mm/stream/state.h's business, and that the
 * names are free is claim.h's. */
#ifndef BASE_RUN_CHECKPOINT_H
#define BASE_RUN_CHECKPOINT_H

#include "base/run/output.h"

typedef struct base_checkpoint {
    const char *path;        /* the caller's; NULL: there is none */
    double interval_seconds; /* between two saves; 60, or the environment's MMPIPE_CHECKPOINT_SECONDS */
    double saved_seconds;    /* when the last one was made, on base_clock_seconds */
} base_checkpoint;

void base_checkpoint_init(base_checkpoint *checkpoint, const char *path);

/* Fails with BASE_MACHINE when its folder is not there or cannot be written to: better before the work than
 * at the first state. */
base_status base_checkpoint_check(base_context *context, const char *path);

/* Whether it is time to save again; false without a path. */
bool base_checkpoint_is_due(const base_checkpoint *checkpoint);

/* Has `write` produce the new content in FILE.new, which must not be there; syncs it and renames it into
 * place. Fails with BASE_MACHINE, and then the older content is still there. `replace` false: FILE is known
 * to be damaged and does not become FILE.old.
 */
typedef base_status base_checkpoint_write(base_context *context, base_output *output, const void *data);
base_status base_checkpoint_save(base_context *context, base_checkpoint *checkpoint, bool replace,
                                 base_checkpoint_write *write, const void *data);

/* Room for FILE.old and FILE.new; released by the caller, NULL when there is no memory. */
char *base_checkpoint_sibling(base_context *context, const char *path, const char *suffix);

/* Removes FILE, FILE.old and FILE.new, which are the caller's (claim.h). */
void base_checkpoint_remove(const char *path);

#endif
