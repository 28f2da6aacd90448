/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/derive/lift.h"
#include "flip/formats/formats.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"

#include <stdlib.h>

static base_status lift(mm_filter_run *filter, mm_record *record) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    flip_scheme scheme = {0}, lifted = {0};
    char *name = NULL, reason[200];
    bool found;
    if (record->kind != MM_SCHEME) {
        status = mm_filter_pass(filter, record);
        goto done;
    }
    BASE_TRY(flip_scheme_from_record(context, record, &scheme));
    if (scheme.field != FLIP_F2) {
        status = mm_filter_pass(filter, record);
        goto done;
    }
    BASE_TRY(flip_lift(context, &scheme, &lifted, &found, reason, sizeof reason));
    if (!found) {
        BASE_TRY(mm_record_name(context, record, &name));
        base_run_note(run, "%s: not lifted: %s", name, reason);
        run->failed = true;
        goto done;
    }
    BASE_TRY(flip_scheme_to_record(context, &lifted, record));
    BASE_TRY(mm_filter_put(filter, record));
done:
    free(name);
    flip_scheme_free(&scheme);
    flip_scheme_free(&lifted);
    return status;
}

static const mm_filter program = {
    .program = {.name = "flip-lift",
                .operands = "[FILE...]",
                .summary = "Lift matrix multiplication schemes from F2 to the integers or odd denominators.",
                .common = BASE_HAS_FORM | BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_CHECKPOINT},
    .writes_records = true,
    .record = lift,
    .all_kinds = true,
    .kinds = 1U << MM_SCHEME,
    .kind_name = "schemes",
    .form = &flip_reader_form,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
