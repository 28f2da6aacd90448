#include "base/signals.h"
#include "base/output.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static base_progress *asked;

void base_signals_die(int number) {
    base_output_remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

static void die_or_stop(int number) {
    if (asked->can_stop && asked->stop_signal == 0 && number != SIGPIPE)
        asked->stop_signal = number;
    else
        base_signals_die(number);
}

static void ask_for_status(int number) {
    (void)number;
    asked->status_requested = 1;
}

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction old, action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void base_signals_install(base_progress *progress) {
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    asked = progress;
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        handle(deadly[i], die_or_stop, SA_NODEFER | SA_RESTART);
    handle(SIGUSR1, ask_for_status, SA_RESTART);
    signal(SIGXFSZ, SIG_IGN);
}
