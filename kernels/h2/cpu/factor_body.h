/* SPDX-License-Identifier: BSD-3-Clause */
/* Factorizations, a part of body.h. Columns that are worked on lie side by side in memory as rows. */

/* x becomes the tail of the Householder vector (1, x) that takes (alpha, x) to (beta, 0); returns tau. */
H2_INLINE H2_REAL H2_NAME(reflector)(int64_t n, H2_REAL alpha, H2_REAL *x, H2_REAL *beta) {
    const H2_REAL square = H2_NAME(dot)(n, x, x);
    *beta = alpha;
    if (!(square > 0))
        return 0;
    const H2_REAL length = (H2_REAL)sqrt((double)alpha * (double)alpha + (double)square);
    *beta = alpha > 0 ? -length : length; /* of the other sign, so that alpha - beta does not cancel */
    H2_NAME(scale)(n, 1 / (alpha - *beta), x);
    return (*beta - alpha) / *beta;
}

/* Column c of the triangular T with H_0 … H_c = I - V T Vᵀ: -tau T Vᵀv above tau, given the products Vᵀv of
 * its vector with the earlier ones (Schreiber, Van Loan: A storage-efficient WY representation for products
 * of Householder transformations, SIAM J. Sci. Stat. Comput. 10, 1989). */
H2_INLINE void H2_NAME(extend_t)(H2_REAL *t, int c, H2_REAL tau, const H2_REAL *products) {
    for (int a = 0; a < c; a++) {
        H2_REAL sum = 0;
        for (int b = a; b < c; b++)
            sum += t[a * H2_PANEL + b] * products[b];
        t[a * H2_PANEL + c] = -tau * sum;
    }
    t[c * H2_PANEL + c] = tau;
}

/* Reflects rows below and in a panel: C -= V (op(T) W), W being `width` wide; `middle` holds op(T) W. */
H2_INLINE void H2_NAME(reflect)(int64_t m, int64_t width, int count, const H2_REAL *vt, int64_t vt_row,
                                const H2_REAL *t, bool transposed, const H2_REAL *w, H2_REAL *middle,
                                H2_REAL *c, int64_t c_row) {
    H2_MULTIPLY(&(h2_product){H2_SET, count, width, count, t, transposed ? 1 : H2_PANEL,
                              transposed ? H2_PANEL : 1, w, width, middle, width});
    H2_MULTIPLY(&(h2_product){H2_SUBTRACT, m, width, count, vt, 1, vt_row, middle, width, c, c_row});
}

/* Orthogonalizes `count` columns, which lie in vt as rows of length n, n apart; vt becomes the vectors with
 * their ones and zeros. Row c of R goes to r + c·k, behind its first c numbers. */
H2_INLINE void H2_NAME(factor_panel)(int64_t n, int count, H2_REAL *vt, int64_t vt_row, H2_REAL *t,
                                     H2_REAL *r, int64_t k) {
    memset(t, 0, H2_PANEL * H2_PANEL * sizeof *t);
    for (int c = 0; c < count; c++) {
        H2_REAL *v = vt + c * vt_row, beta, products[H2_PANEL];
        const H2_REAL tau = H2_NAME(reflector)(n - c - 1, v[c], v + c + 1, &beta);
        v[c] = 1;
        for (int other = c + 1; other < count; other++) {
            H2_REAL *x = vt + other * vt_row;
            H2_NAME(add)(n - c, -tau * H2_NAME(dot)(n - c, v + c, x + c), v + c, x + c);
        }
        for (int row = 0; row < c; row++) {
            r[row * k + c] = v[row];
            v[row] = 0;
        }
        r[c * k + c] = beta;
        for (int b = 0; b < c; b++)
            products[b] = H2_NAME(dot)(n, vt + b * vt_row, v);
        H2_NAME(extend_t)(t, c, tau, products);
    }
}

