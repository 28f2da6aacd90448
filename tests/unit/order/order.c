/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders by degree, lists of indices as metadata, permutations and what undoes them. */
#include "base/core/random.h"
#include "mm/matrix/rearrange.h"
#include "mm/metadata/list.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/origin.h"
#include "order/degree.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 31 };

static int64_t *random_permutation(base_random *random, int64_t length) {
    int64_t *list = calloc((size_t)length + 1, sizeof *list);
    for (int64_t k = 0; k < length; k++) {
        int64_t other = (int64_t)base_random_below(random, (uint64_t)k + 1);
        list[k] = list[other];
        list[other] = k;
    }
    return list;
}

static void check_text(base_context *context) {
    static const struct {
        const char *comments;
        int64_t length, item[8];
    } good[] = {
        {"% x: 3 1 2\n", 3, {2, 0, 1}},
        {"%x:1:4\n", 4, {0, 1, 2, 3}},
        {"% y: 9\n% x: 5 1:2\n% z: 1\n% x:\t4:4 3 \n", 5, {4, 0, 1, 3, 2}},
        {"% x:\n", 0, {0}},
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        mm_record record = {.comments = (char *)good[k].comments};
        int64_t *item;
        base_status status = mm_list_get(context, &record, "x", good[k].length, &item);
        tap_ok(status == BASE_OK && item != NULL &&
                   memcmp(item, good[k].item, (size_t)good[k].length * sizeof *item) == 0,
               "list %zu", k);
        free(item);
    }
    static const struct {
        const char *comments;
        base_status status;
    } bad[] = {
        {"% x: 1 2\n", BASE_FAILED},      {"% x: 1 2 3 4\n", BASE_FAILED},
        {"% x: 1 a 3\n", BASE_DAMAGED},   {"% x: 0 1 2\n", BASE_DAMAGED},
        {"% x: 3:1\n", BASE_DAMAGED},     {"% x: 1:999999999999999999\n", BASE_FAILED},
        {"% x: 1, 2, 3\n", BASE_DAMAGED}, {"% x: 99999999999999999999\n", BASE_DAMAGED},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mm_record record = {.comments = (char *)bad[k].comments};
        int64_t *item;
        tap_ok(mm_list_get(context, &record, "x", 3, &item) == bad[k].status && item == NULL, "refused: %s",
               bad[k].comments + 2);
    }
    mm_record without = {.comments = NULL};
    int64_t *item = (int64_t *)1;
    tap_ok(mm_list_get(context, &without, "x", 3, &item) == BASE_OK && item == NULL, "no list");
}

static int64_t longest_line(const char *text) {
    size_t longest = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        longest = length > longest ? length : longest;
        text += length + (text[length] == '\n');
    }
    return (int64_t)longest;
}

static void check_lists(base_context *context) {
    base_random random;
    base_random_init(&random, SEED, 0);
    for (int64_t length = 0; length < 200000; length = length * 7 + 1) {
        mm_record record;
        int64_t *list = random_permutation(&random, length), *back = NULL;
        mm_record_init(&record);
        bool good = mm_metadata_set(context, &record, "name", "a b") == BASE_OK &&
                    mm_list_set(context, &record, "x", list, length) == BASE_OK &&
                    mm_list_set(context, &record, "y", list, length) == BASE_OK &&
                    mm_list_set(context, &record, "x", list, length) == BASE_OK &&
                    mm_list_get(context, &record, "x", length, &back) == BASE_OK &&
                    memcmp(list, back, (size_t)length * sizeof *list) == 0;
        tap_ok(good && longest_line(record.comments) < 1024, "a list of %lld and back, seed %d",
               (long long)length, SEED);
        mm_metadata_remove(&record, "x");
        mm_metadata_remove(&record, "y");
        tap_ok(strcmp(record.comments, "% name: a b\n") == 0, "... and gone");
        free(list);
        free(back);
        mm_record_free(&record);
    }
}

/* A record of random integers, sorted by columns, with explicit zeros. */
static void make_record(base_context *context, base_random *random, mm_record *record) {
    mm_record_init(record);
    record->field = MM_INTEGER;
    record->nrow = 1 + (int64_t)base_random_below(random, 30);
    record->ncol = 1 + (int64_t)base_random_below(random, 30);
    record->nnz = record->nrow * record->ncol;
    if (mm_record_alloc(context, record) != BASE_OK)
        abort();
    int64_t nnz = 0;
    for (int64_t j = 0; j < record->ncol; j++)
        for (int64_t i = 0; i < record->nrow; i++)
            if (base_random_below(random, 3) == 0) {
                record->row[nnz] = i;
                record->col[nnz] = j;
                record->integer[nnz++] = (int64_t)base_random_below(random, 9) - 4;
            }
    record->nnz = nnz;
}

