/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of programs that take H² matrices one by one (h2-orthog, h2-compress, h2-mv): read the matrix of
 * a record, work on it where that is done best, write the phases and the remark, put the result. */
#ifndef H2_DISPATCH_FILTER_H
#define H2_DISPATCH_FILTER_H

#include "h2/dispatch/dispatch.h"
#include "mm/stream/filter.h"

typedef struct h2_filter {
    h2_dispatch dispatch;
    base_status (*check)(mm_filter_run *filter); /* of the options; may be NULL */
    /* Works on the matrix; `record` is empty but for its comments, and may become the result. */
    base_status (*work)(mm_filter_run *filter, h2_dispatch *dispatch, h2_matrix *matrix, mm_record *record);
    /* Called once the remark is out; may be NULL. Makes `record` of the matrix, where `work` has not. */
    base_status (*finish)(mm_filter_run *filter, h2_matrix *matrix, mm_record *record);
} h2_filter;

/* The callbacks of an mm_filter whose data is an h2_filter. Records of other kinds are passed on. */
base_status h2_filter_begin(mm_filter_run *filter);
base_status h2_filter_record(mm_filter_run *filter, mm_record *record);
base_status h2_filter_end(mm_filter_run *filter);
void h2_filter_release(mm_filter_run *filter);

#endif
