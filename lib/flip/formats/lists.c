/* SPDX-License-Identifier: BSD-3-Clause */
/* Nested lists of matrices: Mathematica's and Maple's. */
#include "flip/formats/internal.h"

#include <string.h>

base_status flip_read_mathematica(flip_cursor *cursor) {
    base_status status = BASE_OK;
    flip_entries *entries = cursor->entries;
    if (!flip_take(cursor, '{'))
        BASE_TRY(flip_fail_syntax(cursor, "a list"));
    do {
        int64_t shape[3][2];
        if (!flip_take(cursor, '{'))
            BASE_TRY(flip_fail_syntax(cursor, "a list of three matrices"));
        for (int k = 0; k < 3; k++) {
            if (k > 0 && !flip_take(cursor, ','))
                BASE_TRY(flip_fail_syntax(cursor, "a comma"));
            BASE_TRY(flip_read_matrix(cursor, "{}", entries->terms, k, &shape[k][0], &shape[k][1]));
        }
        if (!flip_take(cursor, '}'))
            BASE_TRY(flip_fail_syntax(cursor, "the end of three matrices"));
        BASE_TRY(flip_keep_shapes(cursor, shape));
        entries->terms++;
    } while (flip_take(cursor, ','));
    if (!flip_take(cursor, '}'))
        BASE_TRY(flip_fail_syntax(cursor, "the end of the list"));
    flip_skip_blanks(cursor);
    if (cursor->at != cursor->end && *cursor->at != ';')
        BASE_TRY(flip_fail_syntax(cursor, "the end of the file"));
done:
    return status;
}

/* Passes over a word if it is next. */
static bool take_word(flip_cursor *cursor, const char *word) {
    size_t length = strlen(word);
    flip_skip_blanks(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

/* Reads a term, Triad([Matrix(n, m, [[…]]), …]), and checks the sizes that it announces. */
static base_status read_triad(flip_cursor *cursor) {
    base_status status = BASE_OK;
    flip_entries *entries = cursor->entries;
    int64_t shape[3][2];
    if (!take_word(cursor, "Triad") || !flip_take(cursor, '(') || !flip_take(cursor, '['))
        BASE_TRY(flip_fail_syntax(cursor, "Triad(["));
    for (int k = 0; k < 3; k++) {
        int64_t said[2], one;
        bool good =
            (k == 0 || flip_take(cursor, ',')) && take_word(cursor, "Matrix") && flip_take(cursor, '(');
        for (int axis = 0; axis < 2 && good; axis++) {
            flip_skip_blanks(cursor);
            good = flip_read_rational(cursor, &said[axis], &one) && one == 1 && flip_take(cursor, ',');
        }
        if (!good)
            BASE_TRY(flip_fail_syntax(cursor, "Matrix(rows, columns, "));
        BASE_TRY(flip_read_matrix(cursor, "[]", entries->terms, k, &shape[k][0], &shape[k][1]));
        if (!flip_take(cursor, ')') || memcmp(said, shape[k], sizeof said) != 0)
            BASE_TRY(flip_fail_syntax(cursor, "a matrix of the size it announced"));
    }
    if (!flip_take(cursor, ']') || !flip_take(cursor, ')'))
        BASE_TRY(flip_fail_syntax(cursor, "the end of a triad"));
    BASE_TRY(flip_keep_shapes(cursor, shape));
    entries->terms++;
done:
    return status;
}

base_status flip_read_maple(flip_cursor *cursor) {
    base_status status = BASE_OK;
    static const char word[] = "TriadSet";
    const char *start = memmem(cursor->at, (size_t)(cursor->end - cursor->at), word, strlen(word));
    cursor->at = start + strlen(word); /* The word is there: the format was recognised by it. */
    if (!flip_take(cursor, '(') || !flip_take(cursor, '['))
        BASE_TRY(flip_fail_syntax(cursor, "(["));
    do
        BASE_TRY(read_triad(cursor));
    while (flip_take(cursor, ','));
    if (!flip_take(cursor, ']') || !flip_take(cursor, ')'))
        BASE_TRY(flip_fail_syntax(cursor, "the end of the triads"));
done:
    return status;
}

static base_status write_matrix(base_context *context, const flip_scheme *scheme, int64_t term, int position,
                                const char brackets[2], base_output *output) {
    base_status status = BASE_OK;
    int64_t nrow, ncol, numerator, denominator;
    char text[48];
    flip_published_shape(scheme->size, position, &nrow, &ncol);
    for (int64_t i = 0; i < nrow; i++) {
        BASE_TRY(base_output_print(context, output, "%c%c", i == 0 ? brackets[0] : ',', brackets[0]));
        for (int64_t j = 0; j < ncol; j++) {
            flip_published_entry(scheme, term, position, i, j, &numerator, &denominator);
            BASE_TRY(base_output_print(context, output, "%s%s", j == 0 ? "" : ",",
                                       flip_print_rational(numerator, denominator, text)));
        }
        BASE_TRY(base_output_print(context, output, "%c", brackets[1]));
    }
    BASE_TRY(base_output_print(context, output, "%c", brackets[1]));
done:
    return status;
}

base_status flip_write_mathematica(base_context *context, const flip_scheme *scheme, base_output *output) {
    base_status status = BASE_OK;
    for (int64_t r = 0; r < scheme->rank; r++) {
        BASE_TRY(base_output_print(context, output, r == 0 ? "{" : ",\n "));
        for (int k = 0; k < 3; k++) {
            BASE_TRY(base_output_print(context, output, k == 0 ? "{" : ", "));
            BASE_TRY(write_matrix(context, scheme, r, k, "{}", output));
        }
        BASE_TRY(base_output_print(context, output, "}"));
    }
    BASE_TRY(base_output_print(context, output, "}\n"));
done:
    return status;
}

base_status flip_write_maple(base_context *context, const flip_scheme *scheme, base_output *output) {
    base_status status = BASE_OK;
    for (int64_t r = 0; r < scheme->rank; r++) {
        BASE_TRY(base_output_print(context, output, r == 0 ? "Tensor:=TriadSet([" : ", "));
        for (int k = 0; k < 3; k++) {
            int64_t nrow, ncol;
            flip_published_shape(scheme->size, k, &nrow, &ncol);
            BASE_TRY(base_output_print(context, output, "%sMatrix(%lld, %lld, ", k == 0 ? "Triad([" : ", ",
                                       (long long)nrow, (long long)ncol));
            BASE_TRY(write_matrix(context, scheme, r, k, "[]", output));
            BASE_TRY(base_output_print(context, output, ")"));
        }
        BASE_TRY(base_output_print(context, output, "])"));
    }
    BASE_TRY(base_output_print(context, output, "]):\n"));
done:
    return status;
}
