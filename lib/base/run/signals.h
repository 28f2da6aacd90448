/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals of a program: clean up and die of the signal, or stop; SIGUSR1 asks for a line of progress. */
#ifndef BASE_RUN_SIGNALS_H
#define BASE_RUN_SIGNALS_H

#include "base/run/progress.h"

/* Each signal that ends a process removes the unfinished output file first and then takes its default course.
 * Signals that the caller ignores stay ignored. While progress->can_stop or progress->is_watched is set, a
 * first SIGINT, SIGTERM, SIGHUP, SIGXCPU or SIGQUIT is noted in progress->stop_signal instead; a further one
 * counts two seconds later. SIGXFSZ is ignored: the write fails instead. SIGBUS at a file that was cut off
 * while it was mapped ends the program with a message and BASE_DAMAGED, or BASE_MACHINE if it is the output.
 * A library that calls exit() between base_signals_install and base_signals_allow_exit ends the program with
 * BASE_MACHINE. */
void base_signals_install(base_progress *progress);

/* What asks the program to stop is put off between base_signals_install and this, when it is known whether
 * there is a state to save. */
void base_signals_admit_stops(void);

/* The program is over: from now on exit() keeps its status, and signals that come find no run: one that would
 * stop it or ask is ignored. */
void base_signals_allow_exit(void);

/* Removes the unfinished output and the locks of states; safe inside a signal handler. */
void base_signals_clean_up(void);

/* Cleans up and dies of the signal. */
void base_signals_die(int number);

#endif
