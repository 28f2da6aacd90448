/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/derive/combine.h"
#include "flip/formats/formats.h"
#include "flip/scheme/verify.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"

#include <string.h>

enum operation { EXTEND, PROJECT, ROTATE, TRANSPOSE, MERGE, PRODUCT, OPERATIONS };
static const char *const names[] = {"extend", "project", "rotate", "transpose", "merge", "product"};

static int operation, axis;
static flip_scheme whole; /* merge, product: of the records so far */
static mm_record first;   /* the record of the first one */
static int64_t schemes;

static const base_option options[] = {
    {"along", 0, BASE_CHOICE, "n|m|p", "the size to change: extend, project, merge (default: n)", &axis},
    {"along", 'a', BASE_CHOICE, "n|m|p", NULL, &axis},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    mm_record_init(&first);
    if (run->operand_count == 0)
        return base_fail(context, BASE_USAGE,
                         "an operation is missing: extend, project, rotate, transpose, merge or product");
    for (operation = 0; operation < OPERATIONS; operation++)
        if (strcmp(run->operands[0], names[operation]) == 0)
            break;
    if (operation == OPERATIONS)
        return base_fail(context, BASE_USAGE,
                         "unknown operation '%s'. The operation comes before the files: extend, project, "
                         "rotate, transpose, merge or product",
                         run->operands[0]);
    run->operands++;
    run->operand_count--;
    return BASE_OK;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    flip_scheme_free(&whole);
    mm_record_free(&first);
}

/* Writes a scheme with the comments of `record`, once it was multiplied out. */
static base_status put(mm_filter_run *filter, const flip_scheme *scheme, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    bool valid;
    flip_fault fault;
    char text[200];
    BASE_TRY(flip_verify(context, scheme, scheme->field == FLIP_F2 ? 2 : 0, &valid, &fault));
    flip_fault_print(&fault, text, sizeof text);
    if (!valid)
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme is wrong: %s", text));
    BASE_TRY(flip_scheme_to_record(context, scheme, record));
    BASE_TRY(mm_metadata_add(context, record, "flip.combine", "%s%s", names[operation],
                             operation == ROTATE || operation == TRANSPOSE || operation == PRODUCT ? ""
                             : axis == 0                                                           ? " n"
                             : axis == 1                                                           ? " m"
                                                                                                   : " p"));
    BASE_TRY(mm_filter_put(filter, record));
done:
    return status;
}

/* Takes one more scheme into the whole. */
static base_status join(base_context *context, flip_scheme *scheme, mm_record *record) {
    base_status status = BASE_OK;
    flip_scheme joined = {0};
    if (schemes++ == 0) {
        whole = *scheme;
        *scheme = (flip_scheme){0};
        mm_record_move(&first, record);
        goto done;
    }
    if (operation == MERGE)
        BASE_TRY(flip_merge(context, &whole, scheme, axis, &joined));
    else
        BASE_TRY(flip_product(context, &whole, scheme, &joined));
    flip_scheme_free(&whole);
    whole = joined;
done:
    return status;
}

static base_status combine(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    flip_scheme scheme = {0}, result = {0};
    if (record->kind != MM_SCHEME) {
        status = mm_filter_pass(filter, record);
        goto done;
    }
    BASE_TRY(flip_scheme_from_record(context, record, &scheme));
    if (operation == MERGE || operation == PRODUCT) {
        status = join(context, &scheme, record);
        goto done;
    }
    if (operation == EXTEND)
        BASE_TRY(flip_extend(context, &scheme, axis, &result));
    else if (operation == PROJECT)
        BASE_TRY(flip_project(context, &scheme, axis, &result));
    else if (operation == ROTATE)
        BASE_TRY(flip_rotate(context, &scheme, &result));
    else
        BASE_TRY(flip_transpose(context, &scheme, &result));
    BASE_TRY(put(filter, &result, record));
done:
    flip_scheme_free(&scheme);
    flip_scheme_free(&result);
    return status;
}

static base_status end(mm_filter_run *filter) {
    return schemes > 0 ? put(filter, &whole, &first) : BASE_OK;
}

static const mm_filter program = {
    .program =
        {.name = "flip-combine",
         .operands = "OPERATION [FILE...]",
         .summary =
             "Make matrix multiplication schemes for other formats: extend, project, rotate, transpose,\n"
             "or merge or multiply all schemes of the input.",
         .common = BASE_HAS_FORM | BASE_HAS_KEEP_GOING,
         .options = options},
    .writes_records = true,
    .begin = begin,
    .record = combine,
    .end = end,
    .release = release,
    .all_kinds = true,
    .kinds = 1U << MM_SCHEME,
    .kind_name = "schemes",
    .form = &flip_reader_form,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
