/* SPDX-License-Identifier: BSD-3-Clause */
/* Products for tests of the device kernels for SpMM on the CPU: random patterns with empty and full rows, NaN
 * in C beforehand, sums in fp64 beside them. Included after shim.h, once in a program. */
#ifndef TESTS_SUPPORT_SPMM_PRODUCT_H
#define TESTS_SUPPORT_SPMM_PRODUCT_H

#include "spmm/common/gpu.h"
#include "tests/support/spmm_matrix.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef SPMM_PRODUCT_COLUMNS
#define SPMM_PRODUCT_COLUMNS 130 /* of A, at most */
#endif

enum { SEED = 31, MOST_ROWS = 150, MOST_COLUMNS = SPMM_PRODUCT_COLUMNS, MOST_N = 150 };

static base_random numbers;
static const double limit[SPMM_PRECISIONS] = {1e-3, 8e-3, 1e-5, 2e-6, 2e-6, 1e-14};

/* ---- a product in host memory ---- */

typedef struct product {
    spmm_precision precision;
    spmm_csr a;
    int64_t start[MOST_ROWS + 1];
    int32_t index[MOST_ROWS * MOST_COLUMNS];
    double value[MOST_ROWS * MOST_COLUMNS]; /* or floats */
    int64_t n, b_stride, c_stride;
    double alpha, beta;
    int wide;
    char *b, *c;
    double *wanted;
} product;

static double draw(spmm_precision precision) {
    return spmm_round(precision, 2 * base_random_uniform(&numbers) - 1);
}

static spmm_format c_format(const product *it) {
    return it->wide ? SPMM_FORMAT_FP32 : spmm_format_of(it->precision);
}

static void put(spmm_format format, double number, void *to) {
    static const spmm_precision precision[] = {SPMM_FP16, SPMM_BF16, SPMM_FP32, SPMM_FP64};
    spmm_pack(precision[format], &number, 1, 1, to);
}

/* B and C as kernels take them; the order of tiles is drawn. */
static SHIM_UNUSED spmm_gpu_operands make_operands(const product *it, void *partial, unsigned *arrived,
                                                   int64_t tiles) {
    return (spmm_gpu_operands){
        .b = it->b,
        .c = it->c,
        .partial = partial,
        .arrived = arrived,
        .b_stride = (int)it->b_stride,
        .c_stride = (int)it->c_stride,
        .vectors = (int)((it->n * spmm_format_bytes(spmm_format_of(it->precision)) + 15) / 16),
        .tiles = (int)tiles,
        .tiles_first = (int)base_random_below(&numbers, 2),
        .wide = it->wide,
        .alpha = it->alpha,
        .beta = it->beta};
}

/* Rows of A: some empty, some full, the others of density `share`. */
static void make_product(product *it, spmm_precision precision, int64_t rows, int64_t columns, int64_t n,
                         double share) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(precision));
    it->precision = precision;
    it->n = n;
    it->wide = bytes == 2 && base_random_below(&numbers, 2) == 0;
    it->alpha = 1 + (double)base_random_below(&numbers, 2);
    it->beta = (double)base_random_below(&numbers, 2);
    it->b_stride = (n * bytes + 15) / 16 * 16 + 16 * (int64_t)base_random_below(&numbers, 3);
    it->c_stride = it->wide ? 2 * it->b_stride : it->b_stride;
    it->a = (spmm_csr){rows, columns, 0, it->start, it->index, it->value};
    for (int64_t row = 0; row < rows; row++) {
        const uint64_t kind = base_random_below(&numbers, 8);
        spmm_matrix_draw_row(&numbers, precision, row, 0, columns,
                             kind == 0   ? 1
                             : kind == 1 ? 0
                                         : share,
                             &it->a);
    }
    it->b = calloc((size_t)columns + 1, (size_t)it->b_stride);
    it->c = malloc((size_t)(rows + 1) * (size_t)it->c_stride);
    it->wanted = calloc((size_t)(rows * n) + 1, sizeof *it->wanted);
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j < n; j++)
            put(spmm_format_of(precision), draw(precision), it->b + i * it->b_stride + j * bytes);
    memset(it->c, 0xff, (size_t)(rows + 1) * (size_t)it->c_stride);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t j = 0; j < n; j++) {
            double *wanted = &it->wanted[row * n + j];
            for (int64_t k = it->start[row]; k < it->start[row + 1]; k++)
                *wanted += it->alpha * spmm_matrix_get(&it->a, precision, k) *
                           spmm_unpack(spmm_format_of(precision), it->b + it->index[k] * it->b_stride, j);
            if (it->beta != 0) {
                put(c_format(it), draw(precision),
                    it->c + row * it->c_stride + j * spmm_format_bytes(c_format(it)));
                *wanted += it->beta * spmm_unpack(c_format(it), it->c + row * it->c_stride, j);
            }
        }
}

