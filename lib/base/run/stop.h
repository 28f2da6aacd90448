/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops by signals or a time limit at any moment: a thread that waits for one. A computation that looks for
 * stop_signal itself gets a second to save its state and end; where it does not, or nothing is under way that
 * looks, the thread saves what is finished and ends the process with BASE_STOPPED. */
#ifndef BASE_RUN_STOP_H
#define BASE_RUN_STOP_H

#include "base/run/progress.h"

#include <pthread.h>
#include <stddef.h>

enum { BASE_SAID_BYTES = 4096 + 160 };

/* How the state of a program is saved at any moment. */
typedef struct base_saver {
    /* Called by any thread, while others compute: saves what is not saved yet. `is_last`: the process ends
     * behind it, and nobody saves any more. `said` gets what there is: "run it again to go on from FILE,
     * which has 3 finished records". */
    base_status (*save)(base_context *context, void *data, bool is_last, char said[BASE_SAID_BYTES]);
    void (*release)(void *data); /* called once, by base_run_end */
    void *data;
} base_saver;

typedef struct base_stop {
    base_progress *progress; /* NULL: not started */
    pthread_t thread;
    pthread_mutex_t lock; /* of all below; whoever ends the process keeps it */
    base_saver saver;
    bool is_over;            /* the main thread ends the process */
    double deadline_seconds; /* on base_clock_seconds, set before the start; then it is as if a signal came.
                                0: never */
} base_stop;

/* Starts the thread; what is there already is enough. Fails with BASE_MACHINE. */
base_status base_stop_start(base_context *context, base_stop *stop);

/* The saver from now on. */
void base_stop_set(base_stop *stop, const base_saver *saver);

/* Has the saver save, if there is one. */
base_status base_stop_save(base_context *context, base_stop *stop);

/* Called by any thread where another one can never go on: says `what`, has the saver save, and ends the
 * process with BASE_MACHINE and nothing unfinished; at the latest after ten seconds, for who hangs may hold
 * what the saver needs. */
void base_stop_give_up(base_stop *stop, const base_progress *progress, const char *what);

/* The main thread ends the process from here on; does not return where the other one does. */
void base_stop_finish(base_stop *stop);

#endif
