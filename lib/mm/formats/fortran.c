/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/formats/fortran.h"
#include "mm/decimal/decimal.h"

#include <ctype.h>
#include <string.h>

static int read_small(const char **text) {
    int value = 0;
    while (isdigit((unsigned char)**text) && value < 1000)
        value = 10 * value + (*(*text)++ - '0');
    return value;
}

bool mm_fortran_read_format(const char **text, mm_fortran_format *format) {
    const char *at = *text + strspn(*text, " ");
    *format = (mm_fortran_format){.per_line = 1};
    if (*at++ != '(')
        return false;
    for (int parts = 0; parts < 2 && format->letter == 0; parts++) {
        bool negative = *at == '-', counted = isdigit((unsigned char)at[negative]);
        at += negative;
        int count = read_small(&at);
        char letter = (char)toupper((unsigned char)*at);
        if (letter == 'P' && counted && parts == 0) {
            format->scaled = count != 0;
            at += at[1] == ',' ? 2 : 1;
        } else if (letter != 0 && strchr("IDEFG", letter) != NULL && !negative) {
            format->letter = letter;
            format->per_line = counted ? count : 1;
            at++;
        } else {
            return false;
        }
    }
    format->width = read_small(&at);
    if (*at == '.') {
        at++;
        format->pointed = read_small(&at) != 0;
    }
    if (toupper((unsigned char)*at) == 'E') {
        at++;
        read_small(&at);
    }
    *text = at + 1;
    return *at == ')' && format->letter != 0 && format->per_line > 0 && format->width > 0 &&
           format->width < MM_FORTRAN_FIELD_BYTES - 1 &&
           format->per_line * format->width < MM_FORTRAN_LINE_BYTES;
}

const char *mm_fortran_integer(const char *field, int64_t *value) {
    mm_decimal_status read = mm_decimal_read_int64(&field, value);
    if (read == MM_DECIMAL_OUT_OF_RANGE)
        return "an integer beyond 64 bits";
    return read == MM_DECIMAL_OK && *field == 0 ? NULL : "malformed integer";
}

/* Fortran leaves out the E before an exponent of three digits: 1.5-103. */
static bool restore_exponent(char *field) {
    for (char *at = field + 1; at[-1] != 0 && *at != 0; at++)
        if ((*at == '+' || *at == '-') && (isdigit((unsigned char)at[-1]) || at[-1] == '.')) {
            memmove(at + 1, at, strlen(at) + 1);
            *at = 'E';
            return true;
        }
    return strpbrk(field, "EeDd") != NULL;
}

const char *mm_fortran_double(char *field, const mm_fortran_format *format, double *value) {
    const char *end = field;
    bool exponent = restore_exponent(field);
    if ((format->scaled && !exponent) || (format->pointed && strchr(field, '.') == NULL))
        return "a number with an implied point or scale, which is not read";
    mm_decimal_status read = mm_decimal_read_double(&end, value);
    if (read == MM_DECIMAL_OUT_OF_RANGE)
        return "a number beyond the range of a double";
    return read == MM_DECIMAL_OK && *end == 0 ? NULL : "malformed number";
}
