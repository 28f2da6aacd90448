/* SPDX-License-Identifier: BSD-3-Clause */
/* Dulmage-Mendelsohn of larger matrices against CXSparse, and the searches for a matching each alone. */
#include "base/core/random.h"
#include "dm/dm.h"
#include "dm/matching.h"
#include "dm/search.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/cs.h>
#undef I

enum { SEED = 20 };

/* A random pattern with `degree` entries a column on average, some of them in a few popular rows. */
static mm_sparse random_pattern(base_random *random, int64_t nrow, int64_t ncol, double degree) {
    mm_sparse s = {.nrow = nrow, .ncol = ncol, .field = MM_PATTERN};
    char *in_column = calloc((size_t)nrow + 1, 1);
    s.start = calloc((size_t)ncol + 1, sizeof *s.start);
    s.index = calloc((size_t)(ncol * (int64_t)(2 * degree + 2)), sizeof *s.index);
    for (int64_t j = 0; j < ncol; j++) {
        int64_t count = (int64_t)(base_random_uniform(random) * (2 * degree + 1));
        for (int64_t k = 0; k < count; k++) {
            bool popular = base_random_below(random, 4) == 0;
            in_column[base_random_below(random, (uint64_t)(popular ? nrow / 8 + 1 : nrow))] = 1;
        }
        for (int64_t i = 0; i < nrow; i++)
            if (in_column[i]) {
                s.index[s.nnz++] = i;
                in_column[i] = 0;
            }
        s.start[j + 1] = s.nnz;
    }
    free(in_column);
    return s;
}

static bool agrees_with_cxsparse(const mm_sparse *s, const dm_decomposition *dm) {
    cs_dl a = {.nzmax = s->nnz, .m = s->nrow, .n = s->ncol, .p = s->start, .i = s->index, .nz = -1};
    cs_dld *d = cs_dl_dmperm(&a, 0);
    bool agrees = d->nb == dm->nblock && d->rr[1] == dm->horizontal_nrow && d->cc[2] == dm->horizontal_ncol &&
                  d->rr[2] - d->rr[1] == dm->square_order && s->nrow - d->rr[2] == dm->vertical_nrow &&
                  s->ncol - d->cc[3] == dm->vertical_ncol && d->cc[4] - d->cc[1] == dm->structural_rank;
    cs_dl_dfree(d);
    return agrees;
}

static void check_large(base_context *context) {
    base_random random;
    base_random_init(&random, SEED, 1);
    for (int piece = 0; piece < 40; piece++) {
        int64_t nrow = 1 + (int64_t)base_random_below(&random, 1500);
        int64_t ncol = piece % 2 ? nrow : 1 + (int64_t)base_random_below(&random, 1500);
        double degree = 0.5 + 5 * base_random_uniform(&random);
        mm_sparse s = random_pattern(&random, nrow, ncol, degree);
        dm_decomposition dm;
        bool good = dm_decompose(context, &s, &dm) == BASE_OK && agrees_with_cxsparse(&s, &dm);
        tap_ok(good, "seed %d, piece %d, %lld x %lld: as cs_dmperm", SEED, piece, (long long)nrow,
               (long long)ncol);
        dm_free(&dm);
        mm_sparse_free(&s);
    }
}

/* Each search alone ends with a maximum matching; the driver mixes them. */
static int64_t match_with(base_context *context, const mm_sparse *s, int which) {
    int64_t n = s->ncol, m = s->nrow;
    dm_matching matching = {.row_of_column = calloc((size_t)n, 8), .column_of_row = calloc((size_t)m, 8)};
    int64_t *work = calloc((size_t)(2 * m + 4 * n), sizeof *work);
    dm_search search = {.matrix = s,
                        .matching = &matching,
                        .visited = work,
                        .seen = work + m,
                        .next = work + 2 * m,
                        .path = work + 2 * m + n,
                        .position = work + 2 * m + 2 * n,
                        .unmatched = work + 2 * m + 3 * n};
    dm_search_greedily(&search);
    if (which == 1) {
        mm_sparse rows;
        if (mm_sparse_reorient(context, s, MM_BY_COLUMNS, &rows) == BASE_OK)
            dm_search_karp_sipser(context, &rows, &search);
        mm_sparse_free(&rows);
        dm_search_restart(&search);
    }
    if (which == 2)
        dm_search_depth_first(&search, INT64_MAX - 1);
    else
        dm_search_shortest(&search);
    int64_t size = 0;
    for (int64_t j = 0; j < n; j++)
        if (matching.row_of_column[j] >= 0)
            size += matching.column_of_row[matching.row_of_column[j]] == j;
    size = size == matching.size ? size : -1;
    free(work);
    free(matching.row_of_column);
    free(matching.column_of_row);
    return size;
}

static void check_searches(base_context *context) {
    static const char *const name[] = {"shortest paths", "Karp and Sipser, shortest paths", "depth first"};
    base_random random;
    base_random_init(&random, SEED, 2);
    for (int piece = 0; piece < 6; piece++) {
        mm_sparse s = random_pattern(&random, 1000, 1000 + 50 * piece, 2 + 0.5 * piece);
        cs_dl a = {.nzmax = s.nnz, .m = s.nrow, .n = s.ncol, .p = s.start, .i = s.index, .nz = -1};
        long *match = cs_dl_maxtrans(&a, 0), rank = 0;
        for (int64_t i = 0; i < s.nrow; i++)
            rank += match[i] >= 0;
        for (int which = 0; which < 3; which++)
            tap_ok(match_with(context, &s, which) == rank, "piece %d: %s: maximum, %ld", piece, name[which],
                   rank);
        free(match);
        mm_sparse_free(&s);
    }
}

int main(void) {
    base_context context;
    base_context_init(&context);
    check_large(&context);
    check_searches(&context);
    return tap_done();
}
