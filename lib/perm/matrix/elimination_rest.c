/* SPDX-License-Identifier: BSD-3-Clause */
/* What elimination leaves of a matrix, as a matrix of its own (elimination.h). */
#include "base/core/memory.h"
#include "perm/matrix/elimination.h"

#include <stdlib.h>
#include <string.h>

/* So many are sorted by insertion. */
enum { FEW_PAIRS = 32 };

static int compare_pairs(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Pairs of a row, which are few and mostly in order. */
static void sort_pairs(int64_t (*pair)[2], int64_t count) {
    for (int64_t k = 1; k < count; k++) {
        const int64_t next[2] = {pair[k][0], pair[k][1]};
        int64_t at = k;
        for (; at > 0 && pair[at - 1][0] > next[0]; at--)
            memcpy(pair[at], pair[at - 1], sizeof next);
        memcpy(pair[at], next, sizeof next);
    }
}

/* `taking`: moves the entries instead of copying them. */
static base_status make_rest(const perm_elimination *e, mm_field field, bool taking, perm_matrix *rest) {
    base_status status = BASE_OK;
    int64_t columns = 0, nnz = 0, at = 0, count = 0;
    int64_t *number = base_alloc(e->context, e->n, sizeof *number);
    int64_t(*pair)[2] = base_alloc(e->context, e->n, sizeof *pair);
    if (number == NULL || pair == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t i = 0; i < e->n; i++) {
        number[i] = e->lines[e->n + i].gone ? -1 : columns++;
        nnz += e->lines[i].gone ? 0 : e->lines[i].count;
    }
    BASE_TRY(perm_matrix_alloc(e->context, e->left, nnz, field, rest));
    for (int64_t i = 0; i < e->n; i++) {
        const perm_line *row = &e->lines[i];
        if (row->gone)
            continue;
        for (int64_t k = 0; k < row->count; k++) {
            pair[k][0] = number[perm_elimination_opposite(e, row->entry[k], i) - e->n];
            pair[k][1] = row->entry[k];
        }
        if (row->count <= FEW_PAIRS)
            sort_pairs(pair, row->count);
        else
            qsort(pair, (size_t)row->count, sizeof *pair, compare_pairs);
        for (int64_t k = 0; k < row->count; k++, count++) {
            rest->index[count] = pair[k][0];
            if (taking)
                perm_value_swap(&rest->entry[count], &e->entry[pair[k][1]]);
            else
                perm_value_copy(&rest->entry[count], &e->entry[pair[k][1]]);
        }
        rest->start[++at] = count;
    }
done:
    free(number);
    free(pair);
    return status;
}

base_status perm_elimination_rest(const perm_elimination *e, mm_field field, perm_matrix *rest) {
    return make_rest(e, field, false, rest);
}

base_status perm_elimination_take_rest(perm_elimination *e, mm_field field, perm_matrix *rest) {
    return make_rest(e, field, true, rest);
}
