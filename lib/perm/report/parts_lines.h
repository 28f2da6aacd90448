/* SPDX-License-Identifier: BSD-3-Clause */
/* What parts.c collects and parts_fold.c adds up. */
#ifndef PERM_REPORT_PARTS_LINES_H
#define PERM_REPORT_PARTS_LINES_H

#include "perm/report/fold.h"
#include "perm/report/part_line.h"

typedef struct perm_parts_job {
    char id[BASE_HASH_TEXT];
    char options[BASE_HASH_TEXT];
    char *by;
    int64_t parts;
    int64_t records; /* -1 while no end has come */
    bool *ended;     /* parts + 1 */
    bool *begun;     /* parts + 1: a line has come */
    char name[64];   /* of the record of its latest line */
} perm_parts_job;

typedef struct perm_parts_line {
    int64_t job;   /* in the order they came */
    int64_t bytes; /* that it takes, about */
    perm_partial_result partial_result;
} perm_parts_line;

typedef struct perm_parts {
    int64_t jobs, job_capacity, lines, line_capacity;
    int64_t bytes; /* of the lines */
    perm_parts_job *job;
    perm_parts_line *line;   /* not folded yet */
    int64_t current, folded; /* the job that is being folded, and how many of its records are */
    perm_fold fold;
} perm_parts; /* opaque in parts.h */

#endif
