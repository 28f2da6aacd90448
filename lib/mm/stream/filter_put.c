/* SPDX-License-Identifier: BSD-3-Clause */
/* Records on their way out of a filter, and those that failed. */
#include "base/core/memory.h"
#include "base/core/thread.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"

#include <stdlib.h>

/* A record that a thread writes. */
struct mm_filter_later {
    base_worker *worker;
    base_output *output;
    mm_writer *writer;
    mm_record record;
    base_context context; /* of the record */
    base_status status;   /* of what was written since anybody asked */
};

/* ---- failures ---- */

base_status mm_filter_tell_failure(mm_filter_run *filter) {
    if (filter->filter->failed != NULL)
        return filter->filter->failed(filter);
    if (filter->report != NULL && filter->writer == NULL)
        return mm_report_fail(&filter->run.context, filter->report, filter->run.output);
    return BASE_OK;
}

/* Under --keep-going a failed record or damaged input is reported and passed over. */
static base_status pass_over(mm_filter_run *filter, base_status status, bool while_reading) {
    base_run *run = &filter->run;
    bool passable =
        status == BASE_FAILED || (while_reading && (status == BASE_DAMAGED || status == BASE_USAGE));
    if (!run->keep_going || !passable)
        return status;
    base_run_print_error(run);
    run->failed = true;
    if (while_reading)
        mm_reader_abandon_part(filter->reader);
    return mm_filter_tell_failure(filter);
}

base_status mm_filter_settle(mm_filter_run *filter) {
    struct mm_filter_later *later = filter->later;
    if (later == NULL)
        return BASE_OK;
    base_worker_wait(later->worker);
    const base_status status = later->status;
    later->status = BASE_OK;
    if (status != BASE_OK)
        filter->run.context.error = later->context.error;
    return pass_over(filter, status, false);
}

base_status mm_filter_go_on(mm_filter_run *filter, base_status status, bool while_reading) {
    base_context *context = &filter->run.context;
    if (status == BASE_OK)
        return status;
    const base_error own = context->error;
    const base_status before = mm_filter_settle(filter);
    if (before != BASE_OK)
        return before;
    context->error = own;
    return pass_over(filter, status, while_reading);
}

/* ---- at once ---- */

base_status mm_filter_pass(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    BASE_TRY(mm_filter_settle(filter));
    if (filter->journal != NULL)
        BASE_TRY(mm_journal_put(context, filter->journal, record));
    if (filter->splitter != NULL)
        BASE_TRY(mm_split_put(context, filter->splitter, record));
    else
        BASE_TRY(mm_writer_put(context, filter->writer, record));
done:
    return status;
}

static base_status add_provenance(mm_filter_run *filter, mm_record *record) {
    mm_record_close_descriptor(record);
    return mm_metadata_add(&filter->run.context, record, "by", "%s", filter->run.by.text);
}

base_status mm_filter_put(mm_filter_run *filter, mm_record *record) {
    base_status status = add_provenance(filter, record);
    return status == BASE_OK ? mm_filter_pass(filter, record) : status;
}

/* ---- later ---- */

/* What waits in the output's buffer goes on its way: nobody else flushes meanwhile. */
static void write_record(void *data) {
    struct mm_filter_later *later = data;
    base_status status;
    BASE_TRY(mm_writer_put(&later->context, later->writer, &later->record));
    BASE_TRY(base_output_flush(&later->context, later->output));
done:
    mm_record_free(&later->record);
    later->status = status;
}

/* Where no thread starts, filter->later stays NULL. */
static void begin_later(mm_filter_run *filter) {
    struct mm_filter_later *later = base_alloc_silent(1, sizeof *later);
    if (later == NULL)
        return;
    *later = (struct mm_filter_later){.output = filter->run.output, .writer = filter->writer};
    mm_record_init(&later->record);
    later->worker = base_worker_start(write_record, later);
    if (later->worker != NULL)
        filter->later = later;
    else
        free(later);
}

bool mm_filter_is_writing(mm_filter_run *filter) {
    return filter->later != NULL && base_worker_is_busy(filter->later->worker);
}

void mm_filter_end_later(mm_filter_run *filter) {
    if (filter->later == NULL)
        return;
    base_worker_end(filter->later->worker);
    free(filter->later);
    filter->later = NULL;
}

/* Records beyond an eighth of the memory do not stay beside what is computed next. */
static bool may_wait(const mm_filter_run *filter, const mm_record *record) {
    const base_run *run = &filter->run;
    const int64_t bytes = record->payload_bytes + 3 * (int64_t)sizeof(double) * record->nnz;
    return filter->records > 1 && filter->journal == NULL && filter->splitter == NULL &&
           run->form != BASE_FORM_RESIDENT && run->context.threads > 1 && !base_threads_are_scarce() &&
           bytes <= run->context.memory_bytes / 8;
}

base_status mm_filter_put_later(mm_filter_run *filter, mm_record *record) {
    base_status status;
    const bool waits = may_wait(filter, record);
    BASE_TRY(mm_filter_settle(filter));
    if (waits && filter->later == NULL)
        begin_later(filter);
    struct mm_filter_later *later = filter->later;
    if (!waits || later == NULL)
        return mm_filter_put(filter, record);
    BASE_TRY(add_provenance(filter, record));
    later->context = filter->run.context;
    later->context.progress = NULL; /* what is told is the computation */
    mm_record_move(&later->record, record);
    base_worker_begin(later->worker);
done:
    return status;
}
