/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of searches: the results of finished records, and behind them the search that goes on. */
#ifndef FLIP_JOB_STATE_H
#define FLIP_JOB_STATE_H

#include "base/run/checkpoint.h"
#include "base/run/identity.h"
#include "base/run/stop.h"
#include "flip/job/method.h"

typedef struct flip_state {
    const base_identity *identity; /* program, version, and the options that change results */
    const char *pool;              /* another file to go on from; NULL: none */
    char hash[40];                 /* of the record at hand */
    base_checkpoint checkpoint;

    /* private */
    pthread_mutex_t lock; /* of `finished` and the file; there with a checkpoint */
    int64_t finished_records, unsaved_records;
    int64_t resumed_records; /* done in the state that was loaded, and not yet taken over from there */
    bool is_loaded;          /* it is known what the file has */
    bool has_state;          /* there is one */
    char *finished;          /* results of the records that are done */
    int64_t finished_bytes, finished_capacity;
    char *resumed; /* the state that was loaded */
    int64_t resumed_bytes, resumed_at;
    bool damaged; /* the file is not worth keeping */
} flip_state;

/* A state is a row of blocks, each a heading and bytes: masks of a finished record's schemes, or a search. */
typedef struct flip_state_heading {
    char hash[40]; /* of the record */
    int64_t rank, count, reached;
    int64_t bytes;
    int64_t kind; /* flip_work_kind */
} flip_state_heading;

/* The file of the state, NULL: there is none; before any thread may save. */
void flip_state_name(flip_state *state, const char *path);

/* Loads an earlier state (mm/stream/state.h) from the file, if there is one. `note` says what is wrong with a
 * state that cannot be used, and is empty otherwise. */
base_status flip_state_open(base_context *context, flip_state *state, char note[512]);
void flip_state_close(flip_state *state);

/* Saves the finished records, and behind them for the moment the search. */
base_status flip_state_save(base_context *context, flip_state *state, const flip_work_method *method);

/* Saves the finished records at any moment, as a base_saver does. */
base_status flip_state_save_finished(base_context *context, flip_state *state, bool is_last,
                                     char said[BASE_SAID_BYTES]);

/* Adds a record that is done; `is_new`: the state did not have it as such. */
base_status flip_state_finish(base_context *context, flip_state *state, const flip_pools *result,
                              bool reached, bool is_new);

/* The block of the state that belongs to this record; *data NULL when there is none. */
base_status flip_state_recall(base_context *context, flip_state *state, flip_state_heading *head,
                              const char **data);

/* The kind of what the loaded state has for the next record; FLIP_WORK_DONE also where it has nothing. */
flip_work_kind flip_state_next_kind(const flip_state *state);

#endif
