/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/dense/certify.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/core/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SHIFT = 4, /* s = 2^-4, 2^-5, … */
    SHIFTS = 15,
    SAMPLES = 64, /* subsets that s is chosen by */
    GRID_BITS = 23,
    MOST_RANGE =
        240 /* bits between the smallest and the largest product over n / 2 + 1 rows, see choose_scale */
};

static const double unit = 0x1p-24; /* u */
static const double grid_unit = 0x1p-54;
_Static_assert(PERM_DENSE_GRID_BITS == 54, "the unit of the grid");

/* Of a row, so that products that underflow are counted for enough: (1 + 2^9)^63 2^-1021 is less than
 * 2^-PERM_DENSE_UNDERFLOW. */
static const double most_change = 0x1p-45;

/* What the choice of s and the tables need. */
typedef struct bound {
    const perm_dense *dense;
    double largest;                       /* Z of perm/perturbation/kernel.h */
    double coarse;                        /* g */
    double kernel_shift, left_shift;      /* the s of the kernel, and s' */
    double smallest_sum;                  /* of sqrt(F) r, over the samples, and which s has it; 0: none */
    int64_t exponent[PERM_DENSE_LARGEST]; /* row i is scaled by 2^exponent[i] */
    double change;                        /* H */
} bound;

/* A part of entry (i, j) on the scale of the sum. */
static double entry(const perm_dense_problem *problem, int part, int64_t i, int64_t j) {
    return problem->up[(j * perm_dense_parts(problem) + part) * problem->n + i] / 2;
}

static double coarse_entry(const perm_dense_problem *problem, int part, int64_t i, int64_t j) {
    return ldexp(rint(ldexp(entry(problem, part, i, j), GRID_BITS)), -GRID_BITS);
}

static bool has_signs(const perm_dense_problem *problem) {
    for (int64_t at = 0; at < problem->n * problem->n && !problem->is_complex; at++)
        if (problem->up[at] < 0)
            return true;
    return problem->is_complex;
}

static double largest_change(const perm_dense *dense) {
    double largest = 0;
    for (int64_t i = 0; i < dense->problem.n; i++)
        largest = fmax(largest, dense->change[i]);
    return largest;
}

/* ---- row sums of real matrices that are never 0 ---- */

/* Adds units of the grid to entry (i, j) of a real problem. */
static void add_units(perm_dense *dense, int64_t i, int64_t j, double units) {
    const perm_dense_problem *problem = &dense->problem;
    const int64_t n = problem->n;
    double *tables = dense->tables, change = ldexp(units, -PERM_DENSE_GRID_BITS);
    tables[problem->start - tables + i] += j == n - 1 ? change : -change;
    tables[problem->up - tables + j * n + i] += 2 * change;
    tables[problem->down - tables + j * n + i] -= 2 * change;
    if (j < PERM_DENSE_INNER)
        tables[problem->inner - tables + i * PERM_DENSE_INNER + j] += 2 * change;
}

/* Makes the sum of row i odd, if its entries have been changed: one of them gets a unit smaller. Returns
 * which, or -1. */
static int64_t turn_odd(perm_dense *dense, int64_t i) {
    const perm_dense_problem *problem = &dense->problem;
    const int64_t n = problem->n, sum = (int64_t)ldexp(problem->start[i], PERM_DENSE_GRID_BITS);
    int64_t largest = 0;
    if (dense->change[i] == 0 || sum % 2 != 0)
        return -1;
    for (int64_t j = 1; j < n; j++)
        if (fabs(problem->up[j * n + i]) > fabs(problem->up[largest * n + i]))
            largest = j;
    add_units(dense, i, largest, problem->up[largest * n + i] > 0 ? -1 : 1);
    dense->change[i] += grid_unit;
    return largest;
}

static void turn_back(perm_dense *dense, int64_t i, int64_t j) {
    add_units(dense, i, j, dense->problem.up[j * dense->problem.n + i] > 0 ? 1 : -1);
    dense->change[i] -= grid_unit;
}

/* ---- the bound ---- */

/* Z and g. */
static void measure(bound *bound) {
    const perm_dense_problem *problem = &bound->dense->problem;
    for (int64_t i = 0; i < problem->n; i++) {
        double size = 0, change = 0;
        for (int part = 0; part <= problem->is_complex; part++)
            for (int64_t j = 0; j < problem->n; j++) {
                const double coarse = coarse_entry(problem, part, i, j);
                size += fabs(coarse);
                change += fabs(entry(problem, part, i, j) - coarse);
            }
        bound->largest = fmax(bound->largest, (size + change) * (1 + 4 * unit));
        bound->coarse = fmax(bound->coarse, change * (1 + 1e-9) + unit * bound->largest);
    }
}

