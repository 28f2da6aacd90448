/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/journal_source.h"
#include "mm/binary/binary.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/state.h"

#include <stdlib.h>

/* A status of the source's own context, in that of the caller. */
static base_status adopt(base_context *context, const mm_journal_source *source, base_status status) {
    const base_place place = context->place;
    if (status == BASE_OK)
        return BASE_OK;
    context->place = (base_place){0};
    base_fail(context, status, "%s: %s", source->path, source->silent.error.cause);
    context->place = place;
    return status;
}

void mm_journal_source_close(mm_journal_source *source) {
    mm_source_close(source->source);
    source->source = NULL;
}

/* Its end mark tells how many records a stream has. */
static base_status read_piece(mm_journal_source *source, mm_record *record, bool *found) {
    base_context *context = &source->silent;
    base_status status;
    bool end;
    int64_t number;
    BASE_TRY(mm_binary_read(context, source->source, record, &end, &number));
    source->pieces += !end;
    *found = !end;
    if (number != source->pieces)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "number %lld where %lld is due", (long long)number,
                           (long long)source->pieces));
    if (end)
        source->pieces = 0;
done:
    return status;
}

base_status mm_journal_source_next(base_context *context, mm_journal_source *source, mm_record *given,
                                   bool *found) {
    return adopt(context, source, read_piece(source, given, found));
}

static base_status open_file(mm_journal_source *source) {
    base_status status;
    const char *name;
    bool found;
    BASE_TRY(mm_source_open(&source->silent, source->path, &source->source));
    BASE_TRY(mm_source_next_part(&source->silent, source->source, &name, &found));
done:
    return status;
}

base_status mm_journal_source_open(base_context *context, const char *path, const base_identity *identity,
                                   mm_journal_source *source) {
    base_status status;
    bool found = true;
    mm_record record;
    mm_record_init(&record);
    *source = (mm_journal_source){.path = path, .silent = *context};
    source->silent.progress = NULL;
    BASE_TRY(adopt(context, source, open_file(source)));
    if (mm_source_is_binary(source->source))
        BASE_TRY(mm_journal_source_next(context, source, &record, &found));
    BASE_TRY(mm_state_check(context, path, &record, identity));
    BASE_TRY(mm_journal_source_next(context, source, &record, &found));
    if (found)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%s: no end mark behind its first record", path));
done:
    mm_record_free(&record);
    if (status != BASE_OK)
        mm_journal_source_close(source);
    return status;
}

static base_status read_heading(mm_journal_source *source, int64_t *number, char hash[BASE_HASH_TEXT]) {
    base_status status;
    char digits[24];
    bool found;
    mm_record record;
    mm_record_init(&record);
    BASE_TRY(read_piece(source, &record, &found));
    if (!found || record.kind != MM_STATE ||
        !mm_metadata_get(&record, "journal.record", digits, sizeof digits) ||
        !mm_metadata_get(&record, "journal.input", hash, BASE_HASH_TEXT))
        BASE_TRY(base_fail(&source->silent, BASE_DAMAGED, "no record of the input is named"));
    *number = strtoll(digits, NULL, 10);
done:
    mm_record_free(&record);
    return status;
}

base_status mm_journal_source_begin(base_context *context, mm_journal_source *source, int64_t *number,
                                    char hash[BASE_HASH_TEXT]) {
    return adopt(context, source, read_heading(source, number, hash));
}

/* One stream to its end mark; *found false at the end of the file. */
static base_status pass_over(mm_journal_source *source, mm_record *record, bool *found) {
    base_status status;
    const char *data;
    size_t size;
    int64_t number;
    char hash[BASE_HASH_TEXT];
    BASE_TRY(mm_source_peek(&source->silent, source->source, 1, &data, &size));
    *found = size > 0;
    if (*found)
        BASE_TRY(read_heading(source, &number, hash));
    for (bool more = *found; more;)
        BASE_TRY(read_piece(source, record, &more));
done:
    return status;
}

base_status mm_journal_source_measure(base_context *context, const char *path, const base_identity *identity,
                                      int64_t *bytes, int64_t *records) {
    base_status status;
    int descriptor;
    bool found = true;
    mm_journal_source source = {.path = path};
    mm_record record;
    mm_record_init(&record);
    BASE_TRY(mm_journal_source_open(context, path, identity, &source));
    for (*records = 0;; ++*records) {
        if (!mm_source_get_file(source.source, &descriptor, bytes))
            BASE_TRY(base_fail(context, BASE_MACHINE, "%s: the place in it is not known", path));
        status = pass_over(&source, &record, &found);
        if (status != BASE_OK || !found)
            break;
    }
    status = status == BASE_DAMAGED ? BASE_OK : adopt(context, &source, status);
done:
    mm_record_free(&record);
    mm_journal_source_close(&source);
    return status;
}
