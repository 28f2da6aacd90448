/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/state.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/reader.h"
#include "mm/stream/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The version of the metadata and of every program's payload. States without a number are older than 2. */
enum { STATE_FORMAT = 2 };

typedef struct content {
    const base_identity *identity;
    char *payload;
    int64_t bytes;
    mm_state_more *more;
    void *data;
} content;

void mm_state_pieces_free(mm_state_pieces *pieces) {
    if (pieces == NULL)
        return;
    for (int64_t k = 0; k < pieces->count; k++)
        free(pieces->piece[k].data);
    free(pieces->piece);
    *pieces = (mm_state_pieces){.count = 0};
}

static base_status write_pieces(base_context *context, const content *state, mm_writer *writer) {
    base_status status = BASE_OK;
    mm_record record;
    for (int64_t number = 0; state->more != NULL; number++) {
        mm_record_init(&record);
        record.kind = MM_STATE;
        BASE_TRY(state->more(context, state->data, number, &record.payload, &record.payload_bytes));
        if (record.payload == NULL)
            break;
        BASE_TRY(mm_writer_put(context, writer, &record));
    }
done:
    return status;
}

static base_status write_state(base_context *context, base_output *output, const void *data) {
    const content *state = data;
    base_status status;
    mm_writer *writer = NULL;
    mm_record record;
    mm_record_init(&record);
    record.kind = MM_STATE;
    record.payload = base_alloc(context, state->bytes, 1);
    record.payload_bytes = state->bytes;
    if (record.payload == NULL)
        BASE_TRY(BASE_MACHINE);
    memcpy(record.payload, state->payload, (size_t)state->bytes);
    BASE_TRY(mm_metadata_set(context, &record, "state.format", "%d", STATE_FORMAT));
    BASE_TRY(mm_metadata_set(context, &record, "state.of", "%s", state->identity->text));
    BASE_TRY(mm_metadata_set(context, &record, "state.options", "%s", state->identity->hash));
    BASE_TRY(mm_writer_open(context, output, BASE_FORM_BINARY, state->more == NULL, false, &writer));
    BASE_TRY(mm_writer_put(context, writer, &record));
    BASE_TRY(write_pieces(context, state, writer));
    BASE_TRY(mm_writer_finish(context, writer));
done:
    mm_writer_close(writer);
    mm_record_free(&record);
    return status;
}

base_status mm_state_save(base_context *context, base_checkpoint *checkpoint, bool replace,
                          const base_identity *identity, char *payload, int64_t bytes, mm_state_more *more,
                          void *data) {
    const content state = {identity, payload, bytes, more, data};
    return base_checkpoint_save(context, checkpoint, replace, write_state, &state);
}

/* To the end of the file: its mark is part of it. */
static base_status read_pieces(base_context *context, mm_reader *reader, mm_state_pieces *pieces) {
    base_status status;
    mm_record record;
    bool found = false;
    mm_record_init(&record);
    BASE_TRY(mm_reader_next(context, reader, &record, &found));
    while (found && pieces != NULL) {
        BASE_TRY(base_reserve(context, &pieces->piece, &pieces->capacity, pieces->count + 1,
                              sizeof *pieces->piece));
        pieces->piece[pieces->count++] = (struct mm_state_piece){record.payload, record.payload_bytes};
        record.payload = NULL;
        BASE_TRY(mm_reader_next(context, reader, &record, &found));
    }
done:
    mm_record_free(&record);
    if (status != BASE_OK)
        mm_state_pieces_free(pieces);
    return status;
}

static base_status refuse_options(base_context *context, const char *path, const char *of, size_t length,
                                  const base_identity *identity) {
    char excerpt[2][BASE_EXCERPT], *text = base_copy_text(context, of, (int64_t)length);
    if (text == NULL)
        return BASE_MACHINE;
    base_identity_excerpts(text, identity->text, excerpt);
    free(text);
    return base_fail(context, BASE_USAGE, "%s is the state of '%s', not of '%s'", path, excerpt[0],
                     excerpt[1]);
}

base_status mm_state_check(base_context *context, const char *path, const mm_record *record,
                           const base_identity *identity) {
    base_status status = BASE_OK;
    const base_place place = context->place;
    size_t length = 0, digits = 0;
    const char *of = record->kind == MM_STATE ? mm_metadata_find(record, "state.of", &length) : NULL, *hash;
    char format[24] = "";
    context->place = (base_place){0};
    if (of == NULL)
        BASE_TRY(base_fail(context, BASE_USAGE, "%s is no state of a computation, and is not replaced by one",
                           path));
    if (!mm_metadata_get(record, "state.format", format, sizeof format))
        BASE_TRY(base_fail(context, BASE_USAGE,
                           "%s was saved by an older version of the program; remove it to begin again",
                           path));
    if (strtol(format, NULL, 10) != STATE_FORMAT)
        BASE_TRY(base_fail(context, BASE_USAGE, "%s is a state of format %s; this version reads format %d",
                           path, format, STATE_FORMAT));
    hash = mm_metadata_find(record, "state.options", &digits);
    if (hash == NULL || digits != strlen(identity->hash) || memcmp(hash, identity->hash, digits) != 0)
        BASE_TRY(refuse_options(context, path, of, length, identity));
    context->place = place;
done:
    return status;
}

static base_status read_state(base_context *context, const char *path, const base_identity *identity,
                              char **payload, int64_t *bytes, mm_state_pieces *pieces) {
    base_status status;
    mm_reader *reader = NULL;
    mm_record record;
    bool found = false;
    mm_record_init(&record);
    BASE_TRY(mm_reader_open(context, &path, 1, false, &reader));
    BASE_TRY(mm_reader_next(context, reader, &record, &found));
    BASE_TRY(mm_state_check(context, path, &record, identity));
    BASE_TRY(base_resize(context, &record.payload, record.payload_bytes + 1, 1));
    record.payload[record.payload_bytes] = '\0';
    *payload = record.payload;
    *bytes = record.payload_bytes;
    record.payload = NULL;
    status = read_pieces(context, reader, pieces);
    if (status != BASE_OK) {
        free(*payload);
        *payload = NULL;
    }
done:
    mm_reader_close(reader);
    mm_record_free(&record);
    return status;
}

base_status mm_state_load(base_context *context, const char *path, const base_identity *identity,
                          char **payload, int64_t *bytes, mm_state_pieces *pieces, bool *damaged,
                          char note[512]) {
    base_status status = BASE_OK;
    base_place place = context->place;
    char *old = base_checkpoint_sibling(context, path, ".old");
    *payload = NULL;
    *damaged = false;
    if (old == NULL)
        return BASE_MACHINE;
    bool here = access(path, F_OK) == 0, before = access(old, F_OK) == 0;
    context->place = (base_place){0};
    if (here)
        status = read_state(context, path, identity, payload, bytes, pieces);
    if (here && status == BASE_DAMAGED && before) {
        *damaged = true;
        snprintf(note, 512, "%s: %.300s; going on from %s", path, context->error.cause, old);
    }
    if (before && (!here || *damaged))
        status = read_state(context, old, identity, payload, bytes, pieces);
    context->place = place;
    free(old);
    return status;
}
