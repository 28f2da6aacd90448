/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that a state takes: FILE, FILE.old, FILE.new and FILE.lock. A run claims them before its work:
 * they are no input and no output of the run, no other process has them, and nothing that is no state stands
 * under them. So they may be replaced and removed. */
#ifndef BASE_RUN_CLAIM_H
#define BASE_RUN_CLAIM_H

#include "base/core/context.h"

typedef struct base_claim {
    char *path; /* NULL: nothing is claimed */
    const char *option;
    int lock; /* descriptor of FILE.lock; -1: this file system has no locks */
    char *lock_path;
} base_claim;

/* A file that the claim must not be, and how a message calls it. */
typedef struct base_claim_other {
    const char *path; /* NULL: the descriptor */
    int descriptor;
    const char *what; /* "the output" */
} base_claim_other;

/* `option` is the one that names FILE, kept by pointer. A file that is there must be regular; FILE.old and
 * FILE.new must begin like a stream in binary form where `is_binary`, or be empty. Removes a FILE.new that a
 * killed process has left. Waits up to a second for the lock of a process that may be ending. Fails with
 * BASE_USAGE, and says what is in the way, or who has the lock; with BASE_MACHINE where the folder cannot be
 * written to. */
base_status base_claim_open(base_context *context, const char *path, const char *option, bool is_binary,
                            const base_claim_other *others, int count, base_claim *claim);

/* Removes the lock. */
void base_claim_close(base_claim *claim); /* NULL is allowed */

/* Removes the locks of all open claims; safe inside a signal handler. */
void base_claim_remove_locks(void);

/* Fails with BASE_USAGE if the path names one of the others, there or not: "--phases: x is an input, too; …".
 * `option` is as users write it. */
base_status base_claim_check_name(base_context *context, const char *option, const char *path,
                                  const base_claim_other *others, int count);

#endif
