/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches as jobs, on processors or devices: the state of --checkpoint, which holds the results of finished
 * records and the search that goes on; the pools of --pool; the time limit. */
#ifndef FLIP_JOB_WORK_H
#define FLIP_JOB_WORK_H

#include "flip/job/state.h"
#include "flip/search/search.h"
#include "flip/search/starts.h"

typedef struct flip_work {
    const base_identity *identity; /* program, version, and the options that change results */
    const flip_starts *starts; /* schemes to start from; NULL: those of the records, one after the other */
    const char *pool;          /* file of schemes to start from and to keep; NULL: none */
    double deadline_seconds;   /* on base_clock_seconds, for all records together; 0: none */
    void (*log)(void *data, const char *line);  /* gets lines of progress */
    void (*note)(void *data, const char *line); /* gets what went wrong and was made good */
    void *data;

    /* private */
    base_checkpoint pool_file;
    flip_state state;
    double start_seconds, logged_seconds;
    int64_t logged_rank, start_flips;
} flip_work;

/* Saves what is done at any moment, for base_run_saves, in the file `checkpoint`; NULL: there is none. The
 * public members are set before, the texts stay the caller's. Without a saver nothing is saved. */
base_saver flip_work_saver(flip_work *work, const char *checkpoint);

/* Loads an earlier state (mm/stream/state.h), where the saver has a file for one; after that, because a
 * signal may come while it loads. */
base_status flip_work_open(base_context *context, flip_work *work);
void flip_work_close(flip_work *work);

/* Searches from the scheme of a record (and from `starts`, of which these are then the first record and the
 * scheme of the largest rank), or goes on with that, or only recalls its result. `result` gets the
 * schemes of the least rank, at most `keep`; *reached: the target. When a signal or the time limit asks to
 * stop, saves the state and the pool and fails with BASE_STOPPED; with neither file the limit ends the
 * search. */
base_status flip_work_search(base_context *context, flip_work *work, const mm_record *record,
                             const flip_scheme *scheme, int64_t keep, const flip_work_method *method,
                             flip_pools *result, bool *reached);

/* The kind of what the loaded state has for the next record; FLIP_WORK_DONE also where it has nothing. */
flip_work_kind flip_work_next_kind(const flip_work *work);

/* The method of search/search.h; both are the caller's, and stay. */
typedef struct flip_work_processors {
    const flip_search_options *options;
    const flip_engine *engine;
    flip_search *search; /* NULL at first */

    /* private */
    flip_work_pause *pause;
    void *pause_data;
} flip_work_processors;
flip_work_method flip_work_on_processors(flip_work_processors *data);

#endif
