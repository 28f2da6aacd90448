/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries of a matrix in the arithmetic of a frontier kernel. */
#ifndef PERM_FRONTIER_LOAD_H
#define PERM_FRONTIER_LOAD_H

#include "perm/frontier/frontier.h"
#include "perm/frontier/layer.h"

typedef struct perm_numbers {
    perm_frontier_kind kind;
    int64_t stride, value_bytes, factor_bytes;
    int64_t limbs;     /* words of an integer's part */
    double least_log2; /* log2 of the smallest subnormal; 0: no underflow */
    int largest_shift; /* of the bits by which one step may lift the values */
    double unit;       /* half a unit in the last place of 1; 0: exact */
    int64_t exponent;  /* perm(matrix) = perm(the numbers)·2^exponent */
    int64_t nnz;
    double *entry;       /* nnz × 3: re, im, absolute value (rounded up) after scaling */
    perm_quad *quad;     /* the same, with the range of perm_quad; the absolute value is one of doubles */
    uint64_t *limb;      /* of all factors */
    perm_limbs *factors; /* nnz, or 2·nnz for complex ones */
} perm_numbers;

/* Bits of the permanent of the integers that exact arithmetic takes, with its sign, by the bound of
 * perm_matrix_bound_log2: as few words as that says, if not as few bits. */
base_status perm_numbers_bound_bits(base_context *context, const perm_matrix *matrix, double *bits);

/* Decides kind and sizes for the matrix that the schedule was made of; nothing is allocated. */
void perm_numbers_plan(const perm_schedule *schedule, perm_arithmetic arithmetic, perm_numbers *numbers);
/* Fills the arrays. */
base_status perm_numbers_load(base_context *context, const perm_matrix *matrix, perm_numbers *numbers);
void perm_numbers_free(perm_numbers *numbers);

void perm_numbers_one(const perm_numbers *numbers, void *value);
/* The factor of an entry times 2^shift (of floating-point kinds). */
void perm_numbers_factor(const perm_numbers *numbers, int64_t entry, int shift, void *factor);
/* log2 of at least the sum of the absolute values of these entries. */
double perm_numbers_growth_log2(const perm_numbers *numbers, const int64_t *entry, int64_t count);
/* The value with a bound of its rounding errors, for a matrix with n rows. */
void perm_numbers_result(const perm_numbers *numbers, const void *sum, int64_t n, perm_value *value);

#endif
