/* SPDX-License-Identifier: BSD-3-Clause */
/* Which candidate is the best (prices.h). */
#include "perm/method/prices.h"

#include <math.h>
#include <string.h>

bool perm_method_computes(const perm_method *method, const perm_matrix *matrix,
                          const perm_plan_options *options) {
    if (options->precision.kind != PERM_PRECISION_ANY)
        return (method->computes & PERM_COMPUTES(options->precision.kind)) != 0;
    if (options->kernel != NULL)
        return true;
    if (perm_matrix_is_whole(matrix))
        return (method->computes & PERM_COMPUTES_INTEGERS) != 0;
    const bool is_certified = options->certify && !perm_matrix_look(matrix).nonnegative;
    return (method->computes & (is_certified ? PERM_COMPUTES_CERTIFIED : PERM_COMPUTES_NUMBERS)) != 0;
}

static bool is_of_family(const perm_candidate *candidate, const perm_plan_options *options) {
    if (perm_method_has(candidate->method, PERM_METHOD_NEEDS_PRECISION) &&
        options->precision.kind == PERM_PRECISION_ANY)
        return false;
    return candidate->family != NULL && strcmp(options->kernel, candidate->family) == 0;
}

bool perm_candidate_is_meant(const perm_candidate *candidate, const perm_matrix *matrix,
                             const perm_plan_options *options) {
    return perm_method_computes(candidate->method, matrix, options) &&
           (options->kernel == NULL || strcmp(options->kernel, candidate->name) == 0 ||
            is_of_family(candidate, options));
}

double perm_prices_weigh(const perm_prices *prices, const perm_candidate *candidate) {
    const perm_plan_options *options = prices->options;
    const perm_precision_kind kind = options->precision.kind;
    double seconds = candidate->seconds;
    /* Only where every method gives the same digits, which must not depend on the parts. */
    if (options->parts > 1 && perm_method_has(candidate->method, PERM_METHOD_SPLITS) &&
        perm_matrix_is_whole(prices->matrix) && (kind == PERM_PRECISION_ANY || kind == PERM_PRECISION_EXACT))
        seconds /= (double)options->parts;
    if (options->kernel != NULL || kind != PERM_PRECISION_ANY)
        return seconds;
    return fmax(seconds + candidate->lacking_seconds, perm_plan_unnoticed_seconds(options));
}

/* Whether devices are asked for and can do what the method does on the processor. */
static bool gives_way(const perm_prices *prices, const perm_method *method) {
    const perm_plan_options *options = prices->options;
    if (options->kernel != NULL || options->devices == NULL || options->devices->choice != BASE_DEVICE_CUDA ||
        !perm_method_has(method, PERM_METHOD_GIVES_WAY))
        return false;
    for (int i = 0; i < prices->count; i++) {
        const perm_candidate *other = &prices->candidate[i];
        if (perm_method_has(other->method, PERM_METHOD_ON_DEVICE) && other->seconds > 0 &&
            perm_method_computes(other->method, prices->matrix, options))
            return true;
    }
    return false;
}

const perm_candidate *perm_prices_cheapest(const perm_prices *prices, const perm_method *without) {
    const perm_candidate *best = NULL;
    for (int i = 0; i < prices->count; i++) {
        const perm_candidate *candidate = &prices->candidate[i];
        if (candidate->method == without || candidate->seconds == 0 ||
            !perm_candidate_is_meant(candidate, prices->matrix, prices->options) ||
            gives_way(prices, candidate->method))
            continue;
        if (best == NULL || perm_prices_weigh(prices, candidate) < perm_prices_weigh(prices, best))
            best = candidate;
    }
    return best;
}
