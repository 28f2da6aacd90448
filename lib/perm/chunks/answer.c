#include "perm/chunks/answer.h"
#include "base/core/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void perm_answer_init(perm_answer *answer) {
    *answer = (perm_answer){.record = 0};
    perm_value_init(&answer->factor);
}

void perm_answer_free(perm_answer *answer) {
    if (!answer)
        return;
    for (int64_t i = 0; i < answer->count; i++)
        for (int k = 0; k < 2; k++)
            perm_sum_free(&answer->leaf[i].attempt[k].sum);
    free(answer->leaf);
    free(answer->comments);
    free(answer->name);
    perm_value_free(&answer->factor);
    perm_answer_init(answer);
}

perm_leaf *perm_answer_leaf(base_context *context, perm_answer *answer, int64_t index) {
    if (index == answer->count) {
        if (base_reserve(context, &answer->leaf, &answer->capacity, index + 1, sizeof *answer->leaf) !=
            BASE_OK)
            return NULL;
        perm_leaf *leaf = &answer->leaf[answer->count++];
        *leaf = (perm_leaf){.attempts = 0};
        for (int k = 0; k < 2; k++)
            perm_sum_init(&leaf->attempt[k].sum);
    }
    return &answer->leaf[index];
}

bool perm_answer_is_good(const perm_value *value, int64_t bits) {
    perm_bound wanted = perm_bound_of(value);
    wanted.exponent -= bits;
    return perm_bound_at_most(value->error, wanted);
}

void perm_leaf_value(const perm_leaf *leaf, perm_value *value, int *attempt) {
    *attempt = 0;
    perm_sum_finish(&leaf->attempt[0].sum, value);
    if (leaf->attempts == 2 && !perm_answer_is_good(value, leaf->bits)) {
        *attempt = 1;
        perm_sum_finish(&leaf->attempt[1].sum, value);
    }
}

/* ---- parts put together ---- */

/* The empty sum over the whole, like `sum` in all else, with what `sum` has. */
static base_status widen_sum(base_context *context, perm_sum *sum) {
    perm_sum whole;
    perm_sum_init(&whole);
    base_status status = perm_sum_start(context, &whole, sum->chunks, (base_part){0, 0}, 0);
    if (status == BASE_OK) {
        mpz_set(whole.modulus, sum->modulus);
        whole.slope = sum->slope;
        whole.constant = sum->constant;
        perm_sum_merge(&whole, sum);
        perm_sum old = *sum;
        *sum = whole;
        whole = old;
    }
    perm_sum_free(&whole);
    return status;
}

base_status perm_answer_widen(base_context *context, perm_answer *answer) {
    base_status status = BASE_OK;
    for (int64_t i = 0; i < answer->count; i++)
        for (int k = 0; k < answer->leaf[i].attempts; k++)
            BASE_TRY(widen_sum(context, &answer->leaf[i].attempt[k].sum));
done:
    return status;
}

/* What only the part that did the work knows is 0 in the others. */
static void merge_attempt(perm_attempt *to, const perm_attempt *from) {
    to->states = fmax(to->states, from->states);
    to->transitions = fmax(to->transitions, from->transitions);
    to->subsets = fmax(to->subsets, from->subsets);
    to->bytes = from->bytes > to->bytes ? from->bytes : to->bytes;
    perm_sum_merge(&to->sum, &from->sum);
}

static base_status differ(base_context *context, const perm_answer *a, const perm_answer *b, const char *one,
                          const char *other) {
    return base_fail(context, BASE_FAILED, "%s: part %lld computed %s, part %lld %s; choose with --kernel",
                     a->name, (long long)a->part.index, one, (long long)b->part.index, other);
}

base_status perm_answer_merge(base_context *context, perm_answer *to, const perm_answer *from) {
    if (to->count != from->count || to->is_singular != from->is_singular)
        return base_fail(context, BASE_FAILED, "%s: parts %lld and %lld see different blocks", to->name,
                         (long long)to->part.index, (long long)from->part.index);
    for (int64_t i = 0; i < to->count; i++) {
        perm_leaf *leaf = &to->leaf[i];
        const perm_leaf *other = &from->leaf[i];
        for (int k = 0; k < leaf->attempts; k++)
            if (leaf->attempts != other->attempts ||
                strcmp(leaf->attempt[k].method, other->attempt[k].method) != 0)
                return differ(context, to, from, leaf->attempt[0].method, other->attempt[0].method);
            else if (leaf->attempt[k].sum.chunks > 1 &&
                     !perm_sum_fits(&leaf->attempt[k].sum, &other->attempt[k].sum))
                return differ(context, to, from, "another sum", "than this one");
    }
    for (int64_t i = 0; i < to->count; i++)
        for (int k = 0; k < to->leaf[i].attempts; k++)
            merge_attempt(&to->leaf[i].attempt[k], &from->leaf[i].attempt[k]);
    to->seconds += from->seconds;
    return BASE_OK;
}