/* What the kernel's roundings leave of s: c_k is at most Z^2 + s. */
static double left_of(const bound *bound, double shift) {
    return shift - 5 * unit * (2 * bound->largest * bound->largest + 2 * shift);
}

/* log2 of the largest |x|^2 + s over the smallest. */
static double range_of(const bound *bound, double shift) {
    return log2((bound->largest * bound->largest + shift) / left_of(bound, shift)) + 1e-3;
}

static bool is_allowed(const bound *bound, double shift) {
    const double left = left_of(bound, shift);
    return left > shift / 2 && bound->coarse < sqrt(left) / 4 && bound->change < sqrt(left) / 4 &&
           (double)(bound->dense->problem.n / 2 + 1) * range_of(bound, shift) <= MOST_RANGE;
}

/* |x_i|^2 for random signs. */
static void draw_squares(const perm_dense_problem *problem, base_random *random, double *square) {
    const uint64_t signs = base_random_below(random, UINT64_C(1) << 63);
    for (int64_t i = 0; i < problem->n; i++) {
        square[i] = 0;
        for (int part = 0; part <= problem->is_complex; part++) {
            double x = 0;
            for (int64_t j = 0; j < problem->n; j++)
                x += (signs >> j & 1) != 0 ? entry(problem, part, i, j) : -entry(problem, part, i, j);
            square[i] += x * x;
        }
    }
}

/* The s that is best for some subsets. The factors are multiplied by 8, so that no product underflows. */
static void choose_shift(bound *bound) {
    const perm_dense_problem *problem = &bound->dense->problem;
    double square[PERM_DENSE_LARGEST], sum[SHIFTS] = {0};
    base_random random;
    base_random_init(&random, (uint64_t)problem->n, 0);
    for (int sample = 0; sample < SAMPLES; sample++) {
        draw_squares(problem, &random, square);
        for (int k = 0; k < SHIFTS; k++) {
            double product = 1;
            for (int64_t i = 0; i < problem->n; i++)
                product *= 8 * (square[i] + ldexp(1, -FIRST_SHIFT - k));
            sum[k] += sqrt(product);
        }
    }
    for (int k = 0; k < SHIFTS; k++) {
        const double shift = ldexp(1, -FIRST_SHIFT - k), value = ldexp(sum[k], -(int)problem->n) *
                                                                 exp2(-0.5 * (double)problem->n) *
                                                                 bound->change / sqrt(shift);
        if (is_allowed(bound, shift) && (bound->smallest_sum == 0 || value < bound->smallest_sum)) {
            bound->smallest_sum = value;
            bound->kernel_shift = shift;
            bound->left_shift = left_of(bound, shift);
        }
    }
}

/* Scales rows so that the logarithms of the largest and the smallest |x|^2 + s are as far from 0. Those of
 * products over m rows are then at most m range / 2 + 2 from 0, whichever rows follow each other. */
static void choose_scale(bound *bound, int64_t *split, int64_t *total) {
    const int64_t n = bound->dense->problem.n;
    const double range = range_of(bound, bound->kernel_shift),
                 step = -(range + 2 * log2(bound->left_shift)) / 4;
    for (int64_t i = 0; i < n; i++)
        bound->exponent[i] = (int64_t)(rint((double)(i + 1) * step) - rint((double)i * step));
    *total = (int64_t)rint((double)n * step);
    *split = (double)n * range / 2 + 4 <= 120 ? n : (n + 1) / 2;
}

static float scaled(double value, int64_t exponent) {
    return (float)ldexp(value, (int)exponent);
}

/* c_k and 2 p_k of a row. */
static void fill_pairs(const bound *bound, int64_t i, float *pairs) {
    const perm_dense_problem *problem = &bound->dense->problem;
    const int64_t exponent = bound->exponent[i];
    for (int k = 0; k < PERM_PERTURBATION_PAIRS; k++) {
        double square = bound->kernel_shift;
        for (int part = 0; part <= problem->is_complex; part++) {
            double sum = coarse_entry(problem, part, i, PERM_PERTURBATION_FIRST_LANE - 1);
            for (int64_t j = 0; j < PERM_PERTURBATION_FIRST_LANE - 1; j++)
                sum += (k >> j & 1) != 0 ? coarse_entry(problem, part, i, j)
                                         : -coarse_entry(problem, part, i, j);
            pairs[(1 + part) * PERM_PERTURBATION_PAIRS + k] = scaled(2 * sum, exponent);
            square += sum * sum;
        }
        /* Up, as the roundings may have been down. */
        pairs[k] = nextafterf(scaled(square, 2 * exponent), INFINITY);
    }
}

