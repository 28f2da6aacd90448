#include "base/run/progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double base_clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { LINE_BYTES = 256, BAR_WIDTH = 30, DRAW_MILLISECONDS = 250 };

static void write_stderr(const char *line, int length) {
    if (length > LINE_BYTES - 1)
        length = LINE_BYTES - 1;
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* progress is a courtesy: there is nowhere to report to */
}

/* "12.5 % of 1.1e+09 subsets, 4.2e+08 a second, 3 s gone, 21 s left" */
static int describe(const base_progress *progress, char *line, size_t size) {
    double seconds = base_clock_seconds() - progress->start_seconds;
    double finished = (double)atomic_load(&progress->finished);
    double rate = seconds > 0 ? finished / seconds : 0;
    if (progress->total <= 0)
        return snprintf(line, size, "%.4g %s, %.3g a second, %.0f s gone", finished, progress->unit, rate,
                        seconds);
    double left = rate > 0 ? (progress->total - finished) / rate : 0;
    return snprintf(line, size, "%5.1f %% of %.4g %s, %.3g a second, %.0f s gone, %.0f s left",
                    100 * finished / progress->total, progress->total, progress->unit, rate, seconds, left);
}

static void write_status(base_progress *progress) {
    char line[LINE_BYTES], state[LINE_BYTES / 2] = "no long task running";
    if (progress->task != NULL)
        describe(progress, state, sizeof state);
    int length =
        snprintf(line, sizeof line, "%s: %s%s%s\n", progress->program,
                 progress->task != NULL ? progress->task : "", progress->task != NULL ? ": " : "", state);
    write_stderr(line, length);
}

static void draw_bar(const base_progress *progress) {
    char line[LINE_BYTES], bar[BAR_WIDTH + 1] = "", state[LINE_BYTES / 2];
    describe(progress, state, sizeof state);
    if (progress->total > 0) {
        int done = (int)(BAR_WIDTH * (double)atomic_load(&progress->finished) / progress->total);
        for (int i = 0; i < BAR_WIDTH; i++)
            bar[i] = i < done ? '#' : '.';
        bar[BAR_WIDTH] = '\0';
    }
    write_stderr(line, snprintf(line, sizeof line, "\r\033[K%s [%s] %s", progress->task, bar, state));
}

void base_progress_start(base_context *context, const char *task, double total, const char *unit) {
    base_progress *progress = context->progress;
    if (progress == NULL)
        return;
    progress->task = task;
    progress->unit = unit;
    progress->total = total;
    progress->start_seconds = base_clock_seconds();
    atomic_store(&progress->finished, 0);
    atomic_store(&progress->next_draw_milliseconds, DRAW_MILLISECONDS);
    base_progress_add(context, 0);
}

void base_progress_add(base_context *context, int64_t amount) {
    base_progress *progress = context->progress;
    if (progress == NULL)
        return;
    atomic_fetch_add(&progress->finished, amount);
    if (progress->status_requested) {
        progress->status_requested = 0;
        write_status(progress);
    }
    if (!progress->bar || progress->task == NULL)
        return;
    int64_t now = (int64_t)(1000 * (base_clock_seconds() - progress->start_seconds));
    int64_t due = atomic_load(&progress->next_draw_milliseconds);
    /* Whoever moves the due time draws, so that one thread does. */
    if (now >= due &&
        atomic_compare_exchange_strong(&progress->next_draw_milliseconds, &due, now + DRAW_MILLISECONDS))
        draw_bar(progress);
}

void base_progress_finish(base_context *context) {
    base_progress *progress = context->progress;
    if (progress == NULL || progress->task == NULL)
        return;
    if (progress->bar)
        write_stderr("\r\033[K", 4);
    progress->task = NULL;
}
