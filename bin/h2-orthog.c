#include "h2/dispatch/dispatch.h"
#include "h2/matrix/io.h"
#include "mm/stream/filter.h"

static h2_dispatch dispatch;

static base_status begin(mm_filter_run *filter) {
    h2_dispatch_begin(&dispatch, &filter->run);
    return h2_dispatch_open_phases(&filter->run.context, &dispatch);
}

static base_status record(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    h2_matrix matrix = {.payload = NULL};
    if (record->kind != MM_H2)
        return mm_filter_pass(filter, record);
    BASE_TRY(h2_from_record(context, record, &matrix));
    BASE_TRY(h2_dispatch_orthogonalize(context, &dispatch, &matrix));
    BASE_TRY(h2_dispatch_write_phases(context, &dispatch, record));
    if (dispatch.note[0] != 0)
        base_run_note(&filter->run, "%s", dispatch.note);
    BASE_TRY(h2_to_record(context, &matrix, record));
    BASE_TRY(mm_filter_put(filter, record));
done:
    h2_matrix_free(&matrix);
    return status;
}

static base_status end(mm_filter_run *filter) {
    return h2_dispatch_close_phases(&filter->run.context, &dispatch);
}

static void release(mm_filter_run *filter) {
    h2_dispatch_close_phases(&filter->run.context, &dispatch);
}

static const mm_filter filter = {
    .program = {.name = "h2-orthog",
                .operands = "[FILE...]",
                .summary = "Give H2 matrices orthonormal bases.",
                .common = BASE_HAS_PLACE | BASE_HAS_FORM_ALONE | BASE_HAS_KEEP_GOING | BASE_HAS_PHASES},
    .writes_records = true,
    .all_kinds = true,
    .kinds = 1U << MM_H2,
    .kind_name = "H2 matrices",
    .leaves_on_device = true,
    .begin = begin,
    .record = record,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
