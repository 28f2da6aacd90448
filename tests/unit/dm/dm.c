/* SPDX-License-Identifier: BSD-3-Clause */
/* Dulmage-Mendelsohn of small matrices against brute force. */
#include "dm/dm.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 7, PIECES = 20000, SEED = 20 };

/* A small matrix as a dense array; 0 is no entry. */
typedef struct dense {
    int nrow, ncol;
    int64_t value[LARGEST][LARGEST];
} dense;

static dense random_dense(base_random *random) {
    dense a = {.nrow = (int)base_random_below(random, LARGEST + 1)};
    a.ncol = base_random_below(random, 3) > 0 ? a.nrow : (int)base_random_below(random, LARGEST + 1);
    uint64_t density = 1 + base_random_below(random, 8);
    for (int i = 0; i < a.nrow; i++)
        for (int j = 0; j < a.ncol; j++)
            if (base_random_below(random, 12) < density)
                a.value[i][j] = 1 + (int64_t)base_random_below(random, 9);
    return a;
}

static mm_sparse to_sparse(const dense *a) {
    mm_sparse s = {.nrow = a->nrow, .ncol = a->ncol, .field = MM_INTEGER};
    s.start = calloc((size_t)a->ncol + 1, sizeof *s.start);
    s.index = calloc(LARGEST * LARGEST, sizeof *s.index);
    s.integer = calloc(LARGEST * LARGEST, sizeof *s.integer);
    for (int j = 0; j < a->ncol; j++) {
        for (int i = 0; i < a->nrow; i++)
            if (a->value[i][j] != 0) {
                s.index[s.nnz] = i;
                s.integer[s.nnz++] = a->value[i][j];
            }
        s.start[j + 1] = s.nnz;
    }
    return s;
}

static dense to_dense(const mm_sparse *s) {
    dense a = {.nrow = (int)s->nrow, .ncol = (int)s->ncol};
    for (int64_t j = 0; j < s->ncol; j++)
        for (int64_t p = s->start[j]; p < s->start[j + 1]; p++)
            a.value[s->index[p]][j] = s->integer[p];
    return a;
}

/* Size of a largest matching that uses rows from `row` on and columns outside `used`, without one row. */
static int rank_from(const dense *a, int row, unsigned used, int without) {
    if (row == a->nrow)
        return 0;
    int best = rank_from(a, row + 1, used, without);
    for (int j = 0; j < a->ncol && row != without; j++)
        if (a->value[row][j] != 0 && !(used >> j & 1)) {
            int size = 1 + rank_from(a, row + 1, used | 1u << j, without);
            best = size > best ? size : best;
        }
    return best;
}

/* Sum over the ways to match all rows (or, of a tall matrix, all columns). */
static int64_t permanent_from(const dense *a, int row, unsigned used, int skips) {
    if (row == a->nrow)
        return 1;
    int64_t sum = skips > 0 ? permanent_from(a, row + 1, used, skips - 1) : 0;
    for (int j = 0; j < a->ncol; j++)
        if (a->value[row][j] != 0 && !(used >> j & 1))
            sum += a->value[row][j] * permanent_from(a, row + 1, used | 1u << j, skips);
    return sum;
}

static int64_t permanent(const dense *a) {
    return permanent_from(a, 0, 0, a->nrow > a->ncol ? a->nrow - a->ncol : 0);
}

static bool is_permutation(const int64_t *list, int64_t length) {
    uint64_t seen = 0;
    for (int64_t k = 0; k < length; k++)
        seen |= (uint64_t)1 << list[k];
    return seen == ((uint64_t)1 << length) - 1;
}

/* H has the columns that some maximum matching leaves out, V such rows. */
static bool coarse_is_right(const dense *a, const dm_decomposition *dm) {
    int rank = rank_from(a, 0, 0, -1);
    bool right = dm->structural_rank == rank &&
                 dm->horizontal_nrow + dm->square_order + dm->vertical_nrow == a->nrow &&
                 dm->horizontal_ncol + dm->square_order + dm->vertical_ncol == a->ncol;
    for (int k = 0; k < a->ncol; k++) {
        bool left_out = rank_from(a, 0, 1u << dm->col[k], -1) == rank;
        right = right && left_out == (k < dm->horizontal_ncol);
    }
    for (int k = 0; k < a->nrow; k++) {
        bool left_out = rank_from(a, 0, 0, (int)dm->row[k]) == rank;
        right = right && left_out == (k >= a->nrow - dm->vertical_nrow);
        right = right && dm->row_position[dm->row[k]] == k;
    }
    return right;
}

static bool is_irreducible(const dense *block) {
    bool reach[LARGEST][LARGEST] = {{false}};
    int n = block->nrow;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            reach[i][j] = block->value[i][j] != 0;
    for (int k = 0; k < n; k++)
        if (!reach[k][k])
            return false;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!reach[i][j])
                return false;
    return true;
}

static int64_t block_at(const int64_t *start, int64_t nblock, int64_t place) {
    int64_t b = 0;
    while (b < nblock && place >= start[b + 1])
        b++;
    return b;
}

/* Block upper triangular, fine blocks irreducible with a full diagonal: then they are the strong components.
 */
