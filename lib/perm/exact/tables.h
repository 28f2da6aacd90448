/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of the kernels for exact sums (kernels/perm/exact/kernel.h), from integers. */
#ifndef PERM_EXACT_TABLES_H
#define PERM_EXACT_TABLES_H

#include "perm/exact/kernel.h"
#include "perm/subsets/integers.h"

/* Whether every row sum fits a factor of the kernels: then one problem serves all primes. */
bool perm_exact_are_words(const perm_integers *integers);

/* Doubles that the tables of a problem take. */
int64_t perm_exact_table_length(const perm_integers *integers);

/* Fills the tables and all of the problem but its primes; rows whose sums are too large are taken modulo
 * `prime`, i being `root`. *halves: powers of two that were taken out of the rows. */
void perm_exact_fill(const perm_integers *integers, int64_t prime, int64_t root, double *tables,
                     perm_exact_problem *problem, int64_t *halves);

#endif
