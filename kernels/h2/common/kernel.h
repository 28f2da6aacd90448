/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of the dense kernels of H² matrices: everything that is done with the numbers of one block, in
 * binary64 or binary32, for one instruction set.
 *
 * Matrices are row-major; `void *` points to numbers of `bytes` bytes. Nothing is allocated; `work` is the
 * caller's and holds h2_kernel_work(…) numbers. The same arguments give the same bits on one processor,
 * whatever happens around the call. Dimensions may be 0.
 *
 * cpu/ has these kernels for processors, one source for all vector widths. Devices have kernels of their own
 * by steps of the work: fill/, product/, orthog/, compress/, the last two also in large/ for ranks above 64;
 * what they share stands in tensor_gpu.h here. */
#ifndef H2_COMMON_KERNEL_H
#define H2_COMMON_KERNEL_H

#include <stdint.h>

typedef enum h2_update { H2_SET, H2_ADD, H2_SUBTRACT } h2_update;

/* op(A) is m × p: entry (i, j) lies at i·a_row + j·a_col, so that a transposed A costs nothing. Rows of B
 * (p × n) and C (m × n) are contiguous and b_row, c_row apart. */
typedef struct h2_product {
    h2_update update; /* C = op(A) B, C += …, C -= … */
    int64_t m, n, p;
    const void *a;
    int64_t a_row, a_col;
    const void *b;
    int64_t b_row;
    void *c;
    int64_t c_row;
} h2_product;

/* A block S (m × k) with `vectors` vectors, each array with the vectors of one row side by side:
 * y (m) += S x (k) and yt (k) += Sᵀ xt (m), both while S passes by once. Either pair may be NULL. What is
 * added to an element is summed up first. */
typedef struct h2_application {
    int64_t m, k, vectors;
    const void *block, *x, *xt;
    void *y, *yt;
} h2_application;

enum { H2_PANEL = 8 }; /* columns that are orthogonalized before the rest is updated */

typedef struct h2_kernels {
    const char *name; /* avx512-fp64 */
    int bytes;        /* of a number: 8 or 4 */

    /* 2 m n p flop */
    void (*multiply)(const h2_product *product);
    /* 2 m k flop a vector and direction */
    void (*apply)(const h2_application *application);
    /* to (cols × rows) = from (rows × cols)ᵀ */
    void (*transpose)(int64_t rows, int64_t cols, const void *from, int64_t from_row, void *to,
                      int64_t to_row);

    /* A (m × k, m ≥ k) = Q R by Householder reflections: A becomes Q, r (k × k) the upper triangular R with
     * zeros below and no negative number on its diagonal. 4mk² - 4k³/3 flop. */
    void (*orthogonalize)(int64_t m, int64_t k, void *a, void *r, void *work);

    /* R (k × k, upper triangular, signs as they come) becomes the R factor of [R; rows], rows being m × k;
     * rows are destroyed. 2mk² flop. */
    void (*absorb)(int64_t k, void *r, int64_t m, void *rows, void *work);

    /* Lᵀ (rank × m) with L Lᵀ = G (m × m, symmetric) but for a remainder of trace at most
     * max(relative·r, absolute), by Cholesky's method with diagonal pivoting; r, the square of Lᵀ's first
     * row, is at most σ₁² of L. Returns the rank; *left is the trace that remained. m·rank² flop. */
    int64_t (*reveal_gram)(int64_t m, const void *g, double relative, double absolute, void *lt, double *left,
                           void *work);

    /* The same for G = AᵀA with A (p × m), by column-pivoted Householder reflections; A is destroyed and the
     * first rows of what it becomes are Lᵀ. 4·p·m·rank flop. */
    int64_t (*reveal_rows)(int64_t p, int64_t m, void *a, double relative, double absolute, double *left,
                           void *work);

    /* The rows of Lᵀ (rank × m) become the left singular vectors of L, orthonormal, by falling singular
     * value; sigma[rank]. One-sided Jacobi rotations, which converge quickly on what the two functions above
     * leave (Drmač, Veselić: New fast and accurate Jacobi SVD algorithm I, SIAM J. Matrix Anal. Appl. 29,
     * 2008). */
    void (*singular)(int64_t m, int64_t rank, void *lt, double *sigma, void *work);

    double (*sum_of_squares)(int64_t count, const void *a);
    void (*narrow)(int64_t count, const double *from, void *to);
    void (*widen)(int64_t count, const void *from, double *to);
} h2_kernels;

/* Numbers of workspace for matrices of at most m rows and k columns. */
static inline int64_t h2_kernel_work(int64_t m, int64_t k) {
    int64_t most = m > k ? m : k;
    return 2 * most * (most + H2_PANEL) + 8 * H2_PANEL * (most + H2_PANEL);
}

extern const h2_kernels h2_portable_fp64, h2_portable_fp32;
#if defined(__x86_64__)
extern const h2_kernels h2_avx2_fp64, h2_avx2_fp32, h2_avx512_fp64, h2_avx512_fp32;
#endif

#endif
