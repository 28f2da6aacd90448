/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/multiplicities/double.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESTART = 16 };

/* ---- preparation ---- */

/* The power of two above sum_j c_j (|re a_ij| + |im a_ij|). */
static int64_t row_scale(const perm_multiplicities *exact, int64_t i) {
    mpz_t size;
    mpz_init(size);
    for (int64_t j = 0; j < exact->ncol; j++)
        for (int part = 0; part <= exact->is_complex; part++) {
            mpz_t *entry = &exact->part[part][j * exact->nrow + i];
            (mpz_sgn(*entry) < 0 ? mpz_submul_ui : mpz_addmul_ui)(size, *entry,
                                                                  (unsigned long)exact->column_count[j]);
        }
    const int64_t bits = mpz_sgn(size) == 0 ? 0 : (int64_t)mpz_sizeinbase(size, 2);
    mpz_clear(size);
    return bits;
}

static void fill_entries(perm_multiplicities_double *multiplicities) {
    const perm_multiplicities *exact = &multiplicities->exact;
    const int parts = exact->is_complex ? 2 : 1;
    multiplicities->exponent = exact->exponent - exact->total;
    for (int64_t i = 0; i < exact->nrow; i++) {
        const int64_t scale = row_scale(exact, i);
        multiplicities->exponent += scale * exact->row_count[i];
        for (int64_t j = 0; j < exact->ncol; j++)
            for (int part = 0; part < parts; part++) {
                long shift;
                const double fraction = mpz_get_d_2exp(&shift, exact->part[part][j * exact->nrow + i]);
                const int64_t power = shift - scale;
                multiplicities->entry[(j * parts + part) * exact->nrow + i] =
                    power < -2000 ? 0 : ldexp(fraction, (int)power);
            }
    }
}

static void fill_binomials(perm_multiplicities_double *multiplicities) {
    const perm_multiplicities *exact = &multiplicities->exact;
    int64_t at = 0;
    for (int64_t j = 0; j < exact->ncol; j++) {
        const int64_t count = exact->column_count[j];
        double binomial = 1;
        multiplicities->first[j] = at;
        for (int64_t v = 0; v < exact->radix[j]; v++) {
            const bool two = j == exact->ncol - 1 && 2 * v != count;
            multiplicities->binomial[at++] = two ? 2 * binomial : binomial;
            binomial = binomial * (double)(count - v) / (double)(v + 1);
        }
    }
}

base_status perm_multiplicities_double_init(base_context *context, const perm_distinct *distinct,
                                            perm_multiplicities_double *multiplicities) {
    base_status status;
    const perm_multiplicities *exact = &multiplicities->exact;
    int64_t length = 0;
    memset(multiplicities, 0, sizeof *multiplicities);
    BASE_TRY(perm_multiplicities_init(context, distinct, &multiplicities->exact));
    if (exact->total > PERM_MULTIPLICITIES_DOUBLE_LARGEST)
        BASE_TRY(base_fail(context, BASE_FAILED, "multiplicities add up to more than %d",
                           (int)PERM_MULTIPLICITIES_DOUBLE_LARGEST));
    for (int64_t j = 0; j < exact->ncol; j++)
        length += exact->radix[j];
    multiplicities->entry = base_alloc(context, 2 * exact->nrow * exact->ncol, sizeof *multiplicities->entry);
    multiplicities->binomial = base_alloc(context, length, sizeof *multiplicities->binomial);
    multiplicities->first = base_alloc(context, exact->ncol, sizeof *multiplicities->first);
    if (multiplicities->entry == NULL || multiplicities->binomial == NULL || multiplicities->first == NULL)
        BASE_TRY(BASE_MACHINE);
    fill_entries(multiplicities);
    fill_binomials(multiplicities);
    const double n = (double)exact->total, columns = (double)exact->ncol;
    /* N roundings of the term and of its absolute value and 2 N of the larger product (complex: sqrt(5) N,
     * and 2.5 N more for the moduli of the other two); a weight's binomials round 2 c_j times each. */
    multiplicities->slack = 1.01 * (columns + 3 + RESTART) * 0x1p-53;
    multiplicities->roundings = 1.01 * 0x1p-53 * ((exact->is_complex ? 13 : 4) * n + 2 * n + columns + 8);
    multiplicities->seconds = exact->terms * ((double)exact->nrow * (exact->is_complex ? 7e-9 : 3e-9) + 1e-8);
done:
    if (status != BASE_OK)
        perm_multiplicities_double_free(multiplicities);
    return status;
}

