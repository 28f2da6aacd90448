/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/dense/pairs.c and the device kernel for dense real permanents by quadratic
 * forms: rows in pairs, with fewer than two FP64 instructions for a row and a subset. Of two rows,
 *
 *     q(d) = c + sum_{j<k} c_jk d_j d_k,   c_jk = a_j a'_k + a_k a'_j,
 *
 * is x x' of common/problem.h but for c, and in
 *
 *     2^(n-1) perm(A) = (-1)^(n-1) sum_d s(d) prod q(d)
 *
 * only those products count in which every d_j stands once, so that any c gives the same sum. The driver
 * hands over forms whose coefficients are multiples of 2^-53 and whose values and partial sums stay below 1:
 * all of them are exact, and only products and the outer sum round.
 *
 * With d_j = 2 b_j - 1, q is a form in the bits b. Columns 0 to 5 are the inner ones, a thread's 64 products
 * in registers, 6 to 10 belong to the lanes of a warp, the next S make the steps of a thread in Gray code
 * order, and the columns from there to n-2 have the bits of the warp's number. A warp keeps, for each pair, q
 * where the bits of inner columns and lanes are 0, and what q gains with each bit of those and of the steps,
 * which is a sum over columns again; a lane adds its own, the same in all warps. With the bits of columns 4
 * and 5, q and the gains of the first four change; with each of these, q gains what it does where the lower
 * bits are 0, and second differences: 132 additions and 64 multiplications for 64 subsets and two rows.
 *
 * An odd n has a row and a column more, which hold a 1 where they meet; the sign of that column is 1. */
#ifndef PERM_DENSE_PAIRS_GPU_H
#define PERM_DENSE_PAIRS_GPU_H

enum {
    PAIRS_GPU_THREADS = 128, /* of a block */
    PAIRS_GPU_RESIDENT = 2,  /* blocks that a multiprocessor shall hold */
    PAIRS_GPU_INNER = 6,
    PAIRS_GPU_PRODUCTS = 1 << PAIRS_GPU_INNER,
    PAIRS_GPU_LANES = 5,
    PAIRS_GPU_FIRST_STEP = PAIRS_GPU_INNER + PAIRS_GPU_LANES, /* column */
    PAIRS_GPU_MOST_STEPS = 10
};

/* A pair's table of second differences: of the first four columns, (1, 0), (2, 0), (2, 1), (3, 0) ...; of
 * columns 4 and 5; of the first four with column 4, and with 5. */
enum { PAIRS_GPU_LAST = 6, PAIRS_GPU_FOURTH = 8, PAIRS_GPU_TABLE = 16 };

/* What a pair has in shared memory: the block's table; what each lane adds to q and to the gains of inner
 * bits, [k/2][lane][k%2]; q and gains of each warp. */
enum {
    PAIRS_GPU_LANE = (2 + PAIRS_GPU_INNER) * 32,
    PAIRS_GPU_WARP = 1 + PAIRS_GPU_FIRST_STEP + PAIRS_GPU_MOST_STEPS,
    PAIRS_GPU_SHARED = PAIRS_GPU_TABLE + PAIRS_GPU_LANE + PAIRS_GPU_THREADS / 32 * PAIRS_GPU_WARP
};

/* What a pair has in the driver's table of m = n - 1 columns: its table; q where all bits are 0, and what it
 * gains with each, 1 + m numbers; the second differences, m x m. */
#ifdef __CUDACC__
__device__ __forceinline__
#else
static inline
#endif
    int
    pairs_gpu_form_doubles(int n) {
    const int columns = n - 1, count = PAIRS_GPU_TABLE + 1 + columns + columns * columns;
    return count + count % 2;
}

#endif
