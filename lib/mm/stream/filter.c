/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/filter.h"

#include <string.h>

/* True if the record belongs to the part that --part asks for. */
static bool is_in_part(const mm_filter_run *filter) {
    const base_part *part = &filter->run.part;
    return filter->filter->own_part || part->count == 0 ||
           (filter->records - 1) % part->count == part->index - 1;
}

static bool is_own(const mm_filter *program, const mm_record *record) {
    const unsigned kinds = program->kinds != 0 ? program->kinds : 1U << MM_MATRIX;
    return (kinds >> record->kind & 1) != 0;
}

/* Told, but no failure of the records that were passed on: these go out whole. */
static void check_kinds(mm_filter_run *filter) {
    base_run *run = &filter->run;
    const char *name = filter->filter->kind_name;
    if (filter->records == 0 || filter->own > 0)
        return;
    base_fail(&run->context, BASE_FAILED,
              "no %s among the %lld records of the input; %s works on nothing else",
              name != NULL ? name : "matrices", (long long)filter->records, filter->filter->program.name);
    base_run_print_error(run);
    run->failed = true;
}

/* ---- records of --checkpoint ---- */

/* What the journal has of a finished record, once more. */
static base_status give_again(mm_filter_run *filter) {
    base_context *context = &filter->run.context;
    base_status status;
    bool found = true;
    mm_record given;
    mm_record_init(&given);
    for (;;) {
        BASE_TRY(mm_journal_next(context, filter->journal, &given, &found));
        if (!found)
            break;
        BASE_TRY(given.kind == MM_STATE
                     ? mm_report_write_taken(context, filter->report, given.payload,
                                             (size_t)given.payload_bytes, filter->run.output)
                     : mm_filter_pass(filter, &given));
    }
done:
    mm_record_free(&given);
    return status;
}

static base_status keep_lines(mm_filter_run *filter) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    mm_record lines;
    mm_record_init(&lines);
    lines.kind = MM_STATE;
    if (filter->report == NULL)
        goto done;
    BASE_TRY(mm_report_take(context, filter->report, &lines.payload));
    if (lines.payload == NULL)
        goto done;
    lines.payload_bytes = (int64_t)strlen(lines.payload);
    BASE_TRY(mm_journal_put(context, filter->journal, &lines));
done:
    mm_record_free(&lines);
    return status;
}

/* A record of the program's kinds, which is not computed again once it is finished. One that failed is. */
static base_status do_once(mm_filter_run *filter, mm_record *record) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status;
    const bool failed = run->failed;
    bool known;
    BASE_TRY(mm_journal_begin(context, filter->journal, record, filter->records, &known));
    if (known)
        return give_again(filter);
    run->failed = false;
    BASE_TRY(filter->filter->record(filter, record));
    BASE_TRY(keep_lines(filter));
    if (!run->failed)
        BASE_TRY(mm_journal_end(context, filter->journal));
done:
    run->failed |= failed;
    return status;
}

/* What is finished is saved from here on at any moment. */
static base_status open_journal(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    char note[512];
    if (run->checkpoint == NULL || (filter->filter->program.common & BASE_OWN_CHECKPOINT) != 0)
        goto done;
    BASE_TRY(mm_journal_make(context, run->checkpoint, &run->identity, &run->part, &filter->journal));
    BASE_TRY(base_run_saves(run, mm_journal_saver(filter->journal)));
    BASE_TRY(mm_journal_load(context, filter->journal, note));
    if (note[0] != '\0')
        base_run_note(run, "%s", note);
    if (filter->report != NULL)
        mm_report_keep_lines(filter->report);
done:
    return status;
}

/* ---- the loop ---- */

static base_status handle_record(mm_filter_run *filter, mm_record *record) {
    const mm_filter *program = filter->filter;
    if (filter->journal != NULL && is_own(program, record))
        return do_once(filter, record);
    if (record->kind == MM_MATRIX || program->all_kinds)
        return program->record(filter, record);
    return filter->writer != NULL ? mm_filter_pass(filter, record) : BASE_OK;
}

/* Sends what is finished on its way. */
static base_status flush(base_context *context, void *filter) {
    mm_filter_run *run = filter;
    return mm_filter_is_writing(run) ? BASE_OK /* it does so itself */
                                     : base_output_flush(context, run->run.output);
}

/* The same at once after a line, and after a record that took its time or was waited for. Other records of a
 * stream wait for a millisecond's worth of them, or until more of the input is asked for: a write for each
 * would take longer than a small one. *before_seconds: when the record before was finished. */
static base_status flush_finished(mm_filter_run *filter, double *flushed_seconds, double *before_seconds) {
    const double now = base_clock_seconds();
    const bool is_quick = now - *before_seconds < 0.0001;
    *before_seconds = now;
    if (filter->writer != NULL && is_quick && now - *flushed_seconds < 0.001)
        return BASE_OK;
    *flushed_seconds = now;
    return flush(&filter->run.context, filter);
}

