/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/report/report.h"
#include "base/core/memory.h"
#include "mm/stream/report.h"
#include "perm/report/internal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static base_status print_line(base_run *run, const perm_fold *fold) {
    base_context *context = &run->context;
    char *permanent = NULL;
    base_status status =
        perm_value_print_digits(context, &fold->result.value, fold->field, fold->digits, &permanent);
    if (status == BASE_OK)
        status = base_output_print(context, run->output, "%s\t%s\n", fold->name, permanent);
    free(permanent);
    return status;
}

/* A count as a JSON integer where it is one. */
static json_t *count(double value) {
    return value < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *perm_report_text(const char *bytes) {
    json_t *string = json_string(bytes);
    char *copy = string != NULL ? NULL : base_copy_silent(bytes, (int64_t)strlen(bytes));
    for (char *byte = copy; byte != NULL && *byte; byte++)
        if (*byte & 0x80)
            *byte = '?';
    if (copy != NULL)
        string = json_string(copy);
    free(copy);
    return string;
}

static base_status print_json(base_run *run, const perm_fold *fold) {
    base_context *context = &run->context;
    const perm_result *result = &fold->result;
    char *permanent = NULL, *line = NULL, bound[40], estimate[40];
    json_t *object = json_object();
    base_status status = BASE_OK;
    BASE_TRY(perm_value_print_digits(context, &result->value, fold->field, fold->digits, &permanent));
    perm_bound_print(result->value.error, bound);
    perm_bound_print(perm_value_estimate(&result->value), estimate);
    json_object_set_new(object, "name", perm_report_text(fold->name));
    json_object_set_new(object, "n", json_integer(fold->n));
    json_object_set_new(object, "nnz", json_integer(fold->nnz));
    json_object_set_new(object, "field", perm_report_text(mm_field_name(fold->field)));
    json_object_set_new(object, "permanent", perm_report_text(permanent));
    json_object_set_new(object, "method", perm_report_text(result->method));
    json_object_set_new(object, "blocks", json_integer(result->blocks));
    json_object_set_new(object, "states", count(result->states));
    json_object_set_new(object, "transitions", count(result->transitions));
    json_object_set_new(object, "subsets", count(result->subsets));
    json_object_set_new(object, "bytes", json_integer(result->bytes));
    json_object_set_new(object, "error_bound", perm_report_text(bound));
    json_object_set_new(object, "error_estimate", perm_report_text(estimate));
    json_object_set_new(object, "seconds", json_real(fold->seconds));
    if (run->keep_going) {
        json_object_set_new(object, "file", perm_report_text(context->place.file));
        json_object_set_new(object, "status", json_integer(BASE_OK));
        json_object_set_new(object, "error", json_null());
    }
    line = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    if (line != NULL)
        BASE_TRY(base_output_print(context, run->output, "%s\n", line));
    else
        status = base_fail(context, BASE_MACHINE, "no memory for a line of JSON");
done:
    json_decref(object);
    free(line);
    free(permanent);
    return status;
}

base_status perm_report_failure(base_run *run, perm_stream *before) {
    static const char *const keys[] = {"name", "permanent", "file", "status", "error", NULL};
    base_context *context = &run->context;
    base_status status;
    mm_report *report = NULL;
    const base_error error = context->error;
    if (before != NULL)
        BASE_TRY(perm_stream_finish(context, before));
    context->error = error;
    BASE_TRY(mm_report_open(context, run->json, false, &report));
    if (!run->json)
        BASE_TRY(mm_report_select(context, report, "name,permanent,file,status,error", keys));
    BASE_TRY(mm_report_fail(context, report, run->output));
done:
    mm_report_close(report);
    return status;
}

/* Pieces that never came are one failure; the record that shows it is still worth its own result. */
static base_status check_pieces(base_run *run, perm_fold *fold, const mm_record *record) {
    base_status status = perm_fold_check(&run->context, fold, record);
    if (status != BASE_FAILED || !run->keep_going)
        return status;
    base_run_print_error(run);
    run->failed = true;
    return perm_report_failure(run, NULL);
}

/* A line cannot say that the permanent is anything between two bounds. */
static void note_digits(base_run *run, const perm_fold *fold) {
    const perm_value *value = &fold->result.value;
    const bool is_estimate = value->estimate.mantissa != 0;
    char error[40];
    if (run->json || perm_partial_result_is_good(value, 0))
        return;
    perm_bound_print(perm_value_estimate(value), error);
    base_run_note(run, "%s: no digit is certain, the error is %s %s; --precision dd or --exact computes more",
                  fold->name, is_estimate ? "about" : "at most", error);
}

base_status perm_report_record(base_run *run, perm_fold *fold, const mm_record *record,
                               const perm_options *options, double seconds) {
    base_context *context = &run->context;
    base_status status;
    bool complete;
    BASE_TRY(check_pieces(run, fold, record));
    const double start = base_clock_seconds();
    BASE_TRY(perm_fold_take(context, fold, record, options, &complete));
    fold->seconds += base_clock_seconds() - start + seconds;
    if (complete && !options->list) {
        BASE_TRY((run->json ? print_json : print_line)(run, fold));
        note_digits(run, fold);
    }
done:
    return status;
}

static base_status take_partial_result(base_context *context, void *partial_result, const mm_record *record,
                                       perm_result *result) {
    (void)context;
    (void)record;
    perm_solve_finish(partial_result, result);
    return BASE_OK;
}

base_status perm_report_partial_result(base_run *run, perm_fold *fold, const mm_record *record,
                                       base_status status, perm_partial_result *partial_result,
                                       double seconds) {
    const perm_options options = {.compute = take_partial_result, .log.data = partial_result};
    if (status == BASE_OK)
        status = perm_report_record(run, fold, record, &options, seconds);
    if (status != BASE_FAILED || !run->keep_going)
        return status;
    /* The lines before it come before the message. */
    status = base_output_flush(&run->context, run->output);
    if (status != BASE_OK)
        return status;
    base_run_print_error(run);
    run->failed = true;
    return perm_report_failure(run, NULL);
}

base_status perm_report_flush(base_context *context, void *run) {
    return base_output_flush(context, ((base_run *)run)->output);
}

base_status perm_report_emit(base_context *context, void *run, const char *source) {
    return base_output_print(context, ((base_run *)run)->output, "%s", source);
}

base_status perm_report_check_minors(base_run *run, bool other) {
    const struct {
        bool is_set;
        const char *name;
    } options[] = {{run->json, "--json"},
                   {run->part.count > 0, "--part"},
                   {run->checkpoint != NULL, "--checkpoint"},
                   {run->time_limit_seconds > 0, "--time-limit"},
                   {run->verify, "--verify"},
                   {other, "--decimal or --emit-kernel"}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        if (options[k].is_set)
            return base_fail(&run->context, BASE_USAGE, "--minors and %s do not go together",
                             options[k].name);
    return BASE_OK;
}

base_status perm_report_end(base_run *run, perm_fold *fold) {
    return check_pieces(run, fold, NULL);
}
