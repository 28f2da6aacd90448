/* SPDX-License-Identifier: BSD-3-Clause */
/* The price of sums with chosen bits (multiprecision.h). It is asked for only where that precision is, or
 * where kernels are listed or named. MPFR takes as many bits as double-double kernels have. */
#include "perm/method/prices.h"
#include "perm/mpfr/internal.h"

/* Bits where a kernel is named but no precision. */
enum { USUAL_BITS = 128 };

static int64_t choose_bits(perm_precision precision) {
    switch (precision.kind) {
    case PERM_PRECISION_MPFR: return precision.bits;
    case PERM_PRECISION_DD: return PERM_DD_BITS;
    default: return USUAL_BITS;
    }
}

static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    const perm_precision_kind kind = prices->options->precision.kind;
    if (!perm_prices_may_mean(prices, "mpfr") ||
        (!perm_prices_want_all(prices) && kind != PERM_PRECISION_MPFR && kind != PERM_PRECISION_DD))
        return BASE_OK;
    perm_candidate *candidate = perm_prices_add(prices, method);
    perm_multiprecision multiprecision;
    candidate->parameter = choose_bits(prices->options->precision);
    if (prices->matrix->n > PERM_DENSE_LARGEST) {
        perm_candidate_refuse(candidate, "n is too large");
        return BASE_OK;
    }
    const base_status status =
        perm_multiprecision_init(context, prices->matrix, candidate->parameter, &multiprecision);
    if (status != BASE_OK)
        return status;
    perm_candidate_set_seconds(candidate, 0, multiprecision.seconds);
    candidate->bytes = 8.0 * (double)(multiprecision.chunk_count * multiprecision.word_count);
    perm_multiprecision_free(&multiprecision);
    return BASE_OK;
}

const perm_method perm_mpfr_method = {
    .name = "mpfr",
    .stage = PERM_STAGE_SUMS,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_GIVES_WAY,
    .computes = PERM_COMPUTES_DD | PERM_COMPUTES_MPFR,
    .price = price,
    .open = perm_multiprecision_open,
};
