/* SPDX-License-Identifier: BSD-3-Clause */
/* Families that are drawn as a whole: R-MAT, permutations, point sets, arrays. */
#include "base/core/memory.h"
#include "mm/generate/internal.h"

#include <stdlib.h>

/* ---- rmat */

static base_status plan_rmat(mm_generator *g) {
    double p[4] = {0.57, 0.19, 0.19, 0.05};
    int64_t edges = g->options->edges < 0 ? 16 : g->options->edges;
    const char *text = g->options->probabilities;
    if (g->nrow < 1 || (g->nrow & (g->nrow - 1)) != 0 || g->nrow > (int64_t)1 << 31)
        return generate_refuse(g, "the order must be a power of 2, at most 2^31");
    if (text != NULL &&
        (generate_read_reals(text, ',', p, 4) != 4 || p[0] < 0 || p[1] < 0 || p[2] < 0 || p[3] < 0))
        return generate_refuse(g, "--probabilities A,B,C,D are four numbers of at least 0");
    double sum = p[0] + p[1] + p[2] + p[3], cumulative = 0;
    if (!(sum > 0))
        return generate_refuse(g, "--probabilities are all 0");
    for (int i = 0; i < 3; i++) {
        cumulative += p[i];
        double scaled = cumulative / sum * 4294967296.0;
        g->quadrants[i] = scaled < 4294967295.0 ? (uint32_t)scaled : UINT32_MAX;
    }
    /* draws and their sorting take two keys each, as much as an entry's indices */
    g->expected = (double)edges * (double)g->nrow;
    return BASE_OK;
}

/* Sorts keys of `bits` bits, 11 at a time; the result is in *keys. */
static void sort_keys(uint64_t **keys, uint64_t **spare, int64_t count, int bits) {
    for (int shift = 0; shift < bits; shift += 11) {
        int64_t start[2049] = {0};
        for (int64_t k = 0; k < count; k++)
            start[((*keys)[k] >> shift & 2047) + 1]++;
        for (int i = 0; i < 2048; i++)
            start[i + 1] += start[i];
        for (int64_t k = 0; k < count; k++)
            (*spare)[start[(*keys)[k] >> shift & 2047]++] = (*keys)[k];
        uint64_t *sorted = *spare;
        *spare = *keys;
        *keys = sorted;
    }
}

/* The key of one draw: column over row. Each level of the recursion spends 32 random bits on a quadrant. */
static uint64_t draw_edge(mm_generator *g, int levels) {
    uint64_t row = 0, col = 0;
    uint32_t block[4] = {0};
    base_random *random = &g->structure_random;
    for (int level = 0; level < levels; level++) {
        if (level % 4 == 0)
            base_random_block(random->seed, random->stream, random->counter++, block);
        uint32_t uniform = block[level % 4];
        int quadrant =
            (uniform >= g->quadrants[0]) + (uniform >= g->quadrants[1]) + (uniform >= g->quadrants[2]);
        row = 2 * row + (uint64_t)(quadrant >> 1);
        col = 2 * col + (uint64_t)(quadrant & 1);
    }
    if (g->symmetry != MM_GENERAL && row < col) {
        uint64_t swap = row;
        row = col;
        col = swap;
    }
    return col << levels | row;
}

static base_status emit_rmat(mm_generator *g) {
    base_status status = BASE_OK;
    int levels = __builtin_ctzll((unsigned long long)g->nrow);
    int64_t count = (g->options->edges < 0 ? 16 : g->options->edges) * g->nrow;
    uint64_t *keys = base_alloc(g->context, count, sizeof *keys);
    uint64_t *spare = base_alloc(g->context, count, sizeof *spare);
    if (keys == NULL || spare == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < count; k++)
        keys[k] = draw_edge(g, levels);
    sort_keys(&keys, &spare, count, 2 * levels);
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || keys[k] != keys[k - 1])
            BASE_TRY(generate_push(g, (int64_t)(keys[k] & (((uint64_t)1 << levels) - 1)),
                                   (int64_t)(keys[k] >> levels)));
