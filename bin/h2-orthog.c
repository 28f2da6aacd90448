/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/dispatch/filter.h"
#include "h2/matrix/io.h"

static base_status orthogonalize(mm_filter_run *filter, h2_dispatch *dispatch, h2_matrix *matrix,
                                 mm_record *record) {
    (void)record;
    return h2_dispatch_orthogonalize(&filter->run.context, dispatch, matrix);
}

static base_status finish(mm_filter_run *filter, h2_matrix *matrix, mm_record *record) {
    return h2_to_record(&filter->run.context, matrix, record);
}

static h2_filter it = {.work = orthogonalize, .finish = finish};

static base_status begin(mm_filter_run *filter) {
    return h2_filter_begin(filter, &it);
}

static base_status record(mm_filter_run *filter, mm_record *record) {
    return h2_filter_record(filter, &it, record);
}

static base_status end(mm_filter_run *filter) {
    return h2_filter_end(filter, &it);
}

static void release(mm_filter_run *filter) {
    h2_filter_end(filter, &it);
}

static const mm_filter filter = {
    .program = {.name = "h2-orthog",
                .operands = "[FILE...]",
                .summary = "Give H2 matrices orthonormal bases.",
                .common = BASE_HAS_PLACE | BASE_HAS_FORM_ALONE | BASE_HAS_KEEP_GOING | BASE_HAS_PHASES |
                          BASE_HAS_CHECKPOINT},
    .writes_records = true,
    .all_kinds = true,
    .kinds = 1U << MM_H2,
    .kind_name = "H2 matrices",
    .left_on_device = 1U << MM_H2,
    .begin = begin,
    .record = record,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
