/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/report/part_line.h"
#include "base/core/memory.h"
#include "perm/chunks/json_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char seal_head[] = ",\"checksum\":\"", seal_tail[] = "\"}";
enum {
    SEAL_HEAD = sizeof seal_head - 1,
    SEAL_TAIL = sizeof seal_tail - 1,
    SEAL = SEAL_HEAD + BASE_HASH_TEXT - 1 + SEAL_TAIL
};

static const perm_json_key head_keys[] = {
    {"format", &perm_json_positive, offsetof(perm_part_line, format)},
    {"by", &perm_json_text, offsetof(perm_part_line, by)},
    {"options", &perm_json_hash, offsetof(perm_part_line, options)},
    {"job", &perm_json_hash, offsetof(perm_part_line, job)},
    {NULL, NULL, 0},
};

static const perm_json_key end_keys[] = {
    {"end", &perm_json_part, offsetof(perm_part_line, part)},
    {"records", &perm_json_natural, offsetof(perm_part_line, records)},
    {NULL, NULL, 0},
};

void perm_part_line_init(perm_part_line *line) {
    *line = (perm_part_line){.format = PERM_PART_FORMAT};
    perm_partial_result_init(&line->partial_result);
}

void perm_part_line_free(perm_part_line *line) {
    if (line == NULL)
        return;
    free(line->by);
    perm_partial_result_free(&line->partial_result);
    perm_part_line_init(line);
}

char *perm_part_line_seal(base_context *context, json_t *object) {
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    const size_t length = line != NULL ? strlen(line) - 1 : 0; /* without the brace */
    json_decref(object);
    if (line == NULL) {
        base_fail(context, BASE_MACHINE, "no memory for the line of a part");
    } else if (base_resize(context, &line, (int64_t)length + SEAL + 1, 1) == BASE_OK) {
        char hash[BASE_HASH_TEXT];
        base_hash_text(line, length, hash);
        snprintf(line + length, SEAL + 1, "%s%s%s", seal_head, hash, seal_tail);
        return line;
    }
    free(line);
    return NULL;
}

/* A line that ends is only lent its texts. */
base_status perm_part_line_write(base_context *context, base_output *output, const perm_work *work,
                                 const perm_partial_result *partial_result) {
    perm_part_line line = {
        .format = PERM_PART_FORMAT, .by = work->identity->text, .part = work->part, .records = work->records};
    memcpy(line.options, work->identity->hash, sizeof line.options);
    memcpy(line.job, work->job, sizeof line.job);
    perm_json_group groups[] = {{head_keys, &line}, {end_keys, &line}};
    if (partial_result != NULL)
        groups[1] = (perm_json_group){perm_partial_result_keys, (perm_partial_result *)partial_result};
    char *text = perm_part_line_seal(context, perm_json_write(context, groups, 2));
    const base_status status =
        text != NULL ? base_output_print(context, output, "%s\n", text) : context->error.status;
    free(text);
    return status;
}

/* What a line without a checksum is. */
static base_status refuse_unsealed(base_context *context, const char *text, size_t length) {
    json_error_t error;
    json_t *object = json_loadb(text, length, 0, &error);
    const bool is_old = json_object_get(object, "by") != NULL && json_object_get(object, "job") != NULL &&
                        json_object_get(object, "format") == NULL &&
                        json_object_get(object, "checksum") == NULL;
    json_decref(object);
    return base_fail(context, BASE_DAMAGED, "%s",
                     is_old ? "written by an older version of perm-gpu; run the part again"
                            : "no line of perm-gpu --part, or a damaged one");
}

/* Takes the checksum off: the object that is left ends at *length. */
static base_status open_seal(base_context *context, char *text, size_t *length) {
    char hash[BASE_HASH_TEXT];
    if (*length < SEAL)
        return refuse_unsealed(context, text, *length);
    const size_t hashed = *length - SEAL;
    const char *found = text + hashed + SEAL_HEAD;
    if (memcmp(text + hashed, seal_head, SEAL_HEAD) != 0 ||
        memcmp(text + *length - SEAL_TAIL, seal_tail, SEAL_TAIL) != 0)
        return refuse_unsealed(context, text, *length);
    base_hash_text(text, hashed, hash);
    if (memcmp(found, hash, BASE_HASH_TEXT - 1) != 0)
        return base_fail(context, BASE_DAMAGED, "the line is damaged: its checksum does not fit");
    text[hashed] = '}';
    *length = hashed + 1;
    return BASE_OK;
}

static base_status read_object(base_context *context, const json_t *object, perm_part_line *line) {
    const json_t *format = json_object_get(object, "format");
    if (json_is_integer(format) && json_integer_value(format) != PERM_PART_FORMAT)
        return base_fail(context, BASE_DAMAGED, "a line of format %lld; this perm-fold reads format %d",
                         (long long)json_integer_value(format), PERM_PART_FORMAT);
    line->is_end = json_object_get(object, "end") != NULL;
    perm_json_group groups[] = {{head_keys, line}, {end_keys, line}};
    if (!line->is_end)
        groups[1] = (perm_json_group){perm_partial_result_keys, &line->partial_result};
    base_status status = perm_json_read(context, object, groups, 2);
    if (!line->is_end)
        line->part = line->partial_result.part;
    if (status == BASE_OK && line->part.count == 0)
        status = base_fail(context, BASE_DAMAGED, "no line of perm-gpu --part");
    return status;
}

base_status perm_part_line_read(base_context *context, char *text, size_t length, perm_part_line *line) {
    base_status status;
    json_error_t error;
    json_t *object = NULL;
    BASE_TRY(open_seal(context, text, &length));
    object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "no JSON object: %s", error.text));
    BASE_TRY(read_object(context, object, line));
done:
    json_decref(object);
    return status;
}