static bool same_entries(const mm_record *a, const mm_record *b) {
    size_t bytes = (size_t)a->nnz * sizeof(int64_t);
    return a->nnz == b->nnz && memcmp(a->row, b->row, bytes) == 0 && memcmp(a->col, b->col, bytes) == 0 &&
           memcmp(a->integer, b->integer, bytes) == 0;
}

static void check_restore(base_context *context) {
    base_random random;
    base_random_init(&random, SEED, 1);
    int wrong = 0;
    for (int piece = 0; piece < 500; piece++) {
        mm_record record, permuted;
        make_record(context, &random, &record);
        mm_record_init(&permuted);
        permuted.field = record.field;
        permuted.nrow = record.nrow;
        permuted.ncol = record.ncol;
        permuted.nnz = record.nnz;
        if (mm_record_alloc(context, &permuted) != BASE_OK)
            abort();
        memcpy(permuted.row, record.row, (size_t)record.nnz * 8);
        memcpy(permuted.col, record.col, (size_t)record.nnz * 8);
        memcpy(permuted.integer, record.integer, (size_t)record.nnz * 8);
        for (int round = 0; round < 3; round++) {
            int64_t *row = random_permutation(&random, record.nrow);
            int64_t *col = random_permutation(&random, record.ncol);
            wrong += mm_record_permute(context, &permuted, round == 1 ? NULL : row, col) != BASE_OK;
            free(row);
            free(col);
        }
        mm_origin origin;
        wrong += mm_origin_get(context, &permuted, &origin) != BASE_OK;
        for (int64_t k = 0, found = 0; k < permuted.nnz; k++, found = 0) {
            for (int64_t q = 0; q < record.nnz; q++)
                found += record.row[q] == origin.row[permuted.row[k]] &&
                         record.col[q] == origin.col[permuted.col[k]] &&
                         record.integer[q] == permuted.integer[k];
            wrong += found != 1;
        }
        mm_origin_free(&origin);
        wrong += mm_record_restore(context, &permuted) != BASE_OK || !same_entries(&record, &permuted) ||
                 permuted.comments == NULL || permuted.comments[0] != '\0';
        wrong += mm_record_restore(context, &permuted) != BASE_FAILED;
        mm_record_free(&permuted);
        mm_record_free(&record);
    }
    tap_ok(wrong == 0, "three permutations of 500 matrices, seed %d: origins right, restored (%d wrong)",
           SEED, wrong);
}

static bool is_sorted_by(const int64_t *degree, const int64_t *order, int64_t count) {
    for (int64_t k = 1; k < count; k++)
        if (degree[order[k - 1]] > degree[order[k]] ||
            (degree[order[k - 1]] == degree[order[k]] && order[k - 1] >= order[k]))
            return false;
    return true;
}

static void check_degree(base_context *context) {
    base_random random;
    base_random_init(&random, SEED, 2);
    int wrong = 0;
    for (int piece = 0; piece < 500; piece++) {
        mm_record record;
        mm_sparse matrix;
        order_permutation order;
        int64_t rows[32] = {0}, cols[32] = {0};
        make_record(context, &random, &record);
        if (mm_sparse_from_record(context, &record, (mm_sparse_options){MM_BY_COLUMNS, true}, &matrix) !=
                BASE_OK ||
            order_degree_sort(context, &matrix, &order) != BASE_OK)
            abort();
        for (int64_t k = 0; k < record.nnz; k++) {
            rows[record.row[k]]++;
            cols[record.col[k]]++;
        }
        wrong += !is_sorted_by(rows, order.row, record.nrow) || !is_sorted_by(cols, order.col, record.ncol);
        order_permutation_free(&order);
        mm_sparse_free(&matrix);
        mm_record_free(&record);
    }
    tap_ok(wrong == 0, "500 matrices by degree, ties in order, seed %d (%d wrong)", SEED, wrong);
}

int main(void) {
    base_context context;
    base_context_init(&context);
    check_text(&context);
    check_lists(&context);
    check_restore(&context);
    check_degree(&context);
    return tap_done();
}
