/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels transpose_… on the CPU: numbers are where they belong and rounded as processors round
 * them, bit by bit; padding is 0 and nothing beside it is written. */
#include "shim.h"

#include "base/core/random.h"
#include "spmm/problem/format.h"
#include "spmm/problem/spmm.h"
#include "spmm/transpose/gpu.cu"
#include "tests/support/tap.h"

enum { SEED = 61, MOST_ROWS = 90, MOST_COLUMNS = 70, ROUNDS = 12, BEHIND = 64 };

static base_random numbers;
static double column[MOST_ROWS * MOST_COLUMNS], again[MOST_ROWS * MOST_COLUMNS + 1];
static char row[MOST_ROWS * (MOST_COLUMNS + 16) * 8 + BEHIND], wanted[sizeof row];
static int wrong_rows, wrong_columns, wrong_counts;

static const struct {
    spmm_precision precision;
    int format;
} formats[] = {{SPMM_FP16, SPMM_TRANSPOSE_FP16}, {SPMM_BF16, SPMM_TRANSPOSE_BF16},
               {SPMM_TF32, SPMM_TRANSPOSE_TF32}, {SPMM_3XTF32, SPMM_TRANSPOSE_FP32},
               {SPMM_FP32, SPMM_TRANSPOSE_FP32}, {SPMM_FP64, SPMM_TRANSPOSE_FP64}};

static int64_t pick(int64_t below) {
    return (int64_t)base_random_below(&numbers, (uint64_t)below);
}

/* Any magnitude, ties of the short formats, the ends of their ranges, sometimes infinite. */
static double draw(bool finite) {
    const double edges[] = {0,       -0.0,      65504,     65519.999, 65520,   0x1p-24,         0x1p-25,
                            0x1p-14, 0x1.8p-25, 0x1p-133,  0x1p-126,  0x1p127, 0x1.fffffefp127, 2049,
                            257,     0x1.002p0, 0x1.006p0, 0x1.01p0,  1e300,   INFINITY};
    const int64_t kind = pick(4);
    double x = edges[pick(finite ? 6 : (int64_t)(sizeof edges / sizeof *edges))];
    if (kind == 0)
        x = ldexp(base_random_uniform(&numbers), finite ? 0 : (int)pick(300) - 160);
    if (kind == 1)
        x = (double)pick(4096) / 4096;
    if (kind == 2)
        x = ldexp((double)(1 + pick(1 << 13)), -(int)pick(finite ? 12 : 40));
    return pick(2) == 0 ? x : -x;
}

static void thread_rows(void *it) {
    transpose_rows(*(const spmm_transpose *)it);
}

static void thread_round(void *it) {
    transpose_round(*(const spmm_transpose *)it);
}

static void thread_columns(void *it) {
    transpose_columns(*(const spmm_transpose *)it);
}

static void launch(void (*thread)(void *), spmm_transpose *it) {
    const int64_t tiles = SPMM_TRANSPOSE_PARTS(it->nrow) * SPMM_TRANSPOSE_PARTS(it->stride);
    shim_launch(thread, it, (shim_index){(unsigned)tiles, 1, 1}, (shim_index){SPMM_TRANSPOSE_THREADS, 1, 1},
                0);
}

/* What the processor makes of the same numbers. */
static uint64_t make_wanted(const spmm_transpose *it, spmm_precision precision, int64_t bytes) {
    uint64_t beyond = 0;
    memset(wanted, 0xa5, sizeof wanted);
    memset(wanted, 0, (size_t)(it->nrow * it->stride * bytes));
    for (int64_t i = 0; i < it->nrow; i++)
        for (int64_t j = 0; j < it->ncol; j++) {
            spmm_pack(precision, column + j * it->nrow + i, 1, 1, wanted + (i * it->stride + j) * bytes);
            beyond += !isfinite(spmm_round(precision, column[j * it->nrow + i]));
        }
    return beyond;
}

static void test(spmm_precision precision, int format, bool finite) {
    const spmm_format kept = spmm_format_of(precision);
    const int64_t bytes = spmm_format_bytes(kept);
    unsigned long long beyond = 0;
    spmm_transpose it = {.column = column,
                         .row = row,
                         .beyond = &beyond,
                         .nrow = 1 + pick(MOST_ROWS),
                         .ncol = 1 + pick(MOST_COLUMNS),
                         .format = format};
    it.stride = (it.ncol + 7) / 8 * 8;
    for (int64_t k = 0; k < it.nrow * it.ncol; k++)
        column[k] = draw(finite);
    memset(row, 0xa5, sizeof row);
    launch(thread_rows, &it);
    wrong_counts += beyond != make_wanted(&it, precision, bytes);
    wrong_rows += memcmp(row, wanted, sizeof row) != 0;
    if (kept != SPMM_FORMAT_FP32 && kept != SPMM_FORMAT_FP64)
        return;
    memset(again, 0xa5, sizeof again);
    const double behind = again[it.nrow * it.ncol];
    it.column = again;
    it.format = kept == SPMM_FORMAT_FP64 ? SPMM_TRANSPOSE_FP64 : SPMM_TRANSPOSE_FP32;
    const unsigned long long before = beyond;
    beyond = 0;
    launch(thread_columns, &it);
    wrong_counts += beyond != before;
    for (int64_t k = 0; k < it.nrow * it.ncol; k++) {
        const double rounded = spmm_round(precision, column[k]);
        wrong_columns += memcmp(&again[k], &rounded, sizeof rounded) != 0;
    }
    wrong_columns += memcmp(&again[it.nrow * it.ncol], &behind, sizeof behind) != 0;
}

/* Rounded where they are, and nothing behind them. */
static void test_round(void) {
    enum { ROWS = 37, STRIDE = 12 };
    static float number[ROWS * STRIDE + 1], before[ROWS * STRIDE + 1];
    int wrong = 0;
    spmm_transpose it = {.row = number, .nrow = ROWS, .stride = STRIDE};
    for (int k = 0; k <= ROWS * STRIDE; k++)
        number[k] = before[k] = (float)draw(false);
    shim_launch(thread_round, &it, (shim_index){(ROWS * STRIDE + 255) / 256, 1, 1},
                (shim_index){SPMM_TRANSPOSE_THREADS, 1, 1}, 0);
    for (int k = 0; k < ROWS * STRIDE; k++) {
        const float wanted_number = (float)spmm_round(SPMM_TF32, (double)before[k]);
        wrong += memcmp(&number[k], &wanted_number, sizeof wanted_number) != 0;
    }
    wrong += memcmp(&number[ROWS * STRIDE], &before[ROWS * STRIDE], sizeof *number) != 0;
    tap_ok(wrong == 0, "rounded to tf32 in place (%d wrong)", wrong);
}

int main(void) {
    base_random_init(&numbers, SEED, 0);
    tap_note("seed %d", SEED);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        wrong_rows = wrong_columns = wrong_counts = 0;
        for (int k = 0; k < ROUNDS; k++)
            test(formats[f].precision, formats[f].format, k % 2 == 0);
        tap_ok(wrong_rows == 0, "%s: rows as the processor packs them (%d wrong)",
               spmm_precision_name(formats[f].precision), wrong_rows);
        tap_ok(wrong_columns == 0, "... and columns again (%d wrong)", wrong_columns);
        tap_ok(wrong_counts == 0, "... numbers that are not finite are counted (%d wrong)", wrong_counts);
    }
    test_round();
    return tap_done();
}