static base_status fill_tables(base_context *context, const bound *bound, perm_dense_certificate *certificate,
                               int64_t split) {
    const perm_dense_problem *problem = &bound->dense->problem;
    const int64_t n = problem->n, parts = perm_dense_parts(problem), column = parts * n,
                  pairs_length = n * (1 + parts) * PERM_PERTURBATION_PAIRS;
    float *start = base_alloc_aligned(context, pairs_length + column + 2 * n * column + n, sizeof(float));
    if (start == NULL)
        return BASE_MACHINE;
    float *pairs = start, *up = (start += pairs_length) + column, *down = up + n * column,
          *scale = down + n * column;
    memset(start, 0, (size_t)column * sizeof *start);
    for (int64_t i = 0; i < n; i++) {
        fill_pairs(bound, i, pairs + i * (1 + parts) * PERM_PERTURBATION_PAIRS);
        scale[i] = scaled(1, bound->exponent[i]);
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t at = 0; at < column; at++) {
            const int64_t i = at % n;
            const float value = scaled(coarse_entry(problem, (int)(at / n), i, j), bound->exponent[i]);
            if (j >= PERM_PERTURBATION_FIRST_LANE)
                start[at] += j == n - 1 ? value : -value;
            up[j * column + at] = j == n - 1 ? 0 : 2 * value;
            down[j * column + at] = -up[j * column + at];
        }
    certificate->tables = pairs;
    certificate->problem =
        (perm_perturbation_problem){n, split, problem->is_complex, start, up, down, pairs, scale};
    return BASE_OK;
}

static const perm_perturbation_kernel *fastest(bool is_complex) {
#define ADDRESS(kernel) &kernel,
    static const perm_perturbation_kernel *const kernels[] = {PERM_PERTURBATION_KERNELS(ADDRESS) NULL};
    const unsigned features = base_cpu_features();
    const perm_perturbation_kernel *best = kernels[0];
    for (int k = 1; kernels[k] != NULL; k++) {
        const double seconds = kernels[k]->fits(is_complex, features);
        if (seconds > 0 && seconds < best->fits(is_complex, features))
            best = kernels[k];
    }
    return best;
}

/* Whether there is a bound, and better than that of step 2. */
static bool find_bound(bound *bound) {
    const perm_dense *dense = bound->dense;
    double squares = 0;
    for (int64_t i = 0; i < dense->problem.n; i++)
        squares += dense->change[i] * dense->change[i];
    bound->change = sqrt(squares) * (1 + 1e-9);
    measure(bound);
    choose_shift(bound);
    return bound->smallest_sum != 0 && largest_change(dense) <= most_change &&
           bound->smallest_sum / SAMPLES * ldexp(1, (int)dense->problem.n - 1) < dense->perturbation;
}

static base_status fill_certificate(base_context *context, bound *bound, perm_dense *dense) {
    base_status status;
    const perm_dense_problem *problem = &dense->problem;
    perm_dense_certificate *certificate = &dense->certificate;
    int64_t split, total;
    choose_scale(bound, &split, &total);
    BASE_TRY(fill_tables(context, bound, certificate, split));
    const double n = (double)problem->n, excess = bound->coarse / sqrt(bound->left_shift),
                 ratio = bound->change / sqrt(bound->left_shift * (1 - excess * excess));
    certificate->kernel = fastest(problem->is_complex);
    /* The kernel's sums in double precision are off by less than 2^-12 of them. */
    certificate->factor = ldexp(ratio / (1 - ratio), -(int)total) * pow(1 + excess, n / 2) *
                          (1 + (2 * n + 8) * 2 * unit) * (1 + 0x1p-12);
    certificate->slope = largest_change(dense);
    dense->seconds +=
        perm_dense_units(problem) * certificate->kernel->fits(problem->is_complex, base_cpu_features());
done:
    return status;
}

base_status perm_dense_certify(base_context *context, perm_dense *dense) {
    const int64_t n = dense->problem.n;
    int64_t odd[PERM_DENSE_LARGEST];
    bound bound = {.dense = dense};
    if (dense->is_exact || largest_change(dense) == 0 || !has_signs(&dense->problem))
        return BASE_OK;
    for (int64_t i = 0; i < n; i++)
        odd[i] = dense->problem.is_complex ? -1 : turn_odd(dense, i);
    if (find_bound(&bound))
        return fill_certificate(context, &bound, dense);
    for (int64_t i = 0; i < n; i++)
        if (odd[i] >= 0)
            turn_back(dense, i, odd[i]);
    return BASE_OK;
}