done:
    free(keys);
    free(spare);
    return status;
}

/* ---- permutation, points */

static base_status plan_permutation(mm_generator *g) {
    g->expected = (double)g->nrow;
    return BASE_OK;
}

/* Fisher and Yates' shuffle. */
static base_status emit_permutation(mm_generator *g) {
    base_status status = BASE_OK;
    int64_t n = g->nrow;
    int64_t *row = base_alloc(g->context, n, sizeof *row);
    if (row == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t col = 0; col < n; col++) {
        int64_t other = (int64_t)base_random_below(&g->structure_random, (uint64_t)col + 1);
        row[col] = row[other];
        row[other] = col;
    }
    for (int64_t col = 0; col < n; col++)
        BASE_TRY(generate_push(g, row[col], col));
done:
    free(row);
    return status;
}

static base_status plan_points(mm_generator *g) {
    if (g->field != MM_REAL)
        return generate_refuse(
            g, "the coordinates are real numbers: use --values uniform:LO:HI, or leave it out");
    if (g->options->grid == NULL)
        return BASE_OK;
    g->nrow = 1;
    for (int i = 0; i < g->size_count; i++)
        if (__builtin_mul_overflow(g->nrow, g->size[i], &g->nrow))
            return generate_refuse(g, "too many points");
    g->ncol = g->size_count;
    g->expected = (double)g->nrow * (double)g->ncol;
    return BASE_OK;
}

/* Points of a grid are the centres of its cells, the first coordinate running fastest. */
static base_status emit_points(mm_generator *g) {
    base_status status = BASE_OK;
    double shift = g->options->perturb < 0 ? 0 : g->options->perturb;
    BASE_TRY(mm_record_alloc(g->context, g->record));
    int64_t run = 1;
    for (int64_t col = 0, k = 0; col < g->ncol; col++) {
        for (int64_t row = 0; row < g->nrow; row++, k++) {
            if (g->options->grid == NULL) {
                generate_draw(g, k, false);
                continue;
            }
            double moved = shift > 0 ? shift * (base_random_uniform(&g->structure_random) - 0.5) : 0;
            double cell = (double)(row / run % g->size[col]) + 0.5;
            g->record->real[k] = (cell + moved) / (double)g->size[col];
        }
        run *= g->options->grid != NULL ? g->size[col] : 1;
    }
done:
    return status;
}

static base_status plan_vector(mm_generator *g) {
    g->ncol = g->size_count == 1 ? 1 : g->ncol;
    g->expected = (double)g->nrow * (double)g->ncol;
    return BASE_OK;
}

const generate_family generate_draw_families[] = {
    {.name = "rmat",
     .options = GENERATE_EDGES | GENERATE_PROBABILITIES,
     .square = true,
     .random_structure = true,
     .any_symmetry = true,
     .field = MM_PATTERN,
     .values = GENERATE_UNIFORM,
     .plan = plan_rmat,
     .emit = emit_rmat},
    {.name = "dense", .array = true, .any_symmetry = true, .field = MM_REAL, .values = GENERATE_UNIFORM},
    {.name = "vector", .array = true, .field = MM_REAL, .values = GENERATE_UNIFORM, .plan = plan_vector},
    {.name = "points",
     .options = GENERATE_GRID | GENERATE_PERTURB,
     .least_sizes = 2,
     .array = true,
     .random_structure = true,
     .fixed_field = true,
     .field = MM_REAL,
     .values = GENERATE_UNIFORM,
     .plan = plan_points,
     .emit = emit_points},
    {.name = "permutation",
     .square = true,
     .random_structure = true,
     .field = MM_PATTERN,
     .values = GENERATE_CONSTANT,
     .plan = plan_permutation,
     .emit = emit_permutation},
    {.name = "unitary",
     .square = true,
     .array = true,
     .random_structure = true,
     .fixed_entries = true,
     .fixed_field = true,
     .field = MM_COMPLEX,
     .values = GENERATE_CONSTANT,
     .emit = generate_emit_unitary},
    {0},
};
