/* Signals of a program: clean up and die of the signal; SIGUSR1 asks for a line of progress. */
#ifndef BASE_RUN_SIGNALS_H
#define BASE_RUN_SIGNALS_H

#include "base/run/progress.h"

/* SIGINT, SIGTERM, SIGHUP, SIGPIPE: the unfinished output file is removed, then the signal takes its default
 * course; while progress->can_stop is set, the first one is only noted. Signals that the caller ignores stay
 * ignored. SIGXFSZ is ignored: the write fails instead. SIGBUS at a file that was cut off while it was mapped
 * ends the program with BASE_DAMAGED and a message. */
void base_signals_install(base_progress *progress);

/* The end of a program that put off a signal until its state was saved (base_progress.stop_signal). */
void base_signals_die(int number);

#endif
