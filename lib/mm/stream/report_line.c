/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/report_line.h"
#include "mm/decimal/decimal.h"

#include <stdlib.h>
#include <string.h>

bool mm_report_line_has(const json_t *columns, const char *key) {
    size_t k;
    json_t *wanted;
    json_array_foreach(columns, k, wanted) if (strcmp(json_string_value(wanted), key) == 0) return true;
    return columns == NULL;
}

/* jansson writes doubles with 17 digits; ours are the shortest that read back. */
static base_status write_value(base_context *context, base_output *output, const json_t *value, bool json) {
    if (json_is_real(value)) {
        char digits[MM_DECIMAL_LONGEST];
        int length = mm_decimal_write_double(digits, json_real_value(value));
        return base_output_write(context, output, digits, (size_t)length);
    }
    if (!json && json_is_null(value))
        return base_output_print(context, output, "-");
    if (!json && json_is_string(value))
        return base_output_print(context, output, "%s", json_string_value(value));
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    base_status status = text != NULL
                             ? base_output_print(context, output, "%s", text)
                             : base_fail(context, BASE_MACHINE, "no memory for a line about the record");
    free(text);
    return status;
}

base_status mm_report_line_write(base_context *context, const json_t *columns, const json_t *line,
                                 base_output *output) {
    base_status status = BASE_OK;
    const char *separator = "";
    size_t k;
    json_t *key;
    json_array_foreach(columns, k, key) {
        const json_t *value = json_object_get(line, json_string_value(key));
        BASE_TRY(base_output_print(context, output, "%s", separator));
        if (value != NULL)
            BASE_TRY(write_value(context, output, value, false));
        else
            BASE_TRY(base_output_print(context, output, "-"));
        separator = "\t";
    }
    BASE_TRY(base_output_print(context, output, "\n"));
done:
    return status;
}

base_status mm_report_line_write_object(base_context *context, const json_t *columns, const json_t *line,
                                        base_output *output) {
    base_status status = BASE_OK;
    const char *separator = "{", *key;
    json_t *value;
    json_object_foreach((json_t *)line, key, value) {
        if (!mm_report_line_has(columns, key))
            continue;
        BASE_TRY(base_output_print(context, output, "%s\"%s\":", separator, key));
        BASE_TRY(write_value(context, output, value, true));
        separator = ",";
    }
    BASE_TRY(base_output_print(context, output, "%s}\n", *separator == '{' ? "{" : ""));
done:
    return status;
}
