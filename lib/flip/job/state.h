/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of searches. For work.c. */
#ifndef FLIP_JOB_STATE_H
#define FLIP_JOB_STATE_H

#include "flip/job/work.h"

/* A state is a row of blocks, each a heading and bytes: masks of a finished record's schemes, or a search. */
typedef struct flip_state_heading {
    char hash[40]; /* of the record */
    int64_t rank, count, reached;
    int64_t bytes;
    int64_t kind; /* flip_work_kind */
} flip_state_heading;

/* Saves the finished records, and behind them for the moment the search. */
base_status flip_state_save(base_context *context, flip_work *work, const flip_work_method *method);

/* Adds a record that is done; `is_new`: the state did not have it as such. */
base_status flip_state_finish(base_context *context, flip_work *work, const flip_pools *result, bool reached,
                              bool is_new);

/* The block of the state that belongs to this record; *data NULL when there is none. */
base_status flip_state_recall(base_context *context, flip_work *work, flip_state_heading *head,
                              const char **data);

#endif
