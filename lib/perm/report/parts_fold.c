/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding up the parts that parts.c has collected. */
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "perm/report/parts.h"
#include "perm/report/parts_lines.h"

#include <stdlib.h>
#include <string.h>

static int compare_lines(const void *left, const void *right) {
    const perm_parts_line *a = left, *b = right;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->partial_result.record != b->partial_result.record)
        return a->partial_result.record < b->partial_result.record ? -1 : 1;
    return (a->partial_result.part.index > b->partial_result.part.index) -
           (a->partial_result.part.index < b->partial_result.part.index);
}

/* Every part of a job that came at all has come to its end. */
static base_status check_ends(base_context *context, const perm_parts *parts) {
    if (parts->jobs == 0)
        return base_fail(context, BASE_DAMAGED, "there are no parts");
    for (int64_t i = 0; i < parts->jobs; i++) {
        const perm_parts_job *job = &parts->job[i];
        for (int64_t index = 1; index <= job->parts; index++)
            if (job->begun[index] && !job->ended[index])
                return base_fail(context, BASE_DAMAGED,
                                 "%s: part %lld/%lld is cut off: its last line is missing", job->name,
                                 (long long)index, (long long)job->parts);
    }
    return BASE_OK;
}

/* The lines of one record must be parts 1 … M of the same thing. */
static base_status check_record(base_context *context, const perm_parts_job *job, const perm_parts_line *line,
                                int64_t count) {
    for (int64_t i = 0; i < count || i < job->parts; i++) {
        const int64_t here = i < count ? line[i].partial_result.part.index : job->parts + 1;
        const char *name = line[0].partial_result.name;
        if (i > 0 && i < count && here == line[i - 1].partial_result.part.index)
            return base_fail(context, BASE_FAILED,
                             "%s: part %lld/%lld came twice; give each part once, and jobs that begin with "
                             "the same matrix one by one",
                             name, (long long)here, (long long)job->parts);
        if (here != i + 1)
            return base_fail(context, BASE_FAILED,
                             "%s: part %lld/%lld is missing; run perm-gpu --part for it", name,
                             (long long)(i + 1), (long long)job->parts);
        if (strcmp(line[i].partial_result.hash, line[0].partial_result.hash) != 0)
            return base_fail(
                context, BASE_FAILED, "%s and %s: parts 1/%lld and %lld/%lld are of different inputs", name,
                line[i].partial_result.name, (long long)job->parts, (long long)here, (long long)job->parts);
    }
    return BASE_OK;
}

/* The record as far as folding looks at it: its metadata, no entries. */
static base_status stand_in(base_context *context, perm_partial_result *partial_result, mm_record *record) {
    record->field = partial_result->field;
    record->nrow = record->ncol = partial_result->n;
    record->comments = partial_result->comments;
    partial_result->comments = NULL;
    if (mm_metadata_get(record, "name", NULL, 0))
        return BASE_OK;
    return mm_metadata_set(context, record, "name", "%s", partial_result->name);
}

static base_status fold_record(base_run *run, const perm_parts_job *job, perm_parts_line *line, int64_t count,
                               perm_fold *fold) {
    base_context *context = &run->context;
    base_status status;
    mm_record record;
    mm_record_init(&record);
    perm_partial_result *whole = &line[0].partial_result;
    context->place = (base_place){.record = 0}; /* messages name the record themselves */
    BASE_TRY(check_record(context, job, line, count));
    BASE_TRY(perm_partial_result_widen(context, whole));
    for (int64_t i = 1; i < count; i++)
        BASE_TRY(perm_partial_result_merge(context, whole, &line[i].partial_result));
    if (!perm_partial_result_has_digits(whole))
        BASE_TRY(base_fail(context, BASE_FAILED,
                           "%s: too few digits are left, and parts do not compute them: run perm-gpu on this "
                           "matrix without --part, or its parts with --precision",
                           whole->name));
    BASE_TRY(stand_in(context, whole, &record));
    BASE_TRY(perm_report_partial_result(run, fold, &record, BASE_OK, whole, whole->seconds));
    BASE_TRY(base_output_flush(context, run->output));
done:
    mm_record_free(&record);
    return status;
}

/* `name` of the record that the failure is of; "-": nobody knows it. */
static base_status go_on(base_run *run, const char *name, base_status status) {
    if (status != BASE_FAILED || !run->keep_going)
        return status;
    base_run_print_error(run);
    run->failed = true;
    base_place *place = &run->context.error.place;
    snprintf(place->name, sizeof place->name, "%s", name);
    return perm_report_failure(run, NULL);
}

static base_status lack_record(base_run *run, const perm_parts_job *job, int64_t record) {
    return go_on(run, "-",
                 base_fail(&run->context, BASE_FAILED, "record %lld of %lld has no part (%s)",
                           (long long)record, (long long)job->records, job->by));
}

/* How many of the lines from `line` on are of this record. */
static int64_t count_lines(const perm_parts_line *line, int64_t most, int64_t job, int64_t record) {
    int64_t count = 0;
    while (count < most && line[count].job == job && line[count].partial_result.record == record)
        count++;
    return count;
}

static void sort_lines(perm_parts *parts) {
    qsort(parts->line, (size_t)parts->lines, sizeof *parts->line, compare_lines);
}

/* Forgets the first lines. */
static void drop_lines(perm_parts *parts, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        parts->bytes -= parts->line[i].bytes;
        perm_partial_result_free(&parts->line[i].partial_result);
    }
    parts->lines -= count;
    memmove(parts->line, parts->line + count, (size_t)parts->lines * sizeof *parts->line);
}

base_status perm_parts_fold_whole(base_run *run, perm_parts *parts) {
    base_status status = BASE_OK;
    if (parts->current >= parts->jobs)
        goto done;
    sort_lines(parts);
    for (;;) {
        const perm_parts_job *job = &parts->job[parts->current];
        perm_parts_line *line = parts->line;
        const int64_t count = count_lines(line, parts->lines, parts->current, parts->folded + 1);
        if (count == 0 || count < job->parts)
            break;
        BASE_TRY(go_on(run, line->partial_result.name, fold_record(run, job, line, count, &parts->fold)));
        parts->folded++;
        drop_lines(parts, count);
    }
done:
    return status;
}

/* What is left of the current job. */
static base_status fold_job(base_run *run, perm_parts *parts, int64_t *first) {
    base_status status = BASE_OK;
    const int64_t number = parts->current;
    const perm_parts_job *job = &parts->job[number];
    for (int64_t record = parts->folded + 1; record <= job->records; record++) {
        perm_parts_line *line = &parts->line[*first];
        const int64_t count = count_lines(line, parts->lines - *first, number, record);
        *first += count;
        if (count == 0)
            BASE_TRY(lack_record(run, job, record));
        else
            BASE_TRY(
                go_on(run, line[0].partial_result.name, fold_record(run, job, line, count, &parts->fold)));
    }
    if ((*first < parts->lines && parts->line[*first].job == number) || parts->folded > job->records)
        BASE_TRY(base_fail(&run->context, BASE_DAMAGED, "a part has more records than its end tells"));
    BASE_TRY(perm_report_end(run, &parts->fold));
    perm_fold_free(&parts->fold);
    perm_fold_init(&parts->fold);
done:
    return status;
}

base_status perm_parts_fold(base_run *run, perm_parts *parts) {
    base_status status;
    int64_t first = 0;
    BASE_TRY(check_ends(&run->context, parts));
    sort_lines(parts);
    for (; parts->current < parts->jobs; parts->current++, parts->folded = 0)
        BASE_TRY(fold_job(run, parts, &first));
done:
    return status;
}
