/* SPDX-License-Identifier: BSD-3-Clause */
/* Families without chance in their structure, most with a known permanent. */
#include "base/core/memory.h"
#include "mm/generate/internal.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

static base_status plan_constant(mm_generator *g) {
    return g->own_values ? BASE_OK : generate_refuse(g, "--values is missing, as in --values 0.5");
}

static base_status plan_identity(mm_generator *g) {
    g->expected = (double)(g->nrow < g->ncol ? g->nrow : g->ncol);
    return BASE_OK;
}

static base_status emit_identity(mm_generator *g) {
    base_status status = BASE_OK;
    for (int64_t i = 0; i < g->nrow && i < g->ncol; i++)
        BASE_TRY(generate_push(g, i, i));
done:
    return status;
}

static base_status plan_tridiagonal(mm_generator *g) {
    g->expected = 3 * (double)g->ncol;
    return BASE_OK;
}

static base_status emit_tridiagonal(mm_generator *g) {
    base_status status = BASE_OK;
    for (int64_t col = 0; col < g->ncol; col++)
        for (int64_t row = col > 0 ? col - 1 : 0; row <= col + 1 && row < g->nrow; row++)
            BASE_TRY(generate_push(g, row, col));
done:
    return status;
}

/* ---- stencil */

static base_status plan_stencil(mm_generator *g) {
    g->nrow = 1;
    for (int i = 0; i < g->size_count; i++)
        if (__builtin_mul_overflow(g->nrow, g->size[i], &g->nrow))
            return generate_refuse(g, "too large a grid");
    g->ncol = g->nrow;
    g->expected = (double)(2 * g->size_count + 1) * (double)g->nrow;
    return BASE_OK;
}

/* Points in lexicographic order, the first coordinate running fastest. */
static base_status emit_stencil(mm_generator *g) {
    base_status status = BASE_OK;
    int64_t stride[3] = {1, g->size[0], g->size[0] * g->size[1]};
    int dimensions = g->size_count;
    for (int64_t col = 0; col < g->ncol; col++) {
        int64_t at[3];
        for (int d = 0; d < dimensions; d++)
            at[d] = col / stride[d] % g->size[d];
        for (int d = dimensions - 1; d >= 0; d--)
            if (at[d] > 0)
                BASE_TRY(generate_push_value(g, col - stride[d], col, -1));
        BASE_TRY(generate_push_value(g, col, col, 2 * dimensions));
        for (int d = 0; d < dimensions; d++)
            if (at[d] + 1 < g->size[d])
                BASE_TRY(generate_push_value(g, col + stride[d], col, -1));
    }
done:
    return status;
}

/* ---- derangement, menage, circulant */

static base_status emit_derangement(mm_generator *g) {
    base_status status = BASE_OK;
    for (int64_t col = 0; col < g->ncol; col++)
        for (int64_t row = 0; row < g->nrow; row++)
            if (row != col)
                BASE_TRY(generate_push(g, row, col));
done:
    return status;
}

static base_status emit_menage(mm_generator *g) {
    base_status status = BASE_OK;
    for (int64_t col = 0; col < g->ncol; col++)
        for (int64_t row = 0; row < g->nrow; row++)
            if (row != col && (row + 1) % g->nrow != col)
                BASE_TRY(generate_push(g, row, col));
done:
    return status;
}

