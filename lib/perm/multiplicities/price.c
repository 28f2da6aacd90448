/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the sums over multiplicities: exactly and in doubles, for matrices with equal rows or columns. */
#include "perm/method/prices.h"
#include "perm/multiplicities/internal.h"

/* The distinct rows and columns of a matrix, looked for once. */
typedef struct found {
    perm_distinct distinct;
    bool is_ready;
} found;

static void release(void *data) {
    perm_distinct_free(&((found *)data)->distinct);
}

static const perm_shared shared = {sizeof(found), release};

/* *distinct NULL: the sum is not for this matrix, and the candidate says why. */
static base_status get_distinct(base_context *context, perm_prices *prices, perm_candidate *candidate,
                                const perm_distinct **distinct) {
    base_status status = BASE_OK;
    const perm_matrix *matrix = prices->matrix;
    *distinct = NULL;
    if (matrix->n > PERM_MULTIPLICITIES_PRICED_LARGEST) {
        perm_candidate_refuse(candidate, "n is too large");
        goto done;
    }
    found *found = perm_prices_get_shared(context, prices, &shared);
    BASE_TRY(found == NULL ? BASE_MACHINE : BASE_OK);
    if (!found->is_ready) {
        BASE_TRY(perm_distinct_from_matrix(context, matrix, &found->distinct));
        perm_distinct_group(&found->distinct);
        found->is_ready = true;
    }
    if (found->distinct.nrow == matrix->n && found->distinct.ncol == matrix->n &&
        prices->options->kernel == NULL)
        perm_candidate_refuse(candidate, "no rows or columns are equal");
    else
        candidate->prepared = *distinct = &found->distinct;
done:
    return status;
}

/* Begins a candidate; *distinct is NULL where there is none to price. */
static base_status begin(base_context *context, const perm_method *method, perm_prices *prices,
                         perm_candidate **candidate, const perm_distinct **distinct) {
    *distinct = NULL;
    if (!perm_prices_may_mean(prices, "multiplicities"))
        return BASE_OK;
    *candidate = perm_prices_add(prices, method);
    return get_distinct(context, prices, *candidate, distinct);
}

/* Ends it with the time and the memory of a sum that was made with this status. */
static base_status finish(perm_candidate *candidate, base_status status, double seconds, double bytes) {
    if (status == BASE_FAILED) {
        perm_candidate_refuse(candidate, "the sum has more than 2^62 terms");
        return BASE_OK;
    }
    if (status == BASE_OK) {
        perm_candidate_set_seconds(candidate, 0, seconds);
        candidate->bytes = bytes;
    }
    return status;
}

static base_status price_rounded(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status;
    const perm_distinct *distinct;
    perm_candidate *candidate;
    perm_multiplicities_double sum = {0};
    BASE_TRY(begin(context, method, prices, &candidate, &distinct));
    if (distinct == NULL)
        goto done;
    status = perm_multiplicities_double_init(context, distinct, &sum);
    status = finish(candidate, status, sum.seconds,
                    (double)sum.exact.chunk_count * sizeof(perm_multiplicities_partial));
done:
    perm_multiplicities_double_free(&sum);
    return status;
}

static base_status price_exactly(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status;
    const perm_distinct *distinct;
    perm_candidate *candidate;
    perm_multiplicities sum = {0};
    BASE_TRY(begin(context, method, prices, &candidate, &distinct));
    if (distinct == NULL)
        goto done;
    status = perm_multiplicities_init(context, distinct, &sum);
    status = finish(candidate, status, sum.seconds, 8.0 * (double)sum.chunk_count * (double)sum.word_count);
done:
    perm_multiplicities_free(&sum);
    return status;
}

const perm_method perm_multiplicities_double_method = {
    .name = "multiplicities-double",
    .stage = PERM_STAGE_MULTIPLICITIES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_IN_DOUBLES,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS,
    .price = price_rounded,
    .open = perm_multiplicities_double_open,
};

const perm_method perm_multiplicities_method = {
    .name = "multiplicities",
    .stage = PERM_STAGE_MULTIPLICITIES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_MORE_DIGITS | PERM_METHOD_IS_EXACT,
    .computes =
        PERM_COMPUTES_EXACT | PERM_COMPUTES_INTEGERS | PERM_COMPUTES_NUMBERS | PERM_COMPUTES_CERTIFIED,
    .price = price_exactly,
    .open = perm_multiplicities_open,
};
