/* SPDX-License-Identifier: BSD-3-Clause */
/* The dense kernels of H2 matrices, each beside plain loops in long double, on random shapes. */
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "h2/common/kernel.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 21, MOST = 70, SHAPES = 60 };

typedef struct kit {
    const h2_kernels *kernels;
    base_random random;
    double tolerance;
} kit;

static int64_t pick(kit *k, int64_t most) {
    return (int64_t)base_random_below(&k->random, (uint64_t)most + 1);
}

static double get(const kit *k, const void *array, int64_t i) {
    return k->kernels->bytes == 8 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

/* `count` random numbers of the kernel's type, with some room behind them that is junk. */
static void *draw(kit *k, int64_t count) {
    char *array = malloc((size_t)(count + 64) * (size_t)k->kernels->bytes);
    memset(array, 0x7e, (size_t)(count + 64) * (size_t)k->kernels->bytes);
    for (int64_t i = 0; i < count; i++) {
        const double value = base_random_uniform(&k->random) - 0.5;
        k->kernels->narrow(1, &value, array + i * k->kernels->bytes);
    }
    return array;
}

static void *copy(const kit *k, const void *array, int64_t count) {
    void *to = malloc((size_t)(count + 64) * (size_t)k->kernels->bytes);
    memcpy(to, array, (size_t)(count + 64) * (size_t)k->kernels->bytes);
    return to;
}

static double check_multiply(kit *k) {
    const int64_t m = pick(k, 40), n = pick(k, MOST), p = pick(k, 40), c_row = n + pick(k, 3);
    const bool transposed = pick(k, 1) == 1;
    const h2_update update = (h2_update)pick(k, 2);
    void *a = draw(k, m * p), *b = draw(k, p * n), *c = draw(k, m * c_row + n),
         *old = copy(k, c, m * c_row + n);
    double worst = 0;
    k->kernels->multiply(
        &(h2_product){update, m, n, p, a, transposed ? 1 : p, transposed ? m : 1, b, n, c, c_row});
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < c_row; j++) {
            long double sum = 0;
            for (int64_t q = 0; q < p && j < n; q++)
                sum += (long double)get(k, a, transposed ? q * m + i : i * p + q) * get(k, b, q * n + j);
            const double before = get(k, old, i * c_row + j);
            const double want = j >= n             ? before
                                : update == H2_SET ? (double)sum
                                : update == H2_ADD ? before + (double)sum
                                                   : before - (double)sum;
            const double far = fabs(get(k, c, i * c_row + j) - want);
            worst = far > worst || far != far ? far : worst;
        }
    free(a);
    free(b);
    free(c);
    free(old);
    return worst;
}

static double check_apply(kit *k) {
    const int64_t m = pick(k, 40), n = pick(k, 600), vectors = pick(k, 1) ? 1 : 1 + pick(k, 19);
    const int which = 1 + (int)pick(k, 2);
    void *s = draw(k, m * n), *x = draw(k, n * vectors), *xt = draw(k, m * vectors);
    void *y = draw(k, m * vectors), *yt = draw(k, n * vectors);
    void *y0 = copy(k, y, m * vectors), *yt0 = copy(k, yt, n * vectors);
    double worst = 0;
    h2_application application = {.m = m, .k = n, .vectors = vectors, .block = s};
    if ((which & 1) != 0) {
        application.x = x;
        application.y = y;
    }
    if ((which & 2) != 0) {
        application.xt = xt;
        application.yt = yt;
    }
    k->kernels->apply(&application);
    for (int64_t v = 0; v < vectors; v++) {
        for (int64_t i = 0; i < m; i++) {
            long double sum = get(k, y0, i * vectors + v);
            for (int64_t j = 0; j < n && (which & 1) != 0; j++)
                sum += (long double)get(k, s, i * n + j) * get(k, x, j * vectors + v);
            worst = fmax(worst, fabs(get(k, y, i * vectors + v) - (double)sum));
        }
        for (int64_t j = 0; j < n; j++) {
            long double sum = get(k, yt0, j * vectors + v);
            for (int64_t i = 0; i < m && (which & 2) != 0; i++)
                sum += (long double)get(k, s, i * n + j) * get(k, xt, i * vectors + v);
            worst = fmax(worst, fabs(get(k, yt, j * vectors + v) - (double)sum));
        }
    }
    free(s);
    free(x);
    free(xt);
    free(y);
    free(yt);
    free(y0);
    free(yt0);
    return worst / 5;
}

