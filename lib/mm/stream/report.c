/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/report.h"
#include "base/core/control.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/report_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mm_report {
    bool json, failed;
    bool header; /* still to be written */
    bool unknown, tells_failures;
    json_t *line;
    json_t *columns; /* their keys, in order; NULL: not known yet, or all of a JSON object */
    json_t *waiting; /* failures before the header */
    json_t *kept;    /* lines for mm_report_take; NULL: nobody asked */
};

base_status mm_report_open(base_context *context, bool json, bool header, mm_report **report) {
    *report = base_alloc_zero(context, 1, sizeof **report);
    if (*report == NULL)
        return BASE_MACHINE;
    (*report)->json = json;
    (*report)->header = header && !json;
    (*report)->line = json_object();
    (*report)->waiting = json_array();
    return BASE_OK;
}

void mm_report_close(mm_report *report) {
    if (report == NULL)
        return;
    json_decref(report->line);
    json_decref(report->columns);
    json_decref(report->waiting);
    json_decref(report->kept);
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

/* The header, and the failures that waited for it. */
static base_status write_header(base_context *context, mm_report *report, base_output *output) {
    base_status status = BASE_OK;
    const char *separator = "";
    size_t k;
    json_t *value;
    json_array_foreach(report->columns, k, value) {
        if (report->header)
            BASE_TRY(base_output_print(context, output, "%s%s", separator, json_string_value(value)));
        separator = "\t";
    }
    if (report->header)
        BASE_TRY(base_output_print(context, output, "\n"));
    report->header = false;
    json_array_foreach(report->waiting, k, value)
        BASE_TRY(mm_report_line_write(context, report->columns, value, output));
    json_array_clear(report->waiting);
done:
    return status;
}

/* Takes the columns from a line, unless they were selected. */
static void set_columns(mm_report *report, json_t *line) {
    const char *key;
    json_t *value;
    if (report->columns != NULL)
        return;
    report->columns = json_array();
    json_object_foreach(line, key, value) report->failed |=
        json_array_append_new(report->columns, json_string(key)) != 0;
}

static base_status check(base_context *context, const mm_report *report) {
    return report->failed ? base_fail(context, BASE_MACHINE, "no memory for a line about the record")
                          : BASE_OK;
}

base_status mm_report_write(base_context *context, mm_report *report, base_output *output) {
    base_status status = BASE_OK;
    report->unknown = false;
    if (report->kept != NULL)
        report->failed |= json_array_append_new(report->kept, json_copy(report->line)) != 0;
    if (report->tells_failures) {
        mm_report_file(context, report);
        mm_report_integer(report, "status", 0);
        mm_report_unknown(report, "error");
    }
    if (!report->json)
        set_columns(report, report->line);
    BASE_TRY(check(context, report));
    if (report->json) {
        BASE_TRY(mm_report_line_write_object(context, report->columns, report->line, output));
        goto done;
    }
    BASE_TRY(write_header(context, report, output));
    BASE_TRY(mm_report_line_write(context, report->columns, report->line, output));
done:
    mm_report_drop(report);
    return status;
}

void mm_report_drop(mm_report *report) {
    json_object_clear(report->line);
    report->unknown = false;
}

/* ---- lines that are kept ---- */

void mm_report_keep_lines(mm_report *report) {
    report->kept = json_array();
    report->failed |= report->kept == NULL;
}

base_status mm_report_take(base_context *context, mm_report *report, char **lines) {
    base_status status = BASE_OK;
    *lines = NULL;
    BASE_TRY(check(context, report));
    if (json_array_size(report->kept) == 0)
        goto done;
    *lines = json_dumps(report->kept, JSON_COMPACT);
    if (*lines == NULL)
        BASE_TRY(base_fail(context, BASE_MACHINE, "no memory for a line about the record"));
    json_array_clear(report->kept);
done:
    return status;
}

base_status mm_report_write_taken(base_context *context, mm_report *report, const char *lines, size_t bytes,
                                  base_output *output) {
    base_status status = BASE_OK;
    json_error_t error;
    size_t k;
    json_t *line, *taken = json_loadb(lines, bytes, 0, &error);
    if (!json_is_array(taken))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the state's lines are damaged"));
    json_array_foreach(taken, k, line) {
        json_object_clear(report->line);
        report->failed |= json_object_update(report->line, line) != 0;
        BASE_TRY(mm_report_write(context, report, output));
    }
    if (report->kept != NULL)
        json_array_clear(report->kept);
done:
    json_decref(taken);
    return status;
}

/* ---- failures ---- */

void mm_report_tell_failures(mm_report *report) {
    static const char *const keys[] = {"file", "status", "error"};
    report->tells_failures = true;
    for (size_t k = 0; report->columns != NULL && k < sizeof keys / sizeof *keys; k++)
        if (!mm_report_line_has(report->columns, keys[k]))
            report->failed |= json_array_append_new(report->columns, json_string(keys[k])) != 0;
}

void mm_report_file(base_context *context, mm_report *report) {
    char file[BASE_PLACE_FILE];
    if (json_object_get(report->line, "file") != NULL)
        return;
    snprintf(file, sizeof file, "%s", context->place.file);
    base_control_flatten(file);
    if (*file != '\0')
        mm_report_text(report, "file", file);
    else
        mm_report_unknown(report, "file");
}

base_status mm_report_fail(base_context *context, mm_report *report, base_output *output) {
    base_status status = BASE_OK;
    const base_error error = context->error;
    mm_record unnamed;
    char *name = NULL;
    mm_report_drop(report);
    mm_record_init(&unnamed);
    context->place = error.place;
    if (error.place.name[0] != '\0')
        name = base_copy_text(context, error.place.name, (int64_t)strlen(error.place.name));
    else
        mm_record_name(context, &unnamed, &name);
    if (name == NULL)
        BASE_TRY(BASE_MACHINE);
    mm_report_text(report, "name", name);
    mm_report_file(context, report);
    mm_report_integer(report, "status", error.status);
    mm_report_text(report, "error", error.cause);
    BASE_TRY(check(context, report));
    if (report->json)
        BASE_TRY(mm_report_line_write_object(context, report->columns, report->line, output));
    else
        report->failed |= json_array_append_new(report->waiting, json_copy(report->line)) != 0;
    if (!report->json && report->columns != NULL)
        BASE_TRY(write_header(context, report, output));
done:
    mm_report_drop(report);
    free(name);
    return status;
}

base_status mm_report_end(base_context *context, mm_report *report, base_output *output) {
    if (report->json || json_array_size(report->waiting) == 0)
        return BASE_OK;
    set_columns(report, json_array_get(report->waiting, 0));
    return write_header(context, report, output);
}

/* ---- columns ---- */

void mm_report_omit_header(mm_report *report) {
    report->header = false;
}

const json_t *mm_report_get(const mm_report *report, const char *key) {
    return json_object_get(report->line, key);
}

base_status mm_report_select(base_context *context, mm_report *report, const char *keys,
                             const char *const *known) {
    base_status status = BASE_OK;
    char *list = base_copy_text(context, keys, (int64_t)strlen(keys)), *rest = list, *key;
    if (list == NULL)
        BASE_TRY(BASE_MACHINE);
    report->columns = json_array();
    while ((key = strsep(&rest, ",")) != NULL) {
        const char *const *name = known;
        while (*name != NULL && strcmp(*name, key) != 0)
            name++;
        if (*name == NULL)
            BASE_TRY(base_fail(context, BASE_USAGE, "--columns: unknown name '%s'. Known names: %s", key,
                               mm_report_list(known, (char[BASE_CAUSE_BYTES]){0}, BASE_CAUSE_BYTES)));
        report->failed |= json_array_append_new(report->columns, json_string(key)) != 0;
    }
done:
    free(list);
    return status;
}

const char *mm_report_list(const char *const *names, char *text, size_t size) {
    size_t length = 0;
    for (; *names != NULL && length < size; names++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "", *names);
    return text;
}
