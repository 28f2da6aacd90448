/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear forms with common sums taken out have the values they had, with fewer additions. */
#include "flip/scheme/forms.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

static base_random draws;
static base_context context;

/* The values of all forms for given inputs. */
static void evaluate(const flip_forms *forms, const int64_t *input, int64_t *value) {
    int64_t *variable = calloc((size_t)(forms->inputs + forms->sums + 1), sizeof *variable);
    memcpy(variable, input, (size_t)forms->inputs * sizeof *input);
    for (int64_t k = 0; k < forms->sums; k++) {
        const flip_sum *sum = &forms->sum[k];
        variable[forms->inputs + k] = variable[sum->x] + (sum->minus ? -1 : 1) * variable[sum->y];
    }
    for (int64_t f = 0; f < forms->count; f++) {
        value[f] = 0;
        for (int64_t k = 0; k < forms->form[f].count; k++)
            value[f] += forms->form[f].part[k].coefficient * variable[forms->form[f].part[k].variable];
    }
    free(variable);
}

static void check_random(int64_t count, int64_t inputs, int64_t largest, bool transposed) {
    int64_t *matrix = malloc((size_t)(count * inputs) * sizeof *matrix);
    int64_t input[64], before[64], after[64];
    flip_forms forms;
    for (int64_t e = 0; e < count * inputs; e++)
        matrix[e] = base_random_below(&draws, 2) == 0
                        ? 0
                        : (int64_t)base_random_below(&draws, (uint64_t)(2 * largest + 1)) - largest;
    for (int64_t v = 0; v < inputs; v++)
        input[v] = (int64_t)base_random_below(&draws, 2000001) - 1000000;
    base_status status = flip_forms_open(&context, matrix, count, inputs, transposed ? 1 : inputs,
                                         transposed ? count : 1, false, &forms);
    evaluate(&forms, input, before);
    int64_t additions = flip_forms_additions(&forms);
    status = status == BASE_OK ? flip_forms_share(&context, &forms) : status;
    evaluate(&forms, input, after);
    tap_ok(status == BASE_OK && memcmp(before, after, (size_t)count * sizeof *before) == 0,
           "%d forms of %d inputs keep their values", (int)count, (int)inputs);
    tap_ok(flip_forms_additions(&forms) <= additions, "%d additions become %d", (int)additions,
           (int)flip_forms_additions(&forms));
    for (int64_t f = 0; f < count; f++) {
        int64_t wanted = 0;
        for (int64_t v = 0; v < inputs; v++)
            wanted += input[v] * matrix[transposed ? f + v * count : f * inputs + v];
        if (wanted != after[f])
            tap_ok(false, "form %d is not that of the matrix", (int)f);
    }
    flip_forms_close(&forms);
    free(matrix);
}

int main(void) {
    base_random_init(&draws, tap_seed(), 0);
    base_context_init(&context);
    for (int turn = 0; turn < 20; turn++)
        check_random(1 + turn, 1 + (turn * 7) % 30, 1 + turn % 3, turn % 2 == 1);
    /* x + y in three forms, once up to its sign: one sum, and two additions for what differs. */
    const int64_t matrix[] = {1, 1, 0, 0, -1, -1, 1, 0, 2, 2, 0, 1};
    flip_forms forms;
    flip_forms_open(&context, matrix, 3, 4, 4, 1, false, &forms);
    tap_ok(flip_forms_additions(&forms) == 5, "five additions");
    tap_ok(flip_forms_share(&context, &forms) == BASE_OK && forms.sums == 1, "one sum is taken out");
    tap_ok(flip_forms_additions(&forms) == 3, "three are left");
    flip_forms_close(&forms);
    return tap_done();
}
