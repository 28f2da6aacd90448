/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/cpu/sell.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTHS = 256 /* that are told apart in sorting */ };

/* The rows of a window. */
typedef struct window {
    const spmm_csr *a;
    int64_t first;                   /* row */
    int32_t rows;                    /* that there are */
    int64_t next[SPMM_SELL_WINDOW];  /* each row's first entry of the block, */
    int32_t count[SPMM_SELL_WINDOW]; /* … how many it has, */
    int32_t order[SPMM_SELL_WINDOW]; /* … and the rows by that, long ones first */
} window;

static void begin(const spmm_csr *a, int64_t number, window *it) {
    it->a = a;
    it->first = number * SPMM_SELL_WINDOW;
    it->rows = (int32_t)(a->nrow - it->first < SPMM_SELL_WINDOW ? a->nrow - it->first : SPMM_SELL_WINDOW);
    for (int32_t r = 0; r < it->rows; r++) {
        it->next[r] = a->start[it->first + r];
        it->count[r] = 0;
    }
}

/* Steps to the block that ends before that column, and sorts the rows by their number of entries in it (a
 * counting sort, longest first; rows of LENGTHS - 1 entries or more are taken as equal). */
static void step(window *it, int64_t end_column) {
    int32_t place[LENGTHS + 1] = {0};
    for (int32_t r = 0; r < it->rows; r++) {
        const int64_t end = it->a->start[it->first + r + 1];
        int64_t k = it->next[r] += it->count[r];
        while (k < end && it->a->index[k] < end_column)
            k++;
        it->count[r] = (int32_t)(k - it->next[r]);
    }
    for (int32_t r = 0; r < it->rows; r++)
        place[LENGTHS - (it->count[r] < LENGTHS ? it->count[r] : LENGTHS - 1)]++;
    for (int l = 0; l < LENGTHS; l++)
        place[l + 1] += place[l];
    for (int32_t r = 0; r < it->rows; r++)
        it->order[place[LENGTHS - 1 - (it->count[r] < LENGTHS ? it->count[r] : LENGTHS - 1)]++] = r;
}

/* The rows of a slice, the first once more where there are fewer; returns its steps. */
static int32_t take(const window *it, int32_t number, int32_t row[SPMM_SELL_ROWS]) {
    int32_t steps = 0;
    for (int i = 0; i < SPMM_SELL_ROWS; i++) {
        const int32_t at = number * SPMM_SELL_ROWS + i;
        row[i] = it->order[at < it->rows ? at : number * SPMM_SELL_ROWS];
        steps = it->count[row[i]] > steps ? it->count[row[i]] : steps;
    }
    return steps;
}

static int32_t count_slices(const window *it) {
    return (it->rows + SPMM_SELL_ROWS - 1) / SPMM_SELL_ROWS;
}

static int64_t count_steps(const window *it) {
    int64_t steps = 0;
    int32_t row[SPMM_SELL_ROWS];
    for (int32_t k = 0; k < count_slices(it); k++)
        steps += take(it, k, row);
    return steps;
}

static void put_value(const spmm_csr *a, int64_t from, bool is_wide, void *to) {
    if (is_wide)
        memcpy(to, (const double *)a->value + from, sizeof(double));
    else
        memcpy(to, (const float *)a->value + from, sizeof(float));
}