static H2_TARGET void H2_NAME(orthogonalize)(int64_t m, int64_t k, void *matrix, void *triangle, void *work) {
    H2_REAL *a = matrix, *r = triangle, *vt = work, *t = vt + k * m;
    H2_REAL *w = t + (k + H2_PANEL) * H2_PANEL, *middle = w + H2_PANEL * k;
    memset(r, 0, (size_t)(k * k) * sizeof *r);
    for (int64_t j = 0; j < k; j += H2_PANEL) {
        const int count = k - j < H2_PANEL ? (int)(k - j) : H2_PANEL;
        const int64_t width = k - j - count;
        H2_REAL *v = vt + j * m + j, *rest = a + j * k + j + count;
        H2_NAME(transpose)(m - j, count, a + j * k + j, k, v, m);
        H2_NAME(factor_panel)(m - j, count, v, m, t + j * H2_PANEL, r + j * k + j, k);
        H2_MULTIPLY(&(h2_product){H2_SET, count, width, m - j, v, m, 1, rest, k, w, width});
        H2_NAME(reflect)(m - j, width, count, v, m, t + j * H2_PANEL, true, w, middle, rest, k);
        for (int c = 0; c < count && width > 0; c++)
            memcpy(r + (j + c) * k + j + count, rest + c * k, (size_t)width * sizeof *r);
    }
    /* Q = H_0 … H_{k-1} I, from the last panel to the first: its rows and columns before j are those of I
     * still. */
    memset(a, 0, (size_t)(m * k) * sizeof *a);
    for (int64_t i = 0; i < k; i++)
        a[i * k + i] = 1;
    for (int64_t j = (k - 1) / H2_PANEL * H2_PANEL; j >= 0; j -= H2_PANEL) {
        const int count = k - j < H2_PANEL ? (int)(k - j) : H2_PANEL;
        H2_REAL *v = vt + j * m + j, *rest = a + j * k + j;
        H2_MULTIPLY(&(h2_product){H2_SET, count, k - j, m - j, v, m, 1, rest, k, w, k - j});
        H2_NAME(reflect)(m - j, k - j, count, v, m, t + j * H2_PANEL, false, w, middle, rest, k);
    }
    /* Q R = (Q D)(D R) for signs D: R's diagonal becomes positive. */
    for (int64_t i = 0; i < k; i++) {
        if (r[i * k + i] >= 0)
            continue;
        H2_NAME(scale)(k - i, -1, r + i * k + i);
        for (int64_t row = 0; row < m; row++)
            a[row * k + i] = -a[row * k + i];
    }
}

/* A panel of [R; rows]: the vectors are a unit vector in R's part over a column in vt. */
H2_INLINE void H2_NAME(absorb_panel)(int64_t k, H2_REAL *r, int64_t m, int count, H2_REAL *vt, H2_REAL *t) {
    memset(t, 0, H2_PANEL * H2_PANEL * sizeof *t);
    for (int c = 0; c < count; c++) {
        H2_REAL *v = vt + c * m, *row = r + c * k, products[H2_PANEL];
        const H2_REAL tau = H2_NAME(reflector)(m, row[c], v, &row[c]);
        for (int other = c + 1; other < count; other++) {
            const H2_REAL times = tau * (row[other] + H2_NAME(dot)(m, v, vt + other * m));
            row[other] -= times;
            H2_NAME(add)(m, -times, v, vt + other * m);
        }
        for (int b = 0; b < c; b++)
            products[b] = H2_NAME(dot)(m, vt + b * m, v);
        H2_NAME(extend_t)(t, c, tau, products);
    }
}

static H2_TARGET void H2_NAME(absorb)(int64_t k, void *triangle, int64_t m, void *rows, void *work) {
    H2_REAL *r = triangle, *a = rows, *vt = work, *t = vt + H2_PANEL * m;
    H2_REAL *w = t + H2_PANEL * H2_PANEL, *middle = w + H2_PANEL * k;
    for (int64_t j = 0; j < k; j += H2_PANEL) {
        const int count = k - j < H2_PANEL ? (int)(k - j) : H2_PANEL;
        const int64_t width = k - j - count;
        H2_REAL *top = r + j * k + j + count, *rest = a + j + count;
        H2_NAME(transpose)(m, count, a + j, k, vt, m);
        H2_NAME(absorb_panel)(k, r + j * k + j, m, count, vt, t);
        if (width == 0)
            break;
        for (int c = 0; c < count; c++)
            memcpy(w + c * width, top + c * k, (size_t)width * sizeof *w);
        H2_MULTIPLY(&(h2_product){H2_ADD, count, width, m, vt, m, 1, rest, k, w, width});
        H2_NAME(reflect)(m, width, count, vt, m, t, true, w, middle, rest, k);
        for (int c = 0; c < count; c++)
            H2_NAME(add)(width, -1, middle + c * width, top + c * k);
    }
}

/* ---- factors that reveal the rank ---- */

/* Finds the largest of m numbers, and the sum of those that are positive. */
H2_INLINE int64_t H2_NAME(find_pivot)(int64_t m, const H2_REAL *d, double *total) {
    int64_t pivot = 0;
    *total = 0;
    for (int64_t i = 0; i < m; i++) {
        *total += d[i] > 0 ? (double)d[i] : 0;
        if (d[i] > d[pivot])
            pivot = i;
    }
    return pivot;
}

