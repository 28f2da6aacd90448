/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/progress.h"
#include "base/core/thread.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double base_clock_seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double base_processor_seconds(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

base_status base_stop_check(base_context *context) {
    return base_is_stopping(context) ? base_fail(context, BASE_STOPPED, "stopped") : BASE_OK;
}

bool base_is_overdue(const base_context *context) {
    return context->deadline_seconds > 0 && base_clock_seconds() >= context->deadline_seconds;
}

enum { LINE_BYTES = 512, BAR_WIDTH = 30, DRAW_MILLISECONDS = 250 };

/* ---- what is told ---- */

/* A task, or the input in its place. */
typedef struct account {
    const char *task, *unit;
    double finished, total, seconds;
    double limit; /* seconds until the program stops in any case; infinite where there is no limit */
} account;

static account take_account(const base_progress *progress) {
    const double now = base_clock_seconds(), gone = now - progress->begin_seconds;
    const double limit = progress->limit_seconds > 0 ? fmax(0, progress->limit_seconds - gone) : INFINITY;
    if (progress->task != NULL)
        return (account){progress->task,
                         progress->unit,
                         (double)atomic_load(&progress->finished),
                         progress->total,
                         now - progress->start_seconds,
                         limit};
    return (account){"input",
                     "bytes",
                     (double)atomic_load(&progress->input_bytes),
                     (double)atomic_load(&progress->input_total),
                     gone,
                     limit};
}

static void print_duration(double seconds, char *text, size_t size) {
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else if (seconds < 3600.0 * 72)
        snprintf(text, size, "%.0f h", seconds / 3600);
    else
        snprintf(text, size, "%.3g d", seconds / 86400);
}

/* What an account comes to. */
typedef struct outlook {
    double rate;   /* units a second */
    char left[48]; /* "21 s left", "at most 21 s left" where a limit is nearer, or nothing */
} outlook;

/* Shortly: in minutes, hours or days where there are many seconds. */
static outlook look_ahead(const account *a, bool shortly) {
    outlook o = {a->seconds > 0 ? a->finished / a->seconds : 0, ""};
    const double left = a->total > 0 && o.rate > 0 ? (a->total - a->finished) / o.rate : INFINITY;
    char time[32];
    if (left < INFINITY || a->limit < INFINITY) {
        const double nearer = left < a->limit ? left : a->limit;
        snprintf(time, sizeof time, "%.0f s", nearer);
        if (shortly)
            print_duration(nearer, time, sizeof time);
        snprintf(o.left, sizeof o.left, "%s%s left", left < a->limit ? "" : "at most ", time);
    }
    return o;
}

/* Of a task that cannot be counted, in both forms. */
static void describe_uncounted(const account *a, char *line, size_t size) {
    const outlook o = look_ahead(a, true);
    char gone[32];
    print_duration(a->seconds, gone, sizeof gone);
    snprintf(line, size, "%s gone, %s", gone, *o.left != '\0' ? o.left : "time left unknown");
}

/* "12.5 % of 1.1e+09 subsets, 4.2e+08 a second, 3 s gone, 21 s left" */
static void describe(const account *a, char *line, size_t size) {
    const outlook o = look_ahead(a, false);
    char share[32] = "";
    if (a->unit == NULL) {
        describe_uncounted(a, line, size);
        return;
    }
    if (a->total > 0)
        snprintf(share, sizeof share, "%5.1f %% of ", 100 * a->finished / a->total);
    snprintf(line, size, "%s%.4g %s, %.3g a second, %.0f s gone%s%s", share,
             a->total > 0 ? a->total : a->finished, a->unit, o.rate, a->seconds, *o.left != '\0' ? ", " : "",
             o.left);
}

