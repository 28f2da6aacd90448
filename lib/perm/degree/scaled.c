/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/scaled.h"
#include "base/core/memory.h"
#include "perm/value/divisor.h"

#include <stdlib.h>

void perm_scaled_init(perm_scaled *scaled) {
    *scaled = (perm_scaled){.is_turned = false};
    perm_value_init(&scaled->factor);
}

void perm_scaled_free(perm_scaled *scaled) {
    perm_matrix_free(&scaled->matrix);
    perm_value_free(&scaled->factor);
}

void perm_scaled_move(perm_scaled *to, perm_scaled *from) {
    *to = *from;
    perm_scaled_init(from);
}

/* The sign that makes a value's leading part positive. */
static int sign_of(const perm_value *value) {
    return mpz_sgn(value->re) != 0 ? mpz_sgn(value->re) : mpz_sgn(value->im);
}

/* The entries of column j, by ascending rows: entry[start[j]] …. */
typedef struct columns {
    int64_t *start, *entry;
} columns;

static void columns_free(columns *c) {
    free(c->start);
    free(c->entry);
}

static base_status columns_make(base_context *context, const perm_matrix *matrix, columns *c) {
    int64_t n = matrix->n;
    c->start = base_alloc_zero(context, n + 2, sizeof *c->start);
    c->entry = base_alloc(context, matrix->nnz, sizeof *c->entry);
    if (c->start == NULL || c->entry == NULL)
        return BASE_MACHINE;
    for (int64_t e = 0; e < matrix->nnz; e++)
        c->start[matrix->index[e] + 2]++;
    for (int64_t j = 0; j < n; j++)
        c->start[j + 2] += c->start[j + 1];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            c->entry[c->start[matrix->index[e] + 1]++] = e;
    return BASE_OK;
}

/* Divides the entries of a row or column by their greatest common divisor: those in which[0 … count-1], or
 * `first`, `first` + 1 … where `which` is NULL. */
static void divide_line(perm_scaled *w, const int64_t *which, int64_t first, int64_t count, perm_divisor *d) {
    perm_value *entry = w->matrix.entry;
    perm_divisor_clear(d);
    for (int64_t k = 0; k < count; k++)
        perm_divisor_join(d, &entry[which != NULL ? which[k] : first + k]);
    if (count == 0)
        return;
    if (sign_of(&entry[which != NULL ? which[0] : first]) < 0)
        mpz_neg(d->odd, d->odd);
    for (int64_t k = 0; k < count; k++)
        perm_divisor_divide(d, &entry[which != NULL ? which[k] : first + k]);
    perm_divisor_multiply(d, &w->factor);
}

base_status perm_scaled_normalise(base_context *context, perm_scaled *w) {
    base_status status;
    const perm_matrix *matrix = &w->matrix;
    columns columns = {NULL, NULL};
    perm_divisor d;
    perm_divisor_init(&d);
    BASE_TRY(columns_make(context, matrix, &columns));
    for (int64_t e = 0; e < matrix->nnz; e++)
        perm_value_take_twos(&matrix->entry[e]);
    for (int64_t i = 0; i < matrix->n; i++)
        divide_line(w, NULL, matrix->start[i], matrix->start[i + 1] - matrix->start[i], &d);
    for (int64_t j = 0; j < matrix->n; j++)
        divide_line(w, columns.entry + columns.start[j], 0, columns.start[j + 1] - columns.start[j], &d);
done:
    perm_divisor_free(&d);
    columns_free(&columns);
    return status;
}
