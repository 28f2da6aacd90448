/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/derive/combine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* rows × cols becomes cols × rows. */
static void transpose_factor(const int64_t *from, int64_t rows, int64_t cols, int64_t *to) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            to[j * rows + i] = from[i * cols + j];
}

static base_status alloc_like(base_context *context, const flip_scheme *scheme, int64_t n, int64_t m,
                              int64_t p, int64_t rank, flip_scheme *result) {
    const int64_t size[3] = {n, m, p};
    base_status status = flip_scheme_alloc(context, size, rank, result);
    result->field = scheme->field;
    result->denominator = scheme->denominator;
    return status;
}

base_status flip_rotate(base_context *context, const flip_scheme *scheme, flip_scheme *result) {
    const int64_t n = scheme->size[0], m = scheme->size[1], p = scheme->size[2];
    base_status status = alloc_like(context, scheme, m, p, n, scheme->rank, result);
    for (int64_t r = 0; r < scheme->rank && status == BASE_OK; r++) {
        memcpy(result->factor[0] + r * m * p, scheme->factor[1] + r * m * p, (size_t)(m * p) * 8);
        transpose_factor(scheme->factor[2] + r * n * p, n, p, result->factor[1] + r * n * p);
        transpose_factor(scheme->factor[0] + r * n * m, n, m, result->factor[2] + r * n * m);
    }
    return status;
}

base_status flip_transpose(base_context *context, const flip_scheme *scheme, flip_scheme *result) {
    const int64_t n = scheme->size[0], m = scheme->size[1], p = scheme->size[2];
    base_status status = alloc_like(context, scheme, p, m, n, scheme->rank, result);
    for (int64_t r = 0; r < scheme->rank && status == BASE_OK; r++) {
        transpose_factor(scheme->factor[1] + r * m * p, m, p, result->factor[0] + r * m * p);
        transpose_factor(scheme->factor[0] + r * n * m, n, m, result->factor[1] + r * n * m);
        transpose_factor(scheme->factor[2] + r * n * p, n, p, result->factor[2] + r * n * p);
    }
    return status;
}

/* Turns a scheme in place. */
static base_status turn(base_context *context, flip_scheme *scheme, int times) {
    base_status status = BASE_OK;
    for (int t = 0; t < times; t++) {
        flip_scheme turned;
        BASE_TRY(flip_rotate(context, scheme, &turned));
        flip_scheme_free(scheme);
        *scheme = turned;
    }
done:
    return status;
}

/* A copy whose n is that axis of the scheme; to be turned 3 - axis times to come back. */
static base_status copy_turned(base_context *context, const flip_scheme *scheme, int axis,
                               flip_scheme *copy) {
    if (axis > 0) {
        base_status status = flip_rotate(context, scheme, copy);
        return status == BASE_OK ? turn(context, copy, axis - 1) : status;
    }
    base_status status =
        alloc_like(context, scheme, scheme->size[0], scheme->size[1], scheme->size[2], scheme->rank, copy);
    for (int k = 0; k < 3 && status == BASE_OK; k++)
        memcpy(copy->factor[k], scheme->factor[k],
               (size_t)(scheme->rank * flip_length(scheme->size, k)) * sizeof(int64_t));
    return status;
}

/* `rows` rows of term `from` of a scheme, beginning with `row`, become those of term `to` from `at` on. */
static void copy_rows(const flip_scheme *scheme, int64_t from, int64_t row, int64_t rows, flip_scheme *result,
                      int64_t to, int64_t at) {
    for (int k = 0; k < 3; k += 2) {
        const int64_t width = scheme->size[k == 0 ? 1 : 2];
        memcpy(result->factor[k] + (to * result->size[0] + at) * width,
               scheme->factor[k] + (from * scheme->size[0] + row) * width,
               (size_t)(rows * width) * sizeof(int64_t));
    }
}

static void copy_second(const flip_scheme *scheme, int64_t from, flip_scheme *result, int64_t to) {
    const int64_t length = flip_length(scheme->size, 1);
    memcpy(result->factor[1] + to * length, scheme->factor[1] + from * length,
           (size_t)length * sizeof(int64_t));
}

