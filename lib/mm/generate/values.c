/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of entries, and the numbers in options. */
#include "mm/decimal/decimal.h"
#include "mm/generate/internal.h"

#include <string.h>

int generate_read_numbers(const char *text, char separator, int64_t *numbers, int most) {
    for (int count = 0; count < most;) {
        if (mm_decimal_read_int64(&text, &numbers[count++]) != MM_DECIMAL_OK)
            return -1;
        if (*text == '\0')
            return count;
        if (*text++ != separator)
            return -1;
    }
    return -1;
}

int generate_read_reals(const char *text, char separator, double *reals, int most) {
    for (int count = 0; count < most;) {
        if (mm_decimal_read_double(&text, &reals[count++]) != MM_DECIMAL_OK)
            return -1;
        if (*text == '\0')
            return count;
        if (*text++ != separator)
            return -1;
    }
    return -1;
}

static base_status parse_values(mm_generator *g, const char *text) {
    int64_t whole[2];
    double real[2];
    g->own_values = true;
    if (strcmp(text, "uniform") == 0) {
        g->values = GENERATE_UNIFORM;
        g->real_low = 0;
        g->real_high = 1;
    } else if (strncmp(text, "uniform:", 8) == 0 && generate_read_reals(text + 8, ':', real, 2) == 2 &&
               real[0] < real[1]) {
        g->values = GENERATE_UNIFORM;
        g->real_low = real[0];
        g->real_high = real[1];
    } else if (strncmp(text, "int:", 4) == 0 && generate_read_numbers(text + 4, ':', whole, 2) == 2 &&
               whole[0] <= whole[1]) {
        g->values = GENERATE_INTEGER;
        g->low = whole[0];
        g->high = whole[1];
    } else if (strcmp(text, "pm1") == 0) {
        g->values = GENERATE_PM1;
    } else if (generate_read_reals(text, '\0', real, 1) == 1) {
        bool integer = generate_read_numbers(text, '\0', whole, 1) == 1;
        g->values = GENERATE_CONSTANT;
        g->real_low = real[0];
        g->low = integer ? whole[0] : 0;
        if (g->options->field < 0)
            g->field = integer ? MM_INTEGER : MM_REAL;
        else if (g->options->field == MM_INTEGER && !integer)
            return base_fail(g->context, BASE_USAGE, "--values: '%s' is no integer of 64 bits", text);
        return BASE_OK;
    } else
        return base_fail(g->context, BASE_USAGE,
                         "--values: '%s' is not uniform[:LO:HI], int:LO:HI, pm1 or a number", text);
    if (g->options->field < 0)
        g->field = g->values == GENERATE_UNIFORM ? MM_REAL : MM_INTEGER;
    return BASE_OK;
}

/* --values and --field where the family leaves no choice. */
static base_status check_choice(mm_generator *g) {
    const mm_generate_options *options = g->options;
    const generate_family *family = g->family;
    if (family->fixed_entries && options->values != NULL)
        return base_fail(g->context, BASE_USAGE, "--values has no meaning for the family %s; leave it out",
                         family->name);
    if (options->grid != NULL && options->values != NULL)
        return base_fail(g->context, BASE_USAGE,
                         "--values has no meaning with --grid, whose points are the centres of its cells; "
                         "leave it out");
    if (family->fixed_field && options->field >= 0 && options->field != (int)family->field)
        return base_fail(g->context, BASE_USAGE, "--field: matrices of the family %s are %s; leave it out",
                         family->name, mm_field_name(family->field));
    return BASE_OK;
}

base_status generate_plan_values(mm_generator *g) {
    base_status status = BASE_OK;
    const mm_generate_options *options = g->options;
    BASE_TRY(check_choice(g));
    g->field = options->field >= 0 ? (mm_field)options->field : g->family->field;
    g->values = g->family->values;
    g->low = 1;
    g->high = 9;
    g->real_low = g->values == GENERATE_CONSTANT ? 1 : 0;
    g->real_high = 1;
    if (g->values == GENERATE_UNIFORM && g->field == MM_INTEGER)
        g->values = GENERATE_INTEGER;
    if (options->values != NULL)
        BASE_TRY(parse_values(g, options->values));
    if (g->field == MM_PATTERN && options->values != NULL)
        BASE_TRY(base_fail(g->context, BASE_USAGE, "--values: a pattern has no values"));
    if (g->field == MM_INTEGER && g->values == GENERATE_UNIFORM)
        BASE_TRY(base_fail(g->context, BASE_USAGE, "--values: uniform makes no integers; int:LO:HI does"));
    if (options->symmetry == MM_HERMITIAN && g->field != MM_COMPLEX)
        BASE_TRY(base_fail(g->context, BASE_USAGE, "--symmetry: hermitian needs --field complex"));
done:
    return status;
}

static int64_t draw_integer(mm_generator *g) {
    base_random *random = &g->value_random;
    if (g->values == GENERATE_CONSTANT)
        return g->low;
    if (g->values == GENERATE_PM1)
        return base_random_bits(random) >> 63 ? -1 : 1;
    uint64_t span = (uint64_t)g->high - (uint64_t)g->low + 1; /* 0: all of 64 bits */
    uint64_t offset = span ? base_random_below(random, span) : base_random_bits(random);
    return (int64_t)((uint64_t)g->low + offset);
}

/* (0, 1] stretched; without zeros, so that an entry drawn is a nonzero. */
static double draw_real(mm_generator *g) {
    switch (g->values) {
    case GENERATE_CONSTANT: return g->real_low;
    case GENERATE_UNIFORM: break;
    case GENERATE_INTEGER:
    case GENERATE_PM1: return (double)draw_integer(g);
    }
    double unit = 1 - base_random_uniform(&g->value_random);
    if (g->real_low == 0 && g->real_high == 1)
        return unit;
    double part = (g->real_high - g->real_low) * unit;
    return g->real_low + part;
}

void generate_draw(mm_generator *g, int64_t k, bool real_only) {
    mm_record *record = g->record;
    switch (record->field) {
    case MM_PATTERN: break;
    case MM_INTEGER: record->integer[k] = draw_integer(g); break;
    case MM_REAL: record->real[k] = draw_real(g); break;
    case MM_COMPLEX:
        record->real[2 * k] = draw_real(g);
        record->real[2 * k + 1] = g->values == GENERATE_CONSTANT || real_only ? 0 : draw_real(g);
        break;
    }
}
