/* The lines of a part. */
#include "perm/report/part_line.h"
#include "perm/report/parts.h"

base_status perm_part_record(base_context *context, base_output *output, const mm_record *record,
                             const perm_options *options) {
    base_status status;
    perm_answer answer;
    perm_answer_init(&answer);
    BASE_TRY(perm_solve_part(context, record, options, &answer));
    if (options->spent)
        perm_spent_add(options->spent, &answer);
    status = perm_part_line_write(context, output, options->work, &answer);
done:
    perm_answer_free(&answer);
    return status;
}

base_status perm_part_end(base_context *context, base_output *output, const perm_work *work) {
    return perm_part_line_write(context, output, work, NULL);
}
