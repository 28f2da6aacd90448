/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of common/kernel.h, included once by the file of each instruction set for each type after
 * defining
 *
 *     H2_TARGET            the function attribute that turns the instructions on, or nothing
 *     H2_REAL, H2_LANES    the type, and how many a vector holds
 *     H2_ROWS              rows of C that multiply keeps in registers: 4 or 8, with 3 vectors each
 *     H2_NAME(x)           x with a suffix of the type
 *     H2_VECTOR            the vector's type
 *     H2_LOAD(p), H2_STORE(p, v), H2_LOAD_PART(p, n), H2_STORE_PART(p, v, n)   all or the first n ≥ 1 lanes
 *     H2_SPLAT(x), H2_FMA(a, b, c), H2_SQRT(v), H2_SUM(v)
 *     H2_LABEL             the name in the table
 */
#ifndef H2_INLINE
#include <string.h>

#define H2_INLINE static inline __attribute__((always_inline)) H2_TARGET
#if defined(__clang__)
#define H2_UNROLL _Pragma("clang loop unroll(full)")
#else
#define H2_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

#define H2_APPLY_CHUNK H2_NAME(apply_chunk)
#define H2_APPLY_ROWS H2_NAME(apply_rows)
#define H2_MULTIPLY H2_NAME(multiply)

#include "h2/cpu/product_body.h"

/* ---- blocks with vectors ---- */

/* Prefetches the numbers that are used next; addresses beyond the end do no harm. */
H2_INLINE void H2_NAME(prefetch)(const H2_REAL *from, int64_t count) {
    for (int64_t i = 0; i < count; i += 64 / (int64_t)sizeof *from)
        __builtin_prefetch(from + i);
}

/* For one vector: adds S x to `sum` and Sᵀ factors to `yt`, for `rows` rows and up to H2_LANES columns of S.
 */
H2_INLINE void H2_APPLY_CHUNK(const H2_REAL *s, int64_t s_row, const int rows, int64_t lanes,
                              const H2_REAL *x, const H2_REAL *factors, H2_REAL *yt, H2_VECTOR *sum) {
    const H2_VECTOR column = x != NULL ? H2_LOAD_PART(x, lanes) : H2_SPLAT(0);
    H2_VECTOR added = yt != NULL ? H2_LOAD_PART(yt, lanes) : H2_SPLAT(0);
    H2_UNROLL
    for (int i = 0; i < rows; i++) {
        const H2_VECTOR entry = H2_LOAD_PART(s + i * s_row, lanes);
        if (x != NULL)
            sum[i] = H2_FMA(entry, column, sum[i]);
        if (yt != NULL)
            added = H2_FMA(entry, H2_SPLAT(factors[i]), added);
    }
    if (yt != NULL)
        H2_STORE_PART(yt, added, lanes);
}

/* Adds S x to y and Sᵀ factors to yt, for `rows` rows of a piece of S; where x or yt is NULL, only one of
 * them. */
H2_INLINE void H2_APPLY_ROWS(const H2_REAL *s, int64_t s_row, const int rows, int64_t width, const H2_REAL *x,
                             H2_REAL *y, const H2_REAL *factors, H2_REAL *yt) {
    H2_VECTOR sum[8];
    int64_t column = 0;
    H2_UNROLL
    for (int i = 0; i < rows; i++)
        sum[i] = H2_SPLAT(0);
    for (; column + H2_LANES <= width; column += H2_LANES)
        H2_APPLY_CHUNK(s + column, s_row, rows, H2_LANES, x != NULL ? x + column : NULL, factors,
                       yt != NULL ? yt + column : NULL, sum);
    if (column < width)
        H2_APPLY_CHUNK(s + column, s_row, rows, width - column, x != NULL ? x + column : NULL, factors,
                       yt != NULL ? yt + column : NULL, sum);
    if (x != NULL) {
        H2_UNROLL
        for (int i = 0; i < rows; i++)
            y[i] += H2_SUM(sum[i]);
    }
}

enum { H2_NAME(WIDTH) = 512 };

