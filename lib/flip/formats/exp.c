/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of linear forms: (a11 + a22)*(b11 - 2*b22)*(c11)/3, one term a line. Indices beyond 9 are written
 * a_10_2. */
#include "flip/formats/internal.h"

#include <ctype.h>

/* What a piece of text stands for: a number times linear forms in some of the letters. Their entries are
 * those of the cursor from `first` on. */
typedef struct value {
    int64_t numerator, denominator;
    int64_t first;
    unsigned letters; /* bit set of positions */
} value;

static base_status read_sum(flip_cursor *cursor, value *sum, int depth);

/* Skips blanks up to the end of the line: a comma or a new line ends a term. */
static void skip_in_line(flip_cursor *cursor) {
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r'))
        cursor->at++;
}

static bool take_in_line(flip_cursor *cursor, char wanted) {
    skip_in_line(cursor);
    if (cursor->at == cursor->end || *cursor->at != wanted)
        return false;
    cursor->at++;
    return true;
}

/* Reads a11 or a_10_2: a letter and two indices from 1. */
static base_status read_variable(flip_cursor *cursor, value *result) {
    int64_t index[2], one;
    int position = *cursor->at - 'a';
    cursor->at++;
    for (int axis = 0; axis < 2; axis++) {
        if (cursor->at < cursor->end && *cursor->at == '_') {
            cursor->at++;
            if (!flip_read_rational(cursor, &index[axis], &one) || one != 1)
                return flip_fail_syntax(cursor, "an index");
        } else if (cursor->at < cursor->end && isdigit((unsigned char)*cursor->at)) {
            index[axis] = *cursor->at++ - '0';
        } else {
            return flip_fail_syntax(cursor, "an index");
        }
        if (index[axis] < 1 || index[axis] > FLIP_LARGEST_SIZE)
            return flip_fail_syntax(cursor, "an index from 1");
    }
    *result = (value){1, 1, cursor->entries->count, 1u << position};
    flip_entry entry = {cursor->entries->terms, position, index[0] - 1, index[1] - 1, 1, 1};
    return flip_entries_add(cursor->context, cursor->entries, entry);
}

/* Reads a sum in brackets, a variable or a number. */
static base_status read_factor(flip_cursor *cursor, value *result, int depth) {
    base_status status = BASE_OK;
    skip_in_line(cursor);
    if (cursor->at == cursor->end)
        BASE_TRY(flip_fail_syntax(cursor, "a factor"));
    if (*cursor->at == '(') {
        cursor->at++;
        BASE_TRY(read_sum(cursor, result, depth + 1));
        if (!take_in_line(cursor, ')'))
            BASE_TRY(flip_fail_syntax(cursor, "')'"));
    } else if (*cursor->at >= 'a' && *cursor->at <= 'c') {
        BASE_TRY(read_variable(cursor, result));
    } else {
        *result = (value){1, 1, cursor->entries->count, 0};
        if (!flip_read_rational(cursor, &result->numerator, &result->denominator))
            BASE_TRY(flip_fail_syntax(cursor, "a number, a variable or '('"));
    }
done:
    return status;
}

static bool starts_factor(const flip_cursor *cursor) {
    return cursor->at < cursor->end && (*cursor->at == '(' || (*cursor->at >= 'a' && *cursor->at <= 'c') ||
                                        isdigit((unsigned char)*cursor->at));
}

/* Reads factors with '*', '/' or nothing between them, after any signs. */
static base_status read_product(flip_cursor *cursor, value *product, int depth) {
    base_status status = BASE_OK;
    value factor;
    *product = (value){1, 1, cursor->entries->count, 0};
    while (take_in_line(cursor, '-') || take_in_line(cursor, '+'))
        product->numerator *= cursor->at[-1] == '-' ? -1 : 1;
    bool divide = false;
    do {
        BASE_TRY(read_factor(cursor, &factor, depth));
        /* A letter occurs once in a product, and only numbers are divided by. */
        if ((factor.letters & product->letters) != 0 ||
            (divide && (factor.letters != 0 || factor.numerator == 0)))
            BASE_TRY(flip_fail_syntax(cursor, "a product of linear forms in a, b and c"));
        int64_t numerator = divide ? factor.denominator : factor.numerator;
        int64_t denominator = divide ? factor.numerator : factor.denominator;
        if (!flip_rational_multiply(&product->numerator, &product->denominator, numerator, denominator))
            BASE_TRY(flip_fail_syntax(cursor, "a smaller coefficient"));
        product->letters |= factor.letters;
        divide = take_in_line(cursor, '/');
    } while (divide || take_in_line(cursor, '*') || (skip_in_line(cursor), starts_factor(cursor)));
    /* Dividing by a negative number may have left the sign below. */
    if (product->denominator < 0) {
        product->denominator = -product->denominator;
        product->numerator = -product->numerator;
    }
done:
    return status;
}

