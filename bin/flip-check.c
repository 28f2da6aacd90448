/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/formats/formats.h"
#include "flip/scheme/verdict.h"
#include "flip/scheme/verify.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"

#include <stdlib.h>
#include <string.h>

static int64_t modulus;
static int export_format;
static int64_t exported;

enum { EXPORT_NONE, EXPORT_RECORDS, EXPORT_FIRST };
static const flip_format formats[] = {FLIP_EXP, FLIP_MATHEMATICA, FLIP_JSON, FLIP_NPZ, FLIP_MAPLE};

static const base_option options[] = {
    {"modulus", 0, BASE_INTEGER, "M", "verify modulo M too", &modulus},
    {"export", 0, BASE_CHOICE, "none|mm|exp|m|json|npz|mpl",
     "write right schemes in that format, no verdicts", &export_format},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    const base_run *run = &filter->run;
    base_context *context = &filter->run.context;
    if (modulus == 1 || modulus > INT64_C(1) << 62)
        return base_fail(context, BASE_USAGE, "--modulus is 2 or more, and at most 2^62");
    if (export_format != EXPORT_NONE && (run->json || modulus != 0))
        return base_fail(context, BASE_USAGE, "--json and --modulus are for verdicts, not for --export");
    filter->check_only = export_format != EXPORT_RECORDS;
    if (export_format != EXPORT_NONE)
        return BASE_OK;
    return mm_report_open(context, run->json, run->part.index <= 1, &filter->report);
}

static base_status export_scheme(mm_filter_run *filter, const flip_scheme *scheme, mm_record *record) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    flip_fault fault;
    char text[200];
    bool valid;
    BASE_TRY(flip_verify(context, scheme, scheme->field == FLIP_F2 ? 2 : 0, &valid, &fault));
    flip_fault_print(&fault, text, sizeof text);
    if (!valid)
        BASE_TRY(base_fail(context, BASE_FAILED, "wrong: %s", text));
    if (export_format == EXPORT_RECORDS) {
        BASE_TRY(flip_scheme_to_record(context, scheme, record));
        BASE_TRY(mm_filter_put(filter, record));
        goto done;
    }
    flip_format format = formats[export_format - EXPORT_FIRST];
    if (exported++ > 0 && format != FLIP_JSON)
        BASE_TRY(base_fail(context, BASE_FAILED, "a file in this format has one scheme; pick one by --part"));
    BASE_TRY(flip_export(context, format, scheme, run->output));
done:
    return status;
}

static base_status check(mm_filter_run *filter, mm_record *record) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    flip_scheme scheme = {0};
    char *name = NULL, fault[200];
    bool valid;
    if (record->kind != MM_SCHEME) {
        status = filter->writer != NULL ? mm_filter_pass(filter, record) : BASE_OK;
        goto done;
    }
    BASE_TRY(flip_scheme_from_record(context, record, &scheme));
    if (export_format != EXPORT_NONE) {
        status = export_scheme(filter, &scheme, record);
        goto done;
    }
    BASE_TRY(mm_record_name(context, record, &name));
    mm_report_text(filter->report, "name", name);
    BASE_TRY(flip_report_verdict(context, &scheme, modulus, filter->report, &valid, fault, sizeof fault));
    BASE_TRY(mm_report_write(context, filter->report, run->output));
    if (!valid) {
        base_run_note(run, "%s: record %lld: wrong: %s", context->place.file,
                      (long long)context->place.record, fault);
        run->failed = true;
    }
done:
    free(name);
    flip_scheme_free(&scheme);
    return status;
}

static const mm_filter program = {
    .program = {.name = "flip-check",
                .operands = "[FILE...]",
                .summary = "Verify matrix multiplication schemes exactly; convert them between formats.",
                .common = BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_JSON,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = check,
    .all_kinds = true,
    .kinds = 1U << MM_SCHEME,
    .kind_name = "schemes",
    .form = &flip_reader_form,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
