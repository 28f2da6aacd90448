/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of rank 2, a(i, j) = (x(i) y(j) + u(i) v(j)) 2^-s, which are large enough for sums in several
 * chunks and still have a permanent in closed form. With k rows and columns in the first product,
 *
 *     perm = 2^(-s n) sum over k of k! (n - k)! P(k) Q(k),
 *
 * P(k) the coefficient of t^k in the product of all x(i) t + u(i), and Q(k) in that of all y(j) t + v(j): the
 * rows choose one of two products each, as many columns must choose the same, and all orders are alike. */
#include "tests/oracle/number.h"

#include <math.h>

static int64_t entry_part(const oracle_matrix *matrix, int i, int j, int part) {
    int64_t sum = 0;
    for (int k = 0; k < 4; k += 2) {
        const int *a = matrix->factor[k][i], *b = matrix->factor[k + 1][j];
        sum += part == 0 ? a[0] * b[0] - a[1] * b[1] : a[0] * b[1] + a[1] * b[0];
    }
    return sum;
}

void oracle_draw_products(base_random *random, oracle_matrix *matrix) {
    *matrix = (oracle_matrix){.structure = "two products",
                              .numbers = "integers",
                              .field = MM_INTEGER + (int)base_random_below(random, 3),
                              .has_factors = true};
    const int n = matrix->nrow = matrix->ncol = 15 + (int)base_random_below(random, 5),
              least = base_random_below(random, 2) ? 1 : -20;
    matrix->shift = matrix->field == MM_INTEGER ? 0 : (int)base_random_below(random, 8);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < n; i++)
            for (int part = 0; part <= (matrix->field == MM_COMPLEX); part++)
                matrix->factor[k][i][part] = least + (int)base_random_below(random, (uint64_t)(21 - least));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            oracle_entry *entry = &matrix->entry[matrix->count++];
            *entry = (oracle_entry){.row = i, .col = j};
            for (int part = 0; part <= (matrix->field == MM_COMPLEX); part++)
                snprintf(entry->text[part], ORACLE_TEXT, "%.17g",
                         ldexp((double)entry_part(matrix, i, j, part), -matrix->shift));
        }
    for (int i = 0; i < n; i++)
        matrix->row_count[i] = matrix->col_count[i] = 1;
}

/* An integer of Gauss. */
typedef struct gaussian {
    fmpz_t part[2];
} gaussian;

/* to += a (b[0] + i b[1]) */
static void add_multiple(gaussian *to, const gaussian *a, const int b[2]) {
    for (int k = 0; k < 2; k++) {
        const slong same = b[0], cross = k == 0 ? -b[1] : b[1];
        fmpz_t factor;
        fmpz_init(factor);
        fmpz_set_si(factor, same);
        fmpz_addmul(to->part[k], a->part[k], factor);
        fmpz_set_si(factor, cross);
        fmpz_addmul(to->part[k], a->part[1 - k], factor);
        fmpz_clear(factor);
    }
}

/* The coefficients 0 … n of the product of all a(i) t + b(i). */
static void multiply_all(int n, const int a[][2], const int b[][2], gaussian *coefficient) {
    for (int k = 0; k <= n; k++)
        for (int part = 0; part < 2; part++)
            fmpz_init_set_ui(coefficient[k].part[part], k == 0 && part == 0);
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k >= 0; k--) {
            gaussian sum;
            fmpz_init(sum.part[0]);
            fmpz_init(sum.part[1]);
            add_multiple(&sum, &coefficient[k], b[i]);
            if (k > 0)
                add_multiple(&sum, &coefficient[k - 1], a[i]);
            for (int part = 0; part < 2; part++) {
                fmpz_swap(coefficient[k].part[part], sum.part[part]);
                fmpz_clear(sum.part[part]);
            }
        }
}

void oracle_permanent_of_products(const oracle_matrix *matrix, oracle_number *permanent) {
    gaussian rows[ORACLE_LINES + 1], cols[ORACLE_LINES + 1];
    const int n = matrix->nrow;
    fmpz_t sum[2], orders, factorial;
    multiply_all(n, matrix->factor[0], matrix->factor[2], rows);
    multiply_all(n, matrix->factor[1], matrix->factor[3], cols);
    fmpz_init(sum[0]);
    fmpz_init(sum[1]);
    fmpz_init(orders);
    fmpz_init(factorial);
    for (int k = 0; k <= n; k++) {
        fmpz_fac_ui(orders, (ulong)k);
        fmpz_fac_ui(factorial, (ulong)(n - k));
        fmpz_mul(orders, orders, factorial);
        for (int part = 0; part < 2; part++)
            fmpz_mul(rows[k].part[part], rows[k].part[part], orders);
        fmpz_addmul(sum[0], rows[k].part[0], cols[k].part[0]);
        fmpz_submul(sum[0], rows[k].part[1], cols[k].part[1]);
        fmpz_addmul(sum[1], rows[k].part[0], cols[k].part[1]);
        fmpz_addmul(sum[1], rows[k].part[1], cols[k].part[0]);
    }
    for (int part = 0; part < 2; part++) {
        oracle_set_scaled(permanent->part[part], sum[part], 2, -(slong)n * matrix->shift);
        fmpz_clear(sum[part]);
        for (int k = 0; k <= n; k++) {
            fmpz_clear(rows[k].part[part]);
            fmpz_clear(cols[k].part[part]);
        }
    }
    fmpz_clear(orders);
    fmpz_clear(factorial);
}
