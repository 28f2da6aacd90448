/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/run.h"
#include "mm/matrix/compare.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/reader.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static mm_compare_options wanted = {.shown = 5};
static bool lenient;

static const base_option options[] = {
    {"rtol", 'r', BASE_REAL, "R", "values may differ by R times the larger one (default: 0)", &wanted.rtol},
    {"atol", 'a', BASE_REAL, "A", "values may differ by A (default: 0)", &wanted.atol},
    {"pattern", 'p', BASE_FLAG, NULL, "compare positions only", &wanted.pattern},
    {"keep-zeros", 0, BASE_FLAG, NULL, "explicit zeros are entries", &wanted.keep_zeros},
    {"strict", 's', BASE_FLAG, NULL, "format, field, symmetry and order must agree too", &wanted.storage},
    {"metadata", 'm', BASE_FLAG, NULL, "the comments must agree too, all but the lines of provenance",
     &wanted.metadata},
    {"show", 0, BASE_INTEGER, "N", "show the first N differences of a record (default: 5)", &wanted.shown},
    {"lenient", 0, BASE_FLAG, NULL, "repair what can be repaired", &lenient},
    BASE_OPTIONS_END,
};

static const base_program program = {
    .name = "mm-diff",
    .operands = "FILE1 FILE2",
    .summary = "Compare two streams of matrices record by record.",
    .common = BASE_HAS_JSON,
    .options = options,
};

/* One of the two streams. Each stream has a context of its own, so that messages name the right file. */
typedef struct side {
    base_context context;
    mm_reader *reader;
    mm_record record;
    bool found;
} side;

typedef struct totals {
    int64_t records, different;
} totals;

static base_status print_lines(base_run *run, const char *name, const mm_comparison *comparison) {
    base_status status = BASE_OK;
    for (int64_t k = 0; k < comparison->first_count; k++) {
        const mm_difference *d = &comparison->first[k];
        BASE_TRY(base_output_print(&run->context, run->output, "%s\t%s\t%lld\t%lld\t%s\t%s\n", name, d->what,
                                   (long long)d->row, (long long)d->col, d->left, d->right));
    }
    if (comparison->count > comparison->first_count)
        BASE_TRY(base_output_print(&run->context, run->output, "%s\tmore\t0\t0\t%lld\t-\n", name,
                                   (long long)(comparison->count - comparison->first_count)));
done:
    return status;
}

static json_t *finite_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static base_status print_json(base_run *run, int64_t record, const char *name,
                              const mm_comparison *comparison) {
    json_t *first = json_array();
    for (int64_t k = 0; k < comparison->first_count; k++) {
        const mm_difference *d = &comparison->first[k];
        json_array_append_new(first, json_pack("{s:s, s:I, s:I, s:s, s:s}", "what", d->what, "row",
                                               (json_int_t)d->row, "col", (json_int_t)d->col, "left", d->left,
                                               "right", d->right));
    }
    json_t *object =
        json_pack("{s:I, s:s, s:b, s:I, s:o, s:o, s:o}", "record", (json_int_t)record, "name", name, "equal",
                  comparison->count == 0, "differences", (json_int_t)comparison->count, "largest_absolute",
                  finite_or_null(comparison->largest_absolute), "largest_relative",
                  finite_or_null(comparison->largest_relative), "first", first);
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    base_status status = text != NULL ? base_output_print(&run->context, run->output, "%s\n", text)
                                      : base_fail(&run->context, BASE_MACHINE, "no memory for the report");
    free(text);
    json_decref(object);
    return status;
}

/* Two records, or one that the other stream does not have. */
static base_status compare_pair(base_run *run, side *left, side *right, totals *totals) {
    char *name = NULL;
    mm_comparison comparison;
    base_status status = BASE_OK;
    mm_comparison_init(&comparison);
    const side *named = left->found ? left : right;
    /* The place of the record, which may be its name. */
    run->context.place = named->context.place;
    BASE_TRY(mm_record_name(&run->context, &named->record, &name));
    if (left->found && right->found)
        BASE_TRY(mm_compare(&run->context, &left->record, &right->record, &wanted, &comparison));
    else
        BASE_TRY(mm_compare_missing(&run->context, left->found, &wanted, &comparison));
    memset(&run->context.place, 0, sizeof run->context.place); /* what fails now is the output */
    totals->records++;
    totals->different += comparison.count > 0;
    if (run->json)
        BASE_TRY(print_json(run, totals->records, name, &comparison));
    else if (!run->quiet)
        BASE_TRY(print_lines(run, name, &comparison));
done:
    free(name);
    mm_comparison_free(&comparison);
    return status;
}

static base_status read_next(base_run *run, side *side) {
    base_status status = mm_reader_next(&side->context, side->reader, &side->record, &side->found);
    if (status != BASE_OK)
        run->context.error = side->context.error;
    return status;
}

static base_status compare_streams(base_run *run, side *left, side *right, totals *totals) {
    base_status status = BASE_OK;
    for (;;) {
        BASE_TRY(read_next(run, left));
        BASE_TRY(read_next(run, right));
        if (!left->found && !right->found)
            break;
        BASE_TRY(compare_pair(run, left, right, totals));
    }
done:
    return status;
}

static base_status open_sides(base_run *run, side *sides) {
    base_status status = BASE_OK;
    if (run->operand_count != 2)
        BASE_TRY(base_fail(&run->context, BASE_USAGE, "two files to compare are needed"));
    if (strcmp(run->operands[0], "-") == 0 && strcmp(run->operands[1], "-") == 0)
        BASE_TRY(base_fail(&run->context, BASE_USAGE, "only one of the two can be standard input"));
    if (!(wanted.rtol >= 0 && wanted.atol >= 0))
        BASE_TRY(base_fail(&run->context, BASE_USAGE, "a tolerance is at least 0"));
    for (int i = 0; i < 2; i++) {
        sides[i].context = run->context;
        BASE_TRY(mm_reader_open(&run->context, run->operands + i, 1, lenient, &sides[i].reader));
    }
    base_run_tell_of_terminal(run);
done:
    return status;
}

int main(int argc, char **argv) {
    base_run run;
    side sides[2] = {0};
    totals totals = {0};
    base_status status = BASE_OK;
    if (!base_run_begin(&run, &program, argc, argv))
        return base_run_end(&run, run.context.error.status);
    BASE_TRY(open_sides(&run, sides));
    BASE_TRY(compare_streams(&run, &sides[0], &sides[1], &totals));
    run.failed = totals.different > 0;
    if (!run.json && (run.failed || run.verbose))
        base_run_note(&run, "%lld of %lld records differ", (long long)totals.different,
                      (long long)totals.records);
done:
    for (int i = 0; i < 2; i++) {
        mm_record_free(&sides[i].record);
        mm_reader_close(sides[i].reader);
    }
    return base_run_end(&run, status);
}
