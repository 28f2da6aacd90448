/* SPDX-License-Identifier: BSD-3-Clause */
/* The inputs of a reader and their parts: a file is one, and so is each member of an archive. */
#include "mm/stream/inputs.h"
#include "mm/stream/internal.h"

#include <stdio.h>
#include <string.h>

static void set_place(base_context *context, const mm_reader *reader) {
    base_place *place = &context->place;
    snprintf(place->file, sizeof place->file, reader->in_archive ? "%s(%s)" : "%s",
             reader->paths[reader->next_path - 1], reader->member);
    place->member = reader->in_archive ? (int)strlen(reader->paths[reader->next_path - 1]) + 1 : 0;
    place->record = 0;
    place->line = 0;
    place->name[0] = '\0';
}

/* At the end of an input. */
static base_status check_primary(base_context *context, mm_reader *reader) {
    if (reader->input_records > 0 || (reader->secondary == 0 && !reader->in_archive))
        return BASE_OK;
    context->place.record = context->place.line = context->place.member = 0;
    snprintf(context->place.file, sizeof context->place.file, "%s", reader->paths[reader->next_path - 1]);
    if (reader->secondary == 0)
        return base_fail(context, BASE_FAILED, "an archive without a matrix");
    return base_fail(
        context, BASE_FAILED,
        "no matrix, only %lld members such as NAME_b.mtx that go with one; mm-cat --all-members reads them",
        (long long)reader->secondary);
}

base_status mm_reader_next_part(base_context *context, mm_reader *reader, bool *found) {
    base_status status = BASE_OK;
    const char *member;
    *found = false;
    while (!*found) {
        if (reader->source == NULL) {
            if (reader->next_path == reader->count)
                break;
            memset(&context->place, 0, sizeof context->place);
            snprintf(context->place.file, sizeof context->place.file, "%s", reader->paths[reader->next_path]);
            BASE_TRY(mm_source_open(context, reader->paths[reader->next_path], &reader->source));
            mm_source_before_wait(reader->source, reader->before_wait, reader->wait_data);
            reader->next_path++;
            reader->input_records = reader->secondary = 0;
            reader->in_archive = false;
        }
        BASE_TRY(mm_source_next_part(context, reader->source, &member, found));
        if (*found && !reader->all_members && mm_member_is_secondary(member)) {
            reader->secondary++;
            *found = false;
            continue;
        }
        if (!*found) {
            BASE_TRY(check_primary(context, reader));
            mm_source_close(reader->source);
            reader->source = NULL;
        }
    }
    if (!*found)
        goto done;
    reader->in_part = true;
    reader->in_archive = member != NULL;
    snprintf(reader->member, sizeof reader->member, "%s", member != NULL ? member : "");
    reader->records_in_part = 0;
    reader->part_has_content = false;
    reader->in_form = false;
    reader->format = NULL;
    reader->line = 1;
    reader->marks = (mm_marks){.records = 0};
    set_place(context, reader);
done:
    return status;
}

base_status mm_reader_end_part(base_context *context, mm_reader *reader) {
    reader->in_part = false;
    context->place.name[0] = '\0';
    if (!reader->part_has_content)
        return base_fail(context, BASE_DAMAGED, "the input is empty: there is no %%%%MatrixMarket banner");
    if (reader->marks.numbered)
        return base_fail(context, BASE_DAMAGED, "truncated: no end mark after record %lld",
                         (long long)reader->marks.records);
    return BASE_OK;
}
