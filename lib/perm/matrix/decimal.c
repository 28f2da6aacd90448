/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries as the decimals that they were written with. */
#include "mm/decimal/decimal.h"
#include "perm/matrix/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* mantissa·2^exponent, which came from a double. */
static double double_of(const mpz_t mantissa, int64_t exponent) {
    long shift;
    const double fraction = mpz_get_d_2exp(&shift, mantissa);
    return ldexp(fraction, (int)(shift + exponent));
}

/* The shortest decimal that reads back as the double: integer·10^ten, without zeros at the integer's end. */
static void split_double(double number, mpz_t integer, int64_t *ten) {
    char text[MM_DECIMAL_LONGEST + 1], digits[MM_DECIMAL_LONGEST + 1];
    int64_t count = 0;
    bool behind = false;
    text[mm_decimal_write_double(text, number)] = 0;
    *ten = 0;
    for (const char *at = text; *at; at++) {
        if (*at == 'e') {
            *ten += strtoll(at + 1, NULL, 10);
            break;
        }
        behind |= *at == '.';
        if (*at == '.' || *at == '+')
            continue;
        digits[count++] = *at;
        *ten -= behind;
    }
    for (; count > 1 && digits[count - 1] == '0'; count--)
        ++*ten;
    digits[count] = 0;
    mpz_set_str(integer, digits, 10);
}

/* The decimals of one entry. */
typedef struct decimal {
    mpz_t part[2];
    int64_t ten[2];
} decimal;

static void split_entry(const perm_value *entry, decimal *split) {
    split_double(double_of(entry->re, entry->exponent), split->part[0], &split->ten[0]);
    split_double(double_of(entry->im, entry->exponent), split->part[1], &split->ten[1]);
}

/* The least power of ten in a line. */
static int64_t find_grain(const perm_value *entry, int64_t count, decimal *split) {
    int64_t grain = INT64_MAX;
    for (int64_t e = 0; e < count; e++) {
        split_entry(&entry[e], split);
        for (int k = 0; k < 2; k++)
            if (mpz_sgn(split->part[k]) != 0 && split->ten[k] < grain)
                grain = split->ten[k];
    }
    return grain == INT64_MAX ? 0 : grain;
}

static void scale_line(perm_value *entry, int64_t count, int64_t grain, decimal *split) {
    mpz_t power;
    mpz_init(power);
    for (int64_t e = 0; e < count; e++) {
        split_entry(&entry[e], split);
        for (int k = 0; k < 2; k++) {
            if (mpz_sgn(split->part[k]) == 0)
                continue;
            mpz_ui_pow_ui(power, 10, (unsigned long)(split->ten[k] - grain));
            mpz_mul(split->part[k], split->part[k], power);
        }
        mpz_set(entry[e].re, split->part[0]);
        mpz_set(entry[e].im, split->part[1]);
        entry[e].exponent = 0;
    }
    mpz_clear(power);
}

void perm_matrix_take_decimals(perm_matrix *matrix, perm_value *factor) {
    decimal split;
    perm_value_set_integer(factor, 1);
    if (matrix->field != MM_REAL && matrix->field != MM_COMPLEX)
        return;
    mpz_inits(split.part[0], split.part[1], NULL);
    for (int64_t i = 0; i < matrix->n; i++) {
        perm_value *line = matrix->entry + matrix->start[i];
        const int64_t count = matrix->start[i + 1] - matrix->start[i],
                      grain = find_grain(line, count, &split);
        scale_line(line, count, grain, &split);
        factor->exponent += grain;
        factor->fives -= grain;
    }
    mpz_clears(split.part[0], split.part[1], NULL);
}