void perm_multiplicities_double_free(perm_multiplicities_double *multiplicities) {
    if (multiplicities == NULL)
        return;
    perm_multiplicities_free(&multiplicities->exact);
    free(multiplicities->entry);
    free(multiplicities->binomial);
    free(multiplicities->first);
    memset(multiplicities, 0, sizeof *multiplicities);
}

/* ---- sums ---- */

/* What a chunk is computed with; weight[j] is the product of the binomials from column j on. */
typedef struct walk {
    const perm_multiplicities_double *multiplicities;
    double *x, *weight;
    int64_t *digit;
} walk;

static void start_term(walk *w, int64_t term) {
    const perm_multiplicities *exact = &w->multiplicities->exact;
    const int64_t parts = exact->is_complex ? 2 : 1, length = parts * exact->nrow;
    memset(w->x, 0, (size_t)length * sizeof *w->x);
    for (int64_t j = 0; j < exact->ncol; j++) {
        const int64_t radix = exact->radix[j], digit = term % radix;
        term /= radix;
        w->digit[j] = term % 2 != 0 ? radix - 1 - digit : digit;
        const double times = (double)(exact->column_count[j] - 2 * w->digit[j]);
        for (int64_t i = 0; i < length; i++)
            w->x[i] += times * w->multiplicities->entry[j * length + i];
    }
    w->weight[exact->ncol] = 1;
    for (int64_t j = exact->ncol; j-- > 0;)
        w->weight[j] =
            w->weight[j + 1] * w->multiplicities->binomial[w->multiplicities->first[j] + w->digit[j]];
}

/* Goes from term - 1 to `term`. */
static void next_term(walk *w, int64_t term) {
    const perm_multiplicities *exact = &w->multiplicities->exact;
    const int64_t parts = exact->is_complex ? 2 : 1, length = parts * exact->nrow;
    int64_t j = 0;
    while (term % exact->radix[j] == 0)
        term /= exact->radix[j++];
    const int step = term / exact->radix[j] % 2 != 0 ? -1 : 1;
    const double *entry = w->multiplicities->entry + j * length;
    w->digit[j] += step;
    for (int64_t i = 0; i < length; i++)
        w->x[i] -= 2 * step * entry[i];
    for (int64_t k = j + 1; k-- > 0;)
        w->weight[k] =
            w->weight[k + 1] * w->multiplicities->binomial[w->multiplicities->first[k] + w->digit[k]];
}

static double power(double base, int64_t exponent) {
    double result = exponent & 1 ? base : 1;
    while ((exponent >>= 1) > 0) {
        base *= base;
        result *= exponent & 1 ? base : 1;
    }
    return result;
}

/* A term without its sign; the larger product beside it, and its own absolute value or a bound of that. */
typedef struct product {
    double re, im, size, larger;
} product;

static product multiply_real(const walk *w) {
    const perm_multiplicities *exact = &w->multiplicities->exact;
    product term = {w->weight[0], 0, 0, w->weight[0]};
    for (int64_t i = 0; i < exact->nrow; i++) {
        const double x = w->x[i], larger = fabs(x) + w->multiplicities->slack;
        const int64_t count = exact->row_count[i];
        term.re *= count == 1 ? x : power(x, count);
        term.larger *= count == 1 ? larger : power(larger, count);
    }
    term.size = fabs(term.re);
    return term;
}

