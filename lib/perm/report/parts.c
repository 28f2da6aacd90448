/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/report/parts.h"
#include "base/core/file.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "perm/report/part_line.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

typedef struct job {
    char id[BASE_HASH_TEXT];
    char options[BASE_HASH_TEXT];
    char *by;
    int64_t parts;
    int64_t records; /* -1 while no end has come */
    bool *ended;     /* parts + 1 */
} job;

typedef struct line {
    int64_t job; /* in the order they came */
    perm_partial_result partial_result;
} line;

struct perm_parts {
    int64_t jobs, job_capacity, lines, line_capacity;
    job *job;
    line *line;
};

base_status perm_parts_open(base_context *context, perm_parts **parts) {
    *parts = base_alloc_zero(context, 1, sizeof **parts);
    return *parts != NULL ? BASE_OK : BASE_MACHINE;
}

void perm_parts_close(perm_parts *parts) {
    if (parts == NULL)
        return;
    for (int64_t i = 0; i < parts->jobs; i++) {
        free(parts->job[i].by);
        free(parts->job[i].ended);
    }
    for (int64_t i = 0; i < parts->lines; i++)
        perm_partial_result_free(&parts->line[i].partial_result);
    free(parts->job);
    free(parts->line);
    free(parts);
}

/* Takes the text of the line. */
static base_status add_job(base_context *context, perm_parts *parts, perm_part_line *line) {
    base_status status;
    BASE_TRY(base_reserve(context, &parts->job, &parts->job_capacity, parts->jobs + 1, sizeof *parts->job));
    job *new = &parts->job[parts->jobs];
    *new = (job){.parts = line->part.count, .records = -1};
    memcpy(new->id, line->job, sizeof new->id);
    memcpy(new->options, line->options, sizeof new->options);
    new->ended = base_alloc_zero(context, new->parts + 1, sizeof *new->ended);
    if (new->ended == NULL)
        BASE_TRY(BASE_MACHINE);
    new->by = line->by;
    line->by = NULL;
    parts->jobs++;
done:
    return status;
}

/* The job that a line belongs to, the first of its lines making it. */
static base_status find_job(base_context *context, perm_parts *parts, perm_part_line *line, int64_t *found) {
    char excerpt[2][BASE_EXCERPT];
    for (*found = 0; *found < parts->jobs && strcmp(parts->job[*found].id, line->job) != 0; ++*found)
        ;
    if (*found == parts->jobs)
        return add_job(context, parts, line);
    const job *job = &parts->job[*found];
    if (strcmp(job->options, line->options) != 0) {
        base_identity_excerpts(job->by, line->by, excerpt);
        return base_fail(context, BASE_FAILED, "parts of the same input by '%s' and by '%s'", excerpt[0],
                         excerpt[1]);
    }
    if (job->parts != line->part.count)
        return base_fail(context, BASE_FAILED, "parts of the same input split into %lld and into %lld",
                         (long long)job->parts, (long long)line->part.count);
    return BASE_OK;
}

static base_status take_end(base_context *context, job *job, const perm_part_line *line) {
    const long long index = (long long)line->part.index, count = (long long)line->part.count;
    if (job->ended[index])
        return base_fail(context, BASE_FAILED, "part %lld/%lld came twice", index, count);
    if (job->records >= 0 && job->records != line->records)
        return base_fail(context, BASE_FAILED,
                         "parts of inputs that begin alike, with %lld records and with %lld",
                         (long long)job->records, (long long)line->records);
    job->ended[index] = true;
    job->records = line->records;
    return BASE_OK;
}

/* Whether its sums are the shares that such a part has, and finished: each block has one or two. */
static bool is_part(const perm_partial_result *partial_result) {
    for (int64_t i = 0; i < partial_result->count; i++) {
        if (!partial_result->block_result[i].is_done || partial_result->block_result[i].block_runs == 0)
            return false;
        for (int k = 0; k < partial_result->block_result[i].block_runs; k++) {
            const perm_sum *sum = &partial_result->block_result[i].block_run[k].sum;
            int64_t first, end;
            perm_sum_share(sum->chunks, partial_result->part, partial_result->record + i, &first, &end);
            if (sum->left != 0 || sum->first != first || sum->end != end)
                return false;
        }
    }
    return partial_result->is_whole;
}

