/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/generate/generate.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/generate/internal.h"
#include "mm/metadata/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mm_generate_options_init(mm_generate_options *options) {
    *options = (mm_generate_options){
        .p = -1, .fill = -1, .perturb = -1, .blocks = -1, .edges = -1, .field = -1, .symmetry = -1};
}

const char *mm_generate_families(void) {
    return "er band block rmat dense vector points permutation unitary constant ones identity tridiagonal "
           "stencil derangement menage circulant scheme";
}

/* ---- the plan */

static const generate_family *find_family(const char *name) {
    const generate_family *const tables[] = {generate_trial_families, generate_draw_families,
                                             generate_fixed_families};
    for (int i = 0; i < 3; i++)
        for (const generate_family *family = tables[i]; family->name != NULL; family++)
            if (strcmp(family->name, name) == 0)
                return family;
    return NULL;
}

/* An option without effect would be a wish silently ignored. */
static base_status check_options(mm_generator *g) {
    const mm_generate_options *options = g->options;
    const struct {
        generate_option option;
        bool given;
        const char *name;
    } all[] = {
        {GENERATE_P, options->p >= 0, "p"},
        {GENERATE_DIAGONAL, options->diagonal, "diagonal"},
        {GENERATE_BANDWIDTH, options->bandwidth != NULL, "bandwidth"},
        {GENERATE_BLOCKS, options->blocks >= 0, "block-count"},
        {GENERATE_FILL, options->fill >= 0, "fill"},
        {GENERATE_EDGES, options->edges >= 0, "edges"},
        {GENERATE_PROBABILITIES, options->probabilities != NULL, "probabilities"},
        {GENERATE_OFFSETS, options->offsets != NULL, "offsets"},
        {GENERATE_GRID, options->grid != NULL, "grid"},
        {GENERATE_PERTURB, options->perturb >= 0, "perturb"},
        {GENERATE_F2, options->over_f2, "f2"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given && !(g->family->options & all[i].option))
            return base_fail(g->context, BASE_USAGE, "--%s has no meaning for the family %s; leave it out",
                             all[i].name, g->family->name);
    if (options->perturb >= 0 && options->grid == NULL)
        return base_fail(g->context, BASE_USAGE, "--perturb moves the points of a grid: give --grid too");
    return BASE_OK;
}

static int least_sizes(const generate_family *family) {
    return family->least_sizes > 0 ? family->least_sizes : 1;
}

static int most_sizes(const generate_family *family) {
    return family->most_sizes > 0 ? family->most_sizes : 2;
}

/* What the size of a family looks like. */
static const char *describe_size(const generate_family *family, bool grid) {
    if (grid || (least_sizes(family) == 1 && most_sizes(family) == 3))
        return "A, AxB or AxBxC, as 30x30";
    if (least_sizes(family) == 3)
        return "NxMxP, as 3x3x3";
    if (least_sizes(family) == 2)
        return "POINTSxDIMENSIONS, as 100x2";
    return family->square ? "an order, as 10" : "an order, as 10, or ROWSxCOLUMNS, as 10x5";
}

static base_status plan_size(mm_generator *g) {
    const mm_generate_options *options = g->options;
    const generate_family *family = g->family;
    const char *text = options->grid != NULL ? options->grid : options->size;
    const char *wanted = describe_size(family, options->grid != NULL);
    if (options->grid != NULL && options->size != NULL)
        return generate_refuse(g, "--grid is its size; leave out the other one");
    if (text == NULL)
        return base_fail(g->context, BASE_USAGE, "%s: a size is missing: %s", family->name, wanted);
    g->size_count = generate_read_numbers(text, 'x', g->size, 3);
    if (g->size_count < (options->grid != NULL ? 1 : least_sizes(family)) ||
        g->size_count > (options->grid != NULL ? 3 : most_sizes(family)))
        return base_fail(g->context, BASE_USAGE, "%s: the size is '%s' instead of %s", family->name, text,
                         wanted);
    for (int i = 0; i < g->size_count; i++)
        if (g->size[i] < 0)
            return generate_refuse(g, "a size is negative");
    g->nrow = g->size[0];
    g->ncol = g->size_count == 1 ? g->nrow : g->size[1];
    if (family->square && most_sizes(family) == 2 && g->nrow != g->ncol)
        return base_fail(g->context, BASE_USAGE, "%s: the size is '%s', but these matrices are square",
                         family->name, text);
    g->expected = (double)g->nrow * (double)g->ncol;
    return BASE_OK;
}

static base_status plan_symmetry(mm_generator *g) {
    const mm_generate_options *options = g->options;
    const generate_family *family = g->family;
    g->symmetry = options->symmetry >= 0 ? (mm_symmetry)options->symmetry : MM_GENERAL;
    if (g->symmetry == MM_GENERAL)
        return BASE_OK;
    if (g->nrow != g->ncol)
        return generate_refuse(g, "only a square matrix has a symmetry");
    if (g->symmetry == MM_SKEW_SYMMETRIC && g->field == MM_PATTERN)
        return generate_refuse(g, "a pattern is not skew-symmetric");
    if (!family->any_symmetry && !(family->symmetric && g->symmetry == MM_SYMMETRIC))
        return base_fail(g->context, BASE_USAGE, "--symmetry: matrices of the family %s are not %s",
                         family->name, mm_symmetry_name(g->symmetry));
    return BASE_OK;
}

/* Refuses what cannot be held before it is begun. */
static base_status plan_memory(mm_generator *g) {
    double per_entry = g->format == MM_ARRAY ? 0 : 16;
    if (g->field != MM_PATTERN)
        per_entry += g->field == MM_COMPLEX ? 16 : 8;
    double bytes = g->expected * per_entry;
    if (bytes > (double)g->context->memory_bytes)
        return base_fail(g->context, BASE_MACHINE,
                         "%s: about %.3g bytes are needed and %.3g allowed; see --memory", g->family->name,
                         bytes, (double)g->context->memory_bytes);
    if ((double)g->nrow * (double)g->ncol >= 4e18)
        return generate_refuse(g, "more than 2^62 positions");
    return BASE_OK;
}

base_status mm_generator_open(base_context *context, const mm_generate_options *options,
                              mm_generator **generator) {
    base_status status = BASE_OK;
    mm_generator *g = NULL;
    *generator = NULL;
    const generate_family *family = find_family(options->family);
    if (family == NULL)
        return base_fail(context, BASE_USAGE, "unknown family '%s'. Known families: %s", options->family,
                         mm_generate_families());
    g = base_alloc_zero(context, 1, sizeof *g);
    if (g == NULL)
        BASE_TRY(BASE_MACHINE);
    g->context = context;
    g->options = options;
    g->family = family;
    BASE_TRY(check_options(g));
    BASE_TRY(plan_size(g));
    BASE_TRY(generate_plan_values(g));
    if (family->plan != NULL)
        BASE_TRY(family->plan(g));
    BASE_TRY(plan_symmetry(g));
    g->format = family->array && g->field != MM_PATTERN ? MM_ARRAY : MM_COORDINATE;
    BASE_TRY(plan_memory(g));
    *generator = g;
    g = NULL;
done:
    mm_generator_close(g);
    return status;
}

void mm_generator_close(mm_generator *g) {
    if (g == NULL)
        return;
    free(g->offsets);
    free(g);
}

/* ---- the matrix in the making */

static base_status emit_array(mm_generator *g) {
    base_status status = BASE_OK;
    int64_t row = 0, col = 0;
    BASE_TRY(mm_record_alloc(g->context, g->record));
    mm_array_first(g->record, &row, &col);
    for (int64_t k = 0; k < g->record->nnz; k++, mm_array_next(g->record, &row, &col))
        generate_draw(g, k, row == col && g->record->symmetry == MM_HERMITIAN);
done:
    return status;
}

static base_status emit_full(mm_generator *g) {
    base_status status = BASE_OK;
    for (int64_t col = 0; col < g->ncol; col++)
        for (int64_t row = 0; row < g->nrow; row++)
            BASE_TRY(generate_push(g, row, col));
done:
    return status;
}

static base_status describe(mm_generator *g, int64_t index) {
    const mm_generate_options *options = g->options;
    base_context *context = g->context;
    base_status status = BASE_OK;
    bool values_random = g->field != MM_PATTERN && g->values != GENERATE_CONSTANT;
    bool random = (g->family->random_structure && !(options->grid != NULL && options->perturb <= 0)) ||
                  (values_random && !(options->grid != NULL));
    const char *size = options->grid != NULL ? options->grid : options->size;
    char seed[32] = "", number[32] = "";
    if (random)
        snprintf(seed, sizeof seed, "-%llu", (unsigned long long)context->seed);
    if (options->numbered)
        snprintf(number, sizeof number, "-%lld", (long long)index);
    BASE_TRY(mm_metadata_set(context, g->record, "name", "%s-%s%s%s", g->family->name, size, seed, number));
    BASE_TRY(mm_metadata_set(context, g->record, "gen.family", "%s", g->family->name));
    BASE_TRY(mm_metadata_set(context, g->record, "gen.size", "%s", size));
    if (random)
        BASE_TRY(mm_metadata_set(context, g->record, "gen.seed", "%llu", (unsigned long long)context->seed));
    if (options->numbered)
        BASE_TRY(mm_metadata_set(context, g->record, "gen.index", "%lld", (long long)index));
done:
    return status;
}

base_status mm_generate(base_context *context, mm_generator *g, int64_t index, mm_record *record) {
    base_status status = BASE_OK;
    mm_record_free(record);
    record->format = g->format;
    record->field = g->field;
    record->symmetry = g->symmetry;
    record->nrow = g->nrow;
    record->ncol = g->ncol;
    g->context = context;
    g->record = record;
    g->capacity = 0;
    base_progress_start(context, "generate", g->expected, "entries");
    base_random_init(&g->structure_random, context->seed, 2 * (uint64_t)index);
    base_random_init(&g->value_random, context->seed, 2 * (uint64_t)index + 1);
    if (g->family->emit != NULL)
        BASE_TRY(g->family->emit(g));
    else if (g->format == MM_ARRAY)
        BASE_TRY(emit_array(g));
    else
        BASE_TRY(emit_full(g));
    BASE_TRY(describe(g, index));
done:
    base_progress_finish(context);
    if (status != BASE_OK)
        mm_record_free(record);
    return status;
}
