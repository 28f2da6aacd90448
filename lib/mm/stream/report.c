#include "mm/stream/report.h"
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mm_report {
    bool json, failed;
    bool header; /* still to be written */
    bool unknown;
    json_t *line;
};

base_status mm_report_open(base_context *context, bool json, bool header, mm_report **report) {
    *report = base_alloc_zero(context, 1, sizeof **report);
    if (*report == NULL)
        return BASE_MACHINE;
    (*report)->json = json;
    (*report)->header = header && !json;
    (*report)->line = json_object();
    return BASE_OK;
}

void mm_report_close(mm_report *report) {
    if (report == NULL)
        return;
    json_decref(report->line);
    free(report);
}

static void add(mm_report *report, const char *key, json_t *value) {
    if (report->unknown && value != NULL) {
        json_decref(value);
        value = json_null();
    }
    report->failed |= json_object_set_new(report->line, key, value) != 0;
}

/* JSON is UTF-8; a name that is not gets '?' for the bytes beyond ASCII. */
void mm_report_text(mm_report *report, const char *key, const char *text) {
    json_t *value = json_string(text);
    char *copy = value == NULL ? base_copy_silent(text, (int64_t)strlen(text)) : NULL;
    if (copy != NULL) {
        for (char *c = copy; *c != '\0'; c++)
            if (*c & 0x80)
                *c = '?';
        value = json_string(copy);
    }
    add(report, key, value);
    free(copy);
}

void mm_report_integer(mm_report *report, const char *key, int64_t value) {
    add(report, key, json_integer(value));
}

void mm_report_real(mm_report *report, const char *key, double value) {
    add(report, key, isfinite(value) ? json_real(value) : json_null());
}

void mm_report_unknown(mm_report *report, const char *key) {
    add(report, key, json_null());
}

void mm_report_set_known(mm_report *report, bool known) {
    report->unknown = !known;
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

static base_status write_header(base_context *context, mm_report *report, base_output *output) {
    base_status status = BASE_OK;
    const char *key, *separator = "";
    json_t *value;
    json_object_foreach(report->line, key, value) {
        BASE_TRY(base_output_print(context, output, "%s%s", separator, key));
        separator = "\t";
    }
    BASE_TRY(base_output_print(context, output, "\n"));
    report->header = false;
done:
    return status;
}

base_status mm_report_write(base_context *context, mm_report *report, base_output *output) {
    base_status status = BASE_OK;
    const char *key, *separator = report->json ? "{" : "";
    json_t *value;
    if (report->failed)
        BASE_TRY(base_fail(context, BASE_MACHINE, "no memory for a line about the record"));
    if (report->header)
        BASE_TRY(write_header(context, report, output));
    json_object_foreach(report->line, key, value) {
        if (report->json)
            BASE_TRY(base_output_print(context, output, "%s\"%s\":", separator, key));
        else
            BASE_TRY(base_output_print(context, output, "%s", separator));
        BASE_TRY(write_value(context, output, value, report->json));
        separator = report->json ? "," : "\t";
    }
    BASE_TRY(base_output_print(context, output, report->json ? "}\n" : "\n"));
done:
    json_object_clear(report->line);
    report->unknown = false;
    return status;
}
