/* SPDX-License-Identifier: BSD-3-Clause */
/* Random matrices, and what tests of the formats that pack_… makes decode of them. Included after shim.h,
 * once in a program. */
#ifndef TESTS_UNIT_SPMM_PACKED_H
#define TESTS_UNIT_SPMM_PACKED_H

#include "tests/support/spmm_matrix.h"
#include "tests/support/spmm_pack.h"

enum { MOST_ROWS = 300, MOST_COLUMNS = 500, ROUNDS = 3 };

static base_random numbers;
static int64_t start[MOST_ROWS + 1], before[8];
static int32_t index_of[MOST_ROWS * MOST_COLUMNS], band[8];
static double value[MOST_ROWS * MOST_COLUMNS]; /* or floats */
static unsigned char met[MOST_ROWS][MOST_COLUMNS];

static SHIM_UNUSED int64_t pick(int64_t below) {
    return (int64_t)base_random_below(&numbers, (uint64_t)below);
}

/* ---- matrices ---- */

/* Some rows empty, some full, columns in a stretch or anywhere. */
static SHIM_UNUSED spmm_csr make_matrix(spmm_precision precision) {
    spmm_csr a = {1 + pick(MOST_ROWS), 1 + pick(MOST_COLUMNS), 0, start, index_of, value};
    const double share = base_random_uniform(&numbers) * base_random_uniform(&numbers) / 4;
    const bool narrow = pick(2) == 0;
    for (int64_t row = 0; row < a.nrow; row++) {
        const int64_t kind = pick(40), low = narrow ? row * a.ncol / a.nrow / 2 : 0,
                      high = narrow ? low + a.ncol / 2 : a.ncol;
        spmm_matrix_draw_row(&numbers, precision, row, low, high, kind < 3 ? 0 : kind == 3 ? 1 : share, &a);
    }
    return a;
}

/* All rows, or some bands of them. */
static SHIM_UNUSED spmm_pack_matrix take_bands(const spmm_csr *a, spmm_precision precision) {
    spmm_pack_matrix taken = pack_matrix_of(a, precision);
    int64_t count = 0, nnz = 0, rows = 0;
    if (pick(2) == 0)
        return taken;
    for (int64_t k = 0; k * SPMM_PACK_BAND < a->nrow; k++)
        if (pick(2) == 0) {
            const int64_t first = k * SPMM_PACK_BAND, left = a->nrow - first,
                          end = first + (left < SPMM_PACK_BAND ? left : SPMM_PACK_BAND);
            band[count] = (int32_t)k;
            before[count++] = nnz;
            nnz += start[end] - start[first];
            rows += end - first;
        }
    taken.band = band;
    taken.before = (const long long *)before;
    taken.place_count = rows;
    taken.nnz = nnz;
    return taken;
}

static SHIM_UNUSED bool is_taken(const spmm_pack_matrix *a, int64_t row) {
    for (int64_t k = 0; a->band != NULL && k * SPMM_PACK_BAND < a->place_count; k++)
        if (a->band[k] == row / SPMM_PACK_BAND)
            return true;
    return a->band == NULL;
}

/* ---- decoding ---- */

static SHIM_UNUSED void forget(void) {
    memset(met, 0, sizeof met);
}

/* Whether the matrix has this number there, and it is found for the first time. */
static SHIM_UNUSED bool is_entry(const spmm_csr *a, spmm_precision precision, int64_t row, int64_t column,
                                 double number) {
    if (row < 0 || row >= a->nrow || column < 0 || column >= a->ncol || met[row][column]++ != 0)
        return false;
    for (int64_t k = start[row]; k < start[row + 1]; k++)
        if (index_of[k] == column)
            return spmm_matrix_get(a, precision, k) == number;
    return false;
}

static SHIM_UNUSED bool met_all(const spmm_pack_matrix *a) {
    int64_t count = 0;
    for (int64_t row = 0; row < a->nrow; row++)
        for (int64_t column = 0; column < a->ncol; column++)
            count += met[row][column];
    return count == a->nnz;
}

static SHIM_UNUSED bool good_part(const packed *it, int64_t number, int64_t target, int64_t before_it) {
    const spmm_gpu_part *part = &it->part[number];
    return number >= 0 && number < it->part_count && part->target == target && part->count > 1 &&
           part->first + before_it == number && before_it < part->count;
}

static SHIM_UNUSED int64_t row_of(const spmm_pack_matrix *a, int64_t place) {
    return a->band == NULL
               ? place
               : (int64_t)a->band[place / SPMM_PACK_BAND] * SPMM_PACK_BAND + place % SPMM_PACK_BAND;
}

#endif