static base_status take_line(base_context *context, perm_parts *parts, char *text, size_t length) {
    base_status status;
    perm_part_line read;
    int64_t number;
    perm_part_line_init(&read);
    BASE_TRY(perm_part_line_read(context, text, length, &read));
    if (!read.is_end && !is_part(&read.partial_result))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the line of a part with other sums than it should have"));
    BASE_TRY(find_job(context, parts, &read, &number));
    if (read.is_end) {
        status = take_end(context, &parts->job[number], &read);
        goto done;
    }
    BASE_TRY(
        base_reserve(context, &parts->line, &parts->line_capacity, parts->lines + 1, sizeof *parts->line));
    line *new = &parts->line[parts->lines++];
    new->job = number;
    new->partial_result = read.partial_result;
    perm_partial_result_init(&read.partial_result);
done:
    perm_part_line_free(&read);
    return status;
}

base_status perm_parts_read(base_context *context, perm_parts *parts, const char *path) {
    base_status status;
    char *text = NULL;
    int64_t used = 0, capacity = 0;
    int descriptor = -1;
    context->place = (base_place){.record = 0};
    snprintf(context->place.file, sizeof context->place.file, "%s",
             strcmp(path, "-") ? path : "standard input");
    BASE_TRY(base_open_read(context, path, &descriptor));
    for (bool at_end = false; !at_end;) {
        BASE_TRY(base_reserve(context, &text, &capacity, used + (1 << 16), 1));
        ssize_t count = base_read(descriptor, text + used, (size_t)(capacity - used));
        if (count < 0)
            BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot read"));
        at_end = count == 0;
        used += count;
        char *start = text, *end;
        while ((end = memchr(start, '\n', (size_t)(text + used - start))) != NULL) {
            context->place.line++;
            BASE_TRY(take_line(context, parts, start, (size_t)(end - start)));
            start = end + 1;
        }
        base_progress_add(context, 0);
        used -= start - text;
        memmove(text, start, (size_t)used);
    }
    if (used > 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the last line is cut off"));
    context->place = (base_place){.record = 0};
done:
    if (descriptor > 0)
        close(descriptor);
    free(text);
    return status;
}

/* ---- adding up ---- */

static int compare_lines(const void *left, const void *right) {
    const line *a = left, *b = right;
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
    for (int64_t i = 0; i < parts->lines; i++) {
        const job *job = &parts->job[parts->line[i].job];
        const perm_partial_result *partial_result = &parts->line[i].partial_result;
        if (!job->ended[partial_result->part.index])
            return base_fail(context, BASE_DAMAGED, "%s: part %lld/%lld is cut off: its last line is missing",
                             partial_result->name, (long long)partial_result->part.index,
                             (long long)job->parts);
    }
    return BASE_OK;
}

/* The lines of one record must be parts 1 … M of the same thing. */
static base_status check_record(base_context *context, const job *job, const line *line, int64_t count) {
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

static base_status fold_record(base_run *run, const job *job, line *line, int64_t count, perm_fold *fold) {
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

static base_status lack_record(base_run *run, const job *job, int64_t record) {
    return go_on(run, "-",
                 base_fail(&run->context, BASE_FAILED, "record %lld of %lld has no part (%s)",
                           (long long)record, (long long)job->records, job->by));
}

/* The lines first … of one job; *first moves behind them. */
static base_status fold_job(base_run *run, perm_parts *parts, int64_t number, int64_t *first) {
    base_status status = BASE_OK;
    const job *job = &parts->job[number];
    perm_fold fold;
    perm_fold_init(&fold);
    for (int64_t record = 1; record <= job->records; record++) {
        line *line = &parts->line[*first];
        int64_t count = 0;
        while (*first + count < parts->lines && line[count].job == number &&
               line[count].partial_result.record == record)
            count++;
        *first += count;
        if (count == 0)
            BASE_TRY(lack_record(run, job, record));
        else
            BASE_TRY(go_on(run, line[0].partial_result.name, fold_record(run, job, line, count, &fold)));
    }
    if (*first < parts->lines && parts->line[*first].job == number)
        BASE_TRY(base_fail(&run->context, BASE_DAMAGED, "a part has more records than its end tells"));
    BASE_TRY(perm_report_end(run, &fold));
done:
    perm_fold_free(&fold);
    return status;
}

base_status perm_parts_fold(base_run *run, perm_parts *parts) {
    base_status status;
    int64_t first = 0;
    BASE_TRY(check_ends(&run->context, parts));
    qsort(parts->line, (size_t)parts->lines, sizeof *parts->line, compare_lines);
    for (int64_t number = 0; number < parts->jobs; number++)
        BASE_TRY(fold_job(run, parts, number, &first));
done:
    return status;
}
