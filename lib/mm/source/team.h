/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads for loops that take turns with reading and writing, as those over the blocks of a stream do.
 * Between two loops they sleep. OpenMP's threads would spin there for milliseconds, and take the processor
 * from the other programs of the pipe. */
#ifndef MM_SOURCE_TEAM_H
#define MM_SOURCE_TEAM_H

#include <stdbool.h>

typedef struct mm_team mm_team;

/* Starts threads - 1 helpers, or as many as there are to be had. NULL: none; the calls below take that and
 * leave all work to the caller. A team belongs to one thread at a time. */
mm_team *mm_team_open(int threads);
void mm_team_close(mm_team *team);

/* Has work(data, i) called for i from 0 to count - 1, in any order, on any thread, and returns. The helpers
 * begin at once; the caller joins them in mm_team_wait, which returns when all calls have. One loop at a
 * time: each start is followed by a wait. */
typedef void mm_team_work(void *data, int i);
typedef struct mm_team_loop {
    mm_team_work *work;
    void *data;
    int count;
    int next, running; /* the team's own */
} mm_team_loop;
void mm_team_start(mm_team *team, mm_team_loop *loop);
void mm_team_wait(mm_team *team, mm_team_loop *loop);

#endif
