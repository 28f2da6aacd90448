/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the sum of dense.h on the processor. */
#include "perm/dense/certify.h"
#include "perm/dense/chunks.h"
#include "perm/dense/internal.h"
#include "perm/method/prices.h"

static const char *find_reason(const perm_prices *prices) {
    const perm_precision_kind kind = prices->options->precision.kind;
    if (perm_matrix_is_whole(prices->matrix) && kind != PERM_PRECISION_DOUBLE && kind != PERM_PRECISION_KAHAN)
        return "integers are computed exactly, unless --precision double asks for doubles";
    return prices->matrix->n > PERM_DENSE_LARGEST ? "n is too large" : NULL;
}

base_status perm_dense_certify_candidate(base_context *context, perm_dense *dense,
                                         perm_candidate *candidate) {
    const base_status status = perm_dense_certify(context, dense);
    if (status != BASE_OK)
        perm_dense_free(dense);
    else if (dense->certificate.kernel != NULL)
        candidate->lacking_seconds = 0;
    return status;
}

/* Every kernel where they are listed or named, else the fastest only. */
static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status = BASE_OK;
    const perm_dense_matrix *entries = NULL;
    const char *reason = find_reason(prices);
    const bool all = perm_prices_want_all(prices);
    if (!perm_prices_may_mean(prices, "dense"))
        goto done;
    if (reason == NULL)
        BASE_TRY(perm_prices_get_entries(context, prices, &entries));
    for (const perm_dense_kernel *const *kernel = perm_dense_kernels(); *kernel != NULL; kernel++) {
        perm_candidate *candidate = perm_prices_add(prices, method);
        perm_dense dense;
        candidate->name = (*kernel)->name;
        if (reason != NULL) {
            perm_candidate_refuse(candidate, reason);
        } else if (perm_dense_init(context, entries, all ? (*kernel)->name : NULL, &dense) == BASE_OK) {
            candidate->name = dense.kernel->name;
            if (prices->options->certify)
                BASE_TRY(perm_dense_certify_candidate(context, &dense, candidate));
            perm_candidate_set_seconds(candidate, 0, dense.seconds);
            perm_dense_free(&dense);
        } else {
            perm_candidate_refuse(candidate, "not on this processor");
        }
        if (!all)
            break;
    }
done:
    return status;
}

static const char *get_kernel(int number) {
    const perm_dense_kernel *kernel = perm_dense_kernels()[number];
    return kernel != NULL ? kernel->name : NULL;
}

const perm_method perm_dense_method = {
    .name = "dense",
    .family = "dense",
    .stage = PERM_STAGE_SUMS,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_IN_DOUBLES | PERM_METHOD_GIVES_WAY,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS | PERM_COMPUTES_CERTIFIED,
    .get_kernel = get_kernel,
    .price = price,
    .open = perm_dense_open,
};
