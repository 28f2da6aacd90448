/* SPDX-License-Identifier: BSD-3-Clause */
/* Values from texts (value.h). */
#include "mm/decimal/decimal.h"
#include "perm/value/value.h"

#include <string.h>

/* One number at *text, which moves behind it. */
static mm_decimal_status read_part(const char **text, double *part) {
    const char *start = *text;
    const mm_decimal_status status = mm_decimal_read_double(text, part);
    const size_t length = strcspn(start, "eEdD "), zeros = strspn(start, "+-.0");
    return status == MM_DECIMAL_OK && *part == 0 && zeros < length && start[zeros] != 0
               ? MM_DECIMAL_OUT_OF_RANGE
               : status;
}

base_status perm_value_parse(base_context *context, const char *text, perm_value *value, mm_field *field) {
    const char *rest = text;
    double part[2] = {0, 0};
    *field = MM_INTEGER;
    if (text[strspn(text, "+-0123456789")] == 0 && perm_value_set_digits(value, text))
        return BASE_OK;
    *field = MM_REAL;
    mm_decimal_status read = read_part(&rest, &part[0]);
    if (read == MM_DECIMAL_OK && *rest == ' ') {
        rest++;
        *field = MM_COMPLEX;
        read = read_part(&rest, &part[1]);
    }
    if (read == MM_DECIMAL_OUT_OF_RANGE)
        return base_fail(
            context, BASE_DAMAGED,
            "'%.60s' is beyond the range of double, 4.94e-324 to 1.80e308. Write it as an integer "
            "times a power of two, as in 0x1fp-2000",
            text);
    if (read != MM_DECIMAL_OK || *rest)
        return base_fail(context, BASE_DAMAGED, "'%.60s' is not a number", text);
    perm_value_set_complex(value, part[0], part[1]);
    return BASE_OK;
}