static int compare_offsets(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static bool is_offset(const mm_generator *g, int64_t offset) {
    return bsearch(&offset, g->offsets, (size_t)g->offset_count, sizeof offset, compare_offsets) != NULL;
}

static base_status plan_circulant(mm_generator *g) {
    base_status status = BASE_OK;
    const char *text = g->options->offsets;
    int64_t n = g->nrow;
    if (text == NULL || n == 0)
        BASE_TRY(generate_refuse(g, "--offsets is missing, as in --offsets 0,1,3, or the order is 0"));
    int most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    g->offsets = base_alloc(g->context, most, sizeof *g->offsets);
    if (g->offsets == NULL)
        BASE_TRY(BASE_MACHINE);
    if (generate_read_numbers(text, ',', g->offsets, most) != most)
        BASE_TRY(generate_refuse(g, "--offsets are whole numbers with commas between"));
    g->offset_count = most;
    for (int i = 0; i < most; i++)
        g->offsets[i] = (g->offsets[i] % n + n) % n;
    qsort(g->offsets, (size_t)most, sizeof *g->offsets, compare_offsets);
    bool symmetric = true;
    for (int i = 0; i < most; i++) {
        if (i > 0 && g->offsets[i] == g->offsets[i - 1])
            BASE_TRY(generate_refuse(g, "two --offsets are the same modulo the order"));
        symmetric = symmetric && is_offset(g, (n - g->offsets[i]) % n);
    }
    if (!symmetric && g->options->symmetry > MM_GENERAL)
        BASE_TRY(generate_refuse(g, "these --offsets are not symmetric"));
    g->expected = (double)most * (double)n;
done:
    return status;
}

/* Rows col - offset ascend from the largest offset ≤ col downwards, then around the edge. */
static base_status emit_circulant(mm_generator *g) {
    base_status status = BASE_OK;
    for (int64_t col = 0; col < g->ncol; col++) {
        for (int64_t i = g->offset_count - 1; i >= 0; i--)
            if (g->offsets[i] <= col)
                BASE_TRY(generate_push(g, col - g->offsets[i], col));
        for (int64_t i = g->offset_count - 1; i >= 0; i--)
            if (g->offsets[i] > col)
                BASE_TRY(generate_push(g, col - g->offsets[i] + g->nrow, col));
    }
done:
    return status;
}

/* ---- scheme */

static base_status plan_scheme(mm_generator *g) {
    int64_t n = g->size[0], m = g->size[1], p = g->size[2];
    if (n < 1 || m < 1 || p < 1 || n > 2048 || m > 2048 || p > 2048)
        return generate_refuse(g, "sizes from 1 to 2048");
    g->nrow = n * m + m * p + n * p;
    g->ncol = n * m * p;
    g->expected = 3 * (double)g->ncol;
    return BASE_OK;
}

static base_status emit_scheme(mm_generator *g) {
    base_status status = BASE_OK;
    int64_t n = g->size[0], m = g->size[1], p = g->size[2], col = 0;
    g->record->kind = MM_SCHEME;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t k = 0; k < p; k++, col++) {
                BASE_TRY(generate_push_value(g, i * m + j, col, 1));
                BASE_TRY(generate_push_value(g, n * m + j * p + k, col, 1));
                BASE_TRY(generate_push_value(g, n * m + m * p + i * p + k, col, 1));
            }
    BASE_TRY(mm_metadata_set(g->context, g->record, "scheme", "%lldx%lldx%lld", (long long)n, (long long)m,
                             (long long)p));
    BASE_TRY(mm_metadata_set(g->context, g->record, "scheme.field", "%s", g->options->over_f2 ? "F2" : "Z"));
done:
    return status;
}

const generate_family generate_fixed_families[] = {
    {.name = "constant",
     .array = true,
     .symmetric = true,
     .field = MM_INTEGER,
     .values = GENERATE_CONSTANT,
     .plan = plan_constant},
    {.name = "ones", .array = true, .symmetric = true, .field = MM_INTEGER, .values = GENERATE_CONSTANT},
    {.name = "identity",
     .symmetric = true,
     .field = MM_PATTERN,
     .values = GENERATE_CONSTANT,
     .plan = plan_identity,
     .emit = emit_identity},
    {.name = "tridiagonal",
     .symmetric = true,
     .field = MM_PATTERN,
     .values = GENERATE_CONSTANT,
     .plan = plan_tridiagonal,
     .emit = emit_tridiagonal},
    {.name = "stencil",
     .most_sizes = 3,
     .symmetric = true,
     .field = MM_INTEGER,
     .values = GENERATE_CONSTANT,
     .plan = plan_stencil,
     .emit = emit_stencil},
    {.name = "derangement",
     .square = true,
     .symmetric = true,
     .field = MM_PATTERN,
     .values = GENERATE_CONSTANT,
     .emit = emit_derangement},
    {.name = "menage", .square = true, .field = MM_PATTERN, .values = GENERATE_CONSTANT, .emit = emit_menage},
    {.name = "circulant",
     .options = GENERATE_OFFSETS,
     .square = true,
     .symmetric = true,
     .field = MM_PATTERN,
     .values = GENERATE_CONSTANT,
     .plan = plan_circulant,
     .emit = emit_circulant},
    {.name = "scheme",
     .options = GENERATE_F2,
     .least_sizes = 3,
     .most_sizes = 3,
     .fixed_entries = true,
     .fixed_field = true,
     .field = MM_INTEGER,
     .values = GENERATE_CONSTANT,
     .plan = plan_scheme,
     .emit = emit_scheme},
    {0},
};
