/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/scheme/scheme.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t flip_length(const int64_t size[3], int position) {
    return size[position == 1 ? 1 : 0] * size[position == 0 ? 1 : 2];
}

base_status flip_scheme_alloc(base_context *context, const int64_t size[3], int64_t rank,
                              flip_scheme *scheme) {
    base_status status = BASE_OK;
    *scheme = (flip_scheme){.rank = rank, .field = FLIP_Z, .denominator = 1};
    for (int k = 0; k < 3; k++) {
        if (size[k] < 1 || size[k] > FLIP_LARGEST_SIZE)
            BASE_TRY(base_fail(context, BASE_FAILED, "a scheme for sizes beyond 1 to %d", FLIP_LARGEST_SIZE));
        scheme->size[k] = size[k];
    }
    for (int k = 0; k < 3; k++) {
        int64_t length = flip_length(size, k);
        if (rank > INT64_MAX / 8 / length || rank * length * 8 > context->memory_bytes)
            BASE_TRY(base_fail(context, BASE_MACHINE, "a scheme of rank %lld exceeds the memory limit",
                               (long long)rank));
        scheme->factor[k] = base_alloc_zero(context, rank * length, sizeof *scheme->factor[k]);
        if (scheme->factor[k] == NULL)
            BASE_TRY(BASE_MACHINE);
    }
done:
    if (status != BASE_OK)
        flip_scheme_free(scheme);
    return status;
}

void flip_scheme_free(flip_scheme *scheme) {
    if (scheme == NULL)
        return;
    for (int k = 0; k < 3; k++)
        free(scheme->factor[k]);
    memset(scheme, 0, sizeof *scheme);
}

const char *flip_format_name(const int64_t size[3], char *text) {
    snprintf(text, 64, "%lldx%lldx%lld", (long long)size[0], (long long)size[1], (long long)size[2]);
    return text;
}

const char *flip_field_name(flip_field field) {
    static const char *const names[] = {"F2", "Z", "Q"};
    return names[field];
}

/* ---- records ---- */

static base_status read_metadata(base_context *context, const mm_record *record, int64_t size[3],
                                 flip_field *field, int64_t *denominator) {
    char text[64];
    char end;
    long long n, m, p, divisor = 1;
    if (!mm_metadata_get(record, "scheme", text, sizeof text) ||
        sscanf(text, "%5lldx%5lldx%5lld%c", &n, &m, &p, &end) != 3 || n < 1 || m < 1 || p < 1)
        return base_fail(context, BASE_DAMAGED, "a scheme's format is NxMxP");
    size[0] = n, size[1] = m, size[2] = p;
    *field = FLIP_Z;
    if (mm_metadata_get(record, "scheme.field", text, sizeof text)) {
        for (*field = FLIP_F2; *field <= FLIP_Q && strcmp(text, flip_field_name(*field)) != 0;)
            (*field)++;
        if (*field > FLIP_Q)
            return base_fail(context, BASE_DAMAGED, "a scheme's field is F2, Z or Q, not '%s'", text);
    }
    if (mm_metadata_get(record, "scheme.denominator", text, sizeof text) &&
        (sscanf(text, "%18lld%c", &divisor, &end) != 1 || divisor < 1))
        return base_fail(context, BASE_DAMAGED, "a scheme's denominator is a whole number");
    if (divisor != 1 && *field != FLIP_Q)
        return base_fail(context, BASE_DAMAGED, "a denominator needs the field Q");
    *denominator = divisor;
    return BASE_OK;
}

static base_status read_entries(base_context *context, const mm_record *record, flip_scheme *scheme) {
    int64_t length[2] = {flip_length(scheme->size, 0), flip_length(scheme->size, 1)};
    for (int64_t e = 0; e < record->nnz; e++) {
        int64_t row = record->row[e];
        int position = (row >= length[0]) + (row >= length[0] + length[1]);
        row -= (position > 0 ? length[0] : 0) + (position > 1 ? length[1] : 0);
        int64_t *entry =
            scheme->factor[position] + record->col[e] * flip_length(scheme->size, position) + row;
        if (*entry != 0)
            return base_fail(context, BASE_FAILED, "two entries at row %lld, column %lld",
                             (long long)record->row[e] + 1, (long long)record->col[e] + 1);
        *entry = record->integer[e];
        if (*entry == INT64_MIN)
            return base_fail(context, BASE_FAILED, "a coefficient exceeds 63 bits");
    }
    return BASE_OK;
}