/* (AᵀA)(i, j) for A of `rows` rows of n. */
static double gram(const kit *k, const void *a, int64_t rows, int64_t n, int64_t i, int64_t j) {
    long double sum = 0;
    for (int64_t row = 0; row < rows; row++)
        sum += (long double)get(k, a, row * n + i) * get(k, a, row * n + j);
    return (double)sum;
}

static double check_orthogonalize(kit *k) {
    const int64_t n = 1 + pick(k, 39), m = n + pick(k, 39), repeat = pick(k, 3);
    void *a = draw(k, m * n), *r = draw(k, n * n), *work = draw(k, h2_kernel_work(m, n));
    if (repeat == 0 && n > 1) /* of less than full rank */
        for (int64_t i = 0; i < m; i++)
            memcpy((char *)a + (i * n + n / 2) * k->kernels->bytes, (char *)a + i * n * k->kernels->bytes,
                   (size_t)k->kernels->bytes);
    void *old = copy(k, a, m * n);
    double worst = 0;
    k->kernels->orthogonalize(m, n, a, r, work);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            worst = fmax(worst, fabs(gram(k, a, m, n, i, j) - (i == j)));
            if (j < i ? get(k, r, i * n + j) != 0 : j == i && get(k, r, i * n + i) < 0)
                worst = INFINITY;
        }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            long double sum = 0;
            for (int64_t q = 0; q <= j; q++)
                sum += (long double)get(k, a, i * n + q) * get(k, r, q * n + j);
            worst = fmax(worst, fabs((double)sum - get(k, old, i * n + j)));
        }
    free(a);
    free(r);
    free(work);
    free(old);
    return worst;
}

static double check_absorb(kit *k) {
    const int64_t n = 1 + pick(k, 39), m = pick(k, 60);
    void *r = draw(k, n * n), *rows = draw(k, m * n), *work = draw(k, h2_kernel_work(m, n));
    const double zero = 0;
    double worst = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i || (i == n - 1 && j == i); j++) /* a zero on the diagonal, too */
            k->kernels->narrow(1, &zero, (char *)r + (i * n + j) * k->kernels->bytes);
    void *old_r = copy(k, r, n * n), *old_rows = copy(k, rows, m * n);
    k->kernels->absorb(n, r, m, rows, work);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double want = gram(k, old_r, n, n, i, j) + gram(k, old_rows, m, n, i, j);
            worst = fmax(worst, fabs(gram(k, r, n, n, i, j) - want));
            if (j < i && get(k, r, i * n + j) != 0)
                worst = INFINITY;
        }
    free(r);
    free(rows);
    free(work);
    free(old_r);
    free(old_rows);
    return worst / 10;
}

/* L Lᵀ is the Gram matrix of a product of a thin and a wide matrix but for what was left, whose trace is
 * told; singular vectors are orthonormal, fall, and give L Lᵀ again. */
