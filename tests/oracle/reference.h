/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents by FLINT's arithmetic, and comparison of results with them. */
#ifndef TESTS_ORACLE_REFERENCE_H
#define TESTS_ORACLE_REFERENCE_H

#include "perm/value/value.h"
#include "tests/oracle/draw.h"

/* An exact complex number. */
typedef struct oracle_number oracle_number;

oracle_number *oracle_number_new(void);         /* 0; ends the program without memory */
void oracle_number_free(oracle_number *number); /* NULL is allowed */

/* The permanent of the matrix, its lines counted as often as they stand: the sum over the ways to choose an
 * entry from every row, no two in a column, or from every column where there are more rows. Real entries are
 * the doubles nearest to their texts, with `decimal` the texts themselves. The sum goes row by row over the
 * sets of columns taken, P(S) = sum of a(|S|, j) P(S - j) over j in S, in integers of any size; it has
 * nothing in common with the sums over signs. About n 2^(n-1) multiplications. */
void oracle_permanent(const oracle_matrix *matrix, bool decimal, oracle_number *permanent);

/* What is wrong with a computed value, its error bound, the estimate of its error and the text that is
 * printed of it; NULL: nothing. The value must be the permanent where it has no bound, and within bound and
 * estimate of it otherwise. The text must be as near as its number of digits says, and have no more digits
 * than the estimate, or the bound where there is none, leaves meaning to; `digits` as for
 * perm_value_print_digits. */
const char *oracle_check_value(const oracle_number *permanent, const perm_value *value, const char *printed,
                               int64_t digits);

/* What is wrong with a complex number and a bound of its error; NULL: nothing. */
const char *oracle_check_double(const oracle_number *permanent, const double number[2],
                                const char *bound_text);

/* The same of a line of --json: "re" or "re im", and the three digits of bound and estimate. */
const char *oracle_check_text(const oracle_number *permanent, const char *printed, const char *bound_text,
                              const char *estimate_text, int64_t digits);

#endif