base_status flip_scheme_from_record(base_context *context, const mm_record *record, flip_scheme *scheme) {
    base_status status = BASE_OK;
    int64_t size[3] = {0}, denominator = 1;
    flip_field field = FLIP_Z;
    *scheme = (flip_scheme){0};
    if (record->kind != MM_SCHEME || record->format != MM_COORDINATE || record->field != MM_INTEGER ||
        record->symmetry != MM_GENERAL)
        BASE_TRY(base_fail(context, BASE_FAILED,
                           "not a scheme: an integer coordinate matrix with '%% scheme: NxMxP'"));
    if (record->integer == NULL && record->nnz > 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "a coefficient exceeds 63 bits"));
    BASE_TRY(read_metadata(context, record, size, &field, &denominator));
    if (record->nrow != flip_length(size, 0) + flip_length(size, 1) + flip_length(size, 2))
        BASE_TRY(base_fail(context, BASE_DAMAGED, "a scheme for %lldx%lldx%lld has %lld rows, not %lld",
                           (long long)size[0], (long long)size[1], (long long)size[2],
                           (long long)(flip_length(size, 0) + flip_length(size, 1) + flip_length(size, 2)),
                           (long long)record->nrow));
    BASE_TRY(flip_scheme_alloc(context, size, record->ncol, scheme));
    scheme->field = field;
    scheme->denominator = denominator;
    BASE_TRY(read_entries(context, record, scheme));
done:
    if (status != BASE_OK)
        flip_scheme_free(scheme);
    return status;
}

static int64_t count_nonzeros(const flip_scheme *scheme) {
    int64_t count = 0;
    for (int k = 0; k < 3; k++)
        for (int64_t e = 0; e < scheme->rank * flip_length(scheme->size, k); e++)
            count += scheme->factor[k][e] != 0;
    return count;
}

static void put_entries(const flip_scheme *scheme, mm_record *record) {
    int64_t at = 0;
    for (int64_t r = 0; r < scheme->rank; r++) {
        int64_t first = 0;
        for (int k = 0; k < 3; k++) {
            int64_t length = flip_length(scheme->size, k);
            for (int64_t e = 0; e < length; e++) {
                if (scheme->factor[k][r * length + e] == 0)
                    continue;
                record->row[at] = first + e;
                record->col[at] = r;
                record->integer[at++] = scheme->factor[k][r * length + e];
            }
            first += length;
        }
    }
}

base_status flip_scheme_to_record(base_context *context, const flip_scheme *scheme, mm_record *record) {
    base_status status = BASE_OK;
    mm_record fresh;
    char format[64];
    mm_record_init(&fresh);
    fresh.kind = MM_SCHEME;
    fresh.field = MM_INTEGER;
    fresh.nrow = flip_length(scheme->size, 0) + flip_length(scheme->size, 1) + flip_length(scheme->size, 2);
    fresh.ncol = scheme->rank;
    fresh.nnz = count_nonzeros(scheme);
    BASE_TRY(mm_record_alloc(context, &fresh));
    put_entries(scheme, &fresh);
    fresh.comments = record->comments;
    record->comments = NULL;
    mm_record_move(record, &fresh);
    BASE_TRY(mm_metadata_set(context, record, "scheme", "%s", flip_format_name(scheme->size, format)));
    BASE_TRY(mm_metadata_set(context, record, "scheme.field", "%s", flip_field_name(scheme->field)));
    mm_metadata_remove(record, "scheme.denominator");
    if (scheme->denominator != 1)
        BASE_TRY(
            mm_metadata_set(context, record, "scheme.denominator", "%lld", (long long)scheme->denominator));
done:
    mm_record_free(&fresh);
    return status;
}

/* ---- bit masks ---- */

bool flip_fits_masks(const int64_t size[3]) {
    return flip_length(size, 0) <= FLIP_MASK_BITS && flip_length(size, 1) <= FLIP_MASK_BITS &&
           flip_length(size, 2) <= FLIP_MASK_BITS;
}

int64_t flip_scheme_get_masks(const flip_scheme *scheme, uint64_t *masks) {
    int64_t rank = 0;
    for (int64_t r = 0; r < scheme->rank; r++) {
        uint64_t *mask = masks + 3 * rank;
        for (int k = 0; k < 3; k++) {
            int64_t length = flip_length(scheme->size, k);
            mask[k] = 0;
            for (int64_t e = 0; e < length; e++)
                mask[k] |= (uint64_t)(scheme->factor[k][r * length + e] & 1) << e;
        }
        rank += mask[0] != 0 && mask[1] != 0 && mask[2] != 0;
    }
    return rank;
}

base_status flip_scheme_from_masks(base_context *context, const int64_t size[3], int64_t rank,
                                   const uint64_t *masks, flip_scheme *scheme) {
    base_status status = flip_scheme_alloc(context, size, rank, scheme);
    if (status != BASE_OK)
        return status;
    scheme->field = FLIP_F2;
    for (int k = 0; k < 3; k++) {
        int64_t length = flip_length(size, k);
        for (int64_t r = 0; r < rank; r++)
            for (int64_t e = 0; e < length; e++)
                scheme->factor[k][r * length + e] = masks[3 * r + k] >> e & 1;
    }
    return BASE_OK;
}

base_status flip_masks_to_record(base_context *context, const int64_t size[3], int64_t rank,
                                 const uint64_t *masks, mm_record *record) {
    flip_scheme scheme = {0};
    base_status status = flip_scheme_from_masks(context, size, rank, masks, &scheme);
    if (status == BASE_OK)
        status = flip_scheme_to_record(context, &scheme, record);
    flip_scheme_free(&scheme);
    return status;
}
