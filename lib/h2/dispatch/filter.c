/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/dispatch/filter.h"
#include "h2/matrix/io.h"

base_status h2_filter_begin(mm_filter_run *filter) {
    base_status status;
    h2_filter *it = filter->filter->data;
    const base_run *run = &filter->run;
    if (run->phases != NULL && run->checkpoint != NULL)
        return base_fail(&filter->run.context, BASE_USAGE,
                         "--phases and --checkpoint contradict each other: finished records take no time");
    h2_dispatch_begin(&it->dispatch, &filter->run);
    if (it->check != NULL)
        BASE_TRY(it->check(filter));
    /* Opening truncates the file: wrong options come first. */
    BASE_TRY(h2_dispatch_open_phases(&filter->run.context, &it->dispatch));
done:
    return status;
}

base_status h2_filter_record(mm_filter_run *filter, mm_record *record) {
    h2_filter *it = filter->filter->data;
    base_context *context = &filter->run.context;
    base_status status;
    h2_matrix matrix = {.payload = NULL};
    if (record->kind != MM_H2)
        return mm_filter_pass(filter, record);
    BASE_TRY(h2_from_record(context, record, &matrix));
    BASE_TRY(it->work(filter, &it->dispatch, &matrix, record));
    BASE_TRY(h2_dispatch_write_phases(context, &it->dispatch, record));
    if (it->dispatch.note[0] != 0)
        base_run_note(&filter->run, "%s", it->dispatch.note);
    if (it->finish != NULL)
        BASE_TRY(it->finish(filter, &matrix, record));
    BASE_TRY(mm_filter_put(filter, record));
done:
    h2_matrix_free(&matrix);
    return status;
}

base_status h2_filter_end(mm_filter_run *filter) {
    h2_filter *it = filter->filter->data;
    return h2_dispatch_close_phases(&filter->run.context, &it->dispatch);
}

void h2_filter_release(mm_filter_run *filter) {
    h2_filter_end(filter);
}
