#include "flip/formats.h"
#include "flip/search.h"
#include "flip/walk.h"
#include "mm/filter.h"
#include "mm/metadata.h"

#include <string.h>

static flip_search_options wanted = {.keep = 1};

static const base_option options[] = {
    {"target", 't', BASE_INTEGER, "R", "stop at rank R (default: the least known rank of the format)",
     &wanted.target},
    {"steps", 0, BASE_INTEGER, "N", "stop after N steps in all", &wanted.steps},
    {"time-limit", 0, BASE_SECONDS, "TIME", "stop after TIME for each scheme", &wanted.seconds},
    {"keep", 0, BASE_INTEGER, "K", "write up to K distinct schemes of the least rank (default: 1)",
     &wanted.keep},
    {"islands", 0, BASE_INTEGER, "N", "independent groups of walkers (default: 16)", &wanted.islands},
    {"walkers", 0, BASE_INTEGER, "N", "walkers of an island (default: 16)", &wanted.walkers},
    {"low-rank", 0, BASE_INTEGER, "R", "where the low options hold (default: least known rank + 7)",
     &wanted.low_rank},
    {"plus-after", 0, BASE_INTEGER, "N", "steps without a drop before a plus (default: 3000)",
     &wanted.plus_after},
    {"plus-after-low", 0, BASE_INTEGER, "N", "the same at low ranks (default: 300)", &wanted.plus_after_low},
    {"plus-limit", 0, BASE_INTEGER, "R", "ranks that pluses may rise (default: 3)", &wanted.plus_limit},
    {"budget", 0, BASE_INTEGER, "N", "flips of an island before it steps back (default: 2000000)",
     &wanted.budget},
    {"budget-low", 0, BASE_INTEGER, "N", "the same at low ranks (default: 30000000)", &wanted.budget_low},
    {"step-back", 0, BASE_INTEGER, "R", "ranks to step back (default: 4)", &wanted.step_back},
    {"reduce-after", 0, BASE_INTEGER, "N", "steps between generalised reductions (default: 1024)",
     &wanted.reduce_after},
    BASE_OPTIONS_END,
};

static base_status list_kernels(base_run *run) {
    base_status status = BASE_OK;
    for (int k = 0; flip_kernels[k] != NULL && status == BASE_OK; k++)
        status = base_output_print(&run->context, run->output, "%s\t%s\n", flip_kernels[k]->name,
                                   flip_kernels[k]->device);
    return status;
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
    if (run->device == BASE_DEVICE_CUDA)
        BASE_TRY(base_fail(context, BASE_MACHINE,
                           "--device cuda: there is no device kernel yet; use --device cpu"));
    if (wanted.keep < 1 || wanted.keep > 1000000)
        BASE_TRY(base_fail(context, BASE_USAGE, "--keep is from 1 to 1000000"));
    BASE_TRY(flip_choose_kernel(context, run->kernel, &wanted.kernel));
done:
    return status;
}

static void tell(void *data, const char *line) {
    const base_run *run = data;
    base_run_detail(run, "%s", line);
}

static base_status put(mm_filter_run *filter, const flip_search *search, const mm_record *from,
                       int64_t index) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    flip_scheme scheme = {0};
    mm_record record;
    char name[512];
    mm_record_init(&record);
    BASE_TRY(flip_search_get(context, search, index, &scheme));
    BASE_TRY(flip_scheme_to_record(context, &scheme, &record));
    mm_record_name(context, from, name, sizeof name);
    BASE_TRY(mm_metadata_set(context, &record, "name", "%s", name));
    BASE_TRY(mm_metadata_set(context, &record, "flip.rank", "%lld", (long long)scheme.rank));
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
    flip_search *search = NULL;
    if (filter->writer == NULL)
        goto done;
    if (record->kind != MM_SCHEME) {
        status = mm_filter_pass(filter, record);
        goto done;
    }
    BASE_TRY(flip_scheme_from_record(context, record, &scheme));
    wanted.tell = tell;
    wanted.data = run;
    BASE_TRY(flip_search_open(context, &scheme, &wanted, &search));
    BASE_TRY(flip_search_run(context, search));
    for (int64_t k = 0; k < flip_search_count(search); k++)
        BASE_TRY(put(filter, search, record, k));
    if (wanted.target > 0 && flip_search_rank(search) > wanted.target) {
        base_run_note(run, "%s: record %lld: stopped at rank %lld", context->place.file,
                      (long long)context->place.record, (long long)flip_search_rank(search));
        run->failed = true;
    }
done:
    flip_search_close(search);
    flip_scheme_free(&scheme);
    return status;
}

static const mm_filter program = {
    .program = {.name = "flipwalk",
                .operands = "[FILE...]",
                .summary = "Search for matrix multiplication schemes of small rank over F2 by random walks.",
                .common = BASE_HAS_FORM | BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_SEED |
                          BASE_HAS_DEVICE | BASE_HAS_PROGRESS | BASE_HAS_MEMORY,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = walk,
    .all_kinds = true,
    .form = &flip_reader_form,
};

int main(int argc, char **argv) {
    return mm_filter_main(&program, argc, argv);
}