/* The same in few words: "12.5 %, 21 s left, 4.2e+08 subsets/s" */
static void describe_shortly(const account *a, char *line, size_t size) {
    const outlook o = look_ahead(a, true);
    char gone[32];
    if (a->unit == NULL) {
        describe_uncounted(a, line, size);
    } else if (a->total > 0) {
        snprintf(line, size, "%.1f %%, %s, %.3g %s/s", 100 * a->finished / a->total,
                 *o.left != '\0' ? o.left : "? left", o.rate, a->unit);
    } else {
        print_duration(a->seconds, gone, sizeof gone);
        snprintf(line, size, "%.3g %s, %.3g/s, %s", a->finished, a->unit, o.rate,
                 *o.left != '\0' ? o.left : gone);
    }
}

/* All of the input is taken but for what may be its end mark, and nobody says more. */
static bool is_after_input(const base_progress *progress) {
    enum { END_BYTES = 4096 };
    const int64_t total = atomic_load(&progress->input_total), bytes = atomic_load(&progress->input_bytes);
    return progress->task == NULL && total - bytes < END_BYTES && (double)bytes >= 0.99 * (double)total;
}

static void describe_record(const base_progress *progress, char *line, size_t size) {
    const int64_t records = atomic_load(&progress->records);
    account a = take_account(progress);
    char gone[32], record[48] = "";
    a.total = 0;
    const outlook o = look_ahead(&a, true);
    print_duration(a.seconds, gone, sizeof gone);
    if (records > 0)
        snprintf(record, sizeof record, "record %lld, ", (long long)records);
    snprintf(line, size, "%s%.4g bytes read, %s gone%s%s", record, a.finished, gone,
             *o.left != '\0' ? ", " : "", o.left);
}

void base_progress_print_bar(const base_progress *progress, int width, char *line, size_t size) {
    const account a = take_account(progress);
    char bar[BAR_WIDTH + 1] = "", text[LINE_BYTES / 2];
    if (width >= (int)size)
        width = (int)size - 1;
    if (is_after_input(progress)) {
        describe_record(progress, text, sizeof text);
        snprintf(line, (size_t)width + 1, "%s %s", progress->program, text);
        return;
    }
    describe(&a, text, sizeof text);
    /* What is left beside the texts is the bar's; where that is little, the texts become short. */
    int room = width - (int)(strlen(a.task) + strlen(text) + strlen(" [] "));
    if (room < BAR_WIDTH / 3) {
        describe_shortly(&a, text, sizeof text);
        room = width - (int)(strlen(a.task) + strlen(text) + strlen(" [] "));
    }
    room = room > BAR_WIDTH ? BAR_WIDTH : room;
    if (a.total > 0 && room > 0) {
        for (int i = 0; i < room; i++)
            bar[i] = i < room * a.finished / a.total ? '#' : '.';
        bar[room] = '\0';
    }
    snprintf(line, (size_t)width + 1, *bar != '\0' ? "%s [%s] %s" : "%s %s%s", a.task, bar, text);
}

/* ---- on the screen ---- */

static void write_stderr(const char *line) {
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* progress is a courtesy: there is nowhere to report to */
}

static int screen_width(void) {
    struct winsize window;
    const char *columns = getenv("COLUMNS");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        return window.ws_col;
    const int width = columns != NULL ? atoi(columns) : 0;
    return width > 0 ? width : 80;
}

static void hide(base_progress *progress) {
    if (progress->is_shown)
        write_stderr("\r\033[K");
    progress->is_shown = false;
}

static void write_status(base_progress *progress) {
    char line[LINE_BYTES], text[LINE_BYTES / 2];
    const account a = take_account(progress);
    hide(progress);
    if (is_after_input(progress)) {
        describe_record(progress, text, sizeof text);
        snprintf(line, sizeof line, "%s: %s\n", progress->program, text);
    } else {
        describe(&a, text, sizeof text);
        snprintf(line, sizeof line, "%s: %s: %s\n", progress->program, a.task, text);
    }
    write_stderr(line);
}

/* The last column stays free: in some terminals a mark there begins a new line. */
static void draw_bar(base_progress *progress) {
    char line[LINE_BYTES] = "\r\033[K";
    const size_t head = strlen(line);
    base_progress_print_bar(progress, screen_width() - 1, line + head, sizeof line - head);
    write_stderr(line);
    progress->is_shown = true;
}