static base_status process_records(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    double flushed_seconds = 0, before_seconds = 0;
    mm_record record;
    mm_record_init(&record);
    while (!filter->stop) {
        bool found = false;
        status = mm_reader_next(context, filter->reader, &record, &found);
        if (status != BASE_OK) {
            BASE_TRY(mm_filter_go_on(filter, status, true));
            continue;
        }
        if (!found)
            break;
        filter->records++;
        filter->own += is_own(filter->filter, &record);
        if (mm_reader_repair(filter->reader) != NULL)
            base_run_note(run, "%s: record %lld: repaired: %s",
                          strcmp(context->place.file, "-") != 0 ? context->place.file : "standard input",
                          (long long)context->place.record, mm_reader_repair(filter->reader));
        if (is_in_part(filter))
            BASE_TRY(mm_filter_go_on(filter, handle_record(filter, &record), false));
        BASE_TRY(flush_finished(filter, &flushed_seconds, &before_seconds));
        base_progress_add_record(context);
    }
    BASE_TRY(mm_filter_settle(filter));
done:
    mm_record_free(&record);
    return status;
}

static base_status open_output(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    if (filter->to != NULL)
        run->form = BASE_FORM_TEXT; /* the format decides, whatever MMPIPE_FORM says of streams */
    if (filter->split != NULL) {
        BASE_TRY(mm_split_open(context, filter->split, (base_form)run->form, (int)run->level, filter->to,
                               &filter->splitter));
        goto done;
    }
    BASE_TRY(mm_writer_open(context, run->output, (base_form)run->form, (int)run->level, run->verify,
                            &filter->writer));
    if (filter->to != NULL)
        BASE_TRY(mm_writer_set_format(context, filter->writer, filter->to));
    if (filter->no_marks)
        mm_writer_drop_marks(filter->writer);
done:
    return status;
}

/* A program with --form alone writes records that have no text form, and does not compress. */
static base_status check_form(mm_filter_run *filter) {
    base_run *run = &filter->run;
    if ((filter->filter->program.common & BASE_HAS_FORM_ALONE) == 0)
        return BASE_OK;
    run->level = 0;
    if (run->form == BASE_FORM_TEXT && run->form_is_asked)
        return base_fail(&run->context, BASE_USAGE, "--form text: what is written has no text form");
    if (run->form == BASE_FORM_TEXT)
        run->form = BASE_FORM_BINARY;
    return BASE_OK;
}

static base_status run_filter(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    const mm_filter *program = filter->filter;
    base_status status = BASE_OK;
    BASE_TRY(check_form(filter));
    if (program->begin != NULL)
        BASE_TRY(program->begin(filter));
    if (filter->report != NULL && run->keep_going)
        mm_report_tell_failures(filter->report);
    BASE_TRY(mm_reader_open(context, run->operands, run->operand_count, filter->lenient, &filter->reader));
    mm_reader_add_form(filter->reader, program->form);
    mm_reader_before_wait(filter->reader, flush, filter);
    if (filter->all_members)
        mm_reader_read_all_members(filter->reader);
    bool writes_records = program->writes_records && !filter->check_only;
    mm_reader_set_format(filter->reader, filter->from);
    if (writes_records)
        BASE_TRY(open_output(filter));
    /* The journal has hashes of records, and what they gave. */
    if (run->checkpoint == NULL)
        mm_reader_leave_on_device(filter->reader, program->left_on_device);
    if (run->checkpoint == NULL && filter->takes_compressed)
        mm_reader_leave_compressed(filter->reader);
    if (writes_records && run->form == BASE_FORM_RESIDENT)
        mm_reader_keep_descriptors(filter->reader);
    context->gives_memory = writes_records && run->form == BASE_FORM_RESIDENT && run->checkpoint == NULL;
    BASE_TRY(open_journal(filter));
    if (!filter->stop)
        base_run_tell_of_terminal(run);
    BASE_TRY(process_records(filter));
    memset(&context->place, 0, sizeof context->place);
    if (filter->journal != NULL)
        BASE_TRY(mm_journal_finish(context, filter->journal));
    if (program->end != NULL)
        BASE_TRY(program->end(filter));
    if (filter->report != NULL)
        BASE_TRY(mm_report_end(context, filter->report, run->output));
    if (filter->writer != NULL)
        BASE_TRY(mm_writer_finish(context, filter->writer));
    check_kinds(filter);
done:
    if (status == BASE_STOPPED && filter->journal != NULL)
        status = mm_journal_stop(context, filter->journal);
    return status;
}

int mm_filter_main(const mm_filter *program, int argc, char **argv) {
    mm_filter_run filter = {.filter = program};
    if (!base_run_begin(&filter.run, &program->program, argc, argv))
        return base_run_end(&filter.run, filter.run.context.error.status);
    base_status status = run_filter(&filter);
    mm_filter_end_later(&filter);
    if (program->release != NULL)
        program->release(&filter);
    mm_report_close(filter.report);
    mm_writer_close(filter.writer);
    mm_split_close(filter.splitter);
    mm_reader_close(filter.reader);
    return base_run_end(&filter.run, status);
}
