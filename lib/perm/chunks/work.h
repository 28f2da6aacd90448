/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a long computation has come: which part of the work is done here, what is finished, and the
 * checkpoint that holds it. The state is the partial results so far (partial_result.h), a line of JSON for
 * each record. */
#ifndef PERM_CHUNKS_WORK_H
#define PERM_CHUNKS_WORK_H

#include "base/run/checkpoint.h"
#include "base/run/identity.h"
#include "base/run/stop.h"
#include "mm/record/record.h"
#include "mm/stream/state.h"
#include "perm/chunks/partial_result.h"

typedef struct perm_work {
    base_part part;          /* of each sum; 0/0: all of it */
    bool verify;             /* recompute a sample of the chunks with another kernel */
    double verify_share;     /* of the chunks, at most 1; 0: as chunks.h says */
    double deadline_seconds; /* on base_clock_seconds; 0: none */
    bool keep_going; /* a record that takes longer than context->deadline_seconds allows is given up */
    const base_identity *identity;              /* program, version, and the options that change results */
    void (*note)(void *data, const char *line); /* gets what went wrong and was made good; may be NULL */
    void *data;

    /* private */
    base_checkpoint checkpoint;
    pthread_mutex_t lock;     /* of what follows and the state's file; there with a checkpoint */
    base_identity state_of;   /* identity and part */
    int64_t records;          /* begun */
    int64_t finished_records; /* … and done, whose lines `finished` has */
    int64_t unsaved_records;  /* of these, not in the state's file */
    bool is_loaded;           /* it is known what the state's file has */
    bool has_state;           /* there is one */
    bool was_whole;           /* the current result was in the state */
    bool is_adding;           /* `current` changes by chunks that are added, under the lock, and not else */
    char job[BASE_HASH_TEXT]; /* hash of the first record */
    char *finished;           /* lines of the records that are done */
    int64_t finished_bytes, finished_capacity;
    char *resumed;            /* the state that was loaded */
    const char *resumed_next; /* its next line */
    const char *resumed_line; /* that of the current record, up to resumed_next; NULL: it has none */
    bool damaged;             /* FILE is not worth keeping */
    mm_state_more *tables;    /* of the computation under way */
    void *tables_data;
    mm_state_pieces resumed_tables;
    perm_partial_result *current;
} perm_work;

/* The lock, where there is a checkpoint. `work` may be NULL. */
void perm_work_lock(perm_work *work);
void perm_work_unlock(perm_work *work);

/* Says whether chunks are added to the current result from now on, always under the lock. Without a
 * checkpoint that is nobody's concern. `work` may be NULL. */
void perm_work_set_adding(perm_work *work, bool is_adding);

/* Saves what is done after the machine has failed, and keeps the error; between chunks. `work` may be NULL.
 */
void perm_work_rescue(base_context *context, perm_work *work);

/* Saves what is done at any moment, for base_run_saves, after perm_work_open. */
base_saver perm_work_saver(perm_work *work);

/* `checkpoint` NULL: there is none; otherwise an earlier state is loaded (mm/stream/state.h). The other
 * public members are set before, the texts stay the caller's. */
base_status perm_work_open(base_context *context, perm_work *work, const char *checkpoint);
void perm_work_close(perm_work *work);

/* Begins with a record: `partial_result` (initialised, the caller's until the end) gets the record's name,
 * hash and number, and what the state knows of it. Fails with BASE_USAGE when the state is of another input.
 */
base_status perm_work_begin(base_context *context, perm_work *work, const mm_record *record,
                            perm_partial_result *partial_result);

/* The result is whole, or the record has failed. */
base_status perm_work_end(base_context *context, perm_work *work, bool failed);

/* After the last record: the state must not know more of them. */
base_status perm_work_finish(base_context *context, const perm_work *work);

/* To be called between pieces of work, by one thread at a time: saves the state when it is due. When a signal
 * or the time limit asks to stop, or the context's deadline is over, saves it too and fails with
 * BASE_STOPPED. Without a state the signal and the deadline stop it, not the time limit; `work` may be NULL.
 */
base_status perm_work_pause(base_context *context, perm_work *work);

/* Whether a signal, the time limit or the deadline asks for that; any thread. */
bool perm_work_is_stopping(const base_context *context, const perm_work *work);

/* Whether what is computed can be saved; `work` may be NULL. */
bool perm_work_has_state(const perm_work *work);

/* What a computation that is no sum of chunks has reached becomes part of the state, from here on until NULL
 * takes its place. `work` may be NULL. */
void perm_work_keep(perm_work *work, mm_state_more *tables, void *data);

#endif
