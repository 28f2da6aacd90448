/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/where/scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

base_status where_mistake(where_scanner *scanner, const char *cause) {
    return base_fail(scanner->context, BASE_USAGE, "--where, column %d: %s",
                     (int)(scanner->start - scanner->text) + 1, cause);
}

/* 0.5, 1e-3, 2.5e6 */
static bool read_real(where_scanner *scanner) {
    const char *at = scanner->at;
    char *end;
    while (isdigit((unsigned char)*at))
        at++;
    if (*at != '.' && !(*at == 'e' && at[1] == '-'))
        return false;
    scanner->real = strtod(scanner->at, &end);
    if (isalnum((unsigned char)*end) || *end == '.' || *end == '_' || !isdigit((unsigned char)end[-1]))
        return false;
    scanner->kind = WHERE_TOKEN_NUMBER;
    scanner->is_real = true;
    scanner->at = end;
    return true;
}

static base_status read_number(where_scanner *scanner) {
    const char *at = scanner->at;
    if (read_real(scanner))
        return BASE_OK;
    scanner->is_real = false;
    int64_t number = 0;
    int zeros = 0;
    bool fits = true;
    for (; isdigit((unsigned char)*at); at++)
        fits = fits && !__builtin_mul_overflow(number, 10, &number) &&
               !__builtin_add_overflow(number, *at - '0', &number);
    if (*at == 'e' && isdigit((unsigned char)at[1]))
        for (at++; isdigit((unsigned char)*at); at++)
            zeros = zeros > 99 ? zeros : 10 * zeros + (*at - '0');
    else if (*at != '\0' && strchr("kMGT", *at) != NULL)
        zeros = 3 * (int)(strchr("kMGT", *at++) - "kMGT" + 1);
    for (; zeros > 0 && fits && number != 0; zeros--)
        fits = !__builtin_mul_overflow(number, 10, &number);
    if (!fits)
        return where_mistake(scanner, "the number exceeds 64 bits");
    if (isalnum((unsigned char)*at) || *at == '.' || *at == '_')
        return where_mistake(scanner, "not a number");
    scanner->kind = WHERE_TOKEN_NUMBER;
    scanner->number = number;
    scanner->at = at;
    return BASE_OK;
}

static base_status read_string(where_scanner *scanner) {
    const char *end = strchr(scanner->at + 1, *scanner->at);
    if (end == NULL)
        return where_mistake(scanner, "the quote is not closed");
    scanner->kind = WHERE_TOKEN_STRING;
    scanner->start = scanner->at + 1;
    scanner->length = (int)(end - scanner->start);
    scanner->at = end + 1;
    return BASE_OK;
}

base_status where_scan(where_scanner *scanner) {
    static const char *const marks[] = {"==", "!=", "<=", ">=", "!~", "&&", "||", "<", ">",
                                        "~",  "!",  "(",  ")",  "+",  "-",  "*",  "/"};
    static const char skew[] = "skew-symmetric";
    while (isspace((unsigned char)*scanner->at))
        scanner->at++;
    scanner->start = scanner->at;
    scanner->length = 0;
    if (*scanner->at == '\0') {
        scanner->kind = WHERE_TOKEN_END;
        return BASE_OK;
    }
    if (isdigit((unsigned char)*scanner->at))
        return read_number(scanner);
    if (*scanner->at == '"' || *scanner->at == '\'')
        return read_string(scanner);
    if (isalpha((unsigned char)*scanner->at) || *scanner->at == '_') {
        /* the one word with a dash, which elsewhere is a minus */
        if (strncmp(scanner->at, skew, sizeof skew - 1) == 0)
            scanner->at += sizeof skew - 1;
        while (isalnum((unsigned char)*scanner->at) || *scanner->at == '_')
            scanner->at++;
        scanner->kind = WHERE_TOKEN_WORD;
        scanner->length = (int)(scanner->at - scanner->start);
        return BASE_OK;
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(scanner->at, marks[i], strlen(marks[i])) == 0) {
            scanner->kind = WHERE_TOKEN_MARK;
            scanner->length = (int)strlen(marks[i]);
            scanner->at += scanner->length;
            return BASE_OK;
        }
    return where_mistake(scanner, *scanner->at == '='   ? "= is not an operator; == compares"
                                  : *scanner->at == '&' ? "& is not an operator; && or 'and' joins conditions"
                                  : *scanner->at == '|' ? "| is not an operator; || or 'or' joins conditions"
                                                        : "unexpected character");
}
