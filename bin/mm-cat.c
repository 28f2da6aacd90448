#include "mm/matrix/convert.h"
#include "mm/matrix/extract.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"
#include "mm/where/where.h"

static const char *names, *condition;
static mm_extract_options extraction;
static bool lenient, check, drop_zeros, general, array, coordinate, strip;

static const base_option options[] = {
    {"name", 'n', BASE_TEXT, "NAME[,...]", "only records with these names; globs such as 'HB/*'", &names},
    {"where", 'w', BASE_TEXT, "EXPR", "only records for which EXPR holds: 'square && n<=63'", &condition},
    {"check", 'c', BASE_FLAG, NULL, "read everything and write nothing", &check},
    {"lenient", 0, BASE_FLAG, NULL, "repair what can be repaired, and say so", &lenient},
    {"drop-zeros", 0, BASE_FLAG, NULL, "drop explicit zeros", &drop_zeros},
    {"general", 0, BASE_FLAG, NULL, "expand symmetric storage", &general},
    {"array", 0, BASE_FLAG, NULL, "write matrices in array format", &array},
    {"coordinate", 0, BASE_FLAG, NULL, "write matrices in coordinate format", &coordinate},
    {"strip", 0, BASE_FLAG, NULL, "drop the comments, all but name and scheme", &strip},
    {"rows", 0, BASE_TEXT, "LIST", "write the submatrix of these rows: 1,2,2,5:8", &extraction.rows},
    {"cols", 0, BASE_TEXT, "LIST", "write the submatrix of these columns", &extraction.cols},
    {"submatrices", 0, BASE_TEXT, "FILE", "write a submatrix for each line ROWS;COLS of the file",
     &extraction.file},
    BASE_OPTIONS_END,
};

/* What --where and --name ask for. */
static mm_where *where;
static mm_names *wanted;

static bool is_extracting(void) {
    return extraction.rows != NULL || extraction.cols != NULL || extraction.file != NULL;
}

static base_status begin(mm_filter_run *filter) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    filter->lenient = lenient;
    filter->check_only = check;
    if (array && coordinate)
        BASE_TRY(base_fail(context, BASE_USAGE, "--array and --coordinate contradict each other"));
    if (extraction.file != NULL && extraction.rows != NULL)
        BASE_TRY(base_fail(context, BASE_USAGE, "--rows and --submatrices contradict each other"));
    if (condition != NULL)
        BASE_TRY(mm_where_compile(context, condition, &where));
    if (names != NULL)
        BASE_TRY(mm_names_open(context, names, &wanted));
done:
    return status;
}

static base_status convert(mm_filter_run *filter, mm_record *record, bool *changed) {
    static const struct {
        const bool *asked;
        base_status (*convert)(base_context *, mm_record *, bool *);
    } conversions[] = {
        {&coordinate, mm_record_to_coordinate},
        {&drop_zeros, mm_record_drop_zeros},
        {&general, mm_record_expand},
        {&array, mm_record_to_array},
    };
    base_status status = BASE_OK;
    *changed = mm_reader_repair(filter->reader) != NULL;
    if (strip)
        mm_metadata_strip(record);
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        bool step = false;
        if (*conversions[i].asked)
            BASE_TRY(conversions[i].convert(&filter->run.context, record, &step));
        *changed = *changed || step;
    }
done:
    return status;
}

static base_status extract(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    mm_extractor *extractor = NULL;
    mm_record part;
    bool found;
    mm_record_init(&part);
    BASE_TRY(mm_extractor_open(context, record, &extraction, &extractor));
    for (;;) {
        BASE_TRY(mm_extractor_next(context, extractor, &part, &found));
        if (!found)
            break;
        BASE_TRY(mm_filter_put(filter, &part));
    }
done:
    mm_record_free(&part);
    mm_extractor_close(extractor);
    return status;
}

static base_status record(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    bool holds = true, changed = false;
    base_status status = BASE_OK;
    if (wanted != NULL)
        BASE_TRY(mm_names_test(context, wanted, record, &holds));
    if (holds && where != NULL)
        BASE_TRY(mm_where_test(context, where, record, &holds));
    if (!holds || check)
        goto done;
    BASE_TRY(convert(filter, record, &changed));
    if (is_extracting() && record->kind == MM_MATRIX)
        BASE_TRY(extract(filter, record));
    else
        BASE_TRY(changed ? mm_filter_put(filter, record) : mm_filter_pass(filter, record));
done:
    return status;
}

/* Who asks for a matrix by name wants to know that it is not there; with parts, another may have it. */
static base_status end(mm_filter_run *filter) {
    const char *missing = wanted != NULL && filter->run.part.count == 0 ? mm_names_missing(wanted) : NULL;
    if (missing != NULL)
        return base_fail(&filter->run.context, BASE_FAILED, "no record has the name %s", missing);
    return BASE_OK;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    mm_where_free(where);
    mm_names_close(wanted);
}

static const mm_filter filter = {
    .program = {.name = "mm-cat",
                .operands = "[FILE...]",
                .summary = "Convert, concatenate, pick and check matrices.",
                .common = BASE_HAS_FORM | BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_MEMORY,
                .options = options},
    .writes_records = true,
    .all_kinds = true,
    .begin = begin,
    .record = record,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
