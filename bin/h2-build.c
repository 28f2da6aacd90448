/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/hash.h"
#include "h2/dispatch/dispatch.h"
#include "h2/matrix/io.h"
#include "h2/product/error.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/filter.h"

#include <stdlib.h>

static h2_build_options wanted;
static int function, split, admissibility;
static h2_dispatch dispatch;
static const char *from_path;
static struct {
    int64_t n;
    double *value; /* row by row */
} given;

static const base_option options[] = {
    {"function", 'K', BASE_CHOICE, H2_FUNCTION_NAMES, "the function of two points (default: exponential)",
     &function},
    {"kernel", 0, BASE_CHOICE, H2_FUNCTION_NAMES, NULL, &function},
    {"length", 0, BASE_REAL, "L", "its length (default: 0.1)", &wanted.function.length},
    {"length", 'l', BASE_REAL, "L", NULL, &wanted.function.length},
    {"matrix", 0, BASE_INPUT, "FILE", "instead of a function, the small matrix in FILE", &from_path},
    {"from", 0, BASE_INPUT, "FILE", NULL, &from_path},
    {"nugget", 0, BASE_REAL, "X", "added to the diagonal (default: 0)", &wanted.nugget},
    {"eta", 'e', BASE_REAL, "ETA", "admissibility (default: 0.6, 0.9 or 1, by the points' dimension)",
     &wanted.eta},
    {"admissibility", 0, BASE_CHOICE, "center|box", "its rule (default: center)", &admissibility},
    {"order", 0, BASE_INTEGER, "P", "Chebyshev points per dimension\n(default: 8, in three dimensions 4)",
     &wanted.order},
    {"order", 'p', BASE_INTEGER, "P", NULL, &wanted.order},
    {"leaf", 0, BASE_INTEGER, "M", "most points of a leaf (default: 64)", &wanted.leaf_size},
    {"halve", 0, BASE_CHOICE, "median|mean", "where clusters are halved (default: median)", &split},
    {"split", 0, BASE_CHOICE, "median|mean", NULL, &split},
    {"full", 0, BASE_FLAG, NULL, "store both triangles of a symmetric matrix", &wanted.full},
    {"single", 0, BASE_FLAG, NULL, "numbers in binary32", &wanted.single},
    BASE_OPTIONS_END,
};

static base_status read_given(base_context *context) {
    base_status status;
    mm_reader *reader = NULL;
    mm_record record;
    bool found;
    mm_record_init(&record);
    BASE_TRY(mm_reader_open(context, &from_path, 1, false, &reader));
    BASE_TRY(mm_reader_next(context, reader, &record, &found));
    if (!found || record.kind != MM_MATRIX || record.nrow != record.ncol)
        BASE_TRY(base_fail(context, BASE_FAILED, "--matrix: %s has no square matrix", from_path));
    BASE_TRY(h2_points_from_record(context, &record, &given.value));
    given.n = record.nrow;
    context->place = (base_place){.record = 0};
done:
    mm_reader_close(reader);
    mm_record_free(&record);
    return status;
}

/* A state is that of these numbers, whatever the file has later. */
static base_status identify_given(base_run *run) {
    char hash[BASE_HASH_TEXT];
    base_hash_text(given.value, (size_t)(given.n * given.n) * sizeof *given.value, hash);
    return base_identity_add(&run->context, &run->identity, "matrix-hash", hash);
}

static base_status begin(mm_filter_run *filter) {
    h2_dispatch_begin(&dispatch, &filter->run);
    wanted.function.kind = (h2_function_kind)function;
    wanted.split = (h2_split)split;
    wanted.admissibility = (h2_admissibility)admissibility;
    if (from_path != NULL &&
        (read_given(&filter->run.context) != BASE_OK || identify_given(&filter->run) != BASE_OK))
        return filter->run.context.error.status;
    wanted.given = given.value;
    return h2_build_check(&filter->run.context, &wanted);
}

static base_status multiply(base_context *context, void *matrix, const double *x, double *y) {
    return h2_dispatch_mv(context, &dispatch, matrix, false, 1, x, 0, y, 1);
}

/* Says so when the matrix is far from the function's. */
static base_status check(mm_filter_run *filter, const mm_record *record, h2_matrix *matrix) {
    base_context *context = &filter->run.context;
    base_status status = BASE_OK;
    char *name = NULL;
    double error = 0;
    int64_t rows = 0;
    if (filter->run.quiet || wanted.given != NULL)
        goto done;
    BASE_TRY(h2_error_check_by(context, matrix, matrix->on_device.descriptor > 0 ? multiply : NULL, matrix,
                               &rows, &error));
    if (error <= H2_ERROR_REMARK)
        goto done;
    BASE_TRY(mm_record_name(context, record, &name));
    base_run_note(
        &filter->run,
        "%s: sampled error %.2g of a product, from %lld of %lld rows: raise --order (now %lld) or lower "
        "--eta (now %g) for less",
        name, error, (long long)rows, (long long)matrix->tree.n, (long long)matrix->head.order,
        matrix->head.eta);
done:
    free(name);
    return status;
}

static base_status build(mm_filter_run *filter, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    double *point = NULL;
    h2_matrix matrix = {0};
    if (from_path != NULL && record->nrow != given.n)
        BASE_TRY(base_fail(context, BASE_FAILED,
                           "there are %lld points, but the matrix of --matrix has order %lld",
                           (long long)record->nrow, (long long)given.n));
    BASE_TRY(h2_points_from_record(context, record, &point));
    BASE_TRY(h2_dispatch_build(context, &dispatch, point, record->nrow, record->ncol, &wanted, &matrix));
    if (dispatch.note[0] != 0)
        base_run_note(&filter->run, "%s", dispatch.note);
    BASE_TRY(check(filter, record, &matrix));
    BASE_TRY(h2_to_record(context, &matrix, record));
    BASE_TRY(mm_filter_put(filter, record));
done:
    h2_matrix_free(&matrix);
    free(point);
    return status;
}

static void release(mm_filter_run *filter) {
    (void)filter;
    free(given.value);
}

static const mm_filter filter = {
    .program = {.name = "h2-build",
                .operands = "[FILE...]",
                .summary = "Build the H2 matrix of a function on sets of points.",
                .common = BASE_HAS_PLACE | BASE_HAS_FORM_ALONE | BASE_HAS_KEEP_GOING | BASE_HAS_PROGRESS |
                          BASE_HAS_CHECKPOINT,
                .options = options},
    .writes_records = true,
    .begin = begin,
    .record = build,
    .release = release,
};

int main(int argc, char **argv) {
    wanted = h2_build_default;
    return mm_filter_main(&filter, argc, argv);
}
