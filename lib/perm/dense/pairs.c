/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/dense/pairs.h"
#include "base/core/memory.h"
#include "perm/dense/device.h"
#include "perm/dense/pairs_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin perm_dense_pairs_gpu_fatbin;

enum { LARGEST = PERM_DENSE_LARGEST + 1, GRID_BITS = PERM_DENSE_GRID_BITS, FORM_BITS = 53 };

/* No sum of the kernel may reach this. */
static const double limit = 0x1p53;

/* A pair of rows times 2^54. */
typedef struct rows {
    int64_t order, count; /* of columns, and one more where that is odd */
    int64_t zero;         /* the form is 0 where both row sums are zero/order of their largest */
    int64_t entry[2][LARGEST];
} rows;

/* Their form times 2^(exponent + 53). */
typedef struct form {
    int exponent;
    int64_t absolute_error, second[LARGEST][LARGEST]; /* symmetric, 0 on the diagonal */
    bool is_exact;
} form;

static int64_t count_pairs(int64_t n) {
    return (n + 1) / 2;
}

static void read_rows(const perm_dense_problem *problem, int64_t pair, rows *rows) {
    const int64_t n = problem->n;
    *rows = (struct rows){.order = n, .count = n + n % 2};
    if (2 * pair + 1 < n)
        rows->zero = 2 * pair + n % 2;
    for (int64_t k = 0; k < 2; k++)
        for (int64_t j = 0; j < rows->count; j++) {
            const int64_t i = 2 * pair + k;
            rows->entry[k][j] = i < n && j < n ? (int64_t)ldexp(problem->up[j * n + i], GRID_BITS - 1)
                                : i == j       ? INT64_C(1) << GRID_BITS
                                               : 0;
        }
}

/* ---- forms ---- */

/* Shifts down and rounds to the nearest; *inexact becomes true where bits are lost. */
static int64_t shift_down(__int128 value, int bits, bool *inexact) {
    const __int128 half = (__int128)1 << (bits - 1);
    *inexact = *inexact || (value & (2 * half - 1)) != 0;
    return (int64_t)((value + half) >> bits);
}

static void round_form(const rows *rows, int exponent, form *form) {
    const int bits = 2 * GRID_BITS - FORM_BITS - exponent;
    const int64_t *a = rows->entry[0], *b = rows->entry[1];
    bool inexact = false, any = false;
    __int128 dot = 0, sum[2] = {0, 0};
    memset(form, 0, sizeof *form);
    form->exponent = exponent;
    for (int64_t j = 0; j < rows->count; j++) {
        dot += (__int128)a[j] * b[j];
        sum[0] += a[j];
        sum[1] += b[j];
        for (int64_t k = 0; k < j; k++)
            form->second[j][k] = form->second[k][j] =
                shift_down((__int128)a[j] * b[k] + (__int128)a[k] * b[j], bits, &inexact);
    }
    dot -= sum[0] * sum[1] * (rows->zero * rows->zero) / (rows->order * rows->order);
    form->absolute_error = shift_down(dot, bits, &any);
    form->is_exact = !inexact;
}

/* Whether all sums of the kernel are exact: q without some second differences between inner columns and
 * lanes, and gains. */
static bool is_small(const form *form, int64_t count) {
    double all = fabs((double)form->absolute_error), most = 0;
    for (int64_t j = 0; j < count; j++) {
        double gain = 0;
        for (int64_t k = 0; k < count; k++)
            gain += 2 * fabs((double)form->second[j][k]);
        all += gain / 4;
        for (int64_t k = 0; k < j && j < PAIRS_GPU_FIRST_STEP; k++)
            all += 4 * fabs((double)form->second[j][k]);
        most = fmax(most, gain);
    }
    return all < limit && 2 * most < limit;
}

static void make_form(const perm_dense_problem *problem, int64_t pair, form *form) {
    rows rows;
    read_rows(problem, pair, &rows);
    int exponent = 2;
    do
        round_form(&rows, exponent--, form);
    while (!is_small(form, rows.count));
}

/* What kernel and driver have in common of a form (pairs_gpu.h). */
static void fill_table(const form *form, int64_t n, double *table) {
    const double unit = ldexp(1, -FORM_BITS);
    const int64_t width = n - 1, count = n + n % 2;
    double *first = table + PAIRS_GPU_TABLE, *second = first + 1 + width;
    int64_t base = form->absolute_error;
    for (int64_t j = 0; j < 4; j++) {
        for (int64_t k = 0; k < j; k++)
            table[j * (j - 1) / 2 + k] = 4 * (double)form->second[j][k] * unit;
        table[PAIRS_GPU_FOURTH + j] = 4 * (double)form->second[j][4] * unit;
        table[PAIRS_GPU_FOURTH + 4 + j] = 4 * (double)form->second[j][5] * unit;
    }
    table[PAIRS_GPU_LAST] = 4 * (double)form->second[4][5] * unit;
    for (int64_t j = 0; j < count; j++) {
        int64_t gain = 0;
        for (int64_t k = 0; k < count; k++) {
            const int64_t value = form->second[j][k];
            gain += k < width ? -2 * value : 2 * value;
            base += k >= j ? 0 : (j < width) == (k < width) ? value : -value;
            if (j < width && k < width)
                second[j * width + k] = 4 * (double)value * unit;
        }
        if (j < width)
            first[1 + j] = (double)gain * unit;
    }
    first[0] = (double)base * unit;
}

/* ---- the sum ---- */

