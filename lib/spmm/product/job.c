/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/job.h"
#include "base/core/memory.h"
#include "mm/metadata/list.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/origin.h"
#include "spmm/product/devices.h"
#include "spmm/product/result.h"
#include "spmm/product/tune.h"

#include <stdio.h>
#include <string.h>

/* ---- C ---- */

static base_status alloc_c(base_context *context, const spmm_problem *problem, spmm_dense *c) {
    return spmm_dense_alloc(context, problem->a.nrow, problem->n,
                            spmm_format_of(spmm_precision_of_c(problem->precision)), c);
}

/* The matrix of -C for right-hand side k, or NULL. */
static base_status find_c(base_context *context, const spmm_job_state *job, int64_t k, const spmm_dense **c) {
    base_status status = BASE_OK;
    const spmm_sides *given = &job->stream->c;
    *c = NULL;
    if (given->count == 0)
        goto done;
    k = given->count > 1 ? k : 0;
    BASE_TRY(spmm_side_check(context, "-C", given, k, job->problem.a.nrow, job->problem.n));
    *c = &given->side[k].dense;
done:
    return status;
}

/* C takes the comments of A. What these say of A's rows holds for C's rows; what they say of A's columns does
 * not hold for C. */
static base_status take_comments(base_context *context, const spmm_job_state *job, mm_record *product) {
    base_status status = BASE_OK;
    const mm_record *a = job->record;
    mm_origin origin = {0};
    if (a->comments == NULL)
        goto done;
    BASE_TRY(mm_origin_get(context, a, &origin));
    product->comments = base_copy_text(context, a->comments, (int64_t)strlen(a->comments));
    if (product->comments == NULL)
        BASE_TRY(BASE_MACHINE);
    mm_origin_remove(product);
    mm_metadata_remove(product, MM_ROW_COUNTS);
    mm_metadata_remove(product, MM_COLUMN_COUNTS);
    const int64_t *rows = job->stream->options->transposed ? origin.col : origin.row;
    if (rows != NULL)
        BASE_TRY(mm_origin_set(context, product, &(mm_origin){product->nrow, product->ncol, NULL, NULL}, rows,
                               NULL));
done:
    mm_origin_free(&origin);
    return status;
}

/* ---- products ---- */

static spmm_operands operands_of(const spmm_job_state *job, const spmm_dense *b, const spmm_dense *c) {
    const spmm_options *options = job->stream->options;
    return (spmm_operands){.b = b->value,
                           .b_row = b->ncol,
                           .c = c != NULL ? c->value : NULL,
                           .c_row = c != NULL ? c->ncol : 0,
                           .alpha = options->alpha,
                           .beta = options->beta};
}

static spmm_goal find_goal(const spmm_stream *stream) {
    const spmm_options *options = stream->options;
    /* The first two products would wait for memory to be pinned, and the first may not be written before the
     * second. */
    const spmm_goal late = options->waits && stream->products >= 2 ? SPMM_ARRIVING : SPMM_FETCHED;
    return options->leaves ? SPMM_LEFT : late;
}

/* The cheapest kernel. Devices are looked for when the processors would take longer than one that computes in
 * no time. */
static base_status choose(base_context *context, spmm_job_state *job, const char *kernel,
                          spmm_handling *handling) {
    base_status status;
    spmm_stream *stream = job->stream;
    spmm_plan *plan = &job->plan;
    BASE_TRY(spmm_plan_make(context, &stream->machine, &job->problem, kernel, handling, plan));
    if (stream->looks_later && spmm_plan_loss(plan, &job->problem, handling) >
                                   spmm_handling_start_seconds(&job->problem, handling)) {
        BASE_TRY(spmm_stream_find_devices(context, stream));
        handling->keeps_b = stream->keeps_b;
        BASE_TRY(spmm_plan_make(context, &stream->machine, &job->problem, kernel, handling, plan));
    }
    stream->lost_seconds += spmm_plan_loss(plan, &job->problem, handling);
done:
    return status;
}

/* Chooses a kernel. Measurements for --tune overwrite C. */
static base_status plan_product(base_context *context, spmm_job_state *job, const char *kernel,
                                spmm_handling *handling, const spmm_operands *operands) {
    base_status status;
    const spmm_options *options = job->stream->options;
    const spmm_machine *machine = &job->stream->machine;
    bool remembered = false;
    job->problem.products = handling->products;
    job->problem.power = options->power;
    job->problem.above_seconds = 0;
    BASE_TRY(choose(context, job, kernel, handling));
    if (options->tune && kernel == NULL)
        BASE_TRY(spmm_tune(context, machine, &job->problem, handling, operands, &job->plan, &remembered));
    job->problem.above_seconds = job->plan.chosen->above_seconds;
    if (options->explain != NULL)
        spmm_explain(job->name, &job->problem, &job->plan, options->explain, options->data);
    if (options->explain != NULL && remembered) {
        char line[96], name[48];
        spmm_candidate_name(job->plan.chosen, name);
        snprintf(line, sizeof line, "%s: remembered from earlier measurements", name);
        options->explain(options->data, line);
    }
done:
    return status;
}

