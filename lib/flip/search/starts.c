/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/search/starts.h"
#include "flip/formats/formats.h"
#include "flip/kernel.h"
#include "mm/record/hash.h"

#include <string.h>

/* Takes one more record into the hash of all. */
static void extend_hash(flip_starts *starts, const mm_record *record) {
    char both[66] = {0};
    memcpy(both, starts->hash, 33);
    mm_record_hash(record, both + 33);
    base_hash_text(both, sizeof both, starts->hash);
}

base_status flip_starts_add(base_context *context, flip_starts *starts, mm_record *record,
                            flip_scheme *scheme) {
    base_status status = BASE_OK;
    char first[64], other[64];
    if (starts->count == 0)
        BASE_TRY(flip_pools_open(context, FLIP_LARGEST_RANK, INT64_MAX, &starts->pools));
    else if (memcmp(starts->scheme.size, scheme->size, sizeof scheme->size) != 0)
        BASE_TRY(base_fail(context, BASE_USAGE, "a scheme for %s, those before are for %s",
                           flip_format_name(scheme->size, other),
                           flip_format_name(starts->scheme.size, first)));
    BASE_TRY(flip_pools_add_scheme(context, &starts->pools, scheme));
    extend_hash(starts, record);
    if (starts->count++ == 0)
        mm_record_move(&starts->record, record);
    if (starts->count == 1 || scheme->rank > starts->scheme.rank) {
        flip_scheme_free(&starts->scheme);
        starts->scheme = *scheme;
        *scheme = (flip_scheme){0};
    }
done:
    return status;
}

void flip_starts_free(flip_starts *starts) {
    if (starts->count > 0) {
        mm_record_free(&starts->record);
        flip_scheme_free(&starts->scheme);
    }
    flip_pools_close(&starts->pools);
    *starts = (flip_starts){0};
}
