/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/signals.h"
#include "base/core/map.h"
#include "base/run/claim.h"
#include "base/run/output.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Some schedulers send a signal twice at once; a user who sends another one later has lost patience. */
static const double patience_seconds = 2;

/* Of the run that goes on. A signal may come between its end and that of the process, too. */
static base_progress nobody = {.is_done = 1, .wake_descriptor = -1};
static base_progress *volatile asked = &nobody;
static atomic_bool is_running;

void base_signals_clean_up(void) {
    base_output_remove_unfinished();
    base_claim_remove_locks();
}

void base_signals_die(int number) {
    base_signals_clean_up();
    signal(number, SIG_DFL);
    raise(number);
}

static bool is_stop(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGXCPU ||
           number == SIGQUIT;
}

/* The thread of stop.h. */
static void wake(void) {
    const uint64_t one = 1;
    if (asked->wake_descriptor >= 0 && write(asked->wake_descriptor, &one, sizeof one) < 0)
        return; /* it is awake */
}

/* A limit of processor time is told every second of it. */
static void die_or_stop(int number) {
    const int error = errno;
    const double now = base_clock_seconds();
    if (is_stop(number) && asked->is_done)
        return; /* the program ends anyway */
    if (!is_stop(number) || !(asked->can_stop || asked->is_watched)) {
        base_signals_die(number);
    } else if (asked->stop_signal == 0) {
        asked->stop_seconds = now;
        asked->stop_signal = number;
        wake();
    } else if (number != SIGXCPU && now - asked->stop_seconds > patience_seconds) {
        base_signals_die(number);
    }
    errno = error;
}

static void ask_for_status(int number) {
    (void)number;
    base_progress_ask(asked);
}

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens */
}

/* Comes in the thread that touched the page. */
static void end_at_cut(int number, siginfo_t *about, void *unused) {
    const char *file = about->si_code > 0 ? base_map_name(about->si_addr) : NULL;
    (void)unused;
    if (file == NULL) {
        base_signals_die(number);
        return;
    }
    const bool is_output = base_map_is_shared(about->si_addr);
    base_signals_clean_up();
    say(asked->program);
    say(": ");
    say(file);
    say(is_output ? ": cut off while it was written\n" : ": cut off while it was read\n");
    _exit(is_output ? BASE_MACHINE : BASE_DAMAGED);
}

/* Only where nobody else has a handler: sanitizers have some. */
static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction old, action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

/* Whether its default is to end the process, and a handler may be had. */
static bool is_deadly(int number) {
    static const int others[] = {SIGKILL, SIGSTOP, SIGTSTP,  SIGTTIN, SIGTTOU, SIGCONT,
                                 SIGCHLD, SIGURG,  SIGWINCH, SIGUSR1, SIGXFSZ, SIGBUS};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (number == others[i])
            return false;
    return true;
}

/* libgomp ends the process where it cannot start a thread, with the status of a record that failed. */
static void end_at_exit(void) {
    if (!atomic_exchange(&is_running, false))
        return;
    base_signals_clean_up();
    say(asked->program);
    say(": a library has given up; this machine lacks threads or memory\n");
    _exit(BASE_MACHINE);
}

void base_signals_allow_exit(void) {
    asked = &nobody;
    atomic_store(&is_running, false);
}

static void set_mask(int how) {
    sigset_t stops;
    sigemptyset(&stops);
    for (int number = 1; number < NSIG; number++)
        if (is_stop(number))
            sigaddset(&stops, number);
    pthread_sigmask(how, &stops, NULL);
}

void base_signals_admit_stops(void) {
    set_mask(SIG_UNBLOCK);
}

void base_signals_install(base_progress *progress) {
    enum { STACK_BYTES = 64 << 10 };
    static char stack[STACK_BYTES];
    static bool is_installed;
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    asked = progress;
    progress->wake_descriptor = -1;
    sigaltstack(&other, NULL); /* a stack that has overflown holds no handler */
    for (int number = 1; number <= SIGRTMAX; number++)
        if (is_deadly(number))
            handle(number, die_or_stop, SA_NODEFER | SA_RESTART | SA_ONSTACK);
    handle(SIGUSR1, ask_for_status, SA_RESTART);
    struct sigaction action = {.sa_sigaction = end_at_cut, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
    set_mask(SIG_BLOCK);
    atomic_store(&is_running, true);
    if (!is_installed)
        is_installed = atexit(end_at_exit) == 0;
}
