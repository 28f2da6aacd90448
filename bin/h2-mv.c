/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/memory.h"
#include "base/core/random.h"
#include "h2/dispatch/filter.h"
#include "mm/matrix/reals.h"
#include "mm/record/hash.h"

#include <stdlib.h>

static const char *vectors_path;
static int64_t count = -1; /* not given */
static bool was_told;      /* that the vector is random */
static double alpha = 1, beta;
static bool transposed;

static const base_option options[] = {
    {"vectors", 'x', BASE_INPUT, "FILE", "the vectors, columns of a matrix", &vectors_path},
    {"random", 0, BASE_INTEGER, "N", "without vectors: N random ones (default: 1)", &count},
    {"random", 'n', BASE_INTEGER, "N", NULL, &count},
    {"transpose", 0, BASE_FLAG, NULL, "take the transpose of each matrix", &transposed},
    {"transpose", 't', BASE_FLAG, NULL, NULL, &transposed},
    {"alpha", 0, BASE_REAL, "X", "factor of the product (default: 1)", &alpha},
    {"beta", 0, BASE_REAL, "X", "factor of what is added to the product (default: 0)", &beta},
    BASE_OPTIONS_END,
};

/* The vectors of --vectors. */
static mm_record given;

static base_status read_vectors(base_run *run) {
    base_context *context = &run->context;
    base_status status;
    char hash[BASE_HASH_TEXT];
    mm_reader *reader = NULL;
    bool found;
    mm_record_init(&given);
    BASE_TRY(mm_reader_open(context, &vectors_path, 1, false, &reader));
    BASE_TRY(mm_reader_next(context, reader, &given, &found));
    if (!found || given.kind != MM_MATRIX)
        BASE_TRY(base_fail(context, BASE_FAILED, "--vectors: there is no matrix"));
    BASE_TRY(mm_record_to_reals(context, &given));
    context->place = (base_place){.record = 0};
    mm_record_hash(&given, hash); /* a state is that of these vectors, whatever the file has later */
    BASE_TRY(base_identity_add(context, &run->identity, "vectors-hash", hash));
done:
    mm_reader_close(reader);
    return status;
}

/* Uniform on [0, 1). */
static base_status draw_vectors(base_context *context, int64_t n, double **value) {
    base_random random;
    *value = base_alloc(context, n * count, sizeof **value);
    if (*value == NULL)
        return BASE_MACHINE;
    base_random_init(&random, context->seed, 0);
    for (int64_t i = 0; i < n * count; i++)
        (*value)[i] = base_random_uniform(&random);
    return BASE_OK;
}

static base_status multiply(base_context *context, h2_dispatch *dispatch, h2_matrix *matrix,
                            mm_record *record) {
    base_status status = BASE_OK;
    const int64_t n = matrix->tree.n;
    double *drawn = NULL;
    if (vectors_path == NULL)
        BASE_TRY(draw_vectors(context, n, &drawn));
    else if (given.nrow != n)
        BASE_TRY(base_fail(context, BASE_FAILED, "the matrix has order %lld, the vectors %lld rows",
                           (long long)n, (long long)given.nrow));
    const double *x = drawn != NULL ? drawn : given.real;
    record->format = MM_ARRAY;
    record->field = MM_REAL;
    record->nrow = n;
    record->ncol = drawn != NULL ? count : given.ncol;
    BASE_TRY(mm_record_alloc(context, record));
    for (int64_t i = 0; i < record->nnz; i++)
        record->real[i] = x[i];
    BASE_TRY(
        h2_dispatch_mv(context, dispatch, matrix, transposed, alpha, x, beta, record->real, record->ncol));
done:
    free(drawn);
    return status;
}

/* The product takes the comments of the matrix, and its place. */
static base_status work(mm_filter_run *filter, h2_dispatch *dispatch, h2_matrix *matrix, mm_record *record) {
    mm_record product;
    mm_record_init(&product);
    if (!was_told)
        base_run_note(&filter->run, "multiplies with a random vector; --vectors FILE names others");
    was_told = true;
    product.comments = record->comments;
    record->comments = NULL;
    const base_status status = multiply(&filter->run.context, dispatch, matrix, &product);
    mm_record_free(record);
    *record = product;
    return status;
}

static base_status check(mm_filter_run *filter) {
    if (count >= 0 && vectors_path != NULL)
        return base_fail(&filter->run.context, BASE_USAGE, "--vectors and --random contradict each other");
    was_told = count >= 0 || vectors_path != NULL;
    count = count < 0 ? 1 : count;
    if (count < 1 || count > 4096)
        return base_fail(&filter->run.context, BASE_USAGE, "--random: 1 to 4096 vectors");
    return vectors_path != NULL ? read_vectors(&filter->run) : BASE_OK;
}

static h2_filter it = {.check = check, .work = work};

static void release(mm_filter_run *filter) {
    h2_filter_release(filter);
    mm_record_free(&given);
}

static const mm_filter filter = {
    .program = {.name = "h2-mv",
                .operands = "[FILE...]",
                .summary = "Multiply H2 matrices with vectors.",
                .common = BASE_HAS_PLACE | BASE_HAS_FORM | BASE_HAS_SEED | BASE_HAS_PART |
                          BASE_HAS_KEEP_GOING | BASE_HAS_PHASES | BASE_HAS_CHECKPOINT,
                .options = options},
    .writes_records = true,
    .all_kinds = true,
    .kinds = 1U << MM_H2,
    .kind_name = "H2 matrices",
    .left_on_device = 1U << MM_H2,
    .begin = h2_filter_begin,
    .record = h2_filter_record,
    .end = h2_filter_end,
    .release = release,
    .data = &it,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
