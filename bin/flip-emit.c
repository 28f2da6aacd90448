/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/memory.h"
#include "flip/derive/emit.h"
#include "flip/formats/formats.h"
#include "flip/scheme/verify.h"
#include "mm/stream/filter.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

static const char *wanted_name;
static int type;
static char (*names)[LONGEST_NAME + 24];
static int64_t functions, capacity;

static const base_option options[] = {
    {"identifier", 0, BASE_TEXT, "NAME", "name of the function (default: multiply_NxMxP)", &wanted_name},
    {"name", 'n', BASE_TEXT, "NAME", NULL, &wanted_name},
    {"type", 0, BASE_CHOICE, "double|float|int64_t",
     "of the entries; over F2 it is uint64_t (default: double)", &type},
    {"type", 't', BASE_CHOICE, "double|float|int64_t", NULL, &type},
    BASE_OPTIONS_END,
};

static bool is_identifier(const char *name) {
    bool good = !isdigit((unsigned char)*name) && *name != '\0' && strlen(name) < LONGEST_NAME;
    for (; *name != '\0' && good; name++)
        good = isalnum((unsigned char)*name) || *name == '_';
    return good;
}

static base_status begin(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    if (wanted_name != NULL && !is_identifier(wanted_name))
        return base_fail(context, BASE_USAGE, "--identifier: '%s' is no name of a C function", wanted_name);
    return BASE_OK;
}

static base_status print_head(base_run *run) {
    return base_output_print(&run->context, run->output, "/* Made by %s. */\n#include <stdint.h>\n\n",
                             run->by.text);
}

/* Functions after the first one of a name get numbers. */
static base_status choose_name(base_context *context, const flip_scheme *scheme) {
    char format[64], first[LONGEST_NAME + 24];
    int64_t same = 0;
    base_status status = base_reserve(context, &names, &capacity, functions + 1, sizeof *names);
    if (status != BASE_OK)
        return status;
    if (wanted_name != NULL)
        snprintf(first, sizeof first, "%s", wanted_name);
    else
        snprintf(first, sizeof first, "multiply_%s", flip_format_name(scheme->size, format));
    const size_t length = strlen(first);
    for (int64_t k = 0; k < functions; k++)
        same +=
            strncmp(names[k], first, length) == 0 && (names[k][length] == '\0' || names[k][length] == '_');
    if (same > 0)
        snprintf(first + length, sizeof first - length, "_%lld", (long long)same + 1);
    memcpy(names[functions++], first, sizeof first);
    return BASE_OK;
}

static base_status emit(mm_filter_run *filter, mm_record *record) {
    static const char *const types[] = {"double", "float", "int64_t"};
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    flip_scheme scheme = {0};
    flip_fault fault;
    char text[200];
    bool valid;
    if (record->kind != MM_SCHEME)
        goto done;
    BASE_TRY(flip_scheme_from_record(context, record, &scheme));
    BASE_TRY(flip_verify(context, &scheme, scheme.field == FLIP_F2 ? 2 : 0, &valid, &fault));
    flip_fault_print(&fault, text, sizeof text);
    if (!valid)
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme is wrong: %s", text));
    if (functions == 0)
        BASE_TRY(print_head(&filter->run));
    BASE_TRY(choose_name(context, &scheme));
    BASE_TRY(flip_emit(context, &scheme, names[functions - 1],
                       scheme.field == FLIP_F2 ? "uint64_t" : types[type], filter->run.output));
done:
    flip_scheme_free(&scheme);
    return status;
}

static base_status end(mm_filter_run *filter) {
    base_context *context = &filter->run.context;
    base_output *output = filter->run.output;
    base_status status = BASE_OK;
    if (functions == 0)
        BASE_TRY(print_head(&filter->run));
    BASE_TRY(base_output_print(context, output, "#ifdef SELF_TEST\nint main(void) {\n    return 0"));
    for (int64_t k = 0; k < functions; k++)
        BASE_TRY(base_output_print(context, output, " | %s_test()", names[k]));
    BASE_TRY(base_output_print(context, output, ";\n}\n#endif\n"));
done:
    return status;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    free(names);
}

static const mm_filter program = {
    .program = {.name = "flip-emit",
                .operands = "[FILE...]",
                .summary = "Write matrix multiplication schemes as C functions with a self-test.",
                .common = BASE_HAS_KEEP_GOING,
                .options = options},
    .begin = begin,
    .record = emit,
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
