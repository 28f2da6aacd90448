/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches as jobs, on processors or devices: the state of --checkpoint, which holds the results of finished
 * records and the search that goes on; the pools of --pool; the time limit. */
#ifndef FLIP_JOB_WORK_H
#define FLIP_JOB_WORK_H

#include "base/run/checkpoint.h"
#include "base/run/identity.h"
#include "base/run/stop.h"
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
    base_checkpoint checkpoint, pool_file;
    pthread_mutex_t lock; /* of `finished` and the state's file; there with a checkpoint */
    int64_t finished_records, unsaved_records;
    int64_t resumed_records; /* done in the state that was loaded, and not yet taken over from there */
    bool is_loaded;          /* it is known what the file has */
    bool has_state;          /* there is one */
    char *finished;          /* results of the records that are done */
    int64_t finished_bytes, finished_capacity;
    char *resumed; /* the state that was loaded */
    int64_t resumed_bytes, resumed_at;
    bool damaged; /* FILE is not worth keeping */
    char hash[40];
    double start_seconds, logged_seconds;
    int64_t logged_rank, start_flips;
    char task[128];
} flip_work;

/* Called between the rounds of a search. Saves and logs what is due, and says whether to end the search.
 * Fails with BASE_STOPPED where a signal or the time limit asks to stop and there is a file to go on from. */
typedef base_status flip_work_pause(base_context *context, void *pause_data, bool *is_over);

typedef enum flip_work_kind { FLIP_WORK_DONE, FLIP_WORK_PROCESSORS, FLIP_WORK_DEVICES } flip_work_kind;

/* A method of search. `data` is what open makes, or whose maker open works for; close ends it, opened or not.
 */
typedef struct flip_work_method {
    flip_work_kind kind;  /* of its states */
    const char *hardware; /* "processors" */
    void *data;
    /* Opens a search from a state of `save`, or where `state` is NULL from the scheme and from others that
     * are right (others->pool NULL: none). */
    base_status (*open)(base_context *context, void *data, const flip_scheme *scheme,
                        const flip_pools *others, const char *state, int64_t bytes);
    base_status (*run)(base_context *context, void *data, flip_work_pause *pause, void *pause_data);
    base_status (*save)(base_context *context, void *data, char **buffer, int64_t *bytes, int64_t *capacity);
    const flip_pools *(*pools)(void *data); /* what was found so far */
    int64_t (*flips)(void *data);
    bool (*has_reached)(void *data); /* the target */
    void (*describe)(void *data, char *line, size_t size);
    void (*close)(void *data);
} flip_work_method;

/* `checkpoint` NULL: there is none; otherwise an earlier state is loaded (mm/stream/state.h). The other
 * public members are set before, the texts stay the caller's. */
base_status flip_work_open(base_context *context, flip_work *work, const char *checkpoint);
void flip_work_close(flip_work *work);

/* Saves what is done at any moment, for base_run_saves. */
base_saver flip_work_saver(flip_work *work);

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
