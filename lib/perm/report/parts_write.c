/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a part. */
#include "perm/report/part_line.h"
#include "perm/report/parts.h"

base_status perm_part_record(base_context *context, base_output *output, const mm_record *record,
                             const perm_options *options) {
    base_status status;
    perm_partial_result partial_result;
    perm_partial_result_init(&partial_result);
    BASE_TRY(perm_solve_part(context, record, options, &partial_result));
    if (options->cost_history != NULL)
        perm_cost_history_add(options->cost_history, &partial_result);
    status = perm_part_line_write(context, output, options->work, &partial_result);
done:
    perm_partial_result_free(&partial_result);
    return status;
}

base_status perm_part_end(base_context *context, base_output *output, const perm_work *work) {
    return perm_part_line_write(context, output, work, NULL);
}
