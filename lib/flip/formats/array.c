/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/formats/array.h"

#include <string.h>

uint64_t flip_read_little(const char *data, int bytes) {
    uint64_t value = 0;
    for (int k = 0; k < bytes; k++)
        value |= (uint64_t)(unsigned char)data[k] << 8 * k;
    return value;
}

/* Gets entry (i, j) of an array; false for a number that is not whole or does not fit. */
static bool get(const flip_array *from, int64_t i, int64_t j, int64_t *value) {
    int64_t at = from->fortran ? j * from->nrow + i : i * from->ncol + j;
    uint64_t bits = flip_read_little(from->data + at * from->bytes, from->bytes);
    int unused = 64 - 8 * from->bytes;
    *value = (int64_t)bits;
    /* Shifting up and down again extends the sign. */
    if (from->type == 'i')
        *value = (int64_t)(bits << unused) >> unused;
    if (from->type != 'f')
        return from->type != 'u' || bits <= INT64_MAX;
    double real;
    float small;
    memcpy(&real, &bits, 8);
    memcpy(&small, &bits, 4);
    real = from->bytes == 4 ? small : real;
    /* Below 2^53 every whole number is a double; the comparison is false for NaN, too. */
    if (!(real > -0x1p53 && real < 0x1p53))
        return false;
    *value = (int64_t)real;
    return (double)*value == real;
}

bool flip_array_read_type(const char *text, flip_array *result) {
    result->type = text[0];
    result->bytes = text[0] == 0 ? 0 : text[1] - '0';
    bool sized = result->bytes == 1 || result->bytes == 2 || result->bytes == 4 || result->bytes == 8;
    return sized && strchr("iubf", text[0]) != NULL && (text[0] != 'f' || result->bytes >= 4);
}

base_status flip_array_add(base_context *context, const flip_array *from, int position,
                           flip_entries *entries) {
    base_status status = BASE_OK;
    int64_t nrow, ncol;
    flip_published_shape(entries->size, position, &nrow, &ncol);
    if (from->nrow != nrow * ncol || from->ncol != entries->terms)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "an array's shape does not fit the scheme's format"));
    for (int64_t e = 0; e < from->nrow; e++)
        for (int64_t r = 0; r < from->ncol; r++) {
            flip_entry entry = {r, position, e / ncol, e % ncol, 0, 1};
            if (!get(from, e, r, &entry.numerator) || entry.numerator == INT64_MIN)
                BASE_TRY(base_fail(context, BASE_DAMAGED, "a coefficient that is no whole number"));
            if (entry.numerator != 0)
                BASE_TRY(flip_entries_add(context, entries, entry));
        }
done:
    return status;
}