/* Works on columns in pieces, so that the transposed sums stay in the first-level cache. */
H2_INLINE void H2_NAME(apply_one)(const h2_application *a, const bool forward, const bool transposed) {
    H2_REAL sums[H2_NAME(WIDTH)];
    for (int64_t column = 0; column < a->k; column += H2_NAME(WIDTH)) {
        const int64_t left = a->k - column, width = left < H2_NAME(WIDTH) ? left : H2_NAME(WIDTH);
        const H2_REAL *s = (const H2_REAL *)a->block + column, *xt = a->xt;
        const H2_REAL *x = forward ? (const H2_REAL *)a->x + column : NULL;
        H2_REAL *y = a->y, *yt = transposed ? sums : NULL;
        int64_t row = 0;
        if (transposed)
            memset(sums, 0, (size_t)width * sizeof *sums);
        for (; row + 8 <= a->m; row += 8) {
            H2_NAME(prefetch)(s + (row + 8) * a->k, 8 * a->k);
            H2_APPLY_ROWS(s + row * a->k, a->k, 8, width, x, forward ? y + row : NULL,
                          transposed ? xt + row : NULL, yt);
        }
        for (; row < a->m; row++)
            H2_APPLY_ROWS(s + row * a->k, a->k, 1, width, x, forward ? y + row : NULL,
                          transposed ? xt + row : NULL, yt);
        if (transposed)
            for (int64_t i = 0; i < width; i++)
                ((H2_REAL *)a->yt)[column + i] += sums[i];
    }
}

/* Applies a panel of rows of S and its transpose while it is in the first-level cache, and prefetches the
 * next one. */
H2_INLINE void H2_NAME(apply_panel)(const h2_application *a, int64_t row, int64_t rows, H2_REAL *sums) {
    const int64_t width = a->vectors;
    const H2_REAL *s = (const H2_REAL *)a->block + row * a->k, *ahead = s + rows * a->k;
    const h2_product forward = {
        H2_ADD, rows, width, a->k, s, a->k, 1, a->x, width, (H2_REAL *)a->y + row * width, width};
    if (a->y == NULL)
        H2_NAME(prefetch)(ahead, rows * a->k);
    else if (width <= H2_LANES)
        H2_NAME(block)(&forward, 1, 0, width, ahead);
    else if (width <= 2 * H2_LANES)
        H2_NAME(block)(&forward, 2, 0, width - H2_LANES, ahead);
    else
        H2_MULTIPLY(&forward);
    if (a->yt != NULL)
        H2_MULTIPLY(&(h2_product){row == 0 ? H2_SET : H2_ADD, a->k, width, rows, s, 1, a->k,
                                  (const H2_REAL *)a->xt + row * width, width, sums, width});
}

static H2_TARGET void H2_NAME(apply_many)(const h2_application *a) {
    enum { PANEL_ROWS = 16, SUMS = 2048 };
    const int64_t count = a->k * a->vectors;
    H2_REAL sums[SUMS];
    if (count > SUMS) { /* The transposed sums have no room beside a panel: S x first, then Sᵀ x. */
        if (a->y != NULL)
            H2_MULTIPLY(&(h2_product){H2_ADD, a->m, a->vectors, a->k, a->block, a->k, 1, a->x, a->vectors,
                                      a->y, a->vectors});
        if (a->yt != NULL)
            H2_MULTIPLY(&(h2_product){H2_ADD, a->k, a->vectors, a->m, a->block, 1, a->k, a->xt, a->vectors,
                                      a->yt, a->vectors});
        return;
    }
    for (int64_t row = 0; row < a->m; row += PANEL_ROWS)
        H2_NAME(apply_panel)(a, row, a->m - row < PANEL_ROWS ? a->m - row : PANEL_ROWS, sums);
    for (int64_t i = 0; i < count && a->yt != NULL && a->m > 0; i++)
        ((H2_REAL *)a->yt)[i] += sums[i];
}

