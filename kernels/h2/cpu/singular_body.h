/* SPDX-License-Identifier: BSD-3-Clause */
/* Singular vectors by one-sided Jacobi rotations. A part of body.h. */

enum { H2_NAME(PAIRS) = 32 }; /* disjoint pairs of rows that are rotated together */

/* Pairs of rows, their products, and what makes them orthogonal. */
typedef struct H2_NAME(turns) {
    int count;
    int64_t x[H2_NAME(PAIRS)], y[H2_NAME(PAIRS)];
    double product[H2_NAME(PAIRS)];
    H2_REAL twice[H2_NAME(PAIRS)],
        apart[H2_NAME(PAIRS)]; /* twice the product, signed; difference of squares */
    H2_REAL cosine[H2_NAME(PAIRS)], tangent[H2_NAME(PAIRS)];
} H2_NAME(turns);

H2_INLINE void H2_NAME(add_pair)(H2_NAME(turns) * turns, int64_t x, int64_t y, double x_square,
                                 double y_square, double product) {
    const int k = turns->count++;
    turns->x[k] = x;
    turns->y[k] = y;
    turns->product[k] = product;
    turns->twice[k] = (H2_REAL)(y_square >= x_square ? 2 * product : -2 * product);
    turns->apart[k] = (H2_REAL)fabs(y_square - x_square);
}

/* Cosines and tangents, many at once: roots and quotients take longer than all else that a pair needs. */
H2_INLINE void H2_NAME(find_angles)(H2_NAME(turns) * turns) {
    const H2_VECTOR one = H2_SPLAT(1);
    for (int k = turns->count; k % H2_LANES != 0; k++)
        turns->twice[k] = turns->apart[k] = 1;
    for (int k = 0; k < turns->count; k += H2_LANES) {
        /* tan θ = p / (d + √(p² + d²)) for p = ±2 xᵀy, d = | |y|² - |x|² |: the smaller of the two angles
         * that make x and y orthogonal, without cancellation. */
        const H2_VECTOR p = H2_LOAD(turns->twice + k), d = H2_LOAD(turns->apart + k);
        const H2_VECTOR tangent = p / (d + H2_SQRT(H2_FMA(p, p, d * d)));
        H2_STORE(turns->tangent + k, tangent);
        H2_STORE(turns->cosine + k, one / H2_SQRT(H2_FMA(tangent, tangent, one)));
    }
}

/* Rotates all pairs of rows. `square` has the squared lengths |x|² and |y|², which change by ∓tan θ xᵀy. */
H2_INLINE void H2_NAME(turn_rows)(H2_NAME(turns) * turns, int64_t m, H2_REAL *rows, double *square) {
    H2_NAME(find_angles)(turns);
    for (int k = 0; k < turns->count; k++) {
        H2_REAL *x = rows + turns->x[k] * m, *y = rows + turns->y[k] * m;
        const H2_VECTOR c = H2_SPLAT(turns->cosine[k]), s = H2_SPLAT(turns->cosine[k] * turns->tangent[k]);
        for (int64_t i = 0; i < m; i += H2_LANES) {
            const int64_t lanes = m - i < H2_LANES ? m - i : H2_LANES;
            const H2_VECTOR a = H2_LOAD_PART(x + i, lanes), b = H2_LOAD_PART(y + i, lanes);
            H2_STORE_PART(x + i, c * a - s * b, lanes);
            H2_STORE_PART(y + i, H2_FMA(s, a, c * b), lanes);
        }
        square[turns->x[k]] -= (double)turns->tangent[k] * turns->product[k];
        square[turns->y[k]] += (double)turns->tangent[k] * turns->product[k];
    }
    turns->count = 0;
}

/* One sweep rotates every pair once, in rounds of disjoint pairs; returns whether a cosine was above `near`.
 */
H2_INLINE bool H2_NAME(sweep_pairs)(int64_t m, int64_t rank, H2_REAL *rows, double *square, double tolerance,
                                    double near) {
    const int64_t even = rank + rank % 2;
    bool is_far = false;
    H2_NAME(turns) turns;
    turns.count = 0;
    /* A round-robin tournament: row even - 1 stays, the others go around, round + k against round - k. */
    for (int64_t round = 0; round < even - 1; round++) {
        for (int64_t k = 0; k < even / 2; k++) {
            int64_t one = round + k, two = round + even - 1 - k; /* modulo even - 1 */
            one = k == 0 ? even - 1 : one - (one >= even - 1 ? even - 1 : 0);
            two -= two >= even - 1 ? even - 1 : 0;
            const int64_t i = one < two ? one : two, j = one < two ? two : one;
            if (j >= rank)
                continue;
            const double product = (double)H2_NAME(dot)(m, rows + i * m, rows + j * m);
            const double part = product * product, whole = square[i] * square[j];
            if (!(part > tolerance * tolerance * whole))
                continue;
            is_far |= part > near * near * whole;
            H2_NAME(add_pair)(&turns, i, j, square[i], square[j], product);
            if (turns.count == H2_NAME(PAIRS))
                H2_NAME(turn_rows)(&turns, m, rows, square);
        }
        H2_NAME(turn_rows)(&turns, m, rows, square);
    }
    return is_far;
}

static H2_TARGET void H2_NAME(sort_rows)(int64_t m, int64_t rank, H2_REAL *lt, double *sigma, H2_REAL *row) {
    for (int64_t i = 0; i < rank; i++) {
        int64_t best = i;
        for (int64_t j = i + 1; j < rank; j++)
            if (sigma[j] > sigma[best])
                best = j;
        if (best == i)
            continue;
        const double value = sigma[i];
        sigma[i] = sigma[best];
        sigma[best] = value;
        memcpy(row, lt + i * m, (size_t)m * sizeof *row);
        memcpy(lt + i * m, lt + best * m, (size_t)m * sizeof *row);
        memcpy(lt + best * m, row, (size_t)m * sizeof *row);
    }
}

static H2_TARGET void H2_NAME(singular)(int64_t m, int64_t rank, void *factor, double *sigma, void *work) {
    enum { MOST_SWEEPS = 40 };
    H2_REAL *lt = factor;
    const double tolerance = (sizeof(H2_REAL) == 8 ? 2.3e-16 : 1.2e-7) * sqrt((double)m + 16);
    /* A sweep squares cosines between rows: one that found none above this needs none after it. */
    const double near = sizeof(H2_REAL) == 8 ? 1e-7 : 1e-3;
    bool is_far = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && is_far; sweep++) {
        for (int64_t i = 0; i < rank; i++)
            sigma[i] = (double)H2_NAME(dot)(m, lt + i * m, lt + i * m);
        is_far = H2_NAME(sweep_pairs)(m, rank, lt, sigma, tolerance, near);
    }
    for (int64_t i = 0; i < rank; i++) {
        sigma[i] = sqrt(H2_NAME(sum_of_squares)(m, lt + i * m));
        H2_NAME(scale)(m, sigma[i] > 0 ? (H2_REAL)(1 / sigma[i]) : 0, lt + i * m);
    }
    H2_NAME(sort_rows)(m, rank, lt, sigma, work);
}
