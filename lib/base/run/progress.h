/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a long computation: a bar on a terminal, one line on SIGUSR1, silence otherwise.
 *
 * A thread of its own draws and answers, whatever the others do; the work only counts. What is told is the
 * task that runs, as the sum of a kernel, or else how much of the input is taken. A bar appears after a
 * second and is cut to the width of the terminal. */
#ifndef BASE_RUN_PROGRESS_H
#define BASE_RUN_PROGRESS_H

#include "base/core/context.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

/* The one place where progress is kept; the run module owns it and hangs it into the context. */
struct base_progress {
    const char *program;
    _Atomic bool bar;                      /* draw the bar */
    _Atomic sig_atomic_t status_requested; /* set by the handler of SIGUSR1 */
    /* While `can_stop` is set a first signal to stop (signals.h) is only noted here, for the computation to
     * save its state and return BASE_STOPPED. While `is_watched` is set the thread of stop.h sees to that
     * where the computation does not. The library (lib/api) sets stop_signal
     * itself. */
    _Atomic sig_atomic_t can_stop, is_watched, stop_signal;
    _Atomic sig_atomic_t is_done; /* what was watched is complete: no signal stops it any more */
    _Atomic double stop_seconds;  /* when it came; written before stop_signal */
    int wake_descriptor;          /* an eventfd that the thread waits for; -1: there is none */
    const char *task, *unit;      /* NULL: none; `task` may be `name` */
    double total;
    _Atomic int64_t finished;
    double start_seconds;
    double limit_seconds; /* after which the program stops (--time-limit), from its start; 0: none */

    _Atomic int64_t input_bytes, input_total, records; /* of the input; total 0: not known */

    /* private */
    char name[64];
    double begin_seconds;
    _Atomic bool is_shown; /* there is a bar on the screen; written under the lock */
    _Atomic int depth;     /* tasks begun, of which the outermost is told */
    bool has_thread;
    _Atomic bool is_over;
    pthread_t thread;
    pthread_mutex_t lock; /* of task, unit, name, total, start_seconds */
    sem_t wake;
};

/* Starts the thread; without one base_progress_add answers and draws. */
void base_progress_open(base_progress *progress, const char *program, bool bar);
void base_progress_close(base_progress *progress); /* one that was not opened, too */

/* Asks for a line of progress at the next occasion; the handler of SIGUSR1 may call it. */
void base_progress_ask(base_progress *progress);

/* Starts a task of `total` units of work (0: unknown). `unit` names them: "subsets", "bytes". Both texts are
 * kept by pointer. A task of a library that tells nothing has no unit (NULL) and no total: the time it took
 * is told. A task inside another is not told. Without a progress in the context the calls do nothing.
 */
void base_progress_start(base_context *context, const char *task, double total, const char *unit);

/* Gives the task that is told another name, which is copied. Does nothing where none is told. */
void base_progress_rename(base_context *context, const char *name);

/* Adds finished units; any thread may call it. */
void base_progress_add(base_context *context, int64_t amount);

/* Ends the task and clears the bar. */
void base_progress_finish(base_context *context);

/* Bytes of input that there are, that were read, and a record that was read. */
void base_progress_add_input(base_context *context, int64_t bytes);
void base_progress_read(base_context *context, int64_t bytes);
void base_progress_add_record(base_context *context);

/* Clears the bar, before something else goes to stderr. NULL is allowed. */
void base_progress_hide(base_progress *progress);

/* Writes the line that a bar of this state has into `line`, of at most `width` columns, with a NUL; width is
 * less than `size`. */
void base_progress_print_bar(const base_progress *progress, int width, char *line, size_t size);

/* Whether a signal or another thread asks the computation to end; any thread may ask. Who finds it so returns
 * by base_stop_check, which fails with BASE_STOPPED then. */
static inline bool base_is_stopping(const base_context *context) {
    return context->progress != NULL && context->progress->stop_signal != 0;
}
base_status base_stop_check(base_context *context);

/* Seconds of a clock that never goes back. */
double base_clock_seconds(void);

/* Processor time of all threads of this process so far. */
double base_processor_seconds(void);

/* Whether the context's deadline is over; any thread may ask. */
bool base_is_overdue(const base_context *context);

#endif
