#include "mm/filter.h"
#include "perm/report.h"
#include <string.h>

static bool raw;
static perm_fold fold;

static const base_option options[] = {
    {"raw", 0, BASE_FLAG, NULL, "take each matrix as it is: no blocks, no reduction", &raw},
    BASE_OPTIONS_END,
};

static base_status begin(mm_filter_run *filter) {
    perm_fold_init(&fold);
    if (filter->run.device == BASE_DEVICE_CUDA)
        return base_fail(&filter->run.context, BASE_MACHINE,
                         "--device cuda: no device kernel is built yet; use --device cpu");
    return BASE_OK;
}

static bool is_list(const base_run *run) {
    return run->kernel && strcmp(run->kernel, "list") == 0;
}

static void tell(void *data, bool detail, const char *line) {
    const base_run *run = data;
    if (run->explain && !detail)
        base_run_note(run, "%s", line);
    else
        base_run_detail(run, "%s", line);
}

static void tell_list(void *data, bool detail, const char *line) {
    base_run *run = data;
    if (!detail)
        base_output_print(&run->context, run->output, "%s\n", line);
}

/* Blocks that never came are one failure; the record that shows it is still worth its own answer. */
static base_status check_blocks(base_run *run, const mm_record *record) {
    base_status status = perm_fold_check(&run->context, &fold, record);
    if (status != BASE_FAILED || !run->keep_going)
        return status;
    base_run_print_error(run);
    run->failed = true;
    return BASE_OK;
}

static base_status record(mm_filter_run *filter, mm_record *record) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    bool complete;
    perm_options how = {.kernel = is_list(run) ? NULL : run->kernel,
                        .raw = raw,
                        .list = is_list(run),
                        .tell = is_list(run) ? tell_list : tell,
                        .data = run};
    BASE_TRY(check_blocks(run, record));
    double start = base_clock_seconds();
    BASE_TRY(perm_fold_take(context, &fold, record, &how, &complete));
    fold.seconds += base_clock_seconds() - start;
    if (complete && !is_list(run))
        BASE_TRY((run->json ? perm_report_json : perm_report_line)(context, run->output, &fold));
done:
    return status;
}

static base_status end(mm_filter_run *filter) {
    return check_blocks(&filter->run, NULL);
}

static void release(mm_filter_run *filter) {
    (void)filter;
    perm_fold_free(&fold);
}

static const mm_filter filter = {
    .program = {.name = "perm-gpu",
                .operands = "[FILE...]",
                .summary = "Compute permanents of square matrices, exactly or with an error bound.",
                .common = BASE_HAS_DEVICE | BASE_HAS_SEED | BASE_HAS_PART | BASE_HAS_KEEP_GOING |
                          BASE_HAS_PROGRESS | BASE_HAS_JSON | BASE_HAS_EXPLAIN | BASE_HAS_MEMORY,
                .options = options},
    .begin = begin,
    .record = record,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
