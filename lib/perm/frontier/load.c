/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/frontier/load.h"
#include "base/core/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double double_unit = 0x1p-53, double_least_log2 = -1074;

/* What the largest factor stays below the end of the range: entries are at most 1. */
enum { RANGE_BITS = 24 };

enum { WORD_BITS = 64 };

static int64_t sum_of(const int64_t *scale, int64_t n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += scale[i];
    return sum;
}

base_status perm_numbers_bound_bits(base_context *context, const perm_matrix *matrix, double *bits) {
    base_status status = BASE_OK;
    int64_t n = matrix->n, *scale = base_alloc(context, 2 * n, sizeof *scale);
    double bound = 0;
    if (scale == NULL)
        return BASE_MACHINE;
    BASE_TRY(perm_matrix_clear_fractions(context, matrix, scale, scale + n));
    const double more = (double)sum_of(scale, 2 * n);
    BASE_TRY(perm_matrix_bound_log2_enough(context, matrix, WORD_BITS - 2 - more, &bound));
    *bits = fmax(bound + more, 0) + 2;
done:
    free(scale);
    return status;
}

void perm_numbers_plan(const perm_schedule *schedule, perm_arithmetic arithmetic, perm_numbers *numbers) {
    const perm_matrix_traits traits = schedule->traits;
    *numbers = (perm_numbers){.nnz = schedule->nnz, .stride = 0, .factor_bytes = 1};
    if (arithmetic == PERM_COUNT) {
        numbers->kind = PERM_FRONTIER_COUNT;
    } else if (arithmetic == PERM_RESIDUE) {
        numbers->kind = PERM_FRONTIER_RESIDUE;
        numbers->limbs = numbers->stride = 1;
        numbers->value_bytes = numbers->factor_bytes = 8;
    } else if (arithmetic == PERM_EXACT) {
        numbers->limbs = (int64_t)ceil(schedule->exact_bits / WORD_BITS);
        numbers->stride = traits.complex ? 2 * numbers->limbs : numbers->limbs;
        numbers->value_bytes = 8 * numbers->stride;
        numbers->factor_bytes = (int64_t)sizeof(perm_limbs) * (traits.complex ? 2 : 1);
        numbers->kind = traits.complex ? PERM_FRONTIER_COMPLEX_LIMBS : PERM_FRONTIER_LIMBS;
        if (!traits.complex && numbers->limbs <= 2) {
            numbers->kind = numbers->limbs == 1 ? PERM_FRONTIER_WORD : PERM_FRONTIER_DOUBLE_WORD;
            numbers->factor_bytes = numbers->value_bytes;
            numbers->stride = 1;
        }
    } else {
        bool quad = arithmetic == PERM_QUAD;
        int64_t unit_bytes = quad ? (int64_t)sizeof(perm_quad) : (int64_t)sizeof(double);
        numbers->stride = traits.nonnegative ? 1 : traits.complex ? 3 : 2;
        numbers->kind = (quad ? PERM_FRONTIER_QUAD_REAL : PERM_FRONTIER_REAL) + numbers->stride - 1;
        numbers->value_bytes = numbers->factor_bytes = unit_bytes * numbers->stride;
        numbers->unit = quad ? perm_quad_unit : double_unit;
        numbers->least_log2 = quad ? perm_quad_least_log2 : double_least_log2;
        numbers->largest_shift = (quad ? perm_quad_max_exponent : DBL_MAX_EXP) - RANGE_BITS;
    }
}

/* ---- floating point
 * ---------------------------------------------------------------------------------------- */

/* The nearest double but for one unit in the last place (the conversion truncates); 0 below the range. */
static double double_of(mpz_srcptr integer, int64_t exponent) {
    long size;
    double leading = mpz_get_d_2exp(&size, integer);
    return size + exponent < -1100 ? 0 : ldexp(leading, (int)(size + exponent));
}

