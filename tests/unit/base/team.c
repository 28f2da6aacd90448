/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of a team: every call once, all done when waiting ends, whatever the number of helpers. */
#include "mm/source/team.h"
#include "tests/support/tap.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST = 200 };

static void count_call(void *data, int i) {
    atomic_int *calls = data;
    atomic_fetch_add(&calls[i], 1);
}

/* Loops of all lengths, one after the other, with work of the caller's between start and wait. */
static void test_calls(int threads) {
    atomic_int calls[MOST + 1];
    mm_team *team = mm_team_open(threads);
    bool right = true;
    for (int count = 0; count <= MOST; count++) {
        for (int i = 0; i <= MOST; i++)
            calls[i] = 0;
        mm_team_loop loop = {.work = count_call, .data = calls, .count = count};
        mm_team_start(team, &loop);
        mm_team_wait(team, &loop);
        for (int i = 0; i <= MOST; i++)
            right = right && calls[i] == (i < count ? 1 : 0);
    }
    mm_team_close(team);
    tap_ok(right, "%d threads: loops of 0 to %d calls make each once", threads, MOST);
}

static void arrive(void *data, int i) {
    atomic_int *arrived = data;
    (void)i;
    atomic_fetch_add(arrived, 1);
}

static void test_start(void) {
    mm_team *team = mm_team_open(2);
    atomic_int arrived = 0;
    if (team == NULL) {
        tap_skip(1, "no thread can be started");
        return;
    }
    mm_team_loop loop = {.work = arrive, .data = &arrived, .count = 2};
    mm_team_start(team, &loop);
    while (arrived < 2) /* for ever, if helpers waited for the caller */
        sched_yield();
    mm_team_wait(team, &loop);
    tap_ok(arrived == 2, "helpers begin before the caller waits");
    mm_team_close(team);
}

static void test_nobody(void) {
    atomic_int calls[3] = {0, 0, 0};
    mm_team_loop loop = {.work = count_call, .data = calls, .count = 3};
    tap_ok(mm_team_open(1) == NULL && mm_team_open(0) == NULL, "one thread needs no team");
    mm_team_start(NULL, &loop);
    mm_team_wait(NULL, &loop);
    tap_ok(calls[0] == 1 && calls[1] == 1 && calls[2] == 1, "without a team the caller makes the calls");
    mm_team_close(NULL);
}

int main(void) {
    setenv("MMPIPE_FAULT", "thread:2", 1);
    test_calls(4); /* with one helper */
    test_nobody();
    test_start();
    static const int threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 4; i++)
        test_calls(threads[i]);
    return tap_done();
}
