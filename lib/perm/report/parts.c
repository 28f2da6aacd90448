/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/report/parts.h"
#include "base/core/memory.h"
#include "perm/report/part_input.h"
#include "perm/report/parts_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

base_status perm_parts_open(base_context *context, perm_parts **parts) {
    *parts = base_alloc_zero(context, 1, sizeof **parts);
    if (*parts == NULL)
        return BASE_MACHINE;
    perm_fold_init(&(*parts)->fold);
    return BASE_OK;
}

void perm_parts_close(perm_parts *parts) {
    if (parts == NULL)
        return;
    for (int64_t i = 0; i < parts->jobs; i++) {
        free(parts->job[i].by);
        free(parts->job[i].ended);
        free(parts->job[i].begun);
    }
    for (int64_t i = 0; i < parts->lines; i++)
        perm_partial_result_free(&parts->line[i].partial_result);
    free(parts->job);
    free(parts->line);
    perm_fold_free(&parts->fold);
    free(parts);
}

/* Takes the text of the line. */
static base_status add_job(base_context *context, perm_parts *parts, perm_part_line *line) {
    base_status status;
    BASE_TRY(base_reserve(context, &parts->job, &parts->job_capacity, parts->jobs + 1, sizeof *parts->job));
    perm_parts_job *new = &parts->job[parts->jobs];
    *new = (perm_parts_job){.parts = line->part.count, .records = -1};
    memcpy(new->id, line->job, sizeof new->id);
    memcpy(new->options, line->options, sizeof new->options);
    new->ended = base_alloc_zero(context, new->parts + 1, sizeof *new->ended);
    new->begun = base_alloc_zero(context, new->parts + 1, sizeof *new->begun);
    if (new->ended == NULL || new->begun == NULL) {
        free(new->ended);
        free(new->begun);
        BASE_TRY(BASE_MACHINE);
    }
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
    const perm_parts_job *job = &parts->job[*found];
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

static base_status take_end(base_context *context, perm_parts_job *job, const perm_part_line *line) {
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

/* That the part has begun. One whose record is folded already is one too many. */
static base_status note_line(base_context *context, perm_parts *parts, int64_t number,
                             const perm_partial_result *partial_result) {
    perm_parts_job *job = &parts->job[number];
    job->begun[partial_result->part.index] = true;
    snprintf(job->name, sizeof job->name, "%s", partial_result->name);
    if (number > parts->current || (number == parts->current && partial_result->record > parts->folded))
        return BASE_OK;
    return base_fail(context, BASE_FAILED, "%s: part %lld/%lld came twice; give each part once", job->name,
                     (long long)partial_result->part.index, (long long)job->parts);
}

/* The texts and numbers of a line take about as much as they do in the input. */
static base_status hold(base_context *context, perm_parts *parts, perm_parts_line *line, size_t length) {
    line->bytes = (int64_t)(sizeof *line + length) +
                  line->partial_result.count * (int64_t)sizeof *line->partial_result.block_result;
    parts->bytes += line->bytes;
    if (parts->bytes <= context->memory_bytes)
        return BASE_OK;
    return base_fail(context, BASE_MACHINE,
                     "the lines of parts need more than the %lld bytes allowed: give each part in a file of "
                     "its own, or raise --memory",
                     (long long)context->memory_bytes);
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
    BASE_TRY(note_line(context, parts, number, &read.partial_result));
    BASE_TRY(
        base_reserve(context, &parts->line, &parts->line_capacity, parts->lines + 1, sizeof *parts->line));
    perm_parts_line *new = &parts->line[parts->lines++];
    new->job = number;
    new->partial_result = read.partial_result;
    perm_partial_result_init(&read.partial_result);
    BASE_TRY(hold(context, parts, new, length));
done:
    perm_part_line_free(&read);
    return status;
}

/* Takes the next line of an input; *more: there was one. */
static base_status take_next(base_context *context, perm_parts *parts, perm_part_input *input, bool *more) {
    base_status status;
    char *text;
    size_t length;
    BASE_TRY(perm_part_input_next(context, input, &text, &length));
    *more = text != NULL;
    if (*more)
        BASE_TRY(take_line(context, parts, text, length));
done:
    return status;
}

base_status perm_parts_read(base_context *context, perm_parts *parts, const char *path) {
    base_status status;
    perm_part_input input;
    BASE_TRY(perm_part_input_open(context, path, &input));
    for (bool more = true; more;)
        BASE_TRY(take_next(context, parts, &input, &more));
    context->place = (base_place){.record = 0};
done:
    perm_part_input_close(&input);
    return status;
}

base_status perm_parts_read_together(base_run *run, perm_parts *parts, const char *const *paths, int count) {
    base_status status = BASE_OK;
    base_context *context = &run->context;
    perm_part_input *input = base_alloc_zero(context, count, sizeof *input);
    int opened = 0;
    if (input == NULL)
        return BASE_MACHINE;
    for (; opened < count; opened++)
        BASE_TRY(perm_part_input_open(context, paths[opened], &input[opened]));
    for (bool any = true; any;) {
        any = false;
        for (int i = 0; i < count; i++) {
            bool more = false;
            if (!perm_part_input_is_over(&input[i]))
                BASE_TRY(take_next(context, parts, &input[i], &more));
            any = any || more;
        }
        /* Inputs that do not go alike fill the memory, and wait for the end. */
        if (parts->lines <= 4 * (int64_t)count)
            BASE_TRY(perm_parts_fold_whole(run, parts));
    }
    context->place = (base_place){.record = 0};
done:
    for (int i = 0; i < opened; i++)
        perm_part_input_close(&input[i]);
    free(input);
    return status;
}
