#include "base/run/signals.h"
#include "base/core/map.h"
#include "base/run/output.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

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
    base_output_remove_unfinished();
    say(asked->program);
    say(": ");
    say(file);
    say(": cut off while it was read\n");
    _exit(BASE_DAMAGED);
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
    struct sigaction action = {.sa_sigaction = end_at_cut, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}
