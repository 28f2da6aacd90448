/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/metadata/piece.h"
#include "mm/decimal/decimal.h"
#include "mm/metadata/list.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[] = {[MM_BLOCK] = "block", [MM_TERM] = "term"};

/* A step has at most 2·20 digits, a word and four signs; numbers are written with room behind them. */
enum { LONGEST = MM_PIECE_DEPTH * 64 + MM_DECIMAL_LONGEST };

const char *mm_piece_word(mm_piece_kind kind) {
    return words[kind];
}

static bool read_number(const char **text, int64_t *number) {
    int64_t value = 0;
    const char *c = *text;
    for (; *c >= '0' && *c <= '9' && value < INT64_MAX / 16; c++)
        value = 10 * value + (*c - '0');
    bool good = c > *text && value > 0 && (*c < '0' || *c > '9');
    *number = value;
    *text = c;
    return good;
}

static bool read_step(const char **text, mm_piece_step *step) {
    for (size_t kind = 0; kind < sizeof words / sizeof *words; kind++) {
        size_t length = strlen(words[kind]);
        if (strncmp(*text, words[kind], length) != 0 || (*text)[length] != ' ')
            continue;
        *text += length + 1;
        *step = (mm_piece_step){.kind = (mm_piece_kind)kind};
        if (!read_number(text, &step->number))
            return false;
        if (**text != '/')
            return true;
        ++*text;
        return read_number(text, &step->count) && step->number <= step->count;
    }
    return false;
}

base_status mm_piece_get(base_context *context, const mm_record *record, mm_piece *piece) {
    char line[LONGEST];
    const char *text = line;
    piece->depth = 0;
    if (!mm_metadata_get(record, "piece", line, sizeof line))
        return BASE_OK;
    while (piece->depth < MM_PIECE_DEPTH && read_step(&text, &piece->step[piece->depth])) {
        piece->depth++;
        if (*text == '\0')
            return BASE_OK;
        if (strncmp(text, "; ", 2) != 0)
            break;
        text += 2;
    }
    return base_fail(context, BASE_DAMAGED, "'%% piece: %.80s' is not understood", line);
}

static void print_steps(const mm_piece *piece, char line[LONGEST]) {
    char *to = line;
    for (int k = 0; k < piece->depth; k++) {
        const mm_piece_step *step = &piece->step[k];
        to = stpcpy(stpcpy(to, k > 0 ? "; " : ""), words[step->kind]);
        *to++ = ' ';
        to += mm_decimal_write_int64(to, step->number);
        if (step->count > 0) {
            *to++ = '/';
            to += mm_decimal_write_int64(to, step->count);
        }
    }
    *to = '\0';
}

base_status mm_piece_set(base_context *context, mm_record *record, const mm_record *parent,
                         mm_piece_step step) {
    base_status status;
    mm_piece piece;
    char *name = NULL, line[LONGEST], rounded[32];
    BASE_TRY(mm_list_refuse_counts(context, parent, "split"));
    BASE_TRY(mm_piece_get(context, parent, &piece));
    if (piece.depth == MM_PIECE_DEPTH)
        BASE_TRY(base_fail(context, BASE_FAILED, "split %d times already", MM_PIECE_DEPTH));
    piece.step[piece.depth++] = step;
    print_steps(&piece, line);
    bool was_rounded = mm_metadata_get(parent, "rounded", rounded, sizeof rounded);
    bool was_scaled = mm_piece_field(parent) != parent->field;
    BASE_TRY(mm_record_name(context, parent, &name));
    BASE_TRY(mm_metadata_set(context, record, "name", "%s", name));
    BASE_TRY(mm_metadata_set(context, record, "piece", "%s", line));
    if (was_rounded)
        BASE_TRY(mm_metadata_set(context, record, "rounded", "%s", rounded));
    if (was_scaled)
        BASE_TRY(mm_metadata_set(context, record, "scaled", "real"));
done:
    free(name);
    return status;
}

mm_field mm_piece_field(const mm_record *record) {
    char scaled[8];
    bool is_scaled = record->field == MM_INTEGER &&
                     mm_metadata_get(record, "scaled", scaled, sizeof scaled) && strcmp(scaled, "real") == 0;
    return is_scaled ? MM_REAL : record->field;
}
