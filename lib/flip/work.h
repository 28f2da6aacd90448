/* Searches as jobs: the state of --checkpoint, which holds the results of finished records and the search
 * that goes on; the pools of --pool; the time limit. */
#ifndef FLIP_WORK_H
#define FLIP_WORK_H

#include "base/checkpoint.h"
#include "flip/search.h"
#include "flip/starts.h"

typedef struct flip_work {
    const char *identity;      /* program, version, and the options that change results, in a line */
    const flip_starts *starts; /* schemes to start from; NULL: those of the records, one after the other */
    const char *pool;          /* file of schemes to start from and to keep; NULL: none */
    double deadline_seconds;   /* on base_clock_seconds, for all records together; 0: none */
    void (*tell)(void *data, const char *line); /* told of progress */
    void (*note)(void *data, const char *line); /* told of what went wrong and was made good */
    void *data;

    /* private */
    base_checkpoint checkpoint, pool_file;
    char *finished; /* results of the records that are done */
    int64_t finished_bytes, finished_capacity;
    char *resumed; /* the state that was loaded */
    int64_t resumed_bytes, resumed_at;
    bool damaged; /* FILE is not worth keeping */
    char hash[40];
    double start_seconds, told_seconds;
    int64_t told_rank, start_flips;
    char task[128];
} flip_work;

/* `checkpoint` NULL: there is none; otherwise an earlier state is loaded (mm/state.h). The other public
 * members are set before, the texts stay the caller's. */
base_status flip_work_open(base_context *context, flip_work *work, const char *checkpoint);
void flip_work_close(flip_work *work);

/* Searches from the scheme of a record (and from `starts`, of which these are then the first record and the
 * scheme of the largest rank), or goes on with that, or only recalls its result. `result` gets the
 * schemes of the least rank, at most options->keep; *reached: the target. When a signal or the time limit
 * asks to stop, saves the state and the pool and fails with BASE_STOPPED; with neither file the limit ends
 * the search. */
base_status flip_work_search(base_context *context, flip_work *work, const mm_record *record,
                             const flip_scheme *scheme, const flip_search_options *options,
                             const flip_engine *engine, flip_pools *result, bool *reached);

/* The schemes of an earlier search: of the pool's file, or of FILE.old where a kill left only that. Without
 * either the pools stay empty, with pool NULL. */
base_status flip_work_read_pool(base_context *context, flip_work *work, const int64_t size[3],
                                flip_pools *pools);

#endif
