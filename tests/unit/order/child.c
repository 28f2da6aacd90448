/* SPDX-License-Identifier: BSD-3-Clause */
/* Work in a child process: what it leaves, how it fails, and which signals reach it. */
#include "order/child.h"
#include "tests/support/tap.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 100000 }; /* more than a pipe holds */

typedef struct work {
    int64_t result[COUNT];
    int other;
} work;

static base_context context;
static work *shared;

static bool count_up(void *data) {
    work *work = data;
    for (int64_t k = 0; k < COUNT; k++)
        work->result[k] = k * k;
    work->other = 7;
    return true;
}

static bool refuse(void *data) {
    (void)data;
    return false;
}

static bool be_killed(void *data) {
    (void)data;
    return raise(SIGKILL) == 0;
}

/* As METIS does: its handler is installed, and the signal comes. */
static void jump_out(int number) {
    _exit(100 + number);
}

static bool catch_signals(void *data) {
    work *work = data;
    const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    for (int i = 0; i < 4; i++) {
        signal(numbers[i], jump_out);
        kill(getpid(), numbers[i]);
    }
    work->result[0] = 42;
    return true;
}

static base_status run(bool (*function)(void *data)) {
    memset(shared, 0, sizeof *shared);
    return order_in_child(&context, "the work", function, shared, shared->result, sizeof shared->result);
}

int main(void) {
    base_context_init(&context);
    shared = calloc(1, sizeof *shared);
    bool good = run(count_up) == BASE_OK;
    for (int64_t k = 0; k < COUNT; k++)
        good = good && shared->result[k] == k * k;
    tap_ok(good, "what a child leaves at the result is taken over");
    tap_ok(shared->other == 0, "... and nothing else");
    tap_ok(run(refuse) == BASE_MACHINE && strcmp(context.error.cause, "the work failed") == 0,
           "work that fails");
    tap_ok(run(be_killed) == BASE_MACHINE && strstr(context.error.cause, "ended by signal 9") != NULL,
           "a child that is killed");
    tap_ok(run(catch_signals) == BASE_OK && shared->result[0] == 42,
           "no signal comes to a handler of the work");
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    tap_ok(!sigismember(&mask, SIGTERM) && !sigismember(&mask, SIGINT),
           "signals come to this process as before");
    free(shared);
    return tap_done();
}