static bool fine_is_right(base_context *context, const dense *a, const mm_sparse *s,
                          const dm_decomposition *dm) {
    bool right = dm->square_first == (dm->horizontal_ncol > 0) &&
                 dm->square_end == dm->nblock - (dm->vertical_nrow > 0) &&
                 dm->row_start[dm->nblock] == a->nrow && dm->col_start[dm->nblock] == a->ncol;
    for (int i = 0; i < a->nrow; i++)
        for (int j = 0; j < a->ncol; j++)
            if (a->value[dm->row[i]][dm->col[j]] != 0)
                right =
                    right && block_at(dm->row_start, dm->nblock, i) <= block_at(dm->col_start, dm->nblock, j);
    for (int64_t b = dm->square_first; b < dm->square_end; b++) {
        mm_sparse block;
        if (dm_extract_block(context, s, dm, b, &block) != BASE_OK)
            return false;
        dense d = to_dense(&block);
        right = right && d.nrow == d.ncol && d.nrow > 0 && is_irreducible(&d);
        mm_sparse_free(&block);
    }
    return right;
}

static bool blocks_multiply(base_context *context, const dense *a, const mm_sparse *s,
                            const dm_decomposition *dm) {
    int64_t product = 1;
    for (int64_t b = 0; b < dm->nblock; b++) {
        mm_sparse block;
        if (dm_extract_block(context, s, dm, b, &block) != BASE_OK)
            return false;
        dense d = to_dense(&block);
        product *= permanent(&d);
        mm_sparse_free(&block);
    }
    return dm_is_full_rank(dm) ? product == permanent(a) && product > 0 : permanent(a) == 0;
}

static bool permuted_is_right(base_context *context, const dense *a, const mm_sparse *s,
                              const dm_decomposition *dm) {
    mm_sparse permuted;
    if (dm_permute(context, s, dm, &permuted) != BASE_OK)
        return false;
    dense d = to_dense(&permuted);
    bool right = permuted.nnz == s->nnz;
    for (int i = 0; i < a->nrow; i++)
        for (int j = 0; j < a->ncol; j++)
            right = right && d.value[i][j] == a->value[dm->row[i]][dm->col[j]];
    for (int64_t j = 0; j < permuted.ncol; j++)
        for (int64_t p = permuted.start[j] + 1; p < permuted.start[j + 1]; p++)
            right = right && permuted.index[p - 1] < permuted.index[p];
    mm_sparse_free(&permuted);
    return right;
}

/* Entry (i, j) lies in a perfect matching when the rest without row i and column j has one less. */
static bool drop_is_right(base_context *context, const dense *a, const mm_sparse *s,
                          const dm_decomposition *dm) {
    mm_sparse kept;
    if (dm_drop(context, s, dm, &kept) != BASE_OK)
        return false;
    dense d = to_dense(&kept);
    int shorter = a->nrow < a->ncol ? a->nrow : a->ncol;
    bool right = d.nrow == a->nrow && d.ncol == a->ncol;
    for (int i = 0; i < a->nrow; i++)
        for (int j = 0; j < a->ncol; j++) {
            bool perfect = a->value[i][j] != 0 && 1 + rank_from(a, 0, 1u << j, i) == shorter;
            right = right && d.value[i][j] == (perfect ? a->value[i][j] : 0);
        }
    mm_sparse_free(&kept);
    return right;
}

static void check_small(base_context *context) {
    base_random random;
    base_random_init(&random, SEED, 0);
    int wrong[6] = {0}, full = 0;
    for (int piece = 0; piece < PIECES; piece++) {
        dense a = random_dense(&random);
        mm_sparse s = to_sparse(&a);
        dm_decomposition dm;
        if (dm_decompose(context, &s, &dm) != BASE_OK) {
            wrong[0]++;
            mm_sparse_free(&s);
            continue;
        }
        wrong[0] += !is_permutation(dm.row, a.nrow) || !is_permutation(dm.col, a.ncol);
        wrong[1] += !coarse_is_right(&a, &dm);
        wrong[2] += !fine_is_right(context, &a, &s, &dm);
        wrong[3] += !blocks_multiply(context, &a, &s, &dm);
        wrong[4] += !permuted_is_right(context, &a, &s, &dm);
        wrong[5] += !drop_is_right(context, &a, &s, &dm);
        full += dm_is_full_rank(&dm);
        dm_free(&dm);
        mm_sparse_free(&s);
    }
    static const char *const what[] = {"permutations",
                                       "structural rank and coarse parts as by brute force",
                                       "block triangular, blocks irreducible with a full diagonal",
                                       "permanents of the blocks multiply",
                                       "the permuted matrix",
                                       "drop keeps just the entries of perfect matchings"};
    for (int k = 0; k < 6; k++)
        tap_ok(wrong[k] == 0, "%d random matrices, seed %d: %s (%d wrong)", PIECES, SEED, what[k], wrong[k]);
    tap_ok(full > PIECES / 10 && full < PIECES - PIECES / 10, "of full rank and deficient ones: %d, %d", full,
           PIECES - full);
}

int main(void) {
    base_context context;
    base_context_init(&context);
    check_small(&context);
    return tap_done();
}