static base_status open_product(base_context *context, spmm_job_state *job, const spmm_kernel *kernel) {
    base_status status;
    const spmm_options *options = job->stream->options;
    char line[160];
    BASE_TRY(spmm_product_open(context, &job->stream->machine, &job->problem, kernel, &job->product));
    if (options->explain == NULL)
        goto done;
    snprintf(line, sizeof line, "%s: prepared in %.3g s, sent in %.3g s; %.3g s with the start of devices",
             kernel->name, job->product.took.format_seconds, job->product.took.send_seconds,
             job->product.open_seconds);
    options->explain(options->data, line);
done:
    return status;
}

/* Numbers beyond the range fail the record, unless --allow-overflow lets them pass with a warning. NaN cannot
 * be written. */
static base_status check_overflow(base_context *context, const spmm_job_state *job, const mm_record *product,
                                  const spmm_overflow *overflow) {
    base_status status = BASE_OK;
    const spmm_options *options = job->stream->options;
    const char *range = spmm_precision_name(spmm_precision_of_c(options->precision));
    const long long row = overflow->row + 1, col = overflow->col + 1;
    char line[400];
    if (overflow->count == 0)
        goto done;
    snprintf(
        line, sizeof line,
        "%lld of the %lld numbers of the product exceed the range of %s, the first at row %lld, column %lld",
        (long long)overflow->count, (long long)(product->nrow * product->ncol), range, row, col);
    if (overflow->undefined > 0)
        BASE_TRY(
            base_fail(context, BASE_FAILED,
                      "%s; %lld of them are not defined, as infinity minus infinity, and cannot be written",
                      line, (long long)overflow->undefined));
    if (!options->allow_overflow)
        BASE_TRY(base_fail(context, BASE_FAILED, "%s; --allow-overflow writes them as infinities", line));
    options->warn(options->data, job->name, line);
done:
    return status;
}

/* `product` has its numbers and nothing else. */
static base_status emit(base_context *context, const spmm_job_state *job, const spmm_overflow *overflow,
                        int64_t k, mm_record *product) {
    base_status status;
    const spmm_options *options = job->stream->options;
    BASE_TRY(check_overflow(context, job, product, overflow));
    BASE_TRY(take_comments(context, job, product));
    if (job->stream->b.count > 1)
        BASE_TRY(mm_metadata_set(context, product, "spmm.side", "%lld", (long long)k + 1));
    BASE_TRY(options->emit(options->data, product));
    job->stream->products++;
done:
    return status;
}

/* Plans and prepares the products with all sides of that width. */
static base_status begin_product(base_context *context, spmm_job_state *job, spmm_side *side) {
    base_status status;
    const spmm_stream *stream = job->stream;
    const spmm_options *options = stream->options;
    const int64_t sides = stream->b.count > 0 ? stream->b.count : 1;
    base_device *device = stream->machine.device;
    spmm_handling handling = {.products = sides * options->power,
                              .makes_records = true,
                              .goal = find_goal(stream),
                              .keeps_b = stream->keeps_b,
                              .has_b = side->array != NULL,
                              .is_started = device != NULL && base_device_is_started(device),
                              .lost_seconds = stream->lost_seconds};
    spmm_dense c = {0};
    spmm_operands operands = {0};
    if (options->tune && options->kernel == NULL) {
        BASE_TRY(spmm_side_to_host(context, options->precision, side));
        BASE_TRY(alloc_c(context, &job->problem, &c));
        operands = operands_of(job, &side->dense, &c);
    }
    BASE_TRY(plan_product(context, job, options->kernel, &handling, &operands));
    BASE_TRY(open_product(context, job, job->plan.chosen->kernel));
done:
    spmm_dense_free(&c);
    return status;
}

/* Has B where the product wants it. */
static base_status place_side(base_context *context, const spmm_job_state *job, spmm_side *side,
                              spmm_operands *operands) {
    base_status status = BASE_OK;
    const spmm_product *product = &job->product;
    if (job->stream->keeps_b && strcmp(product->kernel->device, "cuda") == 0 &&
        spmm_product_is_whole(product) && job->problem.n > 0 && job->problem.a.nrow > 0) {
        BASE_TRY(spmm_side_to_devices(context, product, side));
        operands->b_array = side->array;
        goto done;
    }
    BASE_TRY(spmm_side_to_host(context, job->stream->options->precision, side));
    operands->b = side->dense.value;
done:
    return status;
}

/* C comes to the host by rows. It starts as a copy of the matrix of -C, which other matrices of the stream
 * need as well. */