static base_status load_floats(base_context *context, const perm_matrix *matrix, perm_numbers *numbers) {
    base_status status = BASE_OK;
    int64_t n = matrix->n, *scale = base_alloc(context, 2 * n, sizeof *scale);
    bool quad = numbers->kind >= PERM_FRONTIER_QUAD_REAL;
    numbers->entry = base_alloc(context, 3 * matrix->nnz, sizeof *numbers->entry);
    if (quad)
        numbers->quad = base_alloc_aligned(context, 3 * matrix->nnz, sizeof *numbers->quad);
    if (scale == NULL || numbers->entry == NULL || (quad && numbers->quad == NULL))
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(perm_matrix_equilibrate(context, matrix, scale, scale + n));
    numbers->exponent = -sum_of(scale, 2 * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            const perm_value *value = &matrix->entry[e];
            int64_t exponent = value->exponent + scale[i] + scale[n + matrix->index[e]];
            double *to = numbers->entry + 3 * e;
            to[0] = double_of(value->re, exponent);
            to[1] = double_of(value->im, exponent);
            to[2] = to[1] == 0 ? fabs(to[0]) : hypot(to[0], to[1]);
            if (!quad)
                continue;
            numbers->quad[3 * e] = perm_quad_of(value->re, exponent);
            numbers->quad[3 * e + 1] = perm_quad_of(value->im, exponent);
            numbers->quad[3 * e + 2] = perm_quad_size(numbers->quad[3 * e], numbers->quad[3 * e + 1]);
        }
done:
    free(scale);
    return status;
}

/* Where the parts of an entry stand: re, im and absolute value are 0, 1, 2. */
static int part_of(const perm_numbers *numbers, int64_t unit) {
    return numbers->stride == 2 && unit == 1 ? 2 : (int)unit;
}

static void quad_factor(const perm_numbers *numbers, int64_t entry, int shift, perm_quad *factor) {
    const perm_quad power = perm_quad_power(shift);
    for (int64_t i = 0; i < numbers->stride; i++)
        factor[i] = numbers->quad[3 * entry + part_of(numbers, i)] * power;
}

static void double_factor(const perm_numbers *numbers, int64_t entry, int shift, double *factor) {
    for (int64_t i = 0; i < numbers->stride; i++)
        factor[i] = ldexp(numbers->entry[3 * entry + part_of(numbers, i)], shift);
}

/* ---- integers
 * ---------------------------------------------------------------------------------------------- */

