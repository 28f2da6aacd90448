/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/method/precision.h"
#include "mm/decimal/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    perm_precision_kind kind;
} words[] = {{"double", PERM_PRECISION_DOUBLE},
             {"kahan", PERM_PRECISION_KAHAN},
             {"dd", PERM_PRECISION_DD},
             {"exact", PERM_PRECISION_EXACT}};

static const char mpfr_prefix[] = "mpfr:";

static base_status parse_bits(base_context *context, const char *text, int64_t *bits) {
    if (mm_decimal_read_int64(&text, bits) != MM_DECIMAL_OK || *text ||
        *bits < PERM_MULTIPRECISION_LEAST_BITS || *bits > PERM_MULTIPRECISION_MOST_BITS)
        return base_fail(context, BASE_USAGE, "--precision: mpfr takes %d to %d bits, as in mpfr:256",
                         (int)PERM_MULTIPRECISION_LEAST_BITS, (int)PERM_MULTIPRECISION_MOST_BITS);
    return BASE_OK;
}

static base_status parse(base_context *context, const char *text, perm_precision *precision) {
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(text, words[k].word) == 0) {
            *precision = (perm_precision){.kind = words[k].kind};
            return BASE_OK;
        }
    if (strncmp(text, mpfr_prefix, sizeof mpfr_prefix - 1) == 0) {
        precision->kind = PERM_PRECISION_MPFR;
        return parse_bits(context, text + sizeof mpfr_prefix - 1, &precision->bits);
    }
    return base_fail(context, BASE_USAGE, "--precision: '%s' is none of double, kahan, dd, mpfr:BITS, exact",
                     text);
}

base_status perm_precision_choose(base_context *context, const char *text, bool exact, bool decimal,
                                  perm_precision *precision) {
    base_status status = BASE_OK;
    if (exact && text != NULL && strcmp(text, "exact") != 0)
        return base_fail(context, BASE_USAGE, "--exact and --precision %s contradict each other", text);
    *precision = (perm_precision){.kind = exact ? PERM_PRECISION_EXACT : PERM_PRECISION_ANY};
    if (text != NULL)
        status = parse(context, text, precision);
    if (status == BASE_OK && decimal && precision->kind != PERM_PRECISION_EXACT)
        status = base_fail(context, BASE_USAGE, "--decimal is for --exact");
    precision->has_decimals = decimal;
    return status;
}

int64_t perm_precision_digits(perm_precision precision) {
    switch (precision.kind) {
    case PERM_PRECISION_DD: return (int64_t)(PERM_DD_BITS * log10(2));
    case PERM_PRECISION_MPFR: return (int64_t)((double)precision.bits * log10(2));
    case PERM_PRECISION_EXACT: return PERM_DIGITS_ALL;
    default: return PERM_DIGITS_SHORTEST;
    }
}

void perm_precision_print(perm_precision precision, char text[40]) {
    const char *word = "the precision that it needs";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (words[k].kind == precision.kind)
            word = words[k].word;
    if (precision.kind == PERM_PRECISION_MPFR)
        snprintf(text, 40, "--precision %s%lld", mpfr_prefix, (long long)precision.bits);
    else
        snprintf(text, 40, "%s%s", precision.kind == PERM_PRECISION_ANY ? "" : "--precision ", word);
}
