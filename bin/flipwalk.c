/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/formats/formats.h"
#include "flip/job/dispatch.h"
#include "flip/job/grow.h"
#include "flip/search/tune.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"

#include <stdlib.h>
#include <string.h>

static flip_search_options wanted = {.keep = 1};
static flip_work work;
static flip_dispatch dispatch;
static flip_starts starts;
static flip_growth growth;
static bool together, grow;
static const char *tuning;

/* What --tune sets was an option each: hidden, until 0.2. */
#define OLD(name, member) {name, 0, BASE_INTEGER, "N", NULL, &wanted.member},

static const base_option options[] = {
    {"target", 0, BASE_INTEGER, "RANK", "stop at this rank (default: the least one known)", &wanted.target},
    {"target", 't', BASE_INTEGER, "RANK", NULL, &wanted.target},
    {"steps", 0, BASE_INTEGER, "N", "stop after N steps in all", &wanted.steps},
    {"keep", 0, BASE_INTEGER, "K", "write up to K schemes of the least rank (default: 1)", &wanted.keep},
    {"together", 0, BASE_FLAG, NULL, "start one search from all schemes of the input", &together},
    {"grow", 0, BASE_FLAG, NULL, "search for smaller formats first, and extend what they give", &grow},
    {"grow-steps", 0, BASE_INTEGER, "N", "steps for each of them (default: by format)", &growth.steps},
    {"grow-keep", 0, BASE_INTEGER, "K", "schemes of each to go on with (default: 64)", &growth.keep},
    {"pool", 0, BASE_TEXT, "FILE", "start from the schemes there, save what is found", &work.pool},
    {"pool-size", 0, BASE_INTEGER, "N", "schemes of each rank in pools (default: 64)", &wanted.pool_size},
    {"islands", 0, BASE_INTEGER, "N", "groups of walkers (default: 16, many on devices)", &wanted.islands},
    {"walkers", 0, BASE_INTEGER, "N", "walkers of an island on processors (default: 8)", &wanted.walkers},
    {"cyclic", 0, BASE_FLAG, NULL, "walk on schemes that turning factors leaves alone", &dispatch.cyclic},
    {"reversed", 0, BASE_FLAG, NULL, "and that reversing rows and columns leaves alone", &dispatch.reversed},
    {"groups", 0, BASE_TEXT, "I+J,K+L,...", "which fixed terms of the standard algorithm are merged",
     &dispatch.groups},
    {"numbers", 0, BASE_TEXT, "KEY=N,...", "other numbers of the search, for experiments", &tuning},
    {"tune", 0, BASE_TEXT, "KEY=N,...", NULL, &tuning},
    FLIP_TUNE_OLD(OLD) BASE_OPTIONS_END,
};

static void log_line(void *run, const char *line) {
    base_run_detail(run, "%s", line);
}

static base_status begin(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    filter->check_only = run->kernel != NULL && strcmp(run->kernel, "list") == 0;
    if (filter->check_only) {
        filter->stop = true;
        status = flip_dispatch_list(&run->context, run->output);
        goto done;
    }
    if (wanted.keep < 1 || wanted.keep > 1000000)
        BASE_TRY(base_fail(context, BASE_USAGE, "--keep is from 1 to 1000000"));
    if (tuning != NULL)
        BASE_TRY(flip_tune(context, tuning, &wanted));
    dispatch.devices = &run->devices;
    dispatch.kernel = run->kernel;
    BASE_TRY(flip_dispatch_open(context, &dispatch));
    wanted.is_limited = run->time_limit_seconds > 0;
    work.identity = &run->identity;
    work.deadline_seconds = base_run_deadline(run);
    work.log = log_line, work.note = base_run_note_line, work.data = run;
    if (work.pool != NULL)
        BASE_TRY(base_run_claim(run, work.pool, "pool", false));
    BASE_TRY(base_run_saves(run, flip_work_saver(&work, run->checkpoint)));
    BASE_TRY(flip_work_open(context, &work));
done:
    return status;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    flip_starts_free(&starts);
}

static base_status put(mm_filter_run *filter, const int64_t size[3], int64_t rank, const uint64_t *masks,
                       const char *name) {
    base_context *context = &filter->run.context;
    base_status status;
    mm_record record;
    mm_record_init(&record);
    BASE_TRY(flip_masks_to_record(context, size, rank, masks, &record));
    BASE_TRY(mm_metadata_set(context, &record, "name", "%s", name));
    BASE_TRY(mm_metadata_set(context, &record, "flip.rank", "%lld", (long long)rank));
    BASE_TRY(mm_filter_put(filter, &record));
done:
    mm_record_free(&record);
    return status;
}

/* From the schemes that were read since the last search. */
static base_status search(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_context *context = &run->context;
    base_status status = BASE_OK;
    flip_pools found = {0};
    char *name = NULL;
    bool reached;
    if (grow)
        BASE_TRY(flip_grow(context, &dispatch, &work, &growth, &wanted, &starts));
    work.starts = &starts;
    BASE_TRY(flip_dispatch_search(context, &dispatch, &work, &starts.record, &starts.scheme, &wanted, &found,
                                  &reached));
    BASE_TRY(mm_record_name(context, &starts.record, &name));
    int64_t rank = flip_pools_least(&found);
    for (int64_t k = 0; k < found.pool[rank].count; k++)
        BASE_TRY(put(filter, starts.scheme.size, rank, flip_pools_get(&found, rank, k), name));
    if (wanted.target > 0 && !reached) {
        base_run_note(run, "%s: stopped at rank %lld", name, (long long)rank);
        run->failed = true;
    }
done:
    free(name);
    flip_pools_close(&found);
    flip_starts_free(&starts);
    return status;
}

static base_status walk(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    flip_scheme scheme = {0};
    if (filter->writer == NULL)
        goto done;
    if (record->kind != MM_SCHEME)
        return mm_filter_pass(filter, record);
    BASE_TRY(flip_scheme_from_record(context, record, &scheme));
    BASE_TRY(flip_dispatch_ready(context, &dispatch, &scheme));
    BASE_TRY(flip_starts_add(context, &starts, record, &scheme));
    if (!together)
        BASE_TRY(search(filter));
done:
    flip_scheme_free(&scheme);
    return status;
}

static base_status end(mm_filter_run *filter) {
    return starts.count > 0 ? search(filter) : BASE_OK;
}

static const mm_filter program = {
    .program = {.name = "flipwalk",
                .operands = "[FILE...]",
                .summary = "Search for matrix multiplication schemes of small rank over F2 by random walks.",
                .common = BASE_HAS_FORM | BASE_HAS_PART | BASE_HAS_KEEP_GOING | BASE_HAS_SEED |
                          BASE_HAS_DEVICE | BASE_HAS_PROGRESS | BASE_HAS_CHECKPOINT | BASE_OWN_CHECKPOINT |
                          BASE_HAS_TIME_LIMIT,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = walk,
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
