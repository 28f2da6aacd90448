/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that come when a run is over find nothing of it: its memory may be another's by then. */
#include "base/run/signals.h"
#include "tests/support/tap.h"

#include <signal.h>
#include <string.h>

int main(void) {
    base_progress progress;
    unsigned char all[sizeof progress];
    memset(&progress, 0, sizeof progress);
    base_signals_install(&progress);
    base_signals_admit_stops();
    raise(SIGUSR1);
    tap_ok(progress.status_requested == 1, "SIGUSR1 asks the run that goes on");

    base_signals_allow_exit();
    memset(&progress, 0xff, sizeof progress);
    memset(all, 0xff, sizeof all);
    raise(SIGUSR1);
    raise(SIGTERM);
    tap_ok(memcmp(&progress, all, sizeof all) == 0, "behind its end SIGUSR1 and SIGTERM touch nothing");
    return tap_done();
}