base_status flip_extend(base_context *context, const flip_scheme *scheme, int axis, flip_scheme *result) {
    base_status status = BASE_OK;
    flip_scheme turned = {0};
    *result = (flip_scheme){0};
    BASE_TRY(copy_turned(context, scheme, axis, &turned));
    const int64_t n = turned.size[0], m = turned.size[1], p = turned.size[2];
    BASE_TRY(alloc_like(context, scheme, n + 1, m, p, turned.rank + m * p, result));
    for (int64_t r = 0; r < turned.rank; r++) {
        copy_rows(&turned, r, 0, n, result, r, 0);
        copy_second(&turned, r, result, r);
    }
    /* The new row of A times B by the standard algorithm: m p products. */
    for (int64_t e = 0, r = turned.rank; e < m * p; e++, r++) {
        result->factor[0][(r * (n + 1) + n) * m + e / p] = 1;
        result->factor[1][r * m * p + e] = 1;
        result->factor[2][(r * (n + 1) + n) * p + e % p] = scheme->denominator;
    }
    BASE_TRY(turn(context, result, (3 - axis) % 3));
done:
    flip_scheme_free(&turned);
    return status;
}

static bool is_zero(const flip_scheme *scheme, int position, int64_t term, int64_t except) {
    const int64_t width = scheme->size[position == 0 ? 1 : 2];
    const int64_t *factor = scheme->factor[position] + term * scheme->size[0] * width;
    for (int64_t e = 0; e < scheme->size[0] * width; e++)
        if (e / width != except && factor[e] % (scheme->field == FLIP_F2 ? 2 : INT64_MAX) != 0)
            return false;
    return true;
}

/* Whether something is left of a term without that row of A and of C. */
static bool stays(const flip_scheme *scheme, int64_t term, int64_t row) {
    return !is_zero(scheme, 0, term, row) && !is_zero(scheme, 2, term, row);
}

base_status flip_project(base_context *context, const flip_scheme *scheme, int axis, flip_scheme *result) {
    base_status status = BASE_OK;
    flip_scheme turned = {0};
    int64_t chosen = 0, least = INT64_MAX;
    *result = (flip_scheme){0};
    if (scheme->size[axis] < 2)
        BASE_TRY(base_fail(context, BASE_FAILED, "nothing would be left of %c", "nmp"[axis]));
    BASE_TRY(copy_turned(context, scheme, axis, &turned));
    const int64_t n = turned.size[0];
    for (int64_t row = 0; row < n; row++) {
        int64_t rank = 0;
        for (int64_t r = 0; r < turned.rank; r++)
            rank += stays(&turned, r, row);
        if (rank < least) {
            least = rank;
            chosen = row;
        }
    }
    BASE_TRY(alloc_like(context, scheme, n - 1, turned.size[1], turned.size[2], least, result));
    for (int64_t r = 0, to = 0; r < turned.rank; r++) {
        if (!stays(&turned, r, chosen))
            continue;
        copy_rows(&turned, r, 0, chosen, result, to, 0);
        copy_rows(&turned, r, chosen + 1, n - 1 - chosen, result, to, chosen);
        copy_second(&turned, r, result, to++);
    }
    BASE_TRY(turn(context, result, (3 - axis) % 3));
done:
    flip_scheme_free(&turned);
    return status;
}

/* The field of what is made of two: a scheme over Z is one over F2 and Q too, over Q one over F2 where its
 * denominator is odd. */
static base_status join_fields(base_context *context, const flip_scheme *first, const flip_scheme *second,
                               flip_scheme *result) {
    const bool binary = first->field == FLIP_F2 || second->field == FLIP_F2;
    if (binary && (first->denominator % 2 == 0 || second->denominator % 2 == 0))
        return base_fail(context, BASE_FAILED, "a scheme over F2 and one with an even denominator");
    result->field = binary ? FLIP_F2 : first->field == FLIP_Q || second->field == FLIP_Q ? FLIP_Q : FLIP_Z;
    return BASE_OK;
}

/* Multiplies the third factors of `count` terms; modulo 2 everything becomes 0 or 1. */
static base_status scale(base_context *context, flip_scheme *scheme, int64_t first, int64_t count,
                         int64_t by) {
    for (int k = 0; k < 3; k++) {
        const int64_t length = flip_length(scheme->size, k);
        for (int64_t e = first * length; e < (first + count) * length; e++) {
            int64_t *value = &scheme->factor[k][e];
            if (scheme->field == FLIP_F2)
                *value &= 1;
            else if (k == 2 && __builtin_mul_overflow(*value, by, value))
                return base_fail(context, BASE_FAILED, "a coefficient exceeds 63 bits");
        }
    }
    return BASE_OK;
}