static product multiply_complex(const walk *w) {
    const perm_multiplicities *exact = &w->multiplicities->exact;
    product term = {w->weight[0], 0, w->weight[0], w->weight[0]};
    for (int64_t i = 0; i < exact->nrow; i++) {
        const double re = w->x[i], im = w->x[exact->nrow + i], size = sqrt(re * re + im * im);
        for (int64_t k = 0; k < exact->row_count[i]; k++) {
            const double product_re = term.re * re - term.im * im;
            term.im = term.re * im + term.im * re;
            term.re = product_re;
            term.size *= size;
            term.larger *= size + w->multiplicities->slack;
        }
    }
    return term;
}

static void two_sum(double *high, double *low, double value) {
    const double sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

static void add_terms(walk *w, int64_t begin, int64_t end, perm_multiplicities_partial *partial) {
    const perm_multiplicities *exact = &w->multiplicities->exact;
    double excess = 0, sign = 1;
    start_term(w, begin);
    for (int64_t j = 0; j < exact->ncol; j++)
        sign = w->digit[j] % 2 != 0 ? -sign : sign;
    for (int64_t term = begin; term < end; term++, sign = -sign) {
        if ((term - begin) % RESTART != 0)
            next_term(w, term);
        else if (term > begin)
            start_term(w, term);
        const product product = exact->is_complex ? multiply_complex(w) : multiply_real(w);
        two_sum(&partial->sum.high[0], &partial->sum.low[0], sign * product.re);
        two_sum(&partial->sum.high[1], &partial->sum.low[1], sign * product.im);
        partial->sum.magnitude += product.larger;
        excess += product.larger - product.size;
    }
    /* The sums round as well, and products may underflow. */
    const double count = 1.01 * 0x1p-53 * (double)(end - begin);
    partial->error =
        (1 + 2 * count) *
            (fmax(excess, 0) + partial->sum.magnitude * (w->multiplicities->roundings + 2 * count * count)) +
        ldexp((double)(exact->total + exact->ncol) * (double)(end - begin), (int)exact->total - 1060);
}

base_status perm_multiplicities_double_run(base_context *context,
                                           const perm_multiplicities_double *multiplicities, int64_t chunk,
                                           perm_multiplicities_partial *partial) {
    const perm_multiplicities *exact = &multiplicities->exact;
    const int64_t begin = chunk * exact->chunk_terms, left = (int64_t)exact->terms - begin;
    const int64_t count = left < exact->chunk_terms ? left : exact->chunk_terms;
    walk w = {.multiplicities = multiplicities};
    base_status status = BASE_OK;
    memset(partial, 0, sizeof *partial);
    w.x = base_alloc(context, 2 * exact->nrow, sizeof *w.x);
    w.weight = base_alloc(context, exact->ncol + 1, sizeof *w.weight);
    w.digit = base_alloc(context, exact->ncol, sizeof *w.digit);
    if (w.x == NULL || w.weight == NULL || w.digit == NULL)
        status = BASE_MACHINE;
    else
        add_terms(&w, begin, begin + count, partial);
    free(w.x);
    free(w.weight);
    free(w.digit);
    base_progress_add(context, count);
    return status;
}

void perm_multiplicities_double_chunk(const perm_multiplicities_double *multiplicities,
                                      const perm_multiplicities_partial *partial, perm_value *value,
                                      perm_value *error) {
    perm_value low;
    perm_value_init(&low);
    perm_value_set_complex(value, partial->sum.high[0], partial->sum.high[1]);
    perm_value_set_complex(&low, partial->sum.low[0], partial->sum.low[1]);
    perm_value_add(value, &low);
    perm_value_scale(value, multiplicities->exponent);
    perm_value_set_complex(error, partial->error, 0);
    perm_value_scale(error, multiplicities->exponent);
    perm_value_free(&low);
}
