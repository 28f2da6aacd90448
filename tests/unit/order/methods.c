/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of rows and columns: permutations on random matrices of every shape, the fill-in and bandwidth that
 * the SuiteSparse Matrix Collection tells of some real ones, the permanent ordering step by step. */
#include "base/core/random.h"
#include "mm/matrix/submatrix.h"
#include "mm/stream/reader.h"
#include "order/degree.h"
#include "order/permanent.h"
#include "order/rcm.h"
#include "order/suitesparse.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 77, LARGEST = 40 };

typedef base_status method(base_context *, const mm_sparse *, order_permutation *);

static const struct {
    const char *name;
    method *find;
    bool square, rows;
} methods[] = {
    {"degree", order_degree_sort, false, true},
    {"perm", order_permanent, false, true},
    {"amd", order_amd, true, true},
    {"colamd", order_colamd, false, false},
    {"metis", order_metis, true, true},
    {"rcm", order_rcm, true, true},
};

static void make_random(base_context *context, base_random *random, int64_t nrow, int64_t ncol,
                        mm_sparse *matrix) {
    static int64_t row[LARGEST * LARGEST], col[LARGEST * LARGEST];
    mm_record record;
    mm_record_init(&record);
    record.field = MM_PATTERN;
    record.nrow = nrow;
    record.ncol = ncol;
    uint64_t sparse = 1 + base_random_below(random, 12);
    for (int64_t j = 0; j < ncol; j++)
        for (int64_t i = 0; i < nrow; i++)
            if (base_random_below(random, sparse) == 0) {
                row[record.nnz] = i;
                col[record.nnz++] = j;
            }
    record.row = row;
    record.col = col;
    if (mm_sparse_from_record(context, &record, (mm_sparse_options){MM_BY_COLUMNS, true}, matrix) != BASE_OK)
        abort();
}

static bool is_permutation(const int64_t *list, int64_t length) {
    bool seen[LARGEST] = {false};
    for (int64_t k = 0; k < length; k++) {
        if (list[k] < 0 || list[k] >= length || seen[list[k]])
            return false;
        seen[list[k]] = true;
    }
    return true;
}

static void check_permutations(base_context *context) {
    base_random random;
    base_random_init(&random, SEED, 1);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        int wrong = 0, refused = 0;
        for (int round = 0; round < 300; round++) {
            int64_t ncol = (int64_t)base_random_below(&random, LARGEST);
            int64_t nrow = methods[m].square ? ncol : (int64_t)base_random_below(&random, LARGEST);
            mm_sparse matrix;
            order_permutation order = {NULL, NULL};
            make_random(context, &random, nrow, ncol, &matrix);
            bool good = methods[m].find(context, &matrix, &order) == BASE_OK &&
                        is_permutation(order.col, ncol) &&
                        (methods[m].rows ? is_permutation(order.row, nrow) : order.row == NULL);
            wrong += !good;
            order_permutation_free(&order);
            mm_sparse_free(&matrix);
        }
        tap_ok(wrong == 0, "%s: 300 permutations, seed %d (%d wrong)", methods[m].name, SEED, wrong);
        mm_sparse wide;
        order_permutation order;
        make_random(context, &random, 3, 5, &wide);
        refused = methods[m].find(context, &wide, &order) == BASE_FAILED;
        tap_ok(refused == methods[m].square, "%s: a matrix that is not square", methods[m].name);
        if (!refused)
            order_permutation_free(&order);
        mm_sparse_free(&wide);
    }
}

/* Entries of the Cholesky factor, diagonal included, by elimination of the graph; and the half bandwidth. */
static void measure(const mm_sparse *matrix, const int64_t *order, int64_t *fill, int64_t *bandwidth) {
    int64_t n = matrix->ncol;
    bool *is = calloc((size_t)(n * n) + 1, sizeof *is);
    int64_t *place = calloc((size_t)n + 1, sizeof *place);
    for (int64_t k = 0; k < n; k++)
        place[order[k]] = k;
    *fill = n;
    *bandwidth = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t p = matrix->start[j]; p < matrix->start[j + 1]; p++) {
            int64_t a = place[j], b = place[matrix->index[p]];
            is[a * n + b] = is[b * n + a] = true;
            *bandwidth = llabs(a - b) > *bandwidth ? llabs(a - b) : *bandwidth;
        }
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + 1; i < n; i++) {
            if (!is[k * n + i])
                continue;
            ++*fill;
            for (int64_t j = k + 1; j < n; j++)
                is[i * n + j] |= is[k * n + j];
        }
    free(is);
    free(place);
}

static bool read_matrix(base_context *context, const char *name, mm_sparse *matrix) {
    char path[1024];
    const char *source = getenv("srcdir"), *paths[1] = {path};
    mm_reader *reader = NULL;
    mm_record record;
    bool found = false;
    mm_record_init(&record);
    snprintf(path, sizeof path, "%s/tests/data/%s.mtx", source != NULL ? source : ".", name);
    bool good = mm_reader_open(context, paths, 1, false, &reader) == BASE_OK &&
                mm_reader_next(context, reader, &record, &found) == BASE_OK && found &&
                mm_sparse_from_record(context, &record, (mm_sparse_options){.orientation = MM_BY_COLUMNS},
                                      matrix) == BASE_OK;
    mm_reader_close(reader);
    mm_record_free(&record);
    return good;
}

/* amd_lnz and rcm_lowerbandwidth of the Collection's index. AMD breaks ties by the numbers it gets, RCM
 * starts where it likes: 5 % and a quarter more are allowed. METIS is a heuristic for large graphs. */