base_status flip_merge(base_context *context, const flip_scheme *first, const flip_scheme *second, int axis,
                       flip_scheme *result) {
    base_status status = BASE_OK;
    flip_scheme a = {0}, b = {0};
    char name[2][64];
    *result = (flip_scheme){0};
    for (int k = 0; k < 3; k++)
        if (k != axis && first->size[k] != second->size[k])
            BASE_TRY(base_fail(context, BASE_FAILED, "%s and %s do not fit side by side along %c",
                               flip_format_name(first->size, name[0]),
                               flip_format_name(second->size, name[1]), "nmp"[axis]));
    BASE_TRY(copy_turned(context, first, axis, &a));
    BASE_TRY(copy_turned(context, second, axis, &b));
    BASE_TRY(
        alloc_like(context, first, a.size[0] + b.size[0], a.size[1], a.size[2], a.rank + b.rank, result));
    BASE_TRY(join_fields(context, first, second, result));
    for (int64_t r = 0; r < a.rank; r++) {
        copy_rows(&a, r, 0, a.size[0], result, r, 0);
        copy_second(&a, r, result, r);
    }
    for (int64_t r = 0; r < b.rank; r++) {
        copy_rows(&b, r, 0, b.size[0], result, a.rank + r, a.size[0]);
        copy_second(&b, r, result, a.rank + r);
    }
    /* Each half is brought to the product of both denominators. */
    BASE_TRY(scale(context, result, 0, a.rank, second->denominator));
    BASE_TRY(scale(context, result, a.rank, b.rank, first->denominator));
    if (__builtin_mul_overflow(first->denominator, second->denominator, &result->denominator))
        BASE_TRY(base_fail(context, BASE_FAILED, "the denominator exceeds 63 bits"));
    if (result->field == FLIP_F2)
        result->denominator = 1;
    BASE_TRY(turn(context, result, (3 - axis) % 3));
done:
    flip_scheme_free(&a);
    flip_scheme_free(&b);
    if (status != BASE_OK)
        flip_scheme_free(result);
    return status;
}

/* The Kronecker product of two factors of rows × cols; false when a value exceeds 63 bits. */
static bool multiply_factors(const int64_t *first, const int64_t *second, const int64_t rows[2],
                             const int64_t cols[2], int64_t *product) {
    bool good = true;
    for (int64_t i = 0; i < rows[0] * rows[1]; i++)
        for (int64_t j = 0; j < cols[0] * cols[1]; j++)
            good &= !__builtin_mul_overflow(first[i / rows[1] * cols[0] + j / cols[1]],
                                            second[i % rows[1] * cols[1] + j % cols[1]],
                                            &product[i * cols[0] * cols[1] + j]);
    return good;
}

base_status flip_product(base_context *context, const flip_scheme *first, const flip_scheme *second,
                         flip_scheme *result) {
    base_status status = BASE_OK;
    const int64_t *a = first->size, *b = second->size;
    int64_t rank;
    *result = (flip_scheme){0};
    if (__builtin_mul_overflow(first->rank, second->rank, &rank))
        BASE_TRY(base_fail(context, BASE_MACHINE, "the rank of the product exceeds 63 bits"));
    BASE_TRY(alloc_like(context, first, a[0] * b[0], a[1] * b[1], a[2] * b[2], rank, result));
    BASE_TRY(join_fields(context, first, second, result));
    for (int k = 0; k < 3; k++) {
        const int64_t rows[2] = {a[k == 1 ? 1 : 0], b[k == 1 ? 1 : 0]};
        const int64_t cols[2] = {a[k == 0 ? 1 : 2], b[k == 0 ? 1 : 2]};
        const int64_t length[3] = {rows[0] * cols[0], rows[1] * cols[1], flip_length(result->size, k)};
        for (int64_t r = 0; r < rank; r++)
            if (!multiply_factors(first->factor[k] + r / second->rank * length[0],
                                  second->factor[k] + r % second->rank * length[1], rows, cols,
                                  result->factor[k] + r * length[2]))
                BASE_TRY(base_fail(context, BASE_FAILED, "a coefficient exceeds 63 bits"));
    }
    BASE_TRY(scale(context, result, 0, rank, 1));
    if (__builtin_mul_overflow(first->denominator, second->denominator, &result->denominator))
        BASE_TRY(base_fail(context, BASE_FAILED, "the denominator exceeds 63 bits"));
    if (result->field == FLIP_F2)
        result->denominator = 1;
done:
    if (status != BASE_OK)
        flip_scheme_free(result);
    return status;
}
