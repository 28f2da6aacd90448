/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/split.h"
#include "base/core/memory.h"
#include "mm/metadata/template.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct mm_split {
    const char *text;
    base_form form;
    int level;
    const mm_file_format *format;
    int64_t count;
    void *names; /* of the files written, a tree of tsearch */
};

static int compare_names(const void *one, const void *other) {
    return strcmp(one, other);
}

base_status mm_split_open(base_context *context, const char *text, base_form form, int level,
                          const mm_file_format *format, mm_split **split) {
    base_status status = mm_template_check(context, "split", text);
    *split = NULL;
    if (status == BASE_OK && strchr(text, '{') == NULL)
        status = base_fail(context, BASE_USAGE, "--split: '%.200s' has neither {name} nor {number}", text);
    if (status != BASE_OK)
        return status;
    *split = base_alloc_zero(context, 1, sizeof **split);
    if (*split == NULL)
        return BASE_MACHINE;
    **split = (mm_split){.text = text, .form = form, .level = level, .format = format};
    return BASE_OK;
}

/* Notes a name, which is the tree's from then on. */
static base_status take_name(base_context *context, mm_split *split, char *path) {
    char **place = tsearch(path, &split->names, compare_names);
    if (place == NULL)
        return base_fail(context, BASE_MACHINE, "out of memory");
    if (*place != path)
        return base_fail(context, BASE_FAILED,
                         "%s was written for a matrix before; {number} in --split makes names different",
                         path);
    return BASE_OK;
}

base_status mm_split_put(base_context *context, mm_split *split, mm_record *record) {
    base_status status;
    base_output *output = NULL;
    mm_writer *writer = NULL;
    char *path = NULL;
    BASE_TRY(mm_template_expand(context, split->text, record, ++split->count, true, &path));
    status = take_name(context, split, path);
    if (status != BASE_OK)
        free(path);
    BASE_TRY(status);
    BASE_TRY(base_output_open(context, path, &output));
    BASE_TRY(mm_writer_open(context, output, split->form, split->level, false, &writer));
    if (split->format != NULL)
        BASE_TRY(mm_writer_set_format(context, writer, split->format));
    BASE_TRY(mm_writer_put(context, writer, record));
    BASE_TRY(mm_writer_finish(context, writer));
    status = base_output_commit(context, output);
    output = NULL;
done:
    mm_writer_close(writer);
    base_output_discard(output);
    return status;
}

void mm_split_close(mm_split *split) {
    if (split == NULL)
        return;
    while (split->names != NULL) {
        char *path = *(char **)split->names;
        tdelete(path, &split->names, compare_names);
        free(path);
    }
    free(split);
}
