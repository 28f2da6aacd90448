/* The matrix of exact/exact.h as integers, and the tables of its kernels. */
#ifndef PERM_SUBSETS_INTEGERS_H
#define PERM_SUBSETS_INTEGERS_H

#include "perm/exact/exact.h"

/* Entry (i, j) is part[0][j n + i] + i part[1][j n + i], n at least PERM_DENSE_SMALLEST; the permanent of
 * the original is this one's times factor times 2^exponent. */
typedef struct perm_integers {
    int64_t n;
    bool is_complex, has_zero_line;
    mpz_t *part[2];
    mpz_t factor;
    int64_t exponent;
    double bits; /* log2 of |permanent|, an upper bound */
} perm_integers;

/* Without common factors of rows and columns, in the corner of an identity if n is small. */
base_status perm_integers_init(base_context *context, const perm_matrix *matrix, perm_integers *integers);
void perm_integers_free(perm_integers *integers);

/* The transpose has the same permanent. */
void perm_integers_transpose(perm_integers *integers);

/* Multiplies columns by powers of two towards a doubly stochastic matrix, where the sum over signs cancels
 * least; the exponent makes up for it. */
base_status perm_integers_balance(base_context *context, perm_integers *integers);

/* Whether every row sum fits a factor of the kernels: then one problem serves all primes. */
bool perm_integers_are_words(const perm_integers *integers);

/* Doubles that the tables of a problem take. */
int64_t perm_integers_table_length(const perm_integers *integers);

/* Fills the tables and all of the problem but its primes; rows whose sums are too large are taken modulo
 * `prime`, i being `root`. *halves: powers of two that were taken out of the rows. */
void perm_integers_fill(const perm_integers *integers, int64_t prime, int64_t root, double *tables,
                        perm_exact_problem *problem, int64_t *halves);

#endif
