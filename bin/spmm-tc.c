/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/filter.h"
#include "spmm/product/stream.h"

static int precision = SPMM_FP64;
static spmm_options how = {.alpha = 1, .power = 1};
static spmm_stream stream;

static const base_option options[] = {
    {"b", 'B', BASE_INPUT, "FILE", "the dense matrix B, or several", &how.b_path},
    {"random-b", 0, BASE_INTEGER, "N", "instead: random numbers, N columns", &how.random_columns},
    {"random-b", 'n', BASE_INTEGER, "N", NULL, &how.random_columns},
    {"transpose-a", 0, BASE_FLAG, NULL, "multiply by the transpose of A", &how.transposed},
    {"transpose-a", 't', BASE_FLAG, NULL, NULL, &how.transposed},
    {"power", 0, BASE_INTEGER, "K", "multiply K times: A^K B (default: 1)", &how.power},
    {"alpha", 0, BASE_REAL, "X", "factor of the product (default: 1)", &how.alpha},
    {"beta", 0, BASE_REAL, "X", "factor of what is added to the product (default: 0)", &how.beta},
    {"c", 'C', BASE_INPUT, "FILE", "the dense matrix C, or one for each B", &how.c_path},
    {"allow-overflow", 0, BASE_FLAG, NULL, "write numbers beyond the range as infinities, with a remark",
     &how.allow_overflow},
    {"precision", 0, BASE_CHOICE, "fp16|bf16|tf32|3xtf32|fp32|fp64",
     "precision to compute in; the page tells the default", &precision},
    {"precision", 'p', BASE_CHOICE, "fp16|bf16|tf32|3xtf32|fp32|fp64", NULL, &precision},
    {"tune", 0, BASE_FLAG, NULL, "measure the best kernels, and remember the choice", &how.tune},
    {"device-memory", 0, BASE_BYTES, "BYTES",
     "memory of a GPU to use, e.g. 8G (default: nine tenths);\nlarger products are done in blocks",
     &how.device_memory_bytes},
    {"bench", 0, BASE_FLAG, NULL, "write times instead of products; also of --kernel all", &how.bench},
    BASE_OPTIONS_END,
};

static base_status put(void *data, mm_record *product) {
    return mm_filter_put_later(data, product);
}

static base_status settle(void *data) {
    return mm_filter_settle(data);
}

static void explain(void *data, const char *line) {
    base_run_note(&((mm_filter_run *)data)->run, "%s", line);
}

static void warn(void *data, const char *name, const char *line) {
    base_run_note(&((mm_filter_run *)data)->run, "%s: %s", name, line);
}

/* A state is that of these factors, whatever the files have later. */
static base_status identify_sides(base_run *run) {
    base_status status;
    BASE_TRY(base_identity_add(&run->context, &run->identity, "b-hash", stream.b.hash));
    BASE_TRY(base_identity_add(&run->context, &run->identity, "c-hash", stream.c.hash));
done:
    return status;
}

static base_status begin(mm_filter_run *filter) {
    base_run *run = &filter->run;
    how.precision = (spmm_precision)precision;
    how.kernel = run->kernel;
    how.json = run->json;
    how.devices = &run->devices;
    how.emit = put;
    how.settle = settle;
    how.warn = warn;
    how.explain = run->explain ? explain : NULL;
    how.data = filter;
    how.output = run->output;
    how.saves = run->checkpoint != NULL;
    how.leaves = run->form == BASE_FORM_RESIDENT && !run->verify && !how.saves;
    how.waits = run->form != BASE_FORM_RESIDENT && !how.saves;
    if (run->devices.choice == BASE_DEVICE_CUDA)
        base_devices_find_early(&run->context, &run->devices);
    filter->check_only = spmm_options_ask_lines(&how);
    base_status status = spmm_stream_open(&run->context, &how, &stream);
    if (status == BASE_OK && stream.report != NULL && run->keep_going)
        mm_report_tell_failures(stream.report);
    if (status == BASE_OK && how.saves)
        status = identify_sides(run);
    return status;
}

static base_status failed(mm_filter_run *filter) {
    base_run *run = &filter->run;
    return stream.report != NULL ? mm_report_fail(&run->context, stream.report, run->output) : BASE_OK;
}

static base_status end(mm_filter_run *filter) {
    base_run *run = &filter->run;
    return stream.report != NULL ? mm_report_end(&run->context, stream.report, run->output) : BASE_OK;
}

static base_status record(mm_filter_run *filter, mm_record *record) {
    return spmm_stream_record(&filter->run.context, &stream, record);
}

static void release(mm_filter_run *filter) {
    (void)filter;
    spmm_stream_close(&stream);
}

static const mm_filter filter = {
    .program = {.name = "spmm-tc",
                .operands = "[FILE...]",
                .summary = "Multiply sparse matrices with dense ones.",
                .common = BASE_HAS_DEVICE | BASE_HAS_FORM | BASE_HAS_SEED | BASE_HAS_PART |
                          BASE_HAS_KEEP_GOING | BASE_HAS_EXPLAIN | BASE_HAS_JSON | BASE_HAS_CHECKPOINT,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = record,
    .failed = failed,
    .end = end,
    .release = release,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
