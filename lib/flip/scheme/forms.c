/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/scheme/forms.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

base_status flip_forms_open(base_context *context, const int64_t *matrix, int64_t count, int64_t inputs,
                            int64_t row_step, int64_t col_step, bool binary, flip_forms *forms) {
    base_status status = BASE_OK;
    *forms = (flip_forms){.inputs = inputs, .count = count};
    forms->form = base_alloc_zero(context, count, sizeof *forms->form);
    if (forms->form == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t f = 0; f < count; f++) {
        flip_form *form = &forms->form[f];
        int64_t nonzeros = 0;
        for (int64_t v = 0; v < inputs; v++)
            nonzeros += matrix[f * row_step + v * col_step] != 0;
        form->part = base_alloc(context, nonzeros, sizeof *form->part);
        if (form->part == NULL)
            BASE_TRY(BASE_MACHINE);
        for (int64_t v = 0; v < inputs; v++) {
            int64_t value = matrix[f * row_step + v * col_step];
            value = binary ? value & 1 : value;
            if (value != 0)
                form->part[form->count++] = (flip_part){v, value};
        }
    }
done:
    return status;
}

base_status flip_forms_from_scheme(base_context *context, const flip_scheme *scheme, int position,
                                   flip_forms *forms) {
    const int64_t length = flip_length(scheme->size, position), rank = scheme->rank;
    const int64_t *matrix = scheme->factor[position];
    const bool binary = scheme->field == FLIP_F2;
    return position < 2 ? flip_forms_open(context, matrix, rank, length, length, 1, binary, forms)
                        : flip_forms_open(context, matrix, length, rank, 1, length, binary, forms);
}

void flip_forms_close(flip_forms *forms) {
    for (int64_t f = 0; forms->form != NULL && f < forms->count; f++)
        free(forms->form[f].part);
    free(forms->form);
    free(forms->sum);
    *forms = (flip_forms){0};
}

/* Two variables, x < y, and whether their coefficients have different signs. */
typedef struct pair {
    int32_t x, y;
    int32_t minus, count;
} pair;

static int compare_pairs(const void *a, const void *b) {
    const pair *left = a, *right = b;
    if (left->x != right->x)
        return left->x < right->x ? -1 : 1;
    if (left->y != right->y)
        return left->y < right->y ? -1 : 1;
    return left->minus - right->minus;
}

static bool make_pair(flip_part first, flip_part second, pair *found) {
    *found =
        (pair){(int32_t)first.variable, (int32_t)second.variable, first.coefficient != second.coefficient, 1};
    return first.coefficient == second.coefficient || first.coefficient == -second.coefficient;
}

/* All pairs of all forms, each once with its count, in ascending order. */
static base_status count_pairs(base_context *context, const flip_forms *forms, pair **pairs, int64_t *count) {
    base_status status = BASE_OK;
    int64_t most = 0, all = 0;
    for (int64_t f = 0; f < forms->count; f++)
        most += forms->form[f].count * (forms->form[f].count - 1) / 2;
    if (most > context->memory_bytes / (int64_t)sizeof **pairs)
        BASE_TRY(base_fail(context, BASE_MACHINE, "the pairs of all linear forms exceed the memory limit"));
    *pairs = base_alloc(context, most, sizeof **pairs);
    if (*pairs == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t f = 0; f < forms->count; f++)
        for (int64_t i = 0; i < forms->form[f].count; i++)
            for (int64_t j = i + 1; j < forms->form[f].count; j++)
                all += make_pair(forms->form[f].part[i], forms->form[f].part[j], *pairs + all);
    qsort(*pairs, (size_t)all, sizeof **pairs, compare_pairs);
    *count = 0;
    for (int64_t k = 0; k < all; k++)
        if (*count > 0 && compare_pairs(*pairs + *count - 1, *pairs + k) == 0)
            (*pairs)[*count - 1].count++;
        else
            (*pairs)[(*count)++] = (*pairs)[k];
done:
    return status;
}

static int64_t find_part(const flip_form *form, int64_t variable) {
    int64_t low = 0, high = form->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (form->part[middle].variable < variable)
            low = middle + 1;
        else
            high = middle;
    }
    return low < form->count && form->part[low].variable == variable ? low : -1;
}

static bool has_pair(const flip_form *form, const pair *wanted, int64_t at[2]) {
    pair found;
    at[0] = find_part(form, wanted->x);
    at[1] = find_part(form, wanted->y);
    return at[0] >= 0 && at[1] >= 0 && make_pair(form->part[at[0]], form->part[at[1]], &found) &&
           found.minus == wanted->minus;
}

/* Puts the sum, the last one made, in the place of its variables. */
static void replace(flip_form *form, const int64_t at[2], int64_t variable) {
    const int64_t coefficient = form->part[at[0]].coefficient;
    memmove(form->part + at[1], form->part + at[1] + 1,
            (size_t)(form->count - at[1] - 1) * sizeof *form->part);
    memmove(form->part + at[0], form->part + at[0] + 1,
            (size_t)(form->count - at[0] - 2) * sizeof *form->part);
    form->count--;
    form->part[form->count - 1] = (flip_part){variable, coefficient};
}

/* Takes a pair out of the forms, if so many of them still have it. */
static base_status take_out(base_context *context, flip_forms *forms, const pair *wanted) {
    base_status status = BASE_OK;
    int64_t at[2], count = 0;
    for (int64_t f = 0; f < forms->count; f++)
        count += has_pair(&forms->form[f], wanted, at);
    if (count < wanted->count)
        goto done;
    BASE_TRY(base_reserve(context, &forms->sum, &forms->sums_capacity, forms->sums + 1, sizeof *forms->sum));
    forms->sum[forms->sums] = (flip_sum){wanted->x, wanted->y, wanted->minus != 0};
    for (int64_t f = 0; f < forms->count; f++)
        if (has_pair(&forms->form[f], wanted, at))
            replace(&forms->form[f], at, forms->inputs + forms->sums);
    forms->sums++;
done:
    return status;
}

/* Greedy: the pairs that most forms have become sums of their own, until none stands in two forms. */
base_status flip_forms_share(base_context *context, flip_forms *forms) {
    base_status status = BASE_OK;
    pair *pairs = NULL;
    for (int32_t most = 2; most > 1;) {
        int64_t count;
        free(pairs);
        pairs = NULL;
        BASE_TRY(count_pairs(context, forms, &pairs, &count));
        most = 0;
        for (int64_t k = 0; k < count; k++)
            most = pairs[k].count > most ? pairs[k].count : most;
        for (int64_t k = 0; k < count && most > 1; k++)
            if (pairs[k].count == most)
                BASE_TRY(take_out(context, forms, &pairs[k]));
    }
done:
    free(pairs);
    return status;
}

int64_t flip_forms_additions(const flip_forms *forms) {
    int64_t additions = forms->sums;
    for (int64_t f = 0; f < forms->count; f++)
        additions += forms->form[f].count > 0 ? forms->form[f].count - 1 : 0;
    return additions;
}
