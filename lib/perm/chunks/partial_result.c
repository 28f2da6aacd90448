/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/chunks/partial_result.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void perm_partial_result_init(perm_partial_result *partial_result) {
    *partial_result = (perm_partial_result){.record = 0};
    perm_value_init(&partial_result->factor);
}

void perm_partial_result_free(perm_partial_result *partial_result) {
    if (partial_result == NULL)
        return;
    for (int64_t i = 0; i < partial_result->count; i++)
        for (int k = 0; k < 2; k++)
            perm_sum_free(&partial_result->block_result[i].block_run[k].sum);
    free(partial_result->block_result);
    free(partial_result->comments);
    free(partial_result->name);
    perm_value_free(&partial_result->factor);
    perm_partial_result_init(partial_result);
}

perm_block_result *perm_partial_result_block(base_context *context, perm_partial_result *partial_result,
                                             int64_t index) {
    if (index == partial_result->count) {
        if (base_reserve(context, &partial_result->block_result, &partial_result->capacity, index + 1,
                         sizeof *partial_result->block_result) != BASE_OK)
            return NULL;
        perm_block_result *block_result = &partial_result->block_result[partial_result->count++];
        *block_result = (perm_block_result){.block_runs = 0};
        for (int k = 0; k < 2; k++)
            perm_sum_init(&block_result->block_run[k].sum);
    }
    return &partial_result->block_result[index];
}

bool perm_partial_result_is_good(const perm_value *value, int64_t bits) {
    perm_bound wanted = perm_bound_of(value);
    wanted.exponent -= bits;
    return perm_bound_at_most(perm_value_estimate(value), wanted);
}

void perm_block_result_value(const perm_block_result *block_result, perm_value *value, int *block_run) {
    *block_run = 0;
    perm_sum_finish(&block_result->block_run[0].sum, value);
    if (block_result->block_runs == 2 && !perm_partial_result_is_good(value, block_result->bits)) {
        *block_run = 1;
        perm_sum_finish(&block_result->block_run[1].sum, value);
    }
}

bool perm_partial_result_has_digits(const perm_partial_result *partial_result) {
    bool has_digits = true;
    for (int64_t i = 0; i < partial_result->count && has_digits; i++) {
        const perm_block_result *block_result = &partial_result->block_result[i];
        perm_value value;
        int counted;
        if (!block_result->is_open)
            continue;
        perm_value_init(&value);
        perm_block_result_value(block_result, &value, &counted);
        has_digits =
            perm_partial_result_is_good(&value, counted == 0 ? block_result->bits : PERM_RESULT_FEW_BITS);
        perm_value_free(&value);
    }
    return has_digits;
}

/* ---- parts put together ---- */

/* The empty sum over the whole, like `sum` in all else, with what `sum` has. */
static base_status widen_sum(base_context *context, perm_sum *sum) {
    perm_sum whole;
    perm_sum_init(&whole);
    base_status status = perm_sum_start(context, &whole, sum->chunks, (base_part){0, 0}, 0);
    if (status == BASE_OK) {
        mpz_set(whole.modulus, sum->modulus);
        whole.relative_error = sum->relative_error;
        whole.absolute_error = sum->absolute_error;
        whole.sample = sum->sample;
        perm_sum_merge(&whole, sum);
        perm_sum old = *sum;
        *sum = whole;
        whole = old;
    }
    perm_sum_free(&whole);
    return status;
}

base_status perm_partial_result_widen(base_context *context, perm_partial_result *partial_result) {
    base_status status = BASE_OK;
    for (int64_t i = 0; i < partial_result->count; i++)
        for (int k = 0; k < partial_result->block_result[i].block_runs; k++)
            BASE_TRY(widen_sum(context, &partial_result->block_result[i].block_run[k].sum));
done:
    return status;
}

/* What only the part that did the work knows is 0 in the others. */
static void merge_run(perm_block_run *to, const perm_block_run *from) {
    to->states = fmax(to->states, from->states);
    to->transitions = fmax(to->transitions, from->transitions);
    to->subsets = fmax(to->subsets, from->subsets);
    to->bytes = from->bytes > to->bytes ? from->bytes : to->bytes;
    perm_sum_merge(&to->sum, &from->sum);
}

static base_status differ(base_context *context, const perm_partial_result *a, const perm_partial_result *b,
                          const char *one, const char *other) {
    return base_fail(context, BASE_FAILED, "%s: part %lld computed %s, part %lld %s; choose with --kernel",
                     a->name, (long long)a->part.index, one, (long long)b->part.index, other);
}

base_status perm_partial_result_merge(base_context *context, perm_partial_result *to,
                                      const perm_partial_result *from) {
    if (to->count != from->count || to->is_singular != from->is_singular)
        return base_fail(context, BASE_FAILED, "%s: parts %lld and %lld see different blocks", to->name,
                         (long long)to->part.index, (long long)from->part.index);
    for (int64_t i = 0; i < to->count; i++) {
        perm_block_result *block_result = &to->block_result[i];
        const perm_block_result *other = &from->block_result[i];
        for (int k = 0; k < block_result->block_runs; k++)
            if (block_result->block_runs != other->block_runs ||
                strcmp(block_result->block_run[k].method, other->block_run[k].method) != 0)
                return differ(context, to, from, block_result->block_run[0].method,
                              other->block_run[0].method);
            else if (block_result->block_run[k].sum.chunks > 1 &&
                     !perm_sum_fits(&block_result->block_run[k].sum, &other->block_run[k].sum))
                return differ(context, to, from, "another sum", "than this one");
    }
    for (int64_t i = 0; i < to->count; i++)
        for (int k = 0; k < to->block_result[i].block_runs; k++)
            merge_run(&to->block_result[i].block_run[k], &from->block_result[i].block_run[k]);
    to->seconds += from->seconds;
    return BASE_OK;
}
