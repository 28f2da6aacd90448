#include "perm/matrix.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

base_status perm_matrix_alloc(base_context *context, int64_t n, int64_t nnz, mm_field field,
                              perm_matrix *result) {
    *result = (perm_matrix){.n = n, .field = field};
    result->start = base_alloc_zero(context, n + 1, sizeof *result->start);
    result->index = base_alloc(context, nnz, sizeof *result->index);
    result->entry = base_alloc(context, nnz, sizeof *result->entry);
    if (!result->start || !result->index || !result->entry) {
        perm_matrix_free(result);
        return BASE_MACHINE;
    }
    for (int64_t e = 0; e < nnz; e++)
        perm_value_init(&result->entry[e]);
    result->nnz = nnz;
    return BASE_OK;
}

void perm_matrix_free(perm_matrix *matrix) {
    if (!matrix)
        return;
    for (int64_t e = 0; e < matrix->nnz; e++)
        perm_value_free(&matrix->entry[e]);
    free(matrix->start);
    free(matrix->index);
    free(matrix->entry);
    *matrix = (perm_matrix){0};
}

static base_status load_entry(base_context *context, const mm_sparse *matrix, int64_t e, perm_value *value) {
    if (matrix->field == MM_PATTERN)
        perm_value_set_integer(value, 1);
    else if (matrix->field == MM_REAL)
        perm_value_set_complex(value, matrix->real[e], 0);
    else if (matrix->field == MM_COMPLEX)
        perm_value_set_complex(value, matrix->real[2 * e], matrix->real[2 * e + 1]);
    else if (matrix->integer)
        perm_value_set_integer(value, matrix->integer[e]);
    else if (!perm_value_set_digits(value, matrix->digits[e]))
        return base_fail(context, BASE_DAMAGED, "'%.60s' is not an integer", matrix->digits[e]);
    return BASE_OK;
}

base_status perm_matrix_from_sparse(base_context *context, const mm_sparse *matrix, perm_matrix *result) {
    base_status status = BASE_OK;
    *result = (perm_matrix){0};
    if (matrix->nrow != matrix->ncol)
        return base_fail(context, BASE_FAILED, "not square: %lld×%lld", (long long)matrix->nrow,
                         (long long)matrix->ncol);
    BASE_TRY(perm_matrix_alloc(context, matrix->ncol, matrix->nnz, matrix->field, result));
    int64_t kept = 0;
    for (int64_t i = 0; i < result->n; i++) {
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            BASE_TRY(load_entry(context, matrix, e, &result->entry[kept]));
            result->index[kept] = matrix->index[e];
            kept += !perm_value_is_zero(&result->entry[kept]);
        }
        result->start[i + 1] = kept;
    }
    result->nnz = kept;
done:
    if (status != BASE_OK)
        perm_matrix_free(result);
    return status;
}

mm_sparse perm_matrix_pattern(const perm_matrix *matrix) {
    return (mm_sparse){.nrow = matrix->n,
                       .ncol = matrix->n,
                       .nnz = matrix->nnz,
                       .start = matrix->start,
                       .index = matrix->index,
                       .field = MM_PATTERN};
}

perm_matrix_traits perm_matrix_look(const perm_matrix *matrix) {
    perm_matrix_traits traits = {true, true, true, false};
    for (int64_t e = 0; e < matrix->nnz; e++) {
        const perm_value *value = &matrix->entry[e];
        bool real = mpz_sgn(value->im) == 0;
        bool whole =
            value->exponent >= 0 || mpz_divisible_2exp_p(value->re, (mp_bitcnt_t)-value->exponent) != 0;
        traits.complex |= !real;
        traits.integer &= real && whole;
        traits.nonnegative &= real && mpz_sgn(value->re) >= 0;
        traits.ones &= real && value->exponent == 0 && mpz_cmp_ui(value->re, 1) == 0;
    }
    return traits;
}

/* log2 of Π over lines of a sum whose terms come as logarithms, a little too large. */
static double product_log2(const double *sums, int64_t n) {
    double product = 0;
    for (int64_t i = 0; i < n; i++)
        product += sums[i];
    return product + 1e-9 * (double)(n + 1) + 1e-12 * fabs(product);
}

static double log2_add(double a, double b) {
    double high = a > b ? a : b, low = a > b ? b : a;
    return high + log2(1 + exp2(low - high));
}

