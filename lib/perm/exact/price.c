/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the sums of exact.h on the processor. */
#include "perm/exact/chunks.h"
#include "perm/method/prices.h"

/* Every kernel where they are listed or named, else the fastest of the family only. */
static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    const perm_precision_kind kind = prices->options->precision.kind;
    const bool all = perm_prices_want_all(prices);
    if ((!all && kind != PERM_PRECISION_ANY && kind != PERM_PRECISION_EXACT) ||
        (!perm_prices_may_mean(prices, "exact") && !perm_prices_may_mean(prices, "sieve")))
        return BASE_OK;
    if (prices->matrix->n > PERM_DENSE_LARGEST) {
        perm_candidate_refuse(perm_prices_add(prices, method), "n is too large");
        return BASE_OK;
    }
    for (const perm_exact_kernel *const *kernel = perm_exact_kernels(); *kernel != NULL; kernel++) {
        perm_exact exact;
        const base_status status =
            perm_exact_init(context, prices->matrix, all ? (*kernel)->name : NULL, &exact);
        if (status == BASE_MACHINE)
            return status;
        perm_candidate *candidate = perm_prices_add(prices, method);
        candidate->name = (*kernel)->name;
        if (status == BASE_OK) {
            candidate->name = exact.kernel->name;
            perm_candidate_set_seconds(candidate, 0, exact.seconds);
            candidate->bytes = 8.0 * (double)(exact.chunk_count * exact.residue_count);
            perm_exact_free(&exact);
        } else {
            perm_candidate_refuse(candidate, "not for this matrix or processor");
        }
        if (!all)
            break;
    }
    return BASE_OK;
}

static const char *get_kernel(int number) {
    const perm_exact_kernel *kernel = perm_exact_kernels()[number];
    return kernel != NULL ? kernel->name : NULL;
}

const perm_method perm_exact_method = {
    .name = "exact",
    .family = "exact",
    .stage = PERM_STAGE_SUMS,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_MORE_DIGITS | PERM_METHOD_IS_EXACT | PERM_METHOD_GIVES_WAY,
    .computes = PERM_COMPUTES_EXACT | PERM_COMPUTES_INTEGERS,
    .get_kernel = get_kernel,
    .price = price,
    .open = perm_exact_open,
};
