/* SPDX-License-Identifier: BSD-3-Clause */
/* What a bar says of a state: the share done, the time left where it is known, the limit where it is nearer.
 */
#include "base/run/progress.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 120 };

/* The text of a task of `total` units, of which `finished` were done in ten seconds. */
static const char *tell(const char *task, double finished, double total, double limit_seconds, int width) {
    static char line[256];
    base_progress progress = {.program = "program", .task = task, .unit = "steps", .total = total};
    progress.start_seconds = progress.begin_seconds = base_clock_seconds() - 10;
    progress.limit_seconds = limit_seconds;
    progress.finished = (int64_t)finished;
    progress.input_total = progress.input_bytes = 100000;
    progress.records = 3;
    base_progress_print_bar(&progress, width, line, sizeof line);
    return line;
}

static bool has(const char *line, const char *text) {
    const bool good = strstr(line, text) != NULL;
    if (!good)
        tap_note("no '%s' in '%s'", text, line);
    return good;
}

static void test_left(void) {
    tap_ok(has(tell("work", 250, 1000, 0, WIDTH), " 25.0 % of 1000 steps") &&
               has(tell("work", 250, 1000, 0, WIDTH), "10 s gone, 30 s left"),
           "a quarter in ten seconds: thirty are left");
    tap_ok(has(tell("work", 250, 1000, 0, 30), "25.0 %, 30 s left"), "... in few columns, too");
    tap_ok(strstr(tell("work", 0, 1000, 0, WIDTH), "left") == NULL,
           "nothing done: nobody knows what is left");
    tap_ok(has(tell("work", 0, 1000, 0, 30), "? left"), "... in few columns, too");
    tap_ok(strstr(tell("work", 250, 0, 0, WIDTH), "left") == NULL, "no total: nobody knows");
    tap_ok(has(tell("work", 250, 1000, 25, WIDTH), "10 s gone, at most 15 s left"), "a limit that is nearer");
    tap_ok(has(tell("work", 250, 1000, 100, WIDTH), "10 s gone, 30 s left"), "a limit that is farther");
    tap_ok(has(tell("work", 250, 0, 25, WIDTH), "at most 15 s left"), "a limit without a total");
    tap_ok(has(tell("work", 250, 0, 25, 40), "at most 15 s left"), "... in few columns, too");
    tap_ok(has(tell(NULL, 0, 0, 25, WIDTH), "record 3, 1e+05 bytes read, 10 s gone, at most 15 s left"),
           "a limit, and all of the input read");
    tap_ok(strstr(tell(NULL, 0, 0, 0, WIDTH), "left") == NULL, "all of the input read, no limit");
}

/* What the end mark of a stream takes is not what a user waits for. */
static void test_end_mark(void) {
    char line[256];
    base_progress progress = {.program = "program", .begin_seconds = base_clock_seconds() - 10};
    progress.input_total = 1000000;
    progress.input_bytes = progress.input_total - 100;
    base_progress_print_bar(&progress, WIDTH, line, sizeof line);
    tap_ok(strstr(line, "left") == NULL && has(line, "bytes read"), "all but the end mark is read");
    progress.input_total = 2000;
    progress.input_bytes = 1000;
    base_progress_print_bar(&progress, WIDTH, line, sizeof line);
    tap_ok(has(line, " 50.0 % of 2000 bytes") && has(line, "10 s left"), "half of a small file");
}

static void test_inner(void) {
    base_progress progress = {.program = "program"};
    base_context context;
    base_context_init(&context);
    context.progress = &progress;
    base_progress_start(&context, "outer", 10, "matrices");
    base_progress_add(&context, 1);
    base_progress_start(&context, "inner", 1000, "entries");
    base_progress_add(&context, 500);
    tap_ok(strcmp(progress.task, "outer") == 0 && progress.finished == 1,
           "a task inside another is not told");
    base_progress_finish(&context);
    base_progress_add(&context, 1);
    tap_ok(strcmp(progress.task, "outer") == 0 && progress.finished == 2, "... and the outer one goes on");
    base_progress_finish(&context);
    tap_ok(progress.task == NULL, "... and ends");
    base_progress_finish(&context);
    base_progress_start(&context, "next", 10, "matrices");
    tap_ok(progress.task != NULL && strcmp(progress.task, "next") == 0, "the next one is told");
}

/* The thread that draws reads a name while another takes its place: it tells one or the other, whole. */
static void test_rename(void) {
    static const char *const names[] = {"rank 63", "a much longer name of the task that runs"};
    enum { TURNS = 200 };
    base_progress progress = {.wake_descriptor = -1};
    base_context context;
    char path[] = "/tmp/mmpipe-progress-XXXXXX", line[256], buffer[64];
    int lines = 0, others = 0;
    base_context_init(&context);
    const int kept = dup(STDERR_FILENO), file = mkstemp(path);
    FILE *told = file < 0 ? NULL : fdopen(file, "r");
    if (kept < 0 || told == NULL) {
        tap_skip(1, "no file for what is told");
        return;
    }
    unlink(path);
    dup2(file, STDERR_FILENO);
    base_progress_open(&progress, "program", false);
    context.progress = &progress;
    base_progress_rename(&context, "nothing runs yet");
    base_progress_start(&context, names[0], 10, "steps");
    for (int turn = 0; turn < TURNS; turn++) {
        base_progress_ask(&progress);
        do {
            snprintf(buffer, sizeof buffer, "%s", names[turn % 2]);
            base_progress_rename(&context, buffer);
            buffer[0] = '?'; /* it was copied */
        } while (progress.has_thread && progress.status_requested);
    }
    base_progress_close(&progress);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(told);
    while (fgets(line, sizeof line, told) != NULL) {
        char *end = strstr(line, ":   0.0 % of 10 steps");
        lines++;
        if (end != NULL)
            *end = '\0';
        others += end == NULL || strncmp(line, "program: ", 9) != 0 ||
                  (strcmp(line + 9, names[0]) != 0 && strcmp(line + 9, names[1]) != 0);
    }
    fclose(told);
    tap_ok(lines > 0 && others == 0, "a task is renamed while it is told: %d lines, %d with another name",
           lines, others);
}

int main(void) {
    test_left();
    test_end_mark();
    test_inner();
    test_rename();
    return tap_done();
}