static double bregman_log2(const perm_matrix *matrix, const int64_t *degree) {
    double product[2] = {0, 0};
    for (int64_t i = 0; i < matrix->n; i++) {
        double lines[2] = {(double)(matrix->start[i + 1] - matrix->start[i]), (double)degree[i]};
        for (int way = 0; way < 2; way++)
            product[way] += lines[way] > 0 ? lgamma(lines[way] + 1) / (lines[way] * M_LN2) : -1e300;
    }
    double least = product[0] < product[1] ? product[0] : product[1];
    return least + 1e-9 * (double)(matrix->n + 1);
}

base_status perm_matrix_bound_log2(base_context *context, const perm_matrix *matrix, double *bound) {
    base_status status = BASE_OK;
    int64_t n = matrix->n;
    double *sums = base_alloc(context, 2 * n, sizeof *sums);
    int64_t *degree = base_alloc_zero(context, n, sizeof *degree);
    if (!sums || !degree) {
        status = BASE_MACHINE;
        goto done;
    }
    for (int64_t i = 0; i < 2 * n; i++)
        sums[i] = -1e300;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            double size = perm_bound_log2(perm_bound_of(&matrix->entry[e]));
            double *cross = &sums[n + matrix->index[e]];
            sums[i] = log2_add(sums[i], size);
            *cross = log2_add(*cross, size);
            degree[matrix->index[e]]++;
        }
    }
    double by_lines = product_log2(sums, n), by_cross = product_log2(sums + n, n);
    *bound = by_lines < by_cross ? by_lines : by_cross;
    if (perm_matrix_look(matrix).ones) {
        double by_degree = bregman_log2(matrix, degree);
        *bound = *bound < by_degree ? *bound : by_degree;
    }
done:
    free(sums);
    free(degree);
    return status;
}

/* The exponent of |entry| rounded up to a power of two. */
static int64_t size_of(const perm_value *value) {
    perm_bound bound = perm_bound_of(value);
    return bound.exponent;
}

/* The exponent of the lowest bit. */
static int64_t grain_of(const perm_value *value) {
    mp_bitcnt_t re = mpz_sgn(value->re) ? mpz_scan1(value->re, 0) : (mp_bitcnt_t)-1;
    mp_bitcnt_t im = mpz_sgn(value->im) ? mpz_scan1(value->im, 0) : (mp_bitcnt_t)-1;
    return value->exponent + (int64_t)(re < im ? re : im);
}

/* Sweeps over lines and crossing lines in turn; each pass makes the least slack of every line zero. `sign` 1:
 * the largest of measure + line + cross becomes 0; -1: the smallest. */
static base_status balance(base_context *context, const perm_matrix *matrix,
                           int64_t (*measure)(const perm_value *), int sign, int sweeps, int64_t *line,
                           int64_t *cross) {
    int64_t n = matrix->n, *size = base_alloc(context, matrix->nnz, sizeof *size);
    int64_t *least = base_alloc(context, n, sizeof *least);
    if (!size || !least) {
        free(size);
        free(least);
        return BASE_MACHINE;
    }
    for (int64_t e = 0; e < matrix->nnz; e++)
        size[e] = sign * measure(&matrix->entry[e]);
    for (int64_t i = 0; i < n; i++)
        line[i] = cross[i] = 0;
    for (int pass = 0; pass < sweeps; pass++) {
        bool lines = pass % 2 == 0;
        int64_t *scale = lines ? line : cross;
        for (int64_t i = 0; i < n; i++)
            least[i] = INT64_MIN;
        for (int64_t i = 0; i < n; i++)
            for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
                int64_t at = lines ? i : matrix->index[e];
                int64_t now = size[e] + line[i] + cross[matrix->index[e]];
                if (now > least[at])
                    least[at] = now;
            }
        for (int64_t i = 0; i < n; i++)
            if (least[i] != INT64_MIN)
                scale[i] -= least[i];
    }
    for (int64_t i = 0; i < n; i++) {
        line[i] *= sign;
        cross[i] *= sign;
    }
    free(size);
    free(least);
    return BASE_OK;
}

base_status perm_matrix_equilibrate(base_context *context, const perm_matrix *matrix, int64_t *line,
                                    int64_t *cross) {
    return balance(context, matrix, size_of, 1, 5, line, cross);
}

base_status perm_matrix_clear_fractions(base_context *context, const perm_matrix *matrix, int64_t *line,
                                        int64_t *cross) {
    return balance(context, matrix, grain_of, -1, 2, line, cross);
}