static void free_product(product *it) {
    free(it->b);
    free(it->c);
    free(it->wanted);
}

/* The largest error relative to the largest number. */
static double find_error(const product *it) {
    double worst = 0, largest = 1e-300;
    for (int64_t row = 0; row < it->a.nrow; row++)
        for (int64_t j = 0; j < it->n; j++) {
            const double wanted = it->wanted[row * it->n + j],
                         error = fabs(spmm_unpack(c_format(it), it->c + row * it->c_stride, j) - wanted);
            worst = isnan(error) ? INFINITY : fmax(worst, error);
            largest = fmax(largest, fabs(wanted));
        }
    return worst / largest;
}

/* ---- launches ---- */

static SHIM_UNUSED void start_threads(void (*thread)(void *), void *arguments, int64_t workers,
                                      int64_t threads, int64_t each) {
    const int64_t a_block = threads / each;
    shim_launch(thread, arguments, (shim_index){(unsigned)((workers + a_block - 1) / a_block), 1, 1},
                (shim_index){(unsigned)threads, 1, 1}, 0);
}

/* Blocks of their own for each tile. */
static SHIM_UNUSED void start_tiles(void (*thread)(void *), void *arguments, int64_t workers, int64_t tiles,
                                    int64_t threads, int64_t each) {
    const int64_t a_block = threads / each;
    start_threads(thread, arguments, (workers + a_block - 1) / a_block * a_block * tiles, threads, each);
}

static bool only_zeros(const unsigned *words, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        if (words[k] != 0)
            return false;
    return true;
}

/* Where the sums of parts are added. */
typedef struct sums {
    void *partial;
    unsigned *arrived;
    int64_t count;
} sums;

static SHIM_UNUSED sums begin_sums(int64_t parts, int64_t part_bytes, int64_t tiles) {
    const int64_t count = (parts + 1) * tiles;
    return (sums){malloc((size_t)((parts + 1) * part_bytes)), calloc((size_t)count, sizeof(unsigned)), count};
}

/* Whether they were left as they must be. */
static SHIM_UNUSED bool end_sums(sums *sums) {
    const bool clean = only_zeros(sums->arrived, sums->count);
    free(sums->partial);
    free(sums->arrived);
    return clean;
}

/* A random product of every kernel of a family whose name has that type; `run` is false when it left
 * something behind. */
static void test_family(const char *what, spmm_precision precision, const char *type, size_t kernels,
                        const char *(*name)(size_t kernel), bool (*run)(const product *it, size_t kernel),
                        int64_t most_n, int expected) {
    int wrong = 0, count = 0;
    double worst = 0;
    for (size_t kernel = 0; kernel < kernels; kernel++) {
        static product it;
        if (strcmp(name(kernel), type) != 0)
            continue;
        make_product(&it, precision, 1 + (int64_t)base_random_below(&numbers, MOST_ROWS),
                     1 + (int64_t)base_random_below(&numbers, MOST_COLUMNS),
                     1 + (int64_t)base_random_below(&numbers, (uint64_t)most_n),
                     base_random_uniform(&numbers) / 2);
        const bool clean = run(&it, kernel);
        const double error = find_error(&it);
        if (!clean || !(error <= limit[precision]))
            tap_note("%s, number %d: error %g", what, (int)kernel, error);
        wrong += !clean || !(error <= limit[precision]);
        worst = fmax(worst, error);
        count++;
        free_product(&it);
    }
    tap_ok(wrong == 0 && count == expected, "%s, precision %d: %d kernels, off by at most %.2g", what,
           precision, count, worst);
}

static SHIM_UNUSED const char *const row_types[] = {"half", "bfloat", "float", "float", "float", "double"},
                                     *const matrix_types[] = {"half",  "bfloat", "tf32",
                                                              "float", "float",  "double"};

#endif
