/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of what perm-gpu does: remarks, the table of --kernel list, and both as JSON. */
#include "perm/report/internal.h"
#include "perm/report/report.h"

#include <stdlib.h>
#include <string.h>

static void note_line(void *data, bool detail, const char *line) {
    const base_run *run = data;
    if (run->explain && !detail)
        base_run_note(run, "%s", line);
    else
        base_run_detail(run, "%s", line);
}

static void list_line(void *data, bool detail, const char *line) {
    base_run *run = data;
    if (!detail)
        base_output_print(&run->context, run->output, "%s\n", line);
}

/* ---- JSON ---- */

/* The object of a line, with the record that it is about. A failure of memory loses a line of a log. */
static json_t *begin_object(const base_run *run) {
    const base_place *place = &run->context.place;
    json_t *object = json_object();
    json_object_set_new(object, "name", place->name[0] != '\0' ? perm_report_text(place->name) : json_null());
    json_object_set_new(object, "file", perm_report_text(place->file));
    json_object_set_new(object, "record", json_integer(place->record));
    return object;
}

static char *end_object(json_t *object) {
    char *line = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    json_decref(object);
    return line;
}

static char *note(const base_run *run, const char *line) {
    json_t *object = begin_object(run);
    json_object_set_new(object, "note", perm_report_text(line + strspn(line, " ")));
    return end_object(object);
}

static char *describe(const base_run *run, const perm_log_candidate *logged) {
    const perm_candidate *candidate = logged->candidate;
    const bool fits = logged->seconds > 0;
    json_t *object = begin_object(run);
    json_object_set_new(object, "n", json_integer(logged->n));
    json_object_set_new(object, "nnz", json_integer(logged->nnz));
    json_object_set_new(object, "kernel", perm_report_text(candidate->name));
    json_object_set_new(object, "seconds", fits ? json_real(logged->seconds) : json_null());
    json_object_set_new(object, "price", fits ? json_real(candidate->seconds) : json_null());
    json_object_set_new(object, "bytes", fits ? json_integer((json_int_t)candidate->bytes) : json_null());
    json_object_set_new(object, "digits_seconds", fits ? json_real(candidate->lacking_seconds) : json_null());
    json_object_set_new(object, "chosen", json_boolean(logged->is_chosen));
    json_object_set_new(object, "reason", fits ? json_null() : perm_report_text(candidate->reason));
    return end_object(object);
}

static void tell_line(base_run *run, bool detail, char *line) {
    if (line != NULL && (run->verbose || (run->explain && !detail)))
        base_run_tell(run, line);
    free(line);
}

static void list_object(base_run *run, bool detail, char *line) {
    if (line != NULL)
        list_line(run, detail, line);
    free(line);
}

static void tell_note(void *run, bool detail, const char *line) {
    tell_line(run, detail, note(run, line));
}

static void tell_candidate(void *run, const perm_log_candidate *candidate) {
    tell_line(run, false, describe(run, candidate));
}

static void list_note(void *run, bool detail, const char *line) {
    list_object(run, detail, note(run, line));
}

static void list_candidate(void *run, const perm_log_candidate *candidate) {
    list_object(run, false, describe(run, candidate));
}

/* Without --verbose and --explain nobody looks, and records may be solved while the run has read on. */
perm_log perm_report_log(base_run *run, bool is_list) {
    if (!is_list && !run->verbose && !run->explain)
        return (perm_log){NULL, run, NULL};
    if (run->json)
        return is_list ? (perm_log){list_note, run, list_candidate}
                       : (perm_log){tell_note, run, tell_candidate};
    return (perm_log){is_list ? list_line : note_line, run, NULL};
}
