/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels tca_half and tca_bfloat on the CPU, beside sums in doubles: rows of every class of
 * length, many blocks to a row, NaN in C beforehand. The assignment of warps to rows by its rules. */
#define SHIM_STACK_BYTES (96 << 10)
#include "shim.h"

#include "spmm/tca/gpu.cu"

#include "base/core/random.h"
#include "spmm/problem/format.h"
#include "spmm/problem/spmm.h"
#include "tests/support/spmm_pack.h"
#include "tests/support/tap.h"

#include <math.h>

enum { SEED = 13, ROWS = 40, COLUMNS = 400 };

static base_random randoms;

static int64_t pick(int64_t below) {
    return (int64_t)base_random_below(&randoms, (uint64_t)below);
}

typedef struct example {
    int64_t nrow, ncol, n;
    int64_t start[ROWS + 1];
    int32_t index[ROWS * COLUMNS];
    float value[ROWS * COLUMNS];
    spmm_csr a;
} example;

/* Rows of 0 … 8, … 16, … 32, … 64 entries and longer ones. */
static void draw_matrix(spmm_precision precision, int64_t nrow, int64_t ncol, example *e) {
    static const int64_t most[] = {1, 9, 17, 33, 65, 66, 200, COLUMNS};
    int64_t nnz = 0;
    e->nrow = nrow;
    e->ncol = ncol;
    e->start[0] = 0;
    for (int64_t i = 0; i < nrow; i++) {
        const int64_t drawn = pick(most[pick(8)]);
        int64_t left = drawn < ncol ? drawn : ncol;
        for (int64_t j = 0; j < ncol; j++)
            if (pick(ncol - j) < left) {
                e->index[nnz] = (int32_t)j;
                e->value[nnz] = (float)spmm_round(precision, base_random_uniform(&randoms) - 0.5);
                nnz++;
                left--;
            }
        e->start[i + 1] = nnz;
    }
    e->a = (spmm_csr){nrow, ncol, nnz, e->start, e->index, e->value};
}

static void run_half(void *product) {
    tca_half(*(const spmm_tca_product *)product);
}

static void run_bfloat(void *product) {
    tca_bfloat(*(const spmm_tca_product *)product);
}

/* The largest error in shares of the sum of magnitudes and of |beta C|; infinite when something else changed.
 */
static double try_product(spmm_precision precision, const example *e, bool wide) {
    const spmm_format format = spmm_format_of(precision), c_format = wide ? SPMM_FORMAT_FP32 : format;
    const int64_t n = e->n, vectors = (n + 7) / 8, c_bytes = wide ? 4 : 2, c_columns = n + pick(9);
    const double alpha = pick(2) == 0 ? 1 : -0.5, beta = pick(2) == 0 ? 0 : 2;
    uint16_t *b = malloc((size_t)(e->ncol * vectors * 16) + 16);
    char *c = malloc((size_t)(e->nrow * c_columns * c_bytes) + 1),
         *old = malloc((size_t)(e->nrow * c_columns * c_bytes) + 1);
    double worst = 0;
    for (int64_t i = 0; i < e->ncol * vectors * 8; i++) {
        const double x = i % (vectors * 8) < n ? base_random_uniform(&randoms) - 0.5 : NAN;
        spmm_pack(precision, &x, 1, 1, &b[i]);
    }
    for (int64_t i = 0; i < e->nrow * c_columns; i++) {
        const double x = beta == 0 ? NAN : base_random_uniform(&randoms);
        spmm_pack(wide ? SPMM_FP32 : precision, &x, 1, 1, old + i * c_bytes);
    }
    memcpy(c, old, (size_t)(e->nrow * c_columns * c_bytes));
    const spmm_pack_matrix all = pack_matrix_of(&e->a, precision);
    packed warps = packed_tca(&all, n, pick(2) == 0);
    const spmm_tca_product product = {.row = warps.row,
                                      .warps = warps.column,
                                      .within = warps.first_group,
                                      .start = (const long long *)e->start,
                                      .column = e->index,
                                      .value = warps.value,
                                      .b = b,
                                      .c = c,
                                      .b_stride = (int)(vectors * 16),
                                      .c_stride = (int)(c_columns * c_bytes),
                                      .vectors = (int)vectors,
                                      .n = (int)n,
                                      .wide = wide,
                                      .alpha = alpha,
                                      .beta = beta};
    if (warps.windows > 0)
        shim_launch(precision == SPMM_FP16 ? run_half : run_bfloat, (void *)(uintptr_t)&product,
                    (shim_index){(unsigned)warps.windows, 1, 1}, (shim_index){256, 1, 1}, 0);
    for (int64_t at = 0; at < e->nrow * c_columns; at++) {
        const int64_t i = at / c_columns, j = at % c_columns;
        if (j >= n) {
            if (memcmp(c + at * c_bytes, old + at * c_bytes, (size_t)c_bytes) != 0)
                worst = INFINITY;
            continue;
        }
        double sum = 0, magnitude = 1e-30;
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++) {
            const double term =
                alpha * (double)e->value[k] * spmm_unpack(format, b, e->index[k] * vectors * 8 + j);
            sum += term;
            magnitude += fabs(term);
        }
        if (beta != 0) {
            const double before = spmm_unpack(c_format, old, at);
            sum += beta * before;
            magnitude += fabs(beta * before);
        }
        const double error = fabs(spmm_unpack(c_format, c, at) - sum) / magnitude;
        worst = isnan(error) || error > worst ? (isnan(error) ? INFINITY : error) : worst;
    }
    packed_free(&warps);
    free(b);
    free(c);
    free(old);
    return worst;
}

