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
    .begin = h2_filter_begin,
    .record = h2_filter_record,
    .end = h2_filter_end,
    .release = h2_filter_release,
    .data = &it,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
