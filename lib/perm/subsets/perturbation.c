/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of step 2 of dense/dense.h. */
#include "perm/subsets/scaling.h"

#include <math.h>

enum { LARGEST = 64 };

/* The unit of the grid to which entries are rounded. */
static const double unit = 0x1p-54;
_Static_assert(PERM_DENSE_GRID_BITS == 54, "the unit of the grid");

/* By insertion, as there are at most LARGEST. */
static void sort_descending(double *row, int64_t n) {
    for (int64_t k = 1; k < n; k++) {
        const double value = row[k];
        int64_t at = k;
        for (; at > 0 && row[at - 1] < value; at--)
            row[at] = row[at - 1];
        row[at] = value;
    }
}

/* g(k) - g(k-1) of the bound of step 2, k = 1 … n. */
static void fill_layers(double *layer, int64_t n) {
    double last = 0, log_factorial = 0;
    for (int64_t k = 1; k <= n; k++) {
        log_factorial += log((double)k);
        const double root = exp(log_factorial / (double)k);
        layer[k - 1] = root - last;
        last = root;
    }
}

/* A row's factor in that bound; sorts the row. */
static double row_factor(double *row, const double *layer, int64_t n) {
    double factor = 0;
    sort_descending(row, n);
    for (int64_t k = 0; k < n; k++)
        factor += row[k] * layer[k];
    return factor;
}

/* Of row i, what it contributes to that bound: whole, and of its change. */
static void row_factors(const perm_dense_grid *grid, const double *layer, int64_t i, double *whole_factor,
                        double *change_factor) {
    const int64_t n = grid->n;
    double change[LARGEST], whole[LARGEST];
    for (int64_t j = 0; j < n; j++) {
        double size = fabs(grid->value[j * n + i]);
        if (grid->is_complex)
            size = hypot(size, grid->value[(n + j) * n + i]);
        change[j] = grid->change[j * n + i] * unit;
        whole[j] = size * unit + change[j];
    }
    *whole_factor = row_factor(whole, layer, n);
    *change_factor = row_factor(change, layer, n);
}

double perm_dense_row_factor(double *row, int64_t n) {
    double layer[LARGEST];
    fill_layers(layer, n);
    return row_factor(row, layer, n);
}

double perm_dense_grid_perturbation(const perm_dense_grid *grid) {
    double layer[LARGEST], sum = 0, product = 1;
    fill_layers(layer, grid->n);
    for (int64_t i = 0; i < grid->n; i++) {
        double whole, change;
        row_factors(grid, layer, i, &whole, &change);
        sum += change / whole;
        product *= whole;
    }
    return sum * product * (1 + 1e-9);
}

void perm_dense_grid_changes(const perm_dense_grid *grid, double *change) {
    for (int64_t i = 0; i < grid->n; i++) {
        change[i] = 0;
        for (int64_t j = 0; j < grid->n; j++)
            change[i] += grid->change[j * grid->n + i] * unit * (1 + 1e-12);
    }
}

/* To leave out a column makes no factor larger. */
void perm_dense_grid_perturbation_minors(const perm_dense_grid *grid, double *perturbation) {
    double layer[LARGEST], whole[LARGEST], change[LARGEST];
    fill_layers(layer, grid->n);
    for (int64_t k = 0; k < grid->n; k++)
        row_factors(grid, layer, k, &whole[k], &change[k]);
    for (int64_t i = 0; i < grid->n; i++) {
        double sum = 0, product = 1;
        for (int64_t k = 0; k < grid->n; k++) {
            sum += k != i ? change[k] / whole[k] : 0;
            product *= k != i ? whole[k] : 1;
        }
        perturbation[i] = sum * product * (1 + 1e-9);
    }
}
