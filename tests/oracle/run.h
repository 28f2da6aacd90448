/* SPDX-License-Identifier: BSD-3-Clause */
/* The two ways to compute the permanents of drawn matrices: by calls of the library, and by programs. */
#ifndef TESTS_ORACLE_RUN_H
#define TESTS_ORACLE_RUN_H

#include "tests/oracle/reference.h"

/* Counts of one thing that is tested. */
typedef struct oracle_tally {
    const char *name;
    int64_t right, wrong, refused;
} oracle_tally;

/* Prints the first failures in full, with the matrix. `how` says what was asked for. */
void oracle_tell(const oracle_matrix *matrix, const char *name, const char *how, const char *wrong,
                 const char *result);

/* The name of draw number `k`. */
const char *oracle_name(int64_t k, char name[24]);

/* Draws the matrices first … end-1 of `seed` and computes each by calls of the library, as perm-gpu does
 * without options and in several random settings. */
void oracle_run_library(base_context *context, uint64_t seed, int64_t first, int64_t end);

/* Draws `count` matrices and computes all of them by perm-gpu in one stream, whole and in parts, with
 * several options. */
void oracle_run_programs(uint64_t seed, int64_t count);

/* Draws `count` matrices and computes the minors of the small square ones by calls of the library, each of
 * which must be the exact permanent of what is left, within the bound of the record. */
void oracle_run_minors(base_context *context, uint64_t seed, int64_t count);

#endif
