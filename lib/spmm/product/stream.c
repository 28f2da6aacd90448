/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/stream.h"
#include "mm/metadata/metadata.h"
#include "spmm/problem/inspect.h"
#include "spmm/product/devices.h"
#include "spmm/product/job.h"

#include <stdlib.h>
#include <string.h>

/* ---- the stream ---- */

static base_status read_sides(base_context *context, spmm_stream *stream) {
    base_status status = BASE_OK;
    const spmm_options *options = stream->options;
    if (options->b_path != NULL)
        BASE_TRY(spmm_sides_read(context, options->b_path, options->precision,
                                 !spmm_options_ask_lines(options) && !options->tune && !options->saves,
                                 &stream->b));
    if (options->b_path != NULL && options->bench)
        BASE_TRY(spmm_sides_read(context, options->b_path, SPMM_FP64, false, &stream->exact_b));
    if (options->c_path == NULL)
        goto done;
    BASE_TRY(spmm_sides_read(context, options->c_path, spmm_precision_of_c(options->precision), false,
                             &stream->c));
    const int64_t wanted = options->b_path != NULL ? stream->b.count : 1;
    if (stream->c.count != 1 && stream->c.count != wanted)
        BASE_TRY(base_fail(context, BASE_FAILED,
                           "-C: %s has %lld matrices: one, or one for each B, is needed", options->c_path,
                           (long long)stream->c.count));
done:
    return status;
}

base_status spmm_stream_open(base_context *context, const spmm_options *options, spmm_stream *stream) {
    base_status status;
    *stream = (spmm_stream){.options = options,
                            .machine = spmm_machine_without_devices(context),
                            .looks_later = true,
                            .keeps_b = true};
    BASE_TRY(spmm_options_check(context, options));
    if (options->devices->choice == BASE_DEVICE_CUDA)
        BASE_TRY(base_devices_find(context, options->devices));
    BASE_TRY(read_sides(context, stream));
    if (!spmm_stream_may_wait(stream))
        BASE_TRY(spmm_stream_find_devices(context, stream));
    if (spmm_options_ask_lines(options))
        BASE_TRY(mm_report_open(context, options->json, true, &stream->report));
done:
    return status;
}

void spmm_stream_close(spmm_stream *stream) {
    spmm_sides_free(&stream->b);
    spmm_sides_free(&stream->c);
    spmm_sides_free(&stream->exact_b);
    spmm_side_free(&stream->random);
    spmm_way_free(&stream->way[0]);
    spmm_way_free(&stream->way[1]);
    mm_report_close(stream->report);
    *stream = (spmm_stream){0};
}

/* ---- one matrix ---- */

/* What depends on the number of columns begins anew where that changes. */
static base_status set_columns(base_context *context, spmm_job_state *job, int64_t n) {
    base_status status = BASE_OK;
    if (job->problem.n == n && job->problem.a.start != NULL)
        goto done;
    spmm_product_close(&job->product);
    job->problem = (spmm_problem){.precision = job->stream->options->precision, .a = job->matrix.csr, .n = n};
    BASE_TRY(spmm_inspect(context, &job->problem));
done:
    return status;
}

static base_status do_side(base_context *context, spmm_job_state *job, spmm_side *side,
                           const spmm_dense *exact_b, int64_t k) {
    base_status status;
    const spmm_stream *stream = job->stream;
    BASE_TRY(set_columns(context, job, side->dense.ncol));
    if (spmm_options_ask_prices(stream->options)) {
        spmm_plan_price(&stream->machine, &job->problem, &(spmm_handling){0}, &job->plan);
        BASE_TRY(spmm_report_plan(context, job->name, &job->problem, &job->plan, stream->report,
                                  stream->options->output));
    } else if (stream->options->bench) {
        BASE_TRY(spmm_job_measure(context, job, &side->dense, exact_b));
    } else {
        BASE_TRY(spmm_job_multiply(context, job, side, k));
    }
done:
    return status;
}