static base_status multiply_to_host(base_context *context, spmm_job_state *job, spmm_side *side, int64_t k,
                                    mm_record *product, spmm_overflow *overflow) {
    base_status status;
    const spmm_problem *problem = &job->problem;
    const spmm_dense *given = NULL;
    spmm_dense c = {0};
    BASE_TRY(find_c(context, job, k, &given));
    BASE_TRY(alloc_c(context, problem, &c));
    if (given != NULL)
        memcpy(c.value, given->value, (size_t)(problem->a.nrow * problem->n * spmm_c_bytes(problem)));
    spmm_operands operands = operands_of(job, &side->dense, &c);
    BASE_TRY(place_side(context, job, side, &operands));
    BASE_TRY(spmm_product_run_power(context, &job->product, &operands, job->stream->options->power));
    BASE_TRY(spmm_dense_to_record(context, &c, product, overflow));
done:
    spmm_dense_free(&c);
    return status;
}

/* C stays on the device, or comes from there as a record has it. */
static base_status multiply_there(base_context *context, spmm_job_state *job, spmm_side *side, int64_t k,
                                  mm_record *product, spmm_overflow *overflow) {
    base_status status;
    spmm_stream *stream = job->stream;
    const spmm_options *options = stream->options;
    const spmm_dense *c = NULL;
    BASE_TRY(find_c(context, job, k, &c));
    spmm_operands operands = operands_of(job, &side->dense, c);
    BASE_TRY(place_side(context, job, side, &operands));
    BASE_TRY(spmm_product_run_there(context, &job->product, &operands, options->power));
    BASE_TRY(spmm_result_take(context, &job->product, find_goal(stream), &stream->way[stream->products % 2],
                              product, overflow));
    if (options->explain != NULL && product->on_device.descriptor > 0)
        options->explain(options->data, "the product stays on the device");
done:
    return status;
}

base_status spmm_job_multiply(base_context *context, spmm_job_state *job, spmm_side *side, int64_t k) {
    base_status status = BASE_OK;
    const spmm_options *options = job->stream->options;
    mm_record product;
    spmm_overflow overflow;
    bool there = false;
    mm_record_init(&product);
    if (job->product.kernel == NULL)
        BASE_TRY(begin_product(context, job, side));
    if (spmm_product_stays(&job->product, options->power))
        BASE_TRY(spmm_result_has_room(context, &job->product, options->power,
                                      &job->stream->way[job->stream->products % 2], &there));
    if (there)
        BASE_TRY(multiply_there(context, job, side, k, &product, &overflow));
    else
        BASE_TRY(multiply_to_host(context, job, side, k, &product, &overflow));
    BASE_TRY(emit(context, job, &overflow, k, &product));
done:
    mm_record_free(&product);
    return status;
}

/* ---- times ---- */

static base_status measure(base_context *context, spmm_job_state *job, const spmm_candidate *candidate,
                           const spmm_operands *operands, const spmm_dense *exact_b) {
    base_status status;
    enum { ERROR_ROWS = 64 }; /* that errors are measured on */
    const spmm_options *options = job->stream->options;
    spmm_times times;
    spmm_product_close(&job->product);
    job->problem.above_seconds = candidate->above_seconds;
    BASE_TRY(open_product(context, job, candidate->kernel));
    BASE_TRY(spmm_bench(context, &job->product, operands, 2, &times));
    const double error =
        spmm_error(&job->problem, operands->c, operands->c_row, &job->exact.csr, exact_b->value, ERROR_ROWS);
    BASE_TRY(spmm_report_times(context, job->name, &job->product, &times, error, job->stream->report,
                               options->output));
done:
    return status;
}

/* With --kernel all, whatever fits the device's memory at once, in its cheapest variant. */
static bool is_measured(const spmm_job_state *job, const spmm_candidate *candidate, bool all) {
    const int64_t memory = job->stream->machine.memory_bytes;
    return all ? candidate->variant == 0 && candidate->price.seconds > 0 &&
                     (memory == 0 || candidate->price.bytes <= memory)
               : candidate == job->plan.chosen;
}

base_status spmm_job_measure(base_context *context, spmm_job_state *job, const spmm_dense *b,
                             const spmm_dense *exact_b) {
    base_status status;
    const char *kernel = job->stream->options->kernel;
    const bool all = kernel != NULL && strcmp(kernel, "all") == 0;
    spmm_dense c = {0};
    BASE_TRY(alloc_c(context, &job->problem, &c));
    const spmm_operands operands = operands_of(job, b, &c);
    BASE_TRY(plan_product(context, job, all ? NULL : kernel, &(spmm_handling){0}, &operands));
    for (const spmm_candidate *candidate = job->plan.candidate;
         candidate < job->plan.candidate + job->plan.count; candidate++)
        if (is_measured(job, candidate, all))
            BASE_TRY(measure(context, job, candidate, &operands, exact_b));
done:
    spmm_dense_free(&c);
    return status;
}