static void check_known(base_context *context) {
    static const struct {
        const char *name;
        int64_t amd_fill, rcm_bandwidth;
    } known[] = {{"ash85", 505, 13},
                 {"bcspwr01", 104, 5},
                 {"bcspwr02", 129, 13},
                 {"bcspwr03", 383, 17},
                 {"can_24", 120, 7}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        mm_sparse matrix;
        order_permutation order;
        int64_t fill, bandwidth;
        if (!read_matrix(context, known[k].name, &matrix)) {
            tap_ok(false, "%s can be read", known[k].name);
            continue;
        }
        if (order_amd(context, &matrix, &order) != BASE_OK)
            abort();
        measure(&matrix, order.col, &fill, &bandwidth);
        tap_ok(fill * 20 <= known[k].amd_fill * 21 && fill * 21 >= known[k].amd_fill * 20,
               "%s: AMD leaves %lld entries, the index says %lld", known[k].name, (long long)fill,
               (long long)known[k].amd_fill);
        order_permutation_free(&order);
        if (order_metis(context, &matrix, &order) != BASE_OK)
            abort();
        measure(&matrix, order.col, &fill, &bandwidth);
        tap_ok(fill * 2 <= known[k].amd_fill * 3, "%s: METIS leaves %lld", known[k].name, (long long)fill);
        order_permutation_free(&order);
        if (order_rcm(context, &matrix, &order) != BASE_OK)
            abort();
        measure(&matrix, order.col, &fill, &bandwidth);
        tap_ok(bandwidth * 4 <= known[k].rcm_bandwidth * 5, "%s: RCM has bandwidth %lld, the index says %lld",
               known[k].name, (long long)bandwidth, (long long)known[k].rcm_bandwidth);
        order_permutation_free(&order);
        mm_sparse_free(&matrix);
    }
}

/* Algorithm 3 as it stands: columns by the fewest rows not placed, rows as their first column comes. */
static bool is_permanent_order(const mm_sparse *matrix, const order_permutation *order) {
    bool placed[LARGEST] = {false}, used[LARGEST] = {false};
    int64_t rows = 0;
    for (int64_t k = 0; k < matrix->ncol; k++) {
        int64_t best = -1, least = 0;
        for (int64_t j = 0; j < matrix->ncol; j++) {
            int64_t degree = 0;
            for (int64_t p = matrix->start[j]; p < matrix->start[j + 1]; p++)
                degree += !placed[matrix->index[p]];
            if (!used[j] && (best < 0 || degree < least)) {
                best = j;
                least = degree;
            }
        }
        if (order->col[k] != best)
            return false;
        used[best] = true;
        for (int64_t p = matrix->start[best]; p < matrix->start[best + 1]; p++)
            if (!placed[matrix->index[p]]) {
                placed[matrix->index[p]] = true;
                if (order->row[rows++] != matrix->index[p])
                    return false;
            }
    }
    return true;
}

static void check_permanent(base_context *context) {
    base_random random;
    base_random_init(&random, SEED, 2);
    int wrong = 0, outside = 0;
    for (int round = 0; round < 300; round++) {
        int64_t n = 1 + (int64_t)base_random_below(&random, LARGEST - 1);
        mm_sparse matrix, ordered;
        order_permutation order;
        make_random(context, &random, n, n, &matrix);
        if (order_permanent(context, &matrix, &order) != BASE_OK ||
            mm_sparse_permute(context, &matrix, order.row, order.col, &ordered) != BASE_OK)
            abort();
        wrong += !is_permanent_order(&matrix, &order);
        order_partition partition = order_permanent_partition(&ordered);
        bool good = partition.columns >= 1 && partition.columns <= n && partition.rows <= n;
        for (int64_t p = 0; good && p < ordered.start[partition.columns]; p++)
            good = ordered.index[p] < partition.rows;
        outside += !good;
        order_permutation_free(&order);
        mm_sparse_free(&matrix);
        mm_sparse_free(&ordered);
    }
    tap_ok(wrong == 0, "300 matrices as algorithm 3 orders them, seed %d (%d wrong)", SEED, wrong);
    tap_ok(outside == 0, "... their first c columns touch the first k rows only (%d wrong)", outside);
    /* 1×1 steps of a diagonal: 1632/9 for the first column, 1632/3 for both. */
    int64_t start[] = {0, 1, 2}, index[] = {0, 1};
    mm_sparse diagonal = {
        .nrow = 2, .ncol = 2, .nnz = 2, .start = start, .index = index, .field = MM_PATTERN};
    order_partition both = order_permanent_partition(&diagonal);
    tap_ok(both.columns == 2 && both.rows == 2, "both columns of a diagonal");
    /* The second column touches rows whose sums no thread has registers for. */
    static int64_t long_index[101];
    int64_t long_start[] = {0, 1, 101};
    for (int64_t k = 0; k < 100; k++)
        long_index[k + 1] = k;
    mm_sparse arrow = {
        .nrow = 120, .ncol = 2, .nnz = 101, .start = long_start, .index = long_index, .field = MM_PATTERN};
    long_index[100] = 119;
    order_partition first = order_permanent_partition(&arrow);
    tap_ok(first.columns == 1 && first.rows == 1, "a column that does not fit the registers");
}

int main(void) {
    base_context context;
    base_context_init(&context);
    check_permutations(&context);
    check_known(&context);
    check_permanent(&context);
    return tap_done();
}
