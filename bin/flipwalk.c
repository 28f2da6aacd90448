#include "flip/device.h"
#include "flip/formats.h"
#include "flip/place.h"
#include "flip/walk.h"
#include "mm/filter.h"
#include "mm/metadata.h"

#include <string.h>

static flip_search_options wanted = {.keep = 1};
static flip_work work;
static flip_place place;

static const base_option options[] = {
    {"target", 't', BASE_INTEGER, "R", "stop at rank R (default: the least known rank of the format)",
     &wanted.target},
    {"steps", 0, BASE_INTEGER, "N", "stop after N steps in all", &wanted.steps},
    {"keep", 0, BASE_INTEGER, "K", "write up to K distinct schemes of the least rank (default: 1)",
     &wanted.keep},
    {"pool", 0, BASE_TEXT, "FILE", "start from the schemes there, if any, and save there what is found",
     &work.pool},
    {"pool-size", 0, BASE_INTEGER, "N", "schemes of each rank in the pool (default: 64)", &wanted.pool_size},
    {"islands", 0, BASE_INTEGER, "N", "independent groups of walkers (default: 16, many on a device)",
     &wanted.islands},
    {"walkers", 0, BASE_INTEGER, "N", "walkers of an island on processors (default: 8)", &wanted.walkers},
    {"low-rank", 0, BASE_INTEGER, "R", "where the low options hold (default: least known rank + 7)",
     &wanted.low_rank},
    {"plus-after", 0, BASE_INTEGER, "N", "steps without a drop before a plus (default: 3000)",
     &wanted.plus_after},
    {"plus-after-low", 0, BASE_INTEGER, "N", "the same at low ranks (default: by format)",
     &wanted.plus_after_low},
    {"plus-limit", 0, BASE_INTEGER, "R", "ranks that pluses may rise (default: 3, 4x4x4: 2)",
     &wanted.plus_limit},
    {"budget", 0, BASE_INTEGER, "N", "flips of an island before it steps back (default: 2000000)",
     &wanted.budget},
    {"budget-low", 0, BASE_INTEGER, "N", "the same at low ranks (default: by format)", &wanted.budget_low},
    {"sink-rank", 0, BASE_INTEGER, "R", "where islands begin anew (default: by format)", &wanted.sink_rank},
    {"sink-budget", 0, BASE_INTEGER, "N", "flips of an island there (default: 100000)", &wanted.sink_budget},
    {"sink-back", 0, BASE_INTEGER, "R", "ranks of its step back there (default: to the start)",
     &wanted.sink_back},
    {"walk", 0, BASE_INTEGER, "N", "flips before its walkers go back to its scheme", &wanted.walk},
    {"step-back", 0, BASE_INTEGER, "R", "ranks of the first step back (default: 4)", &wanted.step_back},
    {"reduce-after", 0, BASE_INTEGER, "N", "steps between generalised reductions (default: 1024)",
     &wanted.reduce_after},
    {"cyclic", 0, BASE_FLAG, NULL, "walk on schemes that turning their factors leaves alone (n by n)",
     &place.cyclic},
    {"reversed", 0, BASE_FLAG, NULL, "on cyclic ones that reversing rows and columns leaves alone too",
     &place.reversed},
    BASE_OPTIONS_END,
};

static base_status list_kernels(base_run *run) {
    base_status status = BASE_OK;
    for (int k = 0; flip_kernels[k] != NULL && status == BASE_OK; k++)
        status = base_output_print(&run->context, run->output, "%s\t%s\n", flip_kernels[k]->name,
                                   flip_kernels[k]->device);
    for (const flip_device_kernel *kernel = flip_device_kernels; kernel->name != NULL && status == BASE_OK;
         kernel++)
        status = base_output_print(&run->context, run->output, "%s\tcuda\t%s\n", kernel->name, kernel->what);
    return status;
}

static void tell(void *data, const char *line) {
    const base_run *run = data;
    base_run_detail(run, "%s", line);
}

static void note(void *data, const char *line) {
    const base_run *run = data;
    base_run_note(run, "%s", line);
}

static base_status begin(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    filter->check_only = run->kernel != NULL && strcmp(run->kernel, "list") == 0;
    if (filter->check_only) {
        status = list_kernels(run);
        goto done;
    }
    if (wanted.keep < 1 || wanted.keep > 1000000)
        BASE_TRY(base_fail(context, BASE_USAGE, "--keep is from 1 to 1000000"));
    place.devices = &run->devices;
    place.kernel = run->kernel;
    BASE_TRY(flip_place_open(context, &place));
    wanted.is_limited = run->time_limit_seconds > 0;
    work.identity = run->identity;
    work.deadline_seconds = run->time_limit_seconds > 0 ? base_clock_seconds() + run->time_limit_seconds : 0;
    work.tell = tell;
    work.note = note;
    work.data = run;
    BASE_TRY(flip_work_open(context, &work, run->checkpoint));
done:
    return status;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    flip_work_close(&work);
}

static base_status put(mm_filter_run *filter, const flip_scheme *from, const uint64_t *masks, int64_t rank,
                       const char *name) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    flip_scheme scheme = {0};
    mm_record record;
    mm_record_init(&record);
    BASE_TRY(flip_scheme_from_masks(context, from->size, rank, masks, &scheme));
    BASE_TRY(flip_scheme_to_record(context, &scheme, &record));
    BASE_TRY(mm_metadata_set(context, &record, "name", "%s", name));
    BASE_TRY(mm_metadata_set(context, &record, "flip.rank", "%lld", (long long)rank));
    BASE_TRY(mm_filter_put(filter, &record));
done:
    flip_scheme_free(&scheme);
    mm_record_free(&record);
    return status;
}

static base_status walk(mm_filter_run *filter, mm_record *record) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    flip_scheme scheme = {0};
    flip_pools found = {0};
    char name[512];
    bool reached;
    if (filter->writer == NULL)
        goto done;
    if (record->kind != MM_SCHEME) {
        status = mm_filter_pass(filter, record);
        goto done;
    }
    BASE_TRY(flip_scheme_from_record(context, record, &scheme));
    BASE_TRY(flip_place_search(context, &place, &work, record, &scheme, &wanted, &found, &reached));
    mm_record_name(context, record, name, sizeof name);
    int64_t rank = flip_pools_least(&found);
    for (int64_t k = 0; k < found.pool[rank].count; k++)
        BASE_TRY(put(filter, &scheme, flip_pools_get(&found, rank, k), rank, name));
    if (wanted.target > 0 && !reached) {
        base_run_note(run, "%s: record %lld: stopped at rank %lld", context->place.file,
                      (long long)context->place.record, (long long)rank);
        run->failed = true;
    }
done:
    flip_pools_close(&found);
    flip_scheme_free(&scheme);
    return status;
}

static const mm_filter program = {
    .program = {.name = "flipwalk",
                .operands = "[FILE...]",
                .summary = "Search for matrix multiplication schemes of small rank over F2 by random walks.",
                .common = BASE_HAS_FORM | BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_SEED |
                          BASE_HAS_DEVICE | BASE_HAS_PROGRESS | BASE_HAS_MEMORY | BASE_HAS_CHECKPOINT |
                          BASE_HAS_TIME_LIMIT,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = walk,
    .release = release,
    .all_kinds = true,
    .form = &flip_reader_form,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
