/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/scheme/measure.h"
#include "base/core/memory.h"
#include "flip/scheme/forms.h"

#include <stdlib.h>
#include <string.h>

/* Factors in a canonical form: the first nonzero is positive. */
static void make_positive(int64_t *factor, int64_t length) {
    int64_t e = 0;
    while (e < length && factor[e] == 0)
        e++;
    if (e < length && factor[e] < 0)
        for (; e < length; e++)
            factor[e] = -factor[e];
}

static int compare_rows(const void *a, const void *b, void *length) {
    return memcmp(a, b, *(size_t *)length);
}

static int64_t count_distinct(int64_t *rows, int64_t count, int64_t length) {
    size_t bytes = (size_t)length * sizeof *rows;
    int64_t distinct = count > 0;
    qsort_r(rows, (size_t)count, bytes, compare_rows, &bytes);
    for (int64_t r = 1; r < count; r++)
        distinct += memcmp(rows + (r - 1) * length, rows + r * length, bytes) != 0;
    return distinct;
}

/* The factors of a term side by side in C's published, transposed form: those from position `first` on in
 * turn, or with `transposed`, of an n×m×n format, the second and the first, all transposed. */
static void put_term(const flip_scheme *scheme, int64_t term, int first, bool transposed, int64_t *row) {
    for (int k = 0; k < 3; k++) {
        const int position = transposed ? (k == 2 ? 2 : 1 - k) : (first + k) % 3;
        const int64_t rows = scheme->size[position == 1 ? 1 : 0];
        const int64_t cols = flip_length(scheme->size, position) / rows;
        const int64_t *factor = scheme->factor[position] + term * rows * cols;
        const bool turn = (position == 2) != transposed;
        for (int64_t e = 0; e < rows * cols; e++)
            row[e] = factor[turn ? e % rows * cols + e / rows : e];
        make_positive(row, rows * cols);
        row += rows * cols;
    }
}

/* Whether the terms stay the same when their factors are turned or transposed. */
static base_status find_symmetry(base_context *context, const flip_scheme *scheme, bool transposed,
                                 bool *found) {
    base_status status = BASE_OK;
    const int64_t length =
        flip_length(scheme->size, 0) + flip_length(scheme->size, 1) + flip_length(scheme->size, 2);
    int64_t *rows = base_alloc(context, scheme->rank, 2 * length * (int64_t)sizeof *rows);
    if (rows == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t r = 0; r < scheme->rank; r++) {
        put_term(scheme, r, 0, false, rows + r * length);
        put_term(scheme, r, 1, transposed, rows + (scheme->rank + r) * length);
    }
    size_t half = (size_t)(scheme->rank * length);
    count_distinct(rows, scheme->rank, length);
    count_distinct(rows + half, scheme->rank, length);
    *found = memcmp(rows, rows + half, half * sizeof *rows) == 0;
done:
    free(rows);
    return status;
}

/* Additions when sums that several forms have are formed once. */
static base_status count_shared(base_context *context, const flip_scheme *scheme, int64_t *additions) {
    base_status status = BASE_OK;
    flip_forms forms = {0};
    *additions = 0;
    for (int k = 0; k < 3; k++) {
        flip_forms_close(&forms);
        BASE_TRY(flip_forms_from_scheme(context, scheme, k, &forms));
        BASE_TRY(flip_forms_share(context, &forms));
        *additions += flip_forms_additions(&forms);
    }
done:
    flip_forms_close(&forms);
    return status;
}

base_status flip_measure(base_context *context, const flip_scheme *scheme, flip_measures *measures) {
    base_status status = BASE_OK;
    int64_t *rows = NULL, *outputs = NULL;
    *measures = (flip_measures){0};
    outputs = base_alloc_zero(context, flip_length(scheme->size, 2), sizeof *outputs);
    if (outputs == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int k = 0; k < 3; k++) {
        int64_t length = flip_length(scheme->size, k);
        free(rows);
        rows = base_alloc(context, scheme->rank * length, sizeof *rows);
        if (rows == NULL)
            BASE_TRY(BASE_MACHINE);
        memcpy(rows, scheme->factor[k], (size_t)(scheme->rank * length) * sizeof *rows);
        for (int64_t r = 0; r < scheme->rank; r++) {
            int64_t count = 0;
            for (int64_t e = 0; e < length; e++) {
                int64_t value = llabs(rows[r * length + e]);
                count += value != 0;
                measures->largest = value > measures->largest ? value : measures->largest;
                if (k == 2)
                    outputs[e] += value != 0;
            }
            measures->nonzeros += count;
            measures->additions += k < 2 && count > 0 ? count - 1 : 0;
            make_positive(rows + r * length, length);
        }
        measures->distinct[k] = count_distinct(rows, scheme->rank, length);
    }
    for (int64_t e = 0; e < flip_length(scheme->size, 2); e++)
        measures->additions += outputs[e] > 0 ? outputs[e] - 1 : 0;
    BASE_TRY(count_shared(context, scheme, &measures->shared_additions));
    if (scheme->denominator != 1)
        goto done;
    if (scheme->size[0] == scheme->size[1] && scheme->size[1] == scheme->size[2])
        BASE_TRY(find_symmetry(context, scheme, false, &measures->cyclic));
    if (scheme->size[0] == scheme->size[2])
        BASE_TRY(find_symmetry(context, scheme, true, &measures->transposed));
done:
    free(rows);
    free(outputs);
    return status;
}
