/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of entries that are there or not, each by a trial of its own: er, band, block. */
#include "mm/generate/internal.h"

#include <stddef.h>

__extension__ typedef unsigned __int128 wide;

/* ---- Bernoulli trials in a row, most of which fail
 *
 * The gap G before the next success has P(G ≥ g) = q^g, q = 1 - p. It is found by inversion: G is the largest
 * g with U < 2^64·q^g for a U uniform in 64 bits, and g is built bit by bit from the powers q^(2^b), so the
 * cost is that of the entries and not of the positions. All in integers of 64 and 128 bits: no logarithm,
 * whose last bit differs between machines. Truncation moves a probability by less than 2^-57. */

typedef struct trials {
    uint64_t power[63]; /* 2^64 · q^(2^b) */
    int powers;
    bool never;
    int64_t gap; /* positions until the next success */
    base_random *random;
} trials;

static int64_t draw_gap(trials *t) {
    wide tail = (wide)1 << 64;
    int64_t gap = 0;
    if (t->never)
        return INT64_MAX / 2;
    uint64_t uniform = base_random_bits(t->random);
    for (int b = t->powers - 1; b >= 0; b--) {
        wide longer = (tail * t->power[b]) >> 64;
        if (uniform < longer) {
            tail = longer;
            gap += (int64_t)1 << b;
        }
    }
    return gap < INT64_MAX / 2 ? gap : INT64_MAX / 2;
}

/* `p` in [0, 1]. */
static void begin_trials(trials *t, double p, base_random *random) {
    wide success = (wide)(p * 18446744073709551616.0);
    wide power = ((wide)1 << 64) - success;
    t->random = random;
    t->never = success == 0;
    for (t->powers = 0; t->powers < 62 && power != 0; t->powers++) {
        t->power[t->powers] = (uint64_t)power;
        power = (power * power) >> 64;
    }
    t->gap = draw_gap(t);
}

/* Rows first … first+count-1 of a column, each with the trials' probability, the diagonal surely if asked.
 * With a symmetry only those that it stores. */
static base_status push_trials(mm_generator *g, trials *t, int64_t col, int64_t first, int64_t count,
                               bool diagonal) {
    base_status status = BASE_OK;
    int64_t stored = g->symmetry == MM_GENERAL ? 0 : col + (g->symmetry == MM_SKEW_SYMMETRIC);
    if (first < stored) {
        count -= stored - first;
        first = stored;
    }
    if (count <= 0)
        return BASE_OK;
    int64_t at = t->gap;
    int64_t sure = diagonal && col >= first && col < first + count ? col - first : count;
    while (at < count || sure < count) {
        int64_t row = at < sure ? at : sure;
        if (at == row)
            at += 1 + draw_gap(t);
        if (sure == row)
            sure = count;
        BASE_TRY(generate_push(g, first + row, col));
    }
    t->gap = at - count;
done:
    return status;
}

/* ---- er, band, block */

static base_status check_probability(mm_generator *g, const char *option, double p) {
    if (p >= 0 && p <= 1)
        return BASE_OK;
    return base_fail(g->context, BASE_USAGE, "%s: %s is missing, or not between 0 and 1", g->family->name,
                     option);
}

static base_status plan_er(mm_generator *g) {
    g->expected *= g->options->p;
    if (g->options->diagonal)
        g->expected += (double)g->ncol;
    return check_probability(g, "--p", g->options->p);
}

static base_status emit_er(mm_generator *g) {
    trials t;
    base_status status = BASE_OK;
    begin_trials(&t, g->options->p, &g->structure_random);
    for (int64_t col = 0; col < g->ncol; col++)
        BASE_TRY(push_trials(g, &t, col, 0, g->nrow, g->options->diagonal));
done:
    return status;
}

/* The probability of an entry; without --p every place inside has one. */
static double density(const mm_generator *g) {
    return g->options->p < 0 ? 1 : g->options->p;
}

