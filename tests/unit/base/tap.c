/* SPDX-License-Identifier: BSD-3-Clause */
/* The TAP functions themselves: a failure must show in the lines and in the exit status. */
#include "tests/support/tap.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the calls of `scenario` in a child and returns its exit status and standard output. */
static int run(void (*scenario)(void), char *text, size_t size) {
    int ends[2];
    size_t used = 0;
    ssize_t got;
    int status;
    fflush(stdout);
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        scenario();
        _exit(tap_done());
    }
    close(ends[1]);
    while (used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void nothing(void) {}

static void pass_and_skip(void) {
    tap_ok(true, "%d", 7);
    tap_skip(2, "why");
}

static void fail(void) {
    tap_ok(true, "a");
    tap_ok(false, "b");
    tap_note("seed %d", 3);
}

int main(void) {
    char empty[256], passed[256], failed[256];
    /* The children inherit the count of assertions, so they all run before the first one. */
    int empty_status = run(nothing, empty, sizeof empty);
    int passed_status = run(pass_and_skip, passed, sizeof passed);
    int failed_status = run(fail, failed, sizeof failed);
    tap_ok(empty_status == 1 && strcmp(empty, "1..0\n") == 0, "no assertion is a failure");
    tap_ok(passed_status == 0, "passed and skipped assertions: status 0");
    tap_ok(strcmp(passed, "ok 1 - 7\nok 2 # SKIP why\nok 3 # SKIP why\n1..3\n") == 0, "and their lines");
    tap_ok(failed_status == 1, "a failed assertion: status 1");
    tap_ok(strcmp(failed, "ok 1 - a\nnot ok 2 - b\n# seed 3\n# 1 of 2 failed\n1..2\n") == 0, "and its lines");
    return tap_done();
}
