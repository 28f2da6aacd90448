/* The lines of a part. */
#include "perm/report/parts.h"
#include <stdlib.h>

static base_status print(base_context *context, base_output *output, json_t *object) {
    base_status status = BASE_OK;
    char *line = object ? json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    if (line)
        status = base_output_print(context, output, "%s\n", line);
    else
        status = base_fail(context, BASE_MACHINE, "no memory for the line of a part");
    free(line);
    json_decref(object);
    return status;
}

base_status perm_part_record(base_context *context, base_output *output, const mm_record *record,
                             const perm_options *options) {
    base_status status;
    perm_answer answer;
    perm_work *work = options->work;
    perm_answer_init(&answer);
    BASE_TRY(perm_solve_part(context, record, options, &answer));
    if (options->spent)
        perm_spent_add(options->spent, &answer);
    json_t *head = json_pack("{s:s, s:s}", "by", work->identity->text, "job", work->job),
           *body = perm_answer_to_json(&answer);
    if (head && body)
        json_object_update(head, body);
    json_decref(body);
    status = print(context, output, body ? head : NULL);
done:
    perm_answer_free(&answer);
    return status;
}

base_status perm_part_end(base_context *context, base_output *output, const perm_work *work) {
    return print(context, output,
                 json_pack("{s:s, s:s, s:[I, I], s:I}", "by", work->identity->text, "job", work->job, "end",
                           (json_int_t)work->part.index, (json_int_t)work->part.count, "records",
                           (json_int_t)work->records));
}