/* Multiplies the number into the form in the first of the letters. */
static base_status scale(flip_cursor *cursor, value *product) {
    int position = __builtin_ctz(product->letters);
    for (int64_t e = product->first; e < cursor->entries->count; e++) {
        flip_entry *entry = &cursor->entries->list[e];
        if (entry->position == position && !flip_rational_multiply(&entry->numerator, &entry->denominator,
                                                                   product->numerator, product->denominator))
            return flip_fail_syntax(cursor, "a smaller coefficient");
    }
    product->numerator = product->denominator = 1;
    return BASE_OK;
}

/* Reads products with signs between them: one product, or several linear forms in the same letter. */
static base_status read_sum(flip_cursor *cursor, value *sum, int depth) {
    enum { DEEPEST = 20 };
    base_status status = BASE_OK;
    value product;
    int64_t count = 0;
    if (depth > DEEPEST)
        BASE_TRY(flip_fail_syntax(cursor, "fewer brackets"));
    for (bool more = true; more; count++) {
        BASE_TRY(read_product(cursor, &product, depth));
        if (product.letters != 0)
            BASE_TRY(scale(cursor, &product));
        if (count == 0)
            *sum = product;
        else if (product.letters != sum->letters || __builtin_popcount(sum->letters) != 1)
            BASE_TRY(flip_fail_syntax(cursor, "a linear form in one letter"));
        skip_in_line(cursor);
        more = cursor->at < cursor->end && (*cursor->at == '+' || *cursor->at == '-');
    }
done:
    return status;
}

base_status flip_read_exp(flip_cursor *cursor) {
    base_status status = BASE_OK;
    for (;;) {
        value product;
        flip_skip_blanks(cursor);
        if (cursor->at == cursor->end)
            break;
        BASE_TRY(read_product(cursor, &product, 0));
        if (product.letters != 7)
            BASE_TRY(flip_fail_syntax(cursor, "a product of three linear forms"));
        BASE_TRY(scale(cursor, &product));
        cursor->entries->terms++;
        take_in_line(cursor, ',');
        skip_in_line(cursor);
        if (cursor->at < cursor->end && *cursor->at != '\n' && *cursor->at != '#')
            BASE_TRY(flip_fail_syntax(cursor, "the end of the line"));
    }
done:
    return status;
}

/* Writes the linear form of a factor: its entries that are not zero. */
static base_status write_form(base_context *context, const flip_scheme *scheme, int64_t term, int position,
                              base_output *output) {
    base_status status = BASE_OK;
    int64_t nrow, ncol, numerator, denominator, count = 0;
    char number[48];
    flip_published_shape(scheme->size, position, &nrow, &ncol);
    const char *join = nrow > 9 || ncol > 9 ? "_" : "";
    for (int64_t i = 0; i < nrow; i++)
        for (int64_t j = 0; j < ncol; j++) {
            flip_published_entry(scheme, term, position, i, j, &numerator, &denominator);
            if (numerator == 0)
                continue;
            const char *sign = numerator < 0 ? "-" : count > 0 ? "+" : "";
            numerator = numerator < 0 ? -numerator : numerator;
            bool one = numerator == 1 && denominator == 1;
            BASE_TRY(base_output_print(context, output, "%s%s%s%c%s%lld%s%lld", sign,
                                       one ? "" : flip_print_rational(numerator, denominator, number),
                                       one ? "" : "*", 'a' + position, join, (long long)i + 1, join,
                                       (long long)j + 1));
            count++;
        }
    if (count == 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "term %lld is zero, which this format cannot say",
                           (long long)term + 1));
done:
    return status;
}

base_status flip_write_exp(base_context *context, const flip_scheme *scheme, base_output *output) {
    base_status status = BASE_OK;
    for (int64_t r = 0; r < scheme->rank; r++)
        for (int k = 0; k < 3; k++) {
            BASE_TRY(base_output_print(context, output, "("));
            BASE_TRY(write_form(context, scheme, r, k, output));
            BASE_TRY(base_output_print(context, output, k < 2 ? ")*" : ")\n"));
        }
done:
    return status;
}
