#include "spmm/stream.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "mm/list.h"
#include "mm/metadata.h"
#include "mm/origin.h"
#include "spmm/inspect.h"

#include <stdlib.h>
#include <string.h>

/* C is scaled and added in the format of the sums. */
static spmm_precision precision_of_c(spmm_precision precision) {
    return precision == SPMM_FP64 ? SPMM_FP64 : SPMM_FP32;
}

static base_status check_options(base_context *context, const spmm_options *options) {
    if ((options->b_path != NULL) == (options->random_columns > 0))
        return base_fail(context, BASE_USAGE, "either -B FILE or --random-b N is needed");
    if (options->beta != 0 && options->c_path == NULL)
        return base_fail(context, BASE_USAGE, "--beta needs the matrix C: -C FILE");
    if (options->c_path != NULL && options->beta == 0)
        return base_fail(context, BASE_USAGE, "-C without --beta has no effect");
    return BASE_OK;
}

base_status spmm_stream_open(base_context *context, const spmm_options *options, spmm_stream *stream) {
    base_status status;
    *stream = (spmm_stream){.options = options};
    stream->machine.cpu_level = base_cpu_has(BASE_CPU_AVX512) ? 2 : base_cpu_has(BASE_CPU_AVX2) ? 1 : 0;
    stream->machine.threads = context->threads;
    BASE_TRY(check_options(context, options));
    if (options->b_path != NULL)
        BASE_TRY(spmm_sides_read(context, options->b_path, options->precision, &stream->b));
    if (options->c_path == NULL)
        goto done;
    BASE_TRY(spmm_sides_read(context, options->c_path, precision_of_c(options->precision), &stream->c));
    if (stream->c.count != 1 && stream->c.count != stream->b.count)
        BASE_TRY(base_fail(context, BASE_FAILED,
                           "-C: %s has %lld matrices: one, or one for each B, is needed", options->c_path,
                           (long long)stream->c.count));
done:
    return status;
}

void spmm_stream_close(spmm_stream *stream) {
    spmm_sides_free(&stream->b);
    spmm_sides_free(&stream->c);
}

/* ---- one product ---- */

/* The comments of A, but what they say of its rows and columns holds for the rows of C alone. */
static base_status take_comments(base_context *context, const mm_record *a, bool transposed,
                                 mm_record *product) {
    base_status status = BASE_OK;
    mm_origin origin = {0};
    if (a->comments == NULL)
        goto done;
    BASE_TRY(mm_origin_get(context, a, &origin));
    product->comments = base_copy_text(context, a->comments, (int64_t)strlen(a->comments));
    if (product->comments == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    mm_origin_remove(product);
    mm_metadata_remove(product, MM_ROW_COUNTS);
    mm_metadata_remove(product, MM_COLUMN_COUNTS);
    const int64_t *rows = transposed ? origin.col : origin.row;
    if (rows != NULL)
        BASE_TRY(mm_origin_set(context, product, &(mm_origin){product->nrow, product->ncol, NULL, NULL}, rows,
                               NULL));
done:
    mm_origin_free(&origin);
    return status;
}

/* C as it is before: that of -C, which other matrices of the stream need as well, or room for it. */
static base_status prepare_c(base_context *context, const spmm_stream *stream, const spmm_problem *problem,
                             int64_t k, spmm_dense *c) {
    base_status status;
    BASE_TRY(spmm_dense_alloc(context, problem->a.nrow, problem->n,
                              spmm_format_of(precision_of_c(problem->precision)), c));
    if (stream->c.count == 0)
        goto done;
    k = stream->c.count > 1 ? k : 0;
    BASE_TRY(spmm_side_check(context, "-C", &stream->c, k, problem->a.nrow, problem->n));
    memcpy(c->value, stream->c.side[k].dense.value,
           (size_t)(problem->a.nrow * problem->n * spmm_c_bytes(problem)));
done:
    return status;
}

static base_status multiply(base_context *context, spmm_stream *stream, spmm_product *product,
                            const spmm_dense *b, int64_t k, spmm_dense *c) {
    base_status status;
    const spmm_problem *problem = product->problem;
    BASE_TRY(prepare_c(context, stream, problem, k, c));
    BASE_TRY(spmm_product_run(context, product,
                              &(spmm_operands){.b = b->value,
                                               .b_row = b->ncol,
                                               .c = c->value,
                                               .c_row = c->ncol,
                                               .alpha = stream->options->alpha,
                                               .beta = stream->options->beta}));
done:
    return status;
}

/* ---- one matrix ---- */

typedef struct job {
    spmm_stream *stream;
    const mm_record *record;
    spmm_matrix matrix;
    spmm_problem problem;
    spmm_product product; /* for right-hand sides of problem.n columns */
    spmm_emit *emit;
    void *data;
} job;

static base_status open_product(base_context *context, job *job, int64_t n) {
    base_status status = BASE_OK;
    const spmm_options *options = job->stream->options;
    const spmm_kernel *kernel;
    if (job->product.kernel != NULL && job->problem.n == n)
        goto done;
    spmm_product_close(&job->product);
    job->problem = (spmm_problem){.precision = options->precision, .a = job->matrix.csr, .n = n};
    BASE_TRY(spmm_inspect(context, &job->problem));
    BASE_TRY(spmm_pick(context, options->kernel, &job->stream->machine, &job->problem, &kernel));
    BASE_TRY(spmm_product_open(context, &job->stream->machine, &job->problem, kernel, &job->product));
done:
    return status;
}

static base_status do_side(base_context *context, job *job, const spmm_dense *b, int64_t k) {
    base_status status;
    spmm_dense c = {0};
    mm_record product;
    mm_record_init(&product);
    BASE_TRY(open_product(context, job, b->ncol));
    BASE_TRY(multiply(context, job->stream, &job->product, b, k, &c));
    BASE_TRY(spmm_dense_to_record(context, &c, &product));
    BASE_TRY(take_comments(context, job->record, job->stream->options->transposed, &product));
    if (job->stream->b.count > 1)
        BASE_TRY(mm_metadata_set(context, &product, "spmm.side", "%lld", (long long)k + 1));
    BASE_TRY(job->emit(job->data, &product));
done:
    spmm_dense_free(&c);
    mm_record_free(&product);
    return status;
}

static base_status do_random(base_context *context, job *job) {
    base_status status;
    spmm_dense b = {0};
    BASE_TRY(spmm_dense_random(context, job->matrix.csr.ncol, job->stream->options->random_columns,
                               job->stream->options->precision, &b));
    BASE_TRY(do_side(context, job, &b, 0));
done:
    spmm_dense_free(&b);
    return status;
}

base_status spmm_stream_record(base_context *context, spmm_stream *stream, const mm_record *record,
                               spmm_emit *emit, void *data) {
    base_status status;
    const spmm_options *options = stream->options;
    job job = {.stream = stream, .record = record, .emit = emit, .data = data};
    BASE_TRY(spmm_matrix_from_record(context, record, options->transposed, options->precision, &job.matrix));
    if (options->b_path == NULL)
        BASE_TRY(do_random(context, &job));
    for (int64_t k = 0; k < stream->b.count; k++) {
        BASE_TRY(spmm_side_check(context, "-B", &stream->b, k, job.matrix.csr.ncol, -1));
        BASE_TRY(do_side(context, &job, &stream->b.side[k].dense, k));
    }
done:
    spmm_product_close(&job.product);
    spmm_matrix_free(&job.matrix);
    return status;
}
