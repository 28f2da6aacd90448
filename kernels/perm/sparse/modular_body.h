/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse permanents of integers modulo a prime, included after body.h: its program, with products and
 * sums of residues, which are exact (common/residue_body.h, whose macros DENSE_FMA and DENSE_FNMA are defined
 * before), and without sizes. Row sums are at most 2^40 in size, far below the prime. */
#define DENSE_INLINE SPARSE_INLINE
#include "perm/common/residue_body.h"

SPARSE_INLINE void multiply_modular(const uint16_t *index, const instruction *step, vector *work,
                                    modulus modulus) {
    for (int group = 0; group < GROUPS; group++) {
        const vector *left = find(work, step->left, group).value,
                     *right = find(work, step->right, group).value;
        vector *result = find(work, step->result, group).value;
        for (int64_t e = 0; e < step->count; e++)
            result[e * GROUPS] =
                multiply_residues(left[index[2 * e] * GROUPS], right[index[2 * e + 1] * GROUPS], modulus);
    }
}

SPARSE_INLINE void sum_modular(const uint16_t *index, const instruction *step, vector *work,
                               modulus modulus) {
    for (int group = 0; group < GROUPS; group++) {
        const vector *left = find(work, step->left, group).value,
                     *right = find(work, step->right, group).value;
        vector *result = find(work, step->result, group).value;
        for (int64_t e = 0; e < step->count; e++) {
            const uint16_t *at = index + 4 * e;
            const vector plus = multiply_residues(left[at[0] * GROUPS], right[at[1] * GROUPS], modulus),
                         minus = multiply_residues(left[at[2] * GROUPS], right[at[3] * GROUPS], modulus);
            result[e * GROUPS] = reduce_residue(plus - minus, modulus);
        }
    }
}

SPARSE_INLINE void sum_one_modular(const uint16_t *index, const instruction *step, vector *work,
                                   modulus modulus) {
    for (int group = 0; group < GROUPS; group++) {
        const vector *left = find(work, step->left, group).value;
        vector *result = find(work, step->result, group).value;
        for (int64_t e = 0; e < step->count; e++)
            result[e * GROUPS] =
                reduce_residue(left[index[2 * e] * GROUPS] - left[index[2 * e + 1] * GROUPS], modulus);
    }
}

SPARSE_INLINE void run_block_modular(const perm_sparse_problem *problem, vector *work, modulus modulus) {
    for (int64_t k = 0; k < problem->instruction_count; k++) {
        const instruction *step = &problem->instructions[k];
        const uint16_t *index = problem->index + step->start;
        switch (step->action) {
        case PERM_SPARSE_ROW: fill_row(problem->constant, step, work, 1); break;
        case PERM_SPARSE_MULTIPLY: multiply_modular(index, step, work, modulus); break;
        case PERM_SPARSE_SUM: sum_modular(index, step, work, modulus); break;
        case PERM_SPARSE_SUM_ONE: sum_one_modular(index, step, work, modulus); break;
        }
    }
}

static SPARSE_TARGET void run_modular(const perm_sparse_problem *problem, int64_t first, double *work,
                                      perm_sparse_sums *sums) {
    const modulus modulus = make_modulus(problem->prime);
    vector total[GROUPS], *tables = (vector *)work;
    memset(total, 0, sizeof total);
    memset(sums, 0, sizeof *sums);
    start_lanes(problem, first, work);
    for (int64_t block = 0; block < INT64_C(1) << problem->middle; block++) {
        const double sign = block % 2 != 0 ? -1 : 1;
        if (block > 0)
            change_column(problem, block, tables, 1);
        run_block_modular(problem, tables, modulus);
        for (int group = 0; group < GROUPS; group++)
            total[group] =
                reduce_residue(total[group] + sign * *find(tables, problem->root, group).value, modulus);
    }
    memcpy(sums->high, total, sizeof total);
}

static inline double price_modular(const perm_sparse_problem *problem, double slower) {
    static const rates modular = {1.9, 1.35, 2, 2.8, 1.2};
    return problem->prime != 0 ? price_block(problem, &modular, slower) : 0;
}