static H2_TARGET void H2_NAME(apply)(const h2_application *a) {
    if (a->vectors == 1 && a->y != NULL && a->yt != NULL) {
        H2_NAME(apply_one)(a, true, true);
    } else if (a->vectors == 1 && a->y != NULL) {
        H2_NAME(apply_one)(a, true, false);
    } else if (a->vectors == 1) {
        H2_NAME(apply_one)(a, false, true);
    } else {
        H2_NAME(apply_many)(a);
    }
}

/* ---- rows of numbers ---- */

static H2_TARGET void H2_NAME(transpose)(int64_t rows, int64_t cols, const void *from, int64_t from_row,
                                         void *to, int64_t to_row) {
    enum { EDGE = 8 }; /* numbers that are stored side by side, which fill a line of the cache */
    const H2_REAL *source = from;
    H2_REAL *target = to;
    for (int64_t i = 0; i < rows; i += EDGE)
        for (int64_t j = 0; j < cols; j++) {
            const int64_t end = i + EDGE < rows ? i + EDGE : rows;
            for (int64_t k = i; k < end; k++)
                target[j * to_row + k] = source[k * from_row + j];
        }
}

/* xᵀy; two sums halve the chain of additions. */
H2_INLINE H2_REAL H2_NAME(dot)(int64_t n, const H2_REAL *x, const H2_REAL *y) {
    H2_VECTOR one = H2_SPLAT(0), two = H2_SPLAT(0);
    int64_t i = 0;
    for (; i + 2 * H2_LANES <= n; i += 2 * H2_LANES) {
        one = H2_FMA(H2_LOAD(x + i), H2_LOAD(y + i), one);
        two = H2_FMA(H2_LOAD(x + i + H2_LANES), H2_LOAD(y + i + H2_LANES), two);
    }
    for (; i < n; i += H2_LANES) {
        const int64_t lanes = n - i < H2_LANES ? n - i : H2_LANES;
        one = H2_FMA(H2_LOAD_PART(x + i, lanes), H2_LOAD_PART(y + i, lanes), one);
    }
    return H2_SUM(one + two);
}

/* y += factor·x */
H2_INLINE void H2_NAME(add)(int64_t n, H2_REAL factor, const H2_REAL *x, H2_REAL *y) {
    const H2_VECTOR times = H2_SPLAT(factor);
    int64_t i = 0;
    for (; i + H2_LANES <= n; i += H2_LANES)
        H2_STORE(y + i, H2_FMA(times, H2_LOAD(x + i), H2_LOAD(y + i)));
    if (i < n)
        H2_STORE_PART(y + i, H2_FMA(times, H2_LOAD_PART(x + i, n - i), H2_LOAD_PART(y + i, n - i)), n - i);
}

H2_INLINE void H2_NAME(scale)(int64_t n, H2_REAL factor, H2_REAL *x) {
    for (int64_t i = 0; i < n; i++)
        x[i] *= factor;
}

static H2_TARGET double H2_NAME(sum_of_squares)(int64_t count, const void *a) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const double value = ((const H2_REAL *)a)[i];
        sum += value * value;
    }
    return sum;
}

static H2_TARGET void H2_NAME(narrow)(int64_t count, const double *from, void *to) {
    for (int64_t i = 0; i < count; i++)
        ((H2_REAL *)to)[i] = (H2_REAL)from[i];
}

static H2_TARGET void H2_NAME(widen)(int64_t count, const void *from, double *to) {
    for (int64_t i = 0; i < count; i++)
        to[i] = ((const H2_REAL *)from)[i];
}

#include "h2/cpu/factor_body.h"

const h2_kernels H2_NAME(H2_TABLE) = {
    .name = H2_LABEL,
    .bytes = sizeof(H2_REAL),
    .multiply = H2_NAME(multiply),
    .apply = H2_NAME(apply),
    .transpose = H2_NAME(transpose),
    .orthogonalize = H2_NAME(orthogonalize),
    .absorb = H2_NAME(absorb),
    .reveal_gram = H2_NAME(reveal_gram),
    .reveal_rows = H2_NAME(reveal_rows),
    .singular = H2_NAME(singular),
    .sum_of_squares = H2_NAME(sum_of_squares),
    .narrow = H2_NAME(narrow),
    .widen = H2_NAME(widen),
};
