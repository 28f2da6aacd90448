/* SPDX-License-Identifier: BSD-3-Clause */
/* What a method of search is to a job. */
#ifndef FLIP_JOB_METHOD_H
#define FLIP_JOB_METHOD_H

#include "flip/scheme/scheme.h"
#include "flip/search/pool.h"

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

#endif