static base_status do_random(base_context *context, spmm_job_state *job) {
    base_status status;
    const spmm_options *options = job->stream->options;
    const int64_t nrow = job->matrix.csr.ncol, ncol = options->random_columns;
    spmm_side *side = &job->stream->random;
    spmm_dense exact_b = {0};
    if (side->dense.value == NULL || side->dense.nrow != nrow) {
        spmm_side_free(side);
        BASE_TRY(spmm_dense_random(context, nrow, ncol, options->precision, &side->dense));
    }
    if (options->bench)
        BASE_TRY(spmm_dense_random(context, nrow, ncol, SPMM_FP64, &exact_b));
    BASE_TRY(do_side(context, job, side, &exact_b, 0));
done:
    spmm_dense_free(&exact_b);
    return status;
}

static base_status do_sides(base_context *context, spmm_job_state *job) {
    base_status status = BASE_OK;
    spmm_stream *stream = job->stream;
    for (int64_t k = 0; k < stream->b.count; k++) {
        BASE_TRY(spmm_side_check(context, "-B", &stream->b, k, job->matrix.csr.ncol, -1));
        BASE_TRY(do_side(context, job, &stream->b.side[k],
                         stream->options->bench ? &stream->exact_b.side[k].dense : NULL, k));
    }
done:
    return status;
}

/* What lies in the memory of the host: A by rows, B, the product. One that stays on a device does not. */
static base_status check_memory(base_context *context, const spmm_job_state *job) {
    base_status status = BASE_OK;
    spmm_stream *stream = job->stream;
    const spmm_csr *a = &job->matrix.csr;
    int64_t n = stream->options->random_columns;
    for (int64_t k = 0; k < stream->b.count; k++)
        n = stream->b.side[k].dense.ncol > n ? stream->b.side[k].dense.ncol : n;
    const double bytes = 24.0 * (double)a->start[a->nrow] + 8.0 * (double)n * (double)(a->nrow + a->ncol);
    if (spmm_options_ask_prices(stream->options) || bytes <= 7.0 / 8 * (double)context->memory_bytes)
        goto done;
    if (stream->options->leaves)
        BASE_TRY(spmm_stream_find_devices(context, stream));
    if (stream->machine.device != NULL && stream->options->leaves)
        goto done;
    if (stream->options->settle != NULL)
        BASE_TRY(stream->options->settle(stream->options->data));
    if (stream->options->settle == NULL || bytes > (double)context->memory_bytes)
        BASE_TRY(base_fail(context, BASE_MACHINE,
                           "A, B and the product need about %.3g bytes, %lld are allowed (--memory)", bytes,
                           (long long)context->memory_bytes));
done:
    return status;
}

base_status spmm_stream_record(base_context *context, spmm_stream *stream, const mm_record *record) {
    base_status status;
    const spmm_options *options = stream->options;
    spmm_job_state job = {.stream = stream, .record = record};
    BASE_TRY(mm_record_name(context, record, &job.name));
    BASE_TRY(spmm_matrix_from_record(context, record, options->transposed, options->precision, &job.matrix));
    if (options->power > 1 && job.matrix.csr.nrow != job.matrix.csr.ncol)
        BASE_TRY(base_fail(context, BASE_FAILED, "--power: A is not square but %lld by %lld",
                           (long long)job.matrix.csr.nrow, (long long)job.matrix.csr.ncol));
    BASE_TRY(check_memory(context, &job));
    if (options->bench)
        BASE_TRY(spmm_matrix_from_record(context, record, options->transposed, SPMM_FP64, &job.exact));
    BASE_TRY(options->b_path == NULL ? do_random(context, &job) : do_sides(context, &job));
done:
    free(job.name);
    spmm_product_close(&job.product);
    spmm_matrix_free(&job.matrix);
    spmm_matrix_free(&job.exact);
    return status;
}