static void check_products(void) {
    static example e;
    for (int which = 0; which < 2; which++) {
        const spmm_precision precision = which == 0 ? SPMM_FP16 : SPMM_BF16;
        double worst = 0, worst_narrow = 0;
        for (int round = 0; round < 12; round++) {
            draw_matrix(precision, round == 0 ? 0 : 1 + pick(ROWS), round == 1 ? 0 : 1 + pick(COLUMNS), &e);
            e.n = round % 3 == 0 ? 1 + pick(9) : 1 + pick(200);
            worst = fmax(worst, try_product(precision, &e, true));
            worst_narrow = fmax(worst_narrow, try_product(precision, &e, false));
        }
        tap_ok(worst < 2e-5, "%s: within fp32 sums (%.1e)", spmm_precision_name(precision), worst);
        tap_ok(worst_narrow < (which == 0 ? 5e-4 : 4e-3), "%s: C of 16 bits (%.1e)",
               spmm_precision_name(precision), worst_narrow);
    }
}

/* Every row has as many warps as its length asks for, numbered, those of a short one in one block. */
static void check_warps(void) {
    static example e;
    int wrong = 0;
    for (int round = 0; round < 50; round++) {
        const int64_t n = 1 + pick(300), tiles = (n + 63) / 64;
        const bool several = pick(2) == 0;
        int64_t next = 0;
        draw_matrix(SPMM_FP16, pick(ROWS + 1), pick(COLUMNS + 1), &e);
        const spmm_pack_matrix all = pack_matrix_of(&e.a, SPMM_FP16);
        packed warps = packed_tca(&all, n, several);
        for (int64_t row = 0; row < e.nrow; row++) {
            const int64_t length = e.start[row + 1] - e.start[row], blocks = (length + 63) / 64;
            const int64_t want = !several       ? 8 * (blocks <= 1      ? 1
                                                       : blocks < tiles ? blocks
                                                                        : tiles)
                                 : length <= 8  ? 1
                                 : length <= 16 ? 2
                                 : length <= 32 ? 4
                                 : length <= 64 ? 8
                                                : 8 * (blocks < tiles ? blocks : tiles);
            while (next < warps.windows * 8 && warps.row[next] == -1)
                next++;
            wrong += want < 8 ? next / 8 != (next + want - 1) / 8 : next % 8 != 0;
            for (int64_t k = 0; k < want; k++, next++)
                wrong += next >= warps.windows * 8 || warps.row[next] != row || warps.column[next] != want ||
                         warps.first_group[next] != k;
        }
        for (; next < warps.windows * 8; next++)
            wrong += warps.row[next] != -1;
        for (int64_t k = 0; k < e.a.nnz; k++)
            wrong += spmm_unpack(SPMM_FORMAT_FP16, warps.value, k) != (double)e.value[k];
        packed_free(&warps);
    }
    tap_ok(wrong == 0, "warps of rows (%d wrong)", wrong);
}

int main(void) {
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", SEED);
    check_warps();
    check_products();
    return tap_done();
}