static base_status plan_band(mm_generator *g) {
    int64_t widths[2];
    int count =
        g->options->bandwidth != NULL ? generate_read_numbers(g->options->bandwidth, ':', widths, 2) : -1;
    if (count < 1 || widths[0] < 0 || (count == 2 && widths[1] < 0))
        return generate_refuse(g, "--bandwidth=LOWER[:UPPER] is missing, as in --bandwidth 2:1");
    g->below = widths[0];
    g->above = widths[count - 1];
    double height = 1 + (double)g->below + (double)g->above;
    if (height < (double)g->nrow)
        g->expected = height * (double)g->ncol;
    g->expected *= density(g);
    return check_probability(g, "--p", density(g));
}

static base_status emit_band(mm_generator *g) {
    trials t;
    base_status status = BASE_OK;
    begin_trials(&t, density(g), &g->structure_random);
    for (int64_t col = 0; col < g->ncol; col++) {
        int64_t first = col > g->above ? col - g->above : 0;
        int64_t end = g->below < g->nrow - 1 - col ? col + g->below + 1 : g->nrow;
        BASE_TRY(push_trials(g, &t, col, first, end - first, g->options->diagonal));
    }
done:
    return status;
}

static double fill(const mm_generator *g) {
    return g->options->fill < 0 ? 0 : g->options->fill;
}

static base_status plan_block(mm_generator *g) {
    base_status status = BASE_OK;
    int64_t blocks = g->options->blocks;
    if (blocks < 1 || (blocks > g->nrow && g->nrow > 0))
        BASE_TRY(generate_refuse(g, "--block-count is missing, or not between 1 and the order"));
    if (fill(g) > 0 && g->options->symmetry > MM_GENERAL)
        BASE_TRY(generate_refuse(g, "--fill puts entries above the diagonal only; it has no symmetry"));
    BASE_TRY(check_probability(g, "--p", density(g)));
    BASE_TRY(check_probability(g, "--fill", fill(g)));
    g->expected =
        (double)g->ncol * (1 + density(g) * (double)g->nrow / (double)blocks) + g->expected / 2 * fill(g);
done:
    return status;
}

static base_status emit_block(mm_generator *g) {
    trials inside, above;
    base_status status = BASE_OK;
    int64_t n = g->nrow, blocks = g->options->blocks;
    begin_trials(&inside, density(g), &g->structure_random);
    begin_trials(&above, fill(g), &g->structure_random);
    /* the first n mod blocks have one row more */
    for (int64_t block = 0, start = 0; block < blocks; block++) {
        int64_t end = start + n / blocks + (block < n % blocks);
        for (int64_t col = start; col < end; col++) {
            BASE_TRY(push_trials(g, &above, col, 0, start, false));
            BASE_TRY(push_trials(g, &inside, col, start, end - start, true));
        }
        start = end;
    }
done:
    return status;
}

const generate_family generate_trial_families[] = {
    {.name = "er",
     .options = GENERATE_P | GENERATE_DIAGONAL,
     .random_structure = true,
     .any_symmetry = true,
     .field = MM_REAL,
     .values = GENERATE_UNIFORM,
     .plan = plan_er,
     .emit = emit_er},
    {.name = "band",
     .options = GENERATE_P | GENERATE_DIAGONAL | GENERATE_BANDWIDTH,
     .random_structure = true,
     .any_symmetry = true,
     .field = MM_REAL,
     .values = GENERATE_UNIFORM,
     .plan = plan_band,
     .emit = emit_band},
    {.name = "block",
     .options = GENERATE_P | GENERATE_BLOCKS | GENERATE_FILL,
     .square = true,
     .random_structure = true,
     .any_symmetry = true,
     .field = MM_REAL,
     .values = GENERATE_UNIFORM,
     .plan = plan_block,
     .emit = emit_block},
    {0},
};
