/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP's threads end when they are to rest, unless there might be none for the next loop. */
#include "base/core/thread.h"
#include "tests/support/tap.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3 };

static int count_threads(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count - 2; /* . and .. */
}

/* One that has ended may be listed a moment longer. */
static bool are_left(int wanted) {
    for (int i = 0; i < 1000 && count_threads() != wanted; i++)
        usleep(1000);
    return count_threads() == wanted;
}

static int run_loop(void) {
    int sum = 0;
#pragma omp parallel for num_threads(THREADS) schedule(static, 1) reduction(+ : sum)
    for (int i = 1; i <= 10; i++)
        sum += i;
    return sum;
}

int main(void) {
    tap_ok(run_loop() == 55 && are_left(THREADS), "threads of a loop stay");
    if (!base_threads_rest()) {
        tap_skip(4, "threads of this OpenMP do not end, or a limit is near");
        return tap_done();
    }
    tap_ok(are_left(1), "... until they are to rest");
    base_threads_rest();
    tap_ok(run_loop() == 55 && are_left(THREADS), "the next loop has new ones");
    setenv("MMPIPE_FAULT", "thread:1000", 1);
    tap_ok(base_threads_probe(THREADS) == THREADS && base_threads_are_scarce(), "a limit is near");
    base_threads_rest();
    usleep(20000);
    tap_ok(are_left(THREADS), "... and they stay, as there might be no new ones");
    return tap_done();
}
