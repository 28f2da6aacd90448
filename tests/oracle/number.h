/* SPDX-License-Identifier: BSD-3-Clause */
/* FLINT's rational numbers for the oracle. */
#ifndef TESTS_ORACLE_NUMBER_H
#define TESTS_ORACLE_NUMBER_H

#include "tests/oracle/reference.h"
#include <flint/flint.h>
#include <flint/fmpq.h>
#include <flint/fmpz.h>

struct oracle_number {
    fmpq_t part[2]; /* real and imaginary */
};

/* A decimal such as -1.25e-7 as integer times 10^exponent; returns what follows it. */
const char *oracle_read_decimal(const char *text, fmpz_t integer, slong *exponent);

/* The permanent of a matrix with factors. */
void oracle_permanent_of_products(const oracle_matrix *matrix, oracle_number *permanent);

/* integer times base^exponent */
void oracle_set_scaled(fmpq_t to, const fmpz_t integer, ulong base, slong exponent);

#endif
