/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves on a walker (kernels/flip/kernel.h) that are too rare for a kernel: loading, plus, reduction. Walkers
 * and their schemes are over F2, with factors of at most FLIP_MASK_BITS bits. */
#ifndef FLIP_SEARCH_WALK_H
#define FLIP_SEARCH_WALK_H

#include "base/core/context.h"
#include "flip/kernel.h"

/* The fastest kernel of this processor, or the one of that name (NULL: any); fails with BASE_USAGE. */
base_status flip_choose_kernel(base_context *context, const char *name, const flip_kernel **kernel);
extern const flip_kernel *const flip_kernels[]; /* fastest first, ends with NULL */

/* Puts a scheme of rank ≤ FLIP_LARGEST_RANK into a walker (masks as in scheme/scheme.h); its generator, its
 * count of flips and its symmetry stay. One with a symmetry takes rows instead (scheme/cyclic.h), at most a
 * third as many, and up to FLIP_MOST_FIXED fixed ones; a reversed one those of flip_cyclic_pair. */
void flip_walker_load(const flip_kernel *kernel, flip_walker *walker, int64_t rank, const uint64_t *masks);

/* Returns the number of terms or rows, the fixed ones last. */
int64_t flip_walker_store(const flip_walker *walker, uint64_t *masks);

/* Splits a term in two, which makes new flips possible (Arai, Ichikawa and Hukushima, Adaptive flip graph
 * algorithm for matrix multiplication, 2023): for terms i and j that differ in every factor,
 *
 *     a_i ⊗ b_i ⊗ c_i + a_j ⊗ b_j ⊗ c_j = a_i ⊗ b_i ⊗ (c_i + c_j) + (a_i + a_j) ⊗ b_j ⊗ c_j
 *                                         + a_i ⊗ (b_i + b_j) ⊗ c_j,
 *
 * and the same with the positions turned; those of j by themselves, if the walker is cyclic; the same
 * again with the terms reversed, if it is reversed. i, j and the position are drawn from the walker's
 * generator. False, and nothing happens, where there is no such pair or no room. */
bool flip_walker_plus(const flip_kernel *kernel, flip_walker *walker);

/* Looks for terms that share a factor and whose factors at a second position are linearly dependent, and does
 * away with one of them: if a ⊗ sum over D of b_i = 0 for a set D of terms with the factor a, then
 * c_i += c_r for the i in D and r in D is gone. Repeats until there are none. True if the rank dropped.
 * O(rank · 64 + groups). */
bool flip_walker_reduce(const flip_kernel *kernel, flip_walker *walker);

/* A generalised flip: terms a ⊗ b_i ⊗ c_i that share a factor become a ⊗ b'_i ⊗ c'_i with b' = b G and
 * c' = G^-1 c (as columns and rows of matrices) for an invertible G over F2, so that the sum stays (The
 * matrix multiply flip graph, percisely.xyz, "Generalized Flips"). A flip is the G with one entry beside the
 * diagonal. All terms with the factor of a row that is drawn take part, at most 64; G is the product of a
 * lower and an upper triangular matrix with random entries, which is any matrix but for the order of the
 * terms. A term that becomes zero is gone. False, and nothing happens, where the row has no partner, or the
 * walker a symmetry. O(rank + count²). */
bool flip_walker_generalize(const flip_kernel *kernel, flip_walker *walker);

#endif
