/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/filter.h"
#include "perm/plan/plan.h"
#include "perm/report/parts.h"
#include "perm/report/report.h"
#include "perm/solve/minors_record.h"

#include <string.h>

static bool raw, exact, decimal, certify, emit_kernel, minors;
static const char *precision_text, *row_list, *column_list;
static perm_precision precision;
static perm_fold fold;
static perm_work work;
static perm_cost_history cost_history;
static perm_options stream_options;
static perm_stream *stream;
static base_run out; /* of the stream's results: a thread of its own may give them out */

static const base_option options[] = {
    {"raw", 0, BASE_FLAG, NULL, "take each matrix as it is: no blocks, no reduction", &raw},
    {"precision", 0, BASE_TEXT, "double|kahan|dd|mpfr:BITS|exact",
     "precision to compute in; the page tells the default", &precision_text},
    {"exact", 0, BASE_FLAG, NULL, "the same as --precision exact", &exact},
    {"decimal", 0, BASE_FLAG, NULL, "with --exact: take entries as decimals, 0.1 for 1/10", &decimal},
    {"certify", 0, BASE_FLAG, NULL, "rely on certain error bounds, not on estimates", &certify},
    {"row-mult", 0, BASE_TEXT, "LIST", "count rows so many times, e.g. 1,0,2", &row_list},
    {"col-mult", 0, BASE_TEXT, "LIST", "count columns so many times", &column_list},
    {"minors", 0, BASE_FLAG, NULL,
     "write the matrix of the permanents without a row\nand a column, instead of the permanent", &minors},
    {"emit-kernel", 0, BASE_FLAG, NULL, "print the source of the GPU kernel of each block", &emit_kernel},
    BASE_OPTIONS_END,
};

static bool is_list(const base_run *run) {
    return run->kernel != NULL && strcmp(run->kernel, "list") == 0;
}

static perm_options how(base_run *run) {
    return (perm_options){.kernel = is_list(run) ? NULL : perm_kernel_name(run->kernel),
                          .raw = raw,
                          .certify = certify,
                          .list = is_list(run) || emit_kernel,
                          .emit = emit_kernel ? perm_report_emit : NULL,
                          .log = perm_report_log(run, is_list(run)),
                          .precision = precision,
                          .row_list = row_list,
                          .column_list = column_list,
                          .most_seconds = perm_most_seconds(run->max_time_seconds),
                          .limit_seconds = run->max_time_seconds,
                          .keep_going = run->keep_going,
                          .devices = &run->devices,
                          .cost_history = &cost_history,
                          .work = is_list(run) || emit_kernel ? NULL : &work,
                          .notes = &work};
}

/* Puts out a record of the batch, with its result or error. */
static base_status put(base_context *context, void *data, const mm_record *record, base_status status,
                       perm_partial_result *partial_result, double seconds) {
    (void)context;
    return perm_report_partial_result(data, &fold, record, status, partial_result, seconds);
}

/* Records are solved together where nothing has to be told or kept of each. */
static base_status open_stream(base_run *run) {
    if (run->part.count > 0 || run->checkpoint != NULL || run->explain || run->verbose ||
        run->time_limit_seconds > 0 || is_list(run) || emit_kernel || minors)
        return BASE_OK;
    base_run_fork(run, &out);
    stream_options = how(run), stream_options.work = NULL;
    const perm_stream_out to = {put, perm_report_flush, &out, &out.context};
    return perm_stream_open(&run->context, &stream_options, &to, &stream);
}

static base_status put_minors(mm_filter_run *filter, const mm_record *record) {
    base_run *run = &filter->run;
    base_status status;
    const perm_options options = how(run);
    mm_record result;
    mm_record_init(&result);
    BASE_TRY(perm_minors_record(&run->context, record, &options, &result));
    if (!is_list(run))
        BASE_TRY(mm_filter_put(filter, &result));
done:
    mm_record_free(&result);
    return status;
}

static base_status begin(mm_filter_run *filter) {
    base_run *run = &filter->run;
    filter->check_only = !minors || is_list(run);
    if (minors && perm_report_check_minors(run, decimal || emit_kernel) != BASE_OK)
        return BASE_USAGE;
    perm_fold_init(&fold);
    if (perm_precision_choose(&run->context, precision_text, exact, decimal, &precision) != BASE_OK ||
        (!is_list(run) && perm_plan_check_kernel(&run->context, run->kernel, minors) != BASE_OK))
        return BASE_USAGE;
    if (run->devices.choice == BASE_DEVICE_CUDA)
        base_devices_find_early(&run->context, &run->devices);
    work = (perm_work){run->part,       run->verify,    run->verify_share,  base_run_deadline(run),
                       run->keep_going, &run->identity, base_run_note_line, .data = run};
    const base_status opened = perm_work_open(&run->context, &work, run->checkpoint);
    const base_status saves = base_run_saves(run, perm_work_saver(&work)); /* and releases it in any case */
    return opened != BASE_OK ? opened : saves != BASE_OK ? saves : open_stream(run);
}

/* Where devices are asked for there must be some. */
static base_status find_devices(base_run *run) {
    return run->devices.choice == BASE_DEVICE_CUDA ? base_devices_find(&run->context, &run->devices)
                                                   : BASE_OK;
}

static base_status record(mm_filter_run *filter, mm_record *record) {
    base_run *run = &filter->run;
    const perm_options options = how(run);
    if (find_devices(run) != BASE_OK)
        return BASE_MACHINE;
    if (minors)
        return put_minors(filter, record);
    if (stream != NULL)
        return perm_stream_add(&run->context, stream, record);
    if (run->part.count > 0 && !is_list(run) && !emit_kernel)
        return perm_part_record(&run->context, run->output, record, &options);
    return perm_report_record(run, &fold, record, &options, 0);
}

static base_status failed(mm_filter_run *filter) {
    return minors || filter->run.part.count > 0 ? BASE_OK : perm_report_failure(&filter->run, stream);
}

static base_status end(mm_filter_run *filter) {
    base_run *run = &filter->run;
    base_status status;
    BASE_TRY(find_devices(run));
    BASE_TRY(perm_work_finish(&run->context, &work));
    if (stream != NULL)
        BASE_TRY(perm_stream_finish(&run->context, stream));
    BASE_TRY(run->part.count > 0 && !is_list(run) && !emit_kernel
                 ? perm_part_end(&run->context, run->output, &work)
                 : perm_report_end(run, &fold));
done:
    return status;
}

static void release(mm_filter_run *filter) {
    perm_stream_close(&filter->run.context, stream);
    base_run_join(&filter->run, &out);
    perm_fold_free(&fold);
}

static const mm_filter filter = {
    .program = {.name = "perm-gpu",
                .operands = "[FILE...]",
                .summary = "Compute permanents of matrices, exactly or with an error bound.",
                .common = BASE_HAS_DEVICE | BASE_HAS_SEED | BASE_HAS_PART | BASE_HAS_KEEP_GOING |
                          BASE_HAS_PROGRESS | BASE_HAS_JSON | BASE_HAS_EXPLAIN | BASE_HAS_MAX_TIME |
                          BASE_HAS_CHECKPOINT | BASE_OWN_CHECKPOINT | BASE_HAS_VERIFY,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .own_part = true,
    .record = record,
    .failed = failed,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