static void show(base_progress *progress) {
    pthread_mutex_lock(&progress->lock);
    if (progress->status_requested) {
        progress->status_requested = 0;
        write_status(progress);
    }
    if (progress->bar && base_clock_seconds() - progress->begin_seconds > 1)
        draw_bar(progress);
    pthread_mutex_unlock(&progress->lock);
}

static void *watch(void *data) {
    base_progress *progress = data;
    while (!atomic_load(&progress->is_over)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += DRAW_MILLISECONDS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (progress->bar)
            sem_timedwait(&progress->wake, &until);
        else
            sem_wait(&progress->wake);
        if (!atomic_load(&progress->is_over))
            show(progress);
    }
    return NULL;
}

void base_progress_open(base_progress *progress, const char *program, bool bar) {
    progress->program = program;
    progress->bar = bar;
    progress->begin_seconds = base_clock_seconds();
    pthread_mutex_init(&progress->lock, NULL);
    /* Signals are for the other threads, which may have to stop. */
    progress->has_thread = sem_init(&progress->wake, 0, 0) == 0 &&
                           base_thread_start_small(&progress->thread, watch, progress) == 0;
}

void base_progress_close(base_progress *progress) {
    if (!progress->has_thread)
        return;
    atomic_store(&progress->is_over, true);
    sem_post(&progress->wake);
    pthread_join(progress->thread, NULL);
    progress->has_thread = false;
    progress->bar = false;
    hide(progress);
    if (progress->status_requested)
        show(progress); /* asked at the last moment */
}

void base_progress_ask(base_progress *progress) {
    progress->status_requested = 1;
    if (progress->has_thread)
        sem_post(&progress->wake);
}

void base_progress_hide(base_progress *progress) {
    if (progress == NULL || !progress->is_shown)
        return;
    pthread_mutex_lock(&progress->lock);
    hide(progress);
    pthread_mutex_unlock(&progress->lock);
}

/* ---- what is counted ---- */

static void set_task(base_progress *progress, const char *task, double total, const char *unit) {
    pthread_mutex_lock(&progress->lock);
    progress->task = task;
    progress->unit = unit;
    progress->total = total;
    progress->start_seconds = base_clock_seconds();
    atomic_store(&progress->finished, 0);
    pthread_mutex_unlock(&progress->lock);
}

void base_progress_start(base_context *context, const char *task, double total, const char *unit) {
    if (context->progress != NULL && atomic_fetch_add(&context->progress->depth, 1) == 0)
        set_task(context->progress, task, total, unit);
}

void base_progress_rename(base_context *context, const char *name) {
    base_progress *progress = context->progress;
    if (progress == NULL || progress->task == NULL)
        return;
    pthread_mutex_lock(&progress->lock);
    snprintf(progress->name, sizeof progress->name, "%s", name);
    progress->task = progress->name;
    pthread_mutex_unlock(&progress->lock);
}

void base_progress_add(base_context *context, int64_t amount) {
    base_progress *progress = context->progress;
    if (progress == NULL)
        return;
    if (atomic_load(&progress->depth) <= 1)
        atomic_fetch_add(&progress->finished, amount);
    if (progress->status_requested && !progress->has_thread)
        show(progress);
}

void base_progress_finish(base_context *context) {
    if (context->progress == NULL || context->progress->task == NULL ||
        atomic_fetch_sub(&context->progress->depth, 1) > 1)
        return;
    set_task(context->progress, NULL, 0, NULL);
    base_progress_hide(context->progress);
}

void base_progress_add_input(base_context *context, int64_t bytes) {
    if (context->progress != NULL)
        atomic_fetch_add(&context->progress->input_total, bytes);
}

void base_progress_read(base_context *context, int64_t bytes) {
    if (context->progress != NULL)
        atomic_fetch_add(&context->progress->input_bytes, bytes);
}

void base_progress_add_record(base_context *context) {
    if (context->progress != NULL)
        atomic_fetch_add(&context->progress->records, 1);
}
