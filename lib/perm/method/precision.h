/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic that a user asks for. */
#ifndef PERM_METHOD_PRECISION_H
#define PERM_METHOD_PRECISION_H

#include "perm/value/value.h"

typedef enum perm_precision_kind {
    PERM_PRECISION_ANY,    /* what the matrix needs */
    PERM_PRECISION_DOUBLE, /* doubles, whatever is left of them */
    PERM_PRECISION_KAHAN,  /* doubles in a sum that compensates its rounding (dense/dense.h) */
    PERM_PRECISION_DD,     /* double-double (doubledouble/doubledouble.h), or as many digits */
    PERM_PRECISION_MPFR,   /* `bits` bits (mpfr/multiprecision.h) */
    PERM_PRECISION_EXACT   /* no rounding at all */
} perm_precision_kind;

typedef struct perm_precision {
    perm_precision_kind kind;
    int64_t bits;      /* of PERM_PRECISION_MPFR */
    bool has_decimals; /* PERM_PRECISION_EXACT: entries are the decimals that they were written with */
} perm_precision;

/* Bits of double-double, and the least and most of MPFR. */
enum { PERM_DD_BITS = 106, PERM_MULTIPRECISION_LEAST_BITS = 24, PERM_MULTIPRECISION_MOST_BITS = 1 << 20 };

/* That of the options --precision (double, kahan, dd, mpfr:BITS or exact; NULL: not given), --exact and
 * --decimal. Fails with BASE_USAGE where they contradict each other. */
base_status perm_precision_choose(base_context *context, const char *text, bool exact, bool decimal,
                                  perm_precision *precision);

/* As the option says it, for messages: "--precision mpfr:256". */
void perm_precision_print(perm_precision precision, char text[40]);

/* Decimal digits to print, for perm_value_print_digits. */
int64_t perm_precision_digits(perm_precision precision);

#endif
