/* SPDX-License-Identifier: BSD-3-Clause */
/* Test Anything Protocol for tests in C: one line per assertion on standard output. */
#ifndef TESTS_SUPPORT_TAP_H
#define TESTS_SUPPORT_TAP_H

#include <stdbool.h>
#include <stdint.h>

/* "ok N - …" or "not ok N - …"; the name is printf-style. */
void tap_ok(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `count` assertions that cannot be made here, and why. */
void tap_skip(int count, const char *why);

/* A line for the reader: seeds, values that differ. */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The seed of what a test draws, which is printed: MMPIPE_TEST_SEED, or 1. */
uint64_t tap_seed(void);

/* Prints the plan; returns the exit status, 1 after a failure or without any assertion. */
int tap_done(void);

/* Whether the shell cannot run a program because it is built for another processor, as in a cross build whose
 * tests an emulator runs: the shell says 126. */
bool tap_is_foreign(const char *program);

#endif
