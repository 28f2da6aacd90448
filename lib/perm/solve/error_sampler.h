/* SPDX-License-Identifier: BSD-3-Clause */
/* The error of a sum of dense/dense.h, estimated from a random sample of its terms.
 *
 * What the computed sum differs from the permanent is a sum over the subsets d, too: s(d) times the computed
 * product less the true one. A random sample of the subsets is therefore computed twice, as dense/dense.h
 * does it and in double-double arithmetic with all digits of the entries, and the differences E_c of the
 * sample's pieces c estimate the whole: with the share f of the subsets in the sample,
 *
 *     |error| <= (|sum E_c| + 6 sqrt(sum |E_c|^2)) / f
 *
 * up to six standard errors of the sample (Cochran, Sampling Techniques, 1977, chapters 5 and 9: one cluster,
 * a run of blocks, is drawn in each of strata of equal size). The terms' errors need not be independent, nor
 * those of the entries: the changes of step 2 of dense/dense.h are counted as they are. Independent roundings
 * would let the error grow as the square root of the number of subsets (Higham and Mary, SIAM J. Sci. Comput.
 * 41, 2019); what is drawn here is above that by 1/sqrt(f) at least, so that a few outsize terms are covered.
 *
 * The sums of other kernels, which multiply and add in another order, have other roundings. For them each
 * piece of 16 products counts with the certain bound of its roundings, as if these were independent from
 * piece to piece.
 *
 * Matrices without negative or imaginary entries have few terms that count and bounds that are good: they are
 * not sampled. */
#ifndef PERM_SOLVE_ERROR_SAMPLER_H
#define PERM_SOLVE_ERROR_SAMPLER_H

#include "perm/subsets/scaling.h"
#include "perm/value/error_sample.h"

#define PERM_ERROR_SAMPLE_SECONDS 0.5

/* Estimates for a matrix that perm_dense_init takes and a sum by the kernel of that name, on context->threads
 * threads, in about a twentieth of `seconds`, those of the sum on one core, but at most
 * PERM_ERROR_SAMPLE_SECONDS on one core, and no less than 64 blocks of subsets. Depends on neither threads
 * nor clock. BASE_MACHINE without memory. */
base_status perm_error_sample_take(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                                   double seconds, perm_error_sample *sample);

#endif