/* The slices of a window in the block that begins with that column; places without an entry get `none`. */
static void fill(const window *it, int64_t first_column, uint16_t none, bool is_wide, spmm_sell_slice *slice,
                 char *entry) {
    const int64_t value_bytes = is_wide ? 8 : 4;
    int32_t row[SPMM_SELL_ROWS];
    for (int32_t k = 0; k < count_slices(it); k++, slice++) {
        const int32_t left = it->rows - k * SPMM_SELL_ROWS;
        slice->steps = take(it, k, row);
        slice->rows = left < SPMM_SELL_ROWS ? left : SPMM_SELL_ROWS;
        for (int i = 0; i < SPMM_SELL_ROWS; i++)
            slice->row[i] = (int32_t)it->first + row[i];
        for (int32_t s = 0; s < slice->steps; s++) {
            uint16_t place[SPMM_SELL_ROWS];
            char *value = entry + sizeof place;
            memset(value, 0, (size_t)(SPMM_SELL_ROWS * value_bytes));
            for (int i = 0; i < SPMM_SELL_ROWS; i++) {
                const bool there = i < slice->rows && s < it->count[row[i]];
                const int64_t from = it->next[row[i]] + s;
                place[i] = there ? (uint16_t)(it->a->index[from] - first_column) : none;
                if (there)
                    put_value(it->a, from, is_wide, value + i * value_bytes);
            }
            memcpy(entry, place, sizeof place);
            entry = value + SPMM_SELL_ROWS * value_bytes;
        }
    }
}

int64_t spmm_sell_step_bytes(bool is_wide) {
    return SPMM_SELL_ROWS * (2 + (is_wide ? 8 : 4));
}

/* Steps of each window in each block become the sums of those before. */
static void add_up(const spmm_csr *a, spmm_sell *it) {
    const int64_t all = it->blocks * it->windows;
    int64_t slices = 0, steps = 0;
    for (int64_t k = 0; k <= all; k++) {
        const int64_t left = a->nrow - k % (it->windows > 0 ? it->windows : 1) * SPMM_SELL_WINDOW,
                      rows = left < SPMM_SELL_WINDOW ? left : SPMM_SELL_WINDOW, own = it->first_step[k];
        it->first_slice[k] = slices;
        it->first_step[k] = steps;
        slices += (rows + SPMM_SELL_ROWS - 1) / SPMM_SELL_ROWS;
        steps += own;
    }
}

/* Goes through all windows, block by block: without a place for slices it counts their steps, else it fills
 * them. */
static void walk(base_context *context, const spmm_csr *a, bool is_wide, spmm_sell *it) {
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int64_t w = 0; w < it->windows; w++) {
        window own;
        begin(a, w, &own);
        for (int64_t b = 0; b < it->blocks; b++) {
            const int64_t at = b * it->windows + w, first_column = b * it->block_columns;
            step(&own, first_column + it->block_columns);
            if (it->slice == NULL)
                it->first_step[at] = count_steps(&own);
            else
                fill(&own, first_column, (uint16_t)it->block_columns, is_wide,
                     it->slice + it->first_slice[at],
                     it->entry + it->first_step[at] * spmm_sell_step_bytes(is_wide));
        }
    }
}

base_status spmm_sell_init(base_context *context, const spmm_csr *a, int64_t block_columns, bool is_wide,
                           spmm_sell *slices) {
    base_status status = BASE_MACHINE;
    spmm_sell *it = slices;
    *it = (spmm_sell){.block_columns = block_columns,
                      .blocks = (a->ncol + block_columns - 1) / block_columns,
                      .windows = (a->nrow + SPMM_SELL_WINDOW - 1) / SPMM_SELL_WINDOW};
    const int64_t all = it->blocks * it->windows;
    it->first_slice = base_alloc_zero(context, all + 1, sizeof *it->first_slice);
    it->first_step = base_alloc_zero(context, all + 1, sizeof *it->first_step);
    if (it->first_slice == NULL || it->first_step == NULL)
        goto done;
    walk(context, a, is_wide, it);
    add_up(a, it);
    it->entry = base_alloc_aligned(context, it->first_step[all], spmm_sell_step_bytes(is_wide));
    it->slice = base_alloc(context, it->first_slice[all], sizeof *it->slice);
    if (it->slice == NULL || it->entry == NULL)
        goto done;
    walk(context, a, is_wide, it);
    status = BASE_OK;
done:
    if (status != BASE_OK)
        spmm_sell_free(it);
    return status;
}

void spmm_sell_free(spmm_sell *slices) {
    if (slices == NULL)
        return;
    free(slices->first_slice);
    free(slices->first_step);
    free(slices->slice);
    free(slices->entry);
    memset(slices, 0, sizeof *slices);
}
