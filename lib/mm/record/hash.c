/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/record/hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static void add(XXH3_state_t *state, const void *data, int64_t count, int64_t size) {
    if (data != NULL)
        XXH3_128bits_update(state, data, (size_t)(count * size));
}

void mm_record_hash(const mm_record *record, char hash[BASE_HASH_TEXT]) {
    const int64_t head[] = {(int64_t)record->kind,
                            (int64_t)record->format,
                            (int64_t)record->field,
                            (int64_t)record->symmetry,
                            record->nrow,
                            record->ncol,
                            record->nnz};
    const int64_t reals = record->field == MM_COMPLEX ? 2 * record->nnz : record->nnz;
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    add(&state, head, 1, sizeof head);
    add(&state, record->row, record->nnz, sizeof *record->row);
    add(&state, record->col, record->nnz, sizeof *record->col);
    add(&state, record->real, reals, sizeof *record->real);
    add(&state, record->integer, record->nnz, sizeof *record->integer);
    if (record->digits != NULL)
        add(&state, record->digits, record->digits_start[record->nnz], 1);
    add(&state, record->payload, record->payload_bytes, 1);
    if (record->comments != NULL)
        add(&state, record->comments, (int64_t)strlen(record->comments) + 1, 1);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    base_hash_digits(canonical.digest, hash);
}
