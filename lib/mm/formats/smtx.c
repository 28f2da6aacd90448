/* SPDX-License-Identifier: BSD-3-Clause */
/* The .smtx files of the Deep Learning Matrix Collection (Gale, Zaharia, Young, Elsen: Sparse GPU kernels for
 * deep learning, SC 2020): "rows, cols, entries", then the offsets of the rows and the columns of the
 * entries, from 0; a pattern by rows. Others write them with comments in front and blanks for the commas. */
#include "base/core/memory.h"
#include "mm/formats/formats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_BYTES = 1 << 16, LONGEST_NUMBER = 18 };

typedef struct scanner {
    base_context *context;
    mm_source *source;
    const char *at, *end, *begin;
    bool last; /* the window shows the end of the part */
} scanner;

/* Shows at least one number whole, if there is one. */
static base_status look(scanner *scanner) {
    base_status status = BASE_OK;
    size_t size;
    if (scanner->last || scanner->end - scanner->at > LONGEST_NUMBER + 1)
        goto done;
    if (scanner->at != NULL)
        mm_source_skip(scanner->source, (size_t)(scanner->at - scanner->begin));
    BASE_TRY(mm_source_peek(scanner->context, scanner->source, WINDOW_BYTES, &scanner->begin, &size));
    scanner->at = scanner->begin;
    scanner->end = scanner->begin + size;
    scanner->last = size < WINDOW_BYTES;
done:
    return status;
}

static base_status pass_blanks(scanner *scanner) {
    base_status status;
    for (;;) {
        BASE_TRY(look(scanner));
        while (scanner->at < scanner->end && isspace((unsigned char)*scanner->at))
            scanner->context->place.line += *scanner->at++ == '\n';
        if (scanner->at < scanner->end || scanner->last)
            break;
    }
    BASE_TRY(look(scanner));
done:
    return status;
}

static base_status next_number(scanner *scanner, int64_t *value) {
    base_status status;
    BASE_TRY(pass_blanks(scanner));
    const char *digits = scanner->at;
    *value = 0;
    while (scanner->at < scanner->end && isdigit((unsigned char)*scanner->at) &&
           scanner->at - digits < LONGEST_NUMBER)
        *value = 10 * *value + (*scanner->at++ - '0');
    if (digits == scanner->end)
        status = base_fail(scanner->context, BASE_DAMAGED, "the .smtx file is cut off");
    else if (scanner->at == digits ||
             (scanner->at < scanner->end && !isspace((unsigned char)*scanner->at) && *scanner->at != ','))
        status = base_fail(scanner->context, BASE_DAMAGED, "malformed number");
done:
    return status;
}

static base_status pass_comments(scanner *scanner) {
    base_status status;
    for (;;) {
        BASE_TRY(pass_blanks(scanner));
        if (scanner->at == scanner->end || *scanner->at != '%')
            break;
        while (scanner->at < scanner->end && *scanner->at != '\n') {
            scanner->at++;
            BASE_TRY(look(scanner));
        }
    }
done:
    return status;
}

static base_status pass_comma(scanner *scanner) {
    base_status status;
    BASE_TRY(pass_blanks(scanner));
    scanner->at += scanner->at < scanner->end && *scanner->at == ',';
done:
    return status;
}

static base_status read_offsets(scanner *scanner, const mm_record *record, int64_t **start) {
    base_status status = BASE_OK;
    int64_t capacity = 0, offset;
    for (int64_t i = 0; i <= record->nrow; i++) {
        BASE_TRY(next_number(scanner, &offset));
        BASE_TRY(base_reserve(scanner->context, start, &capacity, i + 1, sizeof **start));
        (*start)[i] = offset;
        if (offset > record->nnz || (i == 0 ? offset != 0 : offset < (*start)[i - 1]) ||
            (i == record->nrow && offset != record->nnz))
            BASE_TRY(base_fail(scanner->context, BASE_DAMAGED, "row offset %lld does not follow",
                               (long long)offset));
    }
done:
    return status;
}

static base_status read_columns(scanner *scanner, mm_record *record, const int64_t *start) {
    base_status status = BASE_OK;
    int64_t capacity = 0;
    BASE_TRY(base_resize(scanner->context, &record->col, 0, sizeof *record->col));
    for (int64_t k = 0; k < record->nnz; k++) {
        BASE_TRY(base_reserve(scanner->context, &record->col, &capacity, k + 1, sizeof *record->col));
        BASE_TRY(next_number(scanner, &record->col[k]));
        if (record->col[k] >= record->ncol)
            BASE_TRY(base_fail(scanner->context, BASE_DAMAGED, "column %lld (from 0) exceeds %lld",
                               (long long)record->col[k], (long long)record->ncol - 1));
    }
    record->row = base_alloc(scanner->context, record->nnz, sizeof *record->row);
    if (record->row == NULL)
        return BASE_MACHINE;
    for (int64_t i = 0; i < record->nrow; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++)
            record->row[k] = i;
done:
    return status;
}

base_status mm_smtx_read(base_context *context, mm_source *source, mm_record *record) {
    base_status status;
    int64_t *start = NULL;
    scanner scanner = {.context = context, .source = source};
    mm_record_free(record);
    record->field = MM_PATTERN;
    context->place.line = 1;
    BASE_TRY(pass_comments(&scanner));
    BASE_TRY(next_number(&scanner, &record->nrow));
    BASE_TRY(pass_comma(&scanner));
    BASE_TRY(next_number(&scanner, &record->ncol));
    BASE_TRY(pass_comma(&scanner));
    BASE_TRY(next_number(&scanner, &record->nnz));
    BASE_TRY(read_offsets(&scanner, record, &start));
    BASE_TRY(read_columns(&scanner, record, start));
    BASE_TRY(pass_blanks(&scanner));
    if (scanner.at < scanner.end)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "there is more behind the last column"));
    mm_source_skip(source, (size_t)(scanner.at - scanner.begin));
done:
    free(start);
    if (status != BASE_OK)
        mm_record_free(record);
    return status;
}

/* Three numbers with commas between them, alone on the first line; or with blanks, behind comments that say
 * what this is. */
bool mm_smtx_detect(const char *data, size_t size) {
    size_t at = 0;
    bool named = false;
    if (size >= 2 && memcmp(data, "%%", 2) == 0)
        return false; /* a banner: Matrix Market with commas is refused as that */
    while (at < size && data[at] == '%') {
        const char *line = data + at, *end = memchr(line, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - line) + 1 : size - at;
        named = named || memmem(line, length, ".smtx", 5) != NULL;
        at += length;
    }
    for (int i = 0; i < 3; i++) {
        while (at < size && data[at] == ' ')
            at++;
        size_t digits = at;
        while (at < size && isdigit((unsigned char)data[at]))
            at++;
        if (at == digits || at == size)
            return false;
        if (i < 2 && data[at] == ',')
            at++;
        else if (i < 2 && !(named && data[at] == ' '))
            return false;
    }
    while (at < size && (data[at] == ' ' || data[at] == '\r'))
        at++;
    return at < size && data[at] == '\n';
}
