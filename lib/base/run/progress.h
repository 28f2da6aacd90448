/* Progress of a long computation: a bar on a terminal, one line on SIGUSR1, silence otherwise. */
#ifndef BASE_RUN_PROGRESS_H
#define BASE_RUN_PROGRESS_H

#include "base/core/context.h"

#include <signal.h>

/* The one place where progress is kept; the run module owns it and hangs it into the context. */
struct base_progress {
    const char *program;
    bool bar;                               /* draw the bar */
    volatile sig_atomic_t status_requested; /* set by the handler of SIGUSR1 */
    /* While `can_stop` is set a first SIGINT, SIGTERM or SIGHUP is only noted here, for the computation to
     * save its state and return BASE_STOPPED; base_run_end dies of it then. */
    volatile sig_atomic_t can_stop, stop_signal;
    const char *task, *unit;
    double total;
    _Atomic int64_t finished;
    double start_seconds;
    _Atomic int64_t next_draw_milliseconds; /* since the start */
};

/* Starts a task of `total` units of work (0: unknown). `unit` names them: "subsets", "bytes". Both texts are
 * kept by pointer. Without a progress in the context the calls do nothing. */
void base_progress_start(base_context *context, const char *task, double total, const char *unit);

/* Adds finished units; any thread may call it, at most a few thousand times a second. */
void base_progress_add(base_context *context, int64_t amount);

/* Ends the task and clears the bar. */
void base_progress_finish(base_context *context);

/* Seconds of a clock that never goes back. */
double base_clock_seconds(void);

#endif