static double check_reveal(kit *k, bool rows) {
    const int64_t p = 1 + pick(k, 39), n = 1 + pick(k, 59), inner = 1 + pick(k, 10);
    const double stop = pick(k, 1) ? 1e-2 : 0;
    void *x = draw(k, p * inner), *y = draw(k, inner * n), *a = draw(k, p * n), *g = draw(k, n * n);
    void *lt = draw(k, (n + p) * n), *work = draw(k, h2_kernel_work(p, n));
    double worst = 0, left = -1, trace = 0, gone = 0, *sigma = malloc((size_t)(n + 1) * sizeof *sigma);
    k->kernels->multiply(&(h2_product){H2_SET, p, n, inner, x, inner, 1, y, n, a, n});
    k->kernels->multiply(&(h2_product){H2_SET, n, n, p, a, 1, n, a, n, g, n});
    void *factor = rows ? a : lt;
    const double relative = stop > 0 ? stop : k->tolerance * 100;
    const int64_t rank = rows ? k->kernels->reveal_rows(p, n, a, relative, 0, &left, work)
                              : k->kernels->reveal_gram(n, g, relative, 0, lt, &left, work);
    if (rank > inner || rank < 0)
        worst = INFINITY;
    k->kernels->multiply(&(h2_product){H2_SET, p, n, inner, x, inner, 1, y, n, rows ? lt : a, n});
    const void *again = rows ? lt : a;
    for (int64_t i = 0; i < n; i++) {
        trace += gram(k, again, p, n, i, i);
        gone += gram(k, again, p, n, i, i) - gram(k, factor, rank, n, i, i);
    }
    worst = fmax(worst, fabs(gone - left) / fmax(trace, 1));
    if (!(left <= relative * trace * 1.0001 + k->tolerance))
        worst = INFINITY;
    void *before = copy(k, factor, rank * n);
    k->kernels->singular(n, rank, factor, sigma, work);
    for (int64_t i = 0; i < rank; i++)
        for (int64_t j = 0; j < rank; j++) {
            long double sum = 0;
            for (int64_t q = 0; q < n; q++)
                sum += (long double)get(k, factor, i * n + q) * get(k, factor, j * n + q);
            worst = fmax(worst, fabs((double)sum - (i == j)));
            if (i + 1 < rank && sigma[i] < sigma[i + 1])
                worst = INFINITY;
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            long double sum = 0;
            for (int64_t q = 0; q < rank; q++)
                sum +=
                    (long double)get(k, factor, q * n + i) * get(k, factor, q * n + j) * sigma[q] * sigma[q];
            worst = fmax(worst, fabs((double)sum - gram(k, before, rank, n, i, j)) / fmax(trace, 1));
        }
    free(x);
    free(y);
    free(a);
    free(g);
    free(lt);
    free(work);
    free(before);
    free(sigma);
    return worst;
}

static double check_reveal_gram(kit *k) {
    return check_reveal(k, false);
}

static double check_reveal_rows(kit *k) {
    return check_reveal(k, true);
}

static double check_rest(kit *k) {
    const int64_t m = pick(k, 40), n = pick(k, 40);
    void *a = draw(k, m * n), *t = draw(k, m * n);
    double worst = 0, *wide = malloc((size_t)(m * n + 1) * sizeof *wide);
    long double squares = 0;
    k->kernels->transpose(m, n, a, n, t, m);
    k->kernels->widen(m * n, a, wide);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            if (get(k, a, i * n + j) != get(k, t, j * m + i) || wide[i * n + j] != get(k, a, i * n + j))
                worst = INFINITY;
            squares += (long double)wide[i * n + j] * wide[i * n + j];
        }
    worst = fmax(worst, fabs(k->kernels->sum_of_squares(m * n, a) - (double)squares) / 100);
    free(a);
    free(t);
    free(wide);
    return worst;
}

static void check_kernels(const h2_kernels *kernels) {
    static const struct {
        const char *name;
        double (*check)(kit *);
    } checks[] = {{"multiply", check_multiply},
                  {"apply", check_apply},
                  {"orthogonalize", check_orthogonalize},
                  {"absorb", check_absorb},
                  {"reveal_gram", check_reveal_gram},
                  {"reveal_rows", check_reveal_rows},
                  {"the rest", check_rest}};
    kit k = {.kernels = kernels, .tolerance = kernels->bytes == 8 ? 2e-14 : 1e-5};
    for (size_t c = 0; c < sizeof checks / sizeof *checks; c++) {
        double worst = 0;
        base_random_init(&k.random, SEED, c);
        for (int shape = 0; shape < SHAPES; shape++) {
            const double far = checks[c].check(&k);
            worst = far > worst || far != far ? far : worst;
        }
        tap_ok(worst <= k.tolerance, "%s %s: %.1e", kernels->name, checks[c].name, worst);
    }
}

int main(void) {
    tap_note("seed %d", SEED);
    check_kernels(&h2_portable_fp64);
    check_kernels(&h2_portable_fp32);
#if defined(__x86_64__)
    if (base_cpu_features() & CPU_AVX2) {
        check_kernels(&h2_avx2_fp64);
        check_kernels(&h2_avx2_fp32);
    } else {
        tap_skip(14, "no AVX2");
    }
    if (base_cpu_features() & CPU_AVX512) {
        check_kernels(&h2_avx512_fp64);
        check_kernels(&h2_avx512_fp32);
    } else {
        tap_skip(14, "no AVX-512");
    }
#endif
    return tap_done();
}