static int64_t count_shared_bytes(int64_t n) {
    return count_pairs(n) * PAIRS_GPU_SHARED * (int64_t)sizeof(double);
}

/* The sums without what the forms were scaled by. */
static void add(const perm_device_sum *sum, const void *sums, int64_t count, void *total) {
    const double scale = *(const double *)sum->data;
    const dense_gpu_sums *block = sums;
    for (const dense_gpu_sums *end = block + count; block < end; block++) {
        const dense_gpu_sums scaled = {
            {scale * block->high[0], 0}, {scale * block->low[0], 0}, scale * block->magnitude};
        perm_dense_device_add(sum, &scaled, 1, total);
    }
}

base_status perm_pairs_device_sum(base_context *context, const perm_dense *dense, perm_device_sum *sum) {
    base_status status = BASE_MACHINE;
    const int64_t n = dense->problem.n, stride = pairs_gpu_form_doubles((int)n),
                  all = count_pairs(n) * stride;
    form *form = base_alloc(context, 1, sizeof *form);
    *sum = (perm_device_sum){.fatbin = &perm_dense_pairs_gpu_fatbin,
                             .kernel = "pairs_gpu_real",
                             .n = (int)n,
                             .block_threads = PAIRS_GPU_THREADS,
                             .column_bytes = all * (int64_t)sizeof(double),
                             .shared_bytes = count_shared_bytes(n),
                             .sum_bytes = sizeof(dense_gpu_sums),
                             .partial_bytes = sizeof(perm_dense_partial),
                             .partial_stride = sizeof(perm_dense_partial),
                             .chunk_subsets = dense->chunk_subsets,
                             .add = add};
    perm_device_sum_configure(sum, dense->chunk_count, PAIRS_GPU_INNER, PAIRS_GPU_MOST_STEPS);
    perm_device_sum_plan(sum, dense->chunk_count, 1, PERM_PAIRS_DEVICE_LOG2_LAUNCH);
    double *columns = base_alloc_zero(context, all + 1, sizeof(double));
    sum->columns = columns;
    if (form == NULL || columns == NULL)
        goto done;
    columns[all] = 1;
    for (int64_t pair = 0; pair < count_pairs(n); pair++) {
        make_form(&dense->problem, pair, form);
        fill_table(form, n, columns + pair * stride);
        columns[all] = ldexp(columns[all], -form->exponent);
    }
    sum->data = columns + all;
    status = BASE_OK;
done:
    free(form);
    return status;
}

/* ---- bounds ---- */

/* How far rounding moves the permanent times 2^(n-1) at most; the exponents of all forms together. */
static double bound_perturbation(const perm_dense_problem *problem, int *exponent) {
    const int64_t n = problem->n, count = n + n % 2;
    double perturbation = 0, whole = ldexp(1, (int)n - 1);
    *exponent = 0;
    for (int64_t pair = 0; pair < count_pairs(n); pair++) {
        rows rows;
        form form;
        double ones[LARGEST], line[LARGEST], both = 1;
        read_rows(problem, pair, &rows);
        make_form(problem, pair, &form);
        *exponent += form.exponent;
        for (int64_t k = 0; k < 2; k++) {
            for (int64_t j = 0; j < count; j++) {
                line[j] = ldexp(fabs((double)rows.entry[k][j]), -GRID_BITS);
                ones[j] = 1;
            }
            both *= perm_dense_row_factor(line, count);
        }
        const double root = perm_dense_row_factor(ones, count),
                     off = form.is_exact ? 0 : ldexp(root * root, -2 - FORM_BITS - form.exponent);
        perturbation = perturbation * (both + off) + whole * off;
        whole *= both;
    }
    return perturbation * (1 + 1e-9);
}

double perm_pairs_device_relative_error(const perm_dense *dense) {
    return (double)(count_pairs(dense->problem.n) + 8) * 0x1p-53 * (1 + 1e-6);
}

void perm_pairs_device_error(const perm_dense *dense, double *relative_error, double *absolute_error) {
    const double pairs = (double)count_pairs(dense->problem.n);
    int exponent;
    *relative_error = *absolute_error = 0;
    if (dense->chunk_count == 0)
        return;
    *absolute_error = dense->perturbation + bound_perturbation(&dense->problem, &exponent);
    *absolute_error += ldexp(4 * pairs, (int)dense->problem.n - 1 - 1074 - exponent);
    *relative_error = perm_pairs_device_relative_error(dense);
}

/* Positive matrices are told apart because a bound of how far others move says nothing of their permanents.
 */
static bool has_one_sign(const perm_dense_problem *problem) {
    for (int64_t at = 0; at < problem->n * problem->n; at++)
        if (problem->up[at] < 0)
            return false;
    return true;
}

const char *perm_pairs_device_reason(const perm_dense *dense, int64_t shared_bytes) {
    const int64_t n = dense->problem.n;
    int exponent;
    if (dense->problem.is_complex)
        return "not for complex matrices";
    if (n < PERM_PAIRS_DEVICE_LEAST)
        return "n is too small";
    if (count_shared_bytes(n) > shared_bytes)
        return "n is too large for its shared memory";
    if (dense->chunk_count > 0 && !has_one_sign(&dense->problem) &&
        bound_perturbation(&dense->problem, &exponent) > 0)
        return "entries of both signs would be rounded";
    return NULL;
}

/* As measured on an H200: 9.6e12 pairs of a row and a subset a second, where device.h has 8.0e12. */
double perm_pairs_device_seconds(const perm_dense_problem *problem, double rate) {
    return perm_dense_units(problem) * 1.67 / (0.96 * rate);
}