static base_status load_integers(base_context *context, const perm_matrix *matrix, perm_numbers *numbers) {
    base_status status = BASE_OK;
    int64_t n = matrix->n, *scale = base_alloc(context, 2 * n, sizeof *scale), total = 0;
    int64_t parts = numbers->kind == PERM_FRONTIER_COMPLEX_LIMBS ? 2 : 1;
    mpz_t integer;
    mpz_init(integer);
    numbers->factors = base_alloc(context, parts * matrix->nnz, sizeof *numbers->factors);
    if (scale == NULL || numbers->factors == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(perm_matrix_clear_fractions(context, matrix, scale, scale + n));
    numbers->exponent = -sum_of(scale, 2 * n);
    for (int fill = 0; fill < 2; fill++) {
        uint64_t *next = numbers->limb;
        for (int64_t i = 0; i < n; i++)
            for (int64_t f = parts * matrix->start[i]; f < parts * matrix->start[i + 1]; f++) {
                const perm_value *value = &matrix->entry[f / parts];
                int64_t exponent = value->exponent + scale[i] + scale[n + matrix->index[f / parts]];
                mpz_srcptr part = f % parts ? value->im : value->re;
                if (exponent >= 0)
                    mpz_mul_2exp(integer, part, (mp_bitcnt_t)exponent);
                else
                    mpz_tdiv_q_2exp(integer, part, (mp_bitcnt_t)-exponent);
                size_t count = mpz_size(integer);
                if (fill) {
                    memcpy(next, mpz_limbs_read(integer), count * sizeof *next);
                    numbers->factors[f] = (perm_limbs){next, (int64_t)count, mpz_sgn(integer) < 0};
                    next += count;
                } else {
                    total += (int64_t)count;
                }
            }
        if (!fill) {
            numbers->limb = base_alloc(context, total, sizeof *numbers->limb);
            if (numbers->limb == NULL)
                BASE_TRY(BASE_MACHINE);
        }
    }
done:
    mpz_clear(integer);
    free(scale);
    return status;
}

static perm_wide word_factor(const perm_limbs *limbs) {
    perm_wide word = 0;
    for (int64_t i = 0; i < limbs->count && i < 2; i++)
        word |= (perm_wide)limbs->limb[i] << (64 * i);
    return limbs->negative ? -word : word;
}

static uint64_t residue_factor(const perm_limbs *limbs) {
    const uint64_t prime = (UINT64_C(1) << 61) - 1;
    perm_wide residue = 0;
    for (int64_t i = limbs->count; i-- > 0;)
        residue = (residue << 64 | limbs->limb[i]) % prime;
    return limbs->negative && residue > 0 ? prime - (uint64_t)residue : (uint64_t)residue;
}

/* ---- both
 * -------------------------------------------------------------------------------------------------- */

base_status perm_numbers_load(base_context *context, const perm_matrix *matrix, perm_numbers *numbers) {
    if (numbers->kind == PERM_FRONTIER_COUNT)
        return BASE_OK;
    return numbers->unit != 0 ? load_floats(context, matrix, numbers)
                              : load_integers(context, matrix, numbers);
}

void perm_numbers_free(perm_numbers *numbers) {
    free(numbers->entry);
    free(numbers->quad);
    free(numbers->limb);
    free(numbers->factors);
    *numbers = (perm_numbers){0};
}

void perm_numbers_one(const perm_numbers *numbers, void *value) {
    memset(value, 0, (size_t)numbers->value_bytes);
    double *real = value;
    perm_quad *quad = value;
    if (numbers->kind >= PERM_FRONTIER_QUAD_REAL)
        quad[0] = quad[numbers->stride - 1] = 1;
    else if (numbers->unit != 0)
        real[0] = real[numbers->stride - 1] = 1;
    else if (numbers->kind != PERM_FRONTIER_COUNT)
        *(uint64_t *)value = 1; /* little-endian words, the lowest first */
}

void perm_numbers_factor(const perm_numbers *numbers, int64_t entry, int shift, void *factor) {
    if (numbers->kind >= PERM_FRONTIER_QUAD_REAL)
        quad_factor(numbers, entry, shift, factor);
    else if (numbers->unit != 0)
        double_factor(numbers, entry, shift, factor);
    else if (numbers->kind == PERM_FRONTIER_RESIDUE)
        *(uint64_t *)factor = residue_factor(&numbers->factors[entry]);
    else if (numbers->kind == PERM_FRONTIER_WORD)
        *(uint64_t *)factor = (uint64_t)word_factor(&numbers->factors[entry]);
    else if (numbers->kind == PERM_FRONTIER_DOUBLE_WORD)
        *(perm_wide *)factor = word_factor(&numbers->factors[entry]);
    else if (numbers->kind == PERM_FRONTIER_LIMBS)
        *(perm_limbs *)factor = numbers->factors[entry];
    else if (numbers->kind == PERM_FRONTIER_COMPLEX_LIMBS)
        memcpy(factor, &numbers->factors[2 * entry], 2 * sizeof(perm_limbs));
}

double perm_numbers_growth_log2(const perm_numbers *numbers, const int64_t *entry, int64_t count) {
    double sum = 0x1p-1000;
    if (numbers->unit == 0)
        return 0;
    for (int64_t i = 0; i < count; i++)
        sum += numbers->entry[3 * entry[i] + 2];
    return log2(sum * (1 + 0x1p-30)) + 1e-9;
}
