#include "base/core/memory.h"
#include "mm/matrix/convert.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"
#include "mm/where/where.h"

#include <stdlib.h>
#include <string.h>

static const char *names, *condition;
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
    BASE_OPTIONS_END,
};

/* What --name and --where ask for. */
static struct {
    mm_where *where;
    char *names;   /* each ended by a NUL … */
    int64_t count; /* … so many */
    bool *found;
} wanted;

static base_status begin(mm_filter_run *filter) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    filter->lenient = lenient;
    filter->check_only = check;
    if (array && coordinate)
        BASE_TRY(base_fail(context, BASE_USAGE, "--array and --coordinate contradict each other"));
    if (condition != NULL)
        BASE_TRY(mm_where_compile(context, condition, &wanted.where));
    if (names == NULL)
        goto done;
    wanted.names = base_copy_text(context, names, (int64_t)strlen(names));
    if (wanted.names == NULL)
        BASE_TRY(BASE_MACHINE);
    wanted.count = 1;
    for (char *comma = strchr(wanted.names, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        *comma = '\0';
        wanted.count++;
    }
    wanted.found = base_alloc_zero(context, wanted.count, sizeof *wanted.found);
    if (wanted.found == NULL)
        status = BASE_MACHINE;
done:
    return status;
}

static base_status has_wanted_name(base_context *context, const mm_record *record, bool *any) {
    char *name;
    const char *pattern = wanted.names;
    const base_status status = mm_record_name(context, record, &name);
    *any = false;
    if (status != BASE_OK)
        return status;
    for (int64_t i = 0; i < wanted.count; i++, pattern += strlen(pattern) + 1)
        if (mm_name_matches(pattern, name))
            *any = wanted.found[i] = true;
    free(name);
    return BASE_OK;
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

static base_status record(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    bool holds = true, changed = false;
    base_status status = BASE_OK;
    if (names != NULL)
        BASE_TRY(has_wanted_name(context, record, &holds));
    if (holds && wanted.where != NULL)
        BASE_TRY(mm_where_test(context, wanted.where, record, &holds));
    if (!holds || check)
        goto done;
    BASE_TRY(convert(filter, record, &changed));
    BASE_TRY(changed ? mm_filter_put(filter, record) : mm_filter_pass(filter, record));
done:
    return status;
}

/* Who asks for a matrix by name wants to know that it is not there; with parts, another may have it. */
static base_status end(mm_filter_run *filter) {
    const char *pattern = wanted.names;
    for (int64_t i = 0; i < wanted.count; i++, pattern += strlen(pattern) + 1)
        if (!wanted.found[i] && strpbrk(pattern, "*?[") == NULL && filter->run.part.count == 0)
            return base_fail(&filter->run.context, BASE_FAILED, "no record has the name %s", pattern);
    return BASE_OK;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    mm_where_free(wanted.where);
    free(wanted.names);
    free(wanted.found);
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
