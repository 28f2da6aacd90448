/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/stop.h"
#include "base/core/control.h"
#include "base/core/thread.h"
#include "base/run/output.h"
#include "base/run/signals.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Of one poll(2), whose limit is an int of milliseconds. */
enum { LONGEST_WAIT_SECONDS = 100000 };

/* So long a computation has to end by itself. */
static const double grace_seconds = 1;

static void wake(const base_progress *progress) {
    const uint64_t one = 1;
    if (write(progress->wake_descriptor, &one, sizeof one) < 0)
        return; /* it is awake */
}

static bool is_over(base_stop *stop) {
    pthread_mutex_lock(&stop->lock);
    const bool over = stop->is_over;
    pthread_mutex_unlock(&stop->lock);
    return over;
}

/* What a computation that can stop by itself does not get done in time, this thread does. */
static void wait_for_others(base_stop *stop) {
    const struct timespec pause = {.tv_nsec = 5000000};
    const base_progress *progress = stop->progress;
    while (progress->can_stop && base_clock_seconds() - progress->stop_seconds < grace_seconds &&
           !is_over(stop))
        nanosleep(&pause, NULL);
}

/* By write(2): another thread may hold stderr and never let go. */
static void say(const base_progress *progress, const char *what) {
    char line[BASE_SAID_BYTES + 128];
    int length =
        snprintf(line, sizeof line, "%s%s: %s\n", progress->bar ? "\r\033[K" : "", progress->program, what);
    if (length >= (int)sizeof line)
        length = (int)sizeof line - 1;
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* nobody listens */
}

static void end_process(base_stop *stop, bool is_late) {
    base_status status = BASE_OK;
    char said[BASE_SAID_BYTES] = "nothing new was finished; run it again to go on",
         line[BASE_SAID_BYTES + 32];
    base_context context;
    base_context_init(&context);
    if (stop->saver.save != NULL)
        status = stop->saver.save(&context, stop->saver.data, true, said);
    base_output_create_no_more();
    base_signals_clean_up();
    snprintf(line, sizeof line, "stopped%s; %s", is_late ? " at the time limit" : "", said);
    say(stop->progress, status == BASE_OK ? line : context.error.cause);
    _exit(status == BASE_OK ? BASE_STOPPED : (int)status);
}

static void end_without_state(int number) {
    (void)number;
    base_signals_clean_up();
    _exit(BASE_MACHINE);
}

void base_stop_give_up(base_stop *stop, const base_progress *progress, const char *what) {
    enum { MOST_SECONDS = 10 };
    char said[BASE_SAID_BYTES] = "";
    base_status status = BASE_OK;
    base_context context;
    base_context_init(&context);
    say(progress, what);
    signal(SIGALRM, end_without_state);
    alarm(MOST_SECONDS);
    if (stop->progress != NULL) {
        pthread_mutex_lock(&stop->lock);
        if (stop->saver.save != NULL)
            status = stop->saver.save(&context, stop->saver.data, true, said);
        if (status != BASE_OK)
            say(progress, context.error.cause);
        else if (said[0] != '\0')
            say(progress, said);
    }
    end_without_state(SIGALRM);
}

/* For a signal or the end of the run; false: the deadline came first. */
static bool wait_for_wake(const base_stop *stop) {
    struct pollfd wake = {.fd = stop->progress->wake_descriptor, .events = POLLIN};
    for (;;) {
        const double left =
            stop->deadline_seconds > 0 ? stop->deadline_seconds - base_clock_seconds() : LONGEST_WAIT_SECONDS;
        if (left <= 0)
            return false;
        const double wait = left < LONGEST_WAIT_SECONDS ? left : LONGEST_WAIT_SECONDS;
        if (poll(&wake, 1, (int)ceil(1000 * wait)) > 0)
            return true;
    }
}

static void *watch(void *data) {
    base_stop *stop = data;
    const bool is_late = !wait_for_wake(stop);
    if (is_over(stop))
        return NULL;
    if (!is_late)
        wait_for_others(stop);
    pthread_mutex_lock(&stop->lock);
    if (!stop->is_over)
        end_process(stop, is_late);
    pthread_mutex_unlock(&stop->lock);
    return NULL;
}

base_status base_stop_start(base_context *context, base_stop *stop) {
    base_progress *progress = context->progress;
    if (stop->progress != NULL)
        return BASE_OK;
    progress->wake_descriptor = eventfd(0, EFD_CLOEXEC);
    if (progress->wake_descriptor < 0)
        return base_fail_errno(context, BASE_MACHINE, "cannot wait for signals");
    stop->progress = progress;
    pthread_mutex_init(&stop->lock, NULL);
    errno = base_thread_start(&stop->thread, watch, stop);
    if (errno != 0) {
        base_fail_errno(context, BASE_MACHINE, "cannot start a thread that waits for signals");
        close(progress->wake_descriptor);
        progress->wake_descriptor = -1;
        stop->progress = NULL;
        return BASE_MACHINE;
    }
    progress->is_watched = 1;
    return BASE_OK;
}

void base_stop_set(base_stop *stop, const base_saver *saver) {
    if (stop->progress != NULL)
        pthread_mutex_lock(&stop->lock);
    stop->saver = *saver;
    if (stop->progress != NULL)
        pthread_mutex_unlock(&stop->lock);
}

base_status base_stop_save(base_context *context, base_stop *stop) {
    char said[BASE_SAID_BYTES];
    if (stop->saver.save == NULL)
        return BASE_OK;
    return stop->saver.save(context, stop->saver.data, false, said);
}

void base_stop_finish(base_stop *stop) {
    if (stop->progress == NULL)
        return;
    pthread_mutex_lock(&stop->lock);
    stop->is_over = true;
    pthread_mutex_unlock(&stop->lock);
    stop->progress->is_done = 1; /* or a signal would undo what is complete */
    stop->progress->is_watched = 0;
    wake(stop->progress);
    pthread_join(stop->thread, NULL);
    close(stop->progress->wake_descriptor);
    stop->progress->wake_descriptor = -1;
    pthread_mutex_destroy(&stop->lock);
    stop->progress = NULL;
}