/* Cholesky's factorization with the largest diagonal entry of what is left as pivot, until their sum is
 * small. */
static H2_TARGET int64_t H2_NAME(reveal_gram)(int64_t m, const void *gram, double relative, double absolute,
                                              void *factor, double *left, void *work) {
    const H2_REAL *g = gram;
    H2_REAL *lt = factor, *d = work;
    double first = 0;
    int64_t rank = 0;
    for (int64_t i = 0; i < m; i++)
        d[i] = g[i * m + i];
    for (*left = 0; rank < m; rank++) {
        const int64_t pivot = H2_NAME(find_pivot)(m, d, left);
        H2_REAL *row = lt + rank * m;
        if (*left <= relative * first || *left <= absolute || !(d[pivot] > 0))
            return rank;
        /* The pivot's row of G - L Lᵀ, divided by the root of its diagonal entry; d has the diagonal. */
        memcpy(row, g + pivot * m, (size_t)m * sizeof *row);
        for (int64_t s = 0; s < rank; s++)
            H2_NAME(add)(m, -lt[s * m + pivot], lt + s * m, row);
        if (!(row[pivot] > 0))
            return rank;
        H2_NAME(scale)(m, 1 / (H2_REAL)sqrt((double)row[pivot]), row);
        for (int64_t i = 0; i < m; i++) {
            row[i] = d[i] > 0 ? row[i] : 0; /* Rows that were pivots are zero but for rounding. */
            d[i] = i == pivot ? 0 : d[i] - row[i] * row[i];
        }
        if (rank == 0)
            first = H2_NAME(sum_of_squares)(m, row);
    }
    *left = 0;
    return rank;
}

/* Squares the columns' lengths from row `first` on; those that were pivots are zero there. */
H2_INLINE void H2_NAME(measure_columns)(int64_t p, int64_t m, int64_t first, const H2_REAL *a, H2_REAL *d) {
    memset(d, 0, (size_t)m * sizeof *d);
    for (int64_t row = first; row < p; row++)
        for (int64_t i = 0; i < m; i++)
            d[i] += a[row * m + i] * a[row * m + i];
}

/* QR with the longest column of what is left as pivot, until the sum of squared lengths is small. */
static H2_TARGET int64_t H2_NAME(reveal_rows)(int64_t p, int64_t m, void *matrix, double relative,
                                              double absolute, double *left, void *work) {
    H2_REAL *a = matrix, *d = work, *v = d + m, *w = v + p;
    const int64_t most = p < m ? p : m;
    double first = 0, measured = 0;
    for (int64_t rank = 0; rank < most; rank++) {
        int64_t pivot = rank > 0 ? H2_NAME(find_pivot)(m, d, left) : 0;
        /* Squares are brought up to date by subtraction, whose error is the rounding of what was measured:
         * where a thousandth of that is left they are measured anew. */
        if (rank == 0 || *left < 1e-3 * measured) {
            H2_NAME(measure_columns)(p, m, rank, a, d);
            pivot = H2_NAME(find_pivot)(m, d, left);
            measured = *left;
        }
        if (*left <= relative * first || *left <= absolute || !(d[pivot] > 0))
            return rank;
        /* v reflects the pivot column; A -= v (tau vᵀA), with w = tau vᵀA. */
        H2_REAL beta;
        for (int64_t row = rank; row < p; row++)
            v[row] = a[row * m + pivot];
        const H2_REAL tau = H2_NAME(reflector)(p - rank - 1, v[rank], v + rank + 1, &beta);
        v[rank] = 1;
        memset(w, 0, (size_t)m * sizeof *w);
        for (int64_t row = rank; row < p; row++)
            H2_NAME(add)(m, tau * v[row], a + row * m, w);
        for (int64_t row = rank; row < p; row++) {
            H2_NAME(add)(m, -v[row], w, a + row * m);
            a[row * m + pivot] = 0;
        }
        a[rank * m + pivot] = beta;
        if (rank == 0)
            first = H2_NAME(sum_of_squares)(m, a);
        for (int64_t i = 0; i < m; i++)
            d[i] -= a[rank * m + i] * a[rank * m + i];
        d[pivot] = 0;
    }
    H2_NAME(measure_columns)(p, m, most, a, d);
    H2_NAME(find_pivot)(m, d, left);
    return most;
}

#include "h2/cpu/singular_body.h"
