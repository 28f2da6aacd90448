/* SPDX-License-Identifier: BSD-3-Clause */
/* H2 matrices. */
#include "mmpipe/h2.h"
#include "api/internal.h"
#include "base/core/memory.h"
#include "h2/device/product.h"
#include "h2/dispatch/dispatch.h"
#include "h2/matrix/io.h"
#include "h2/product/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)MMPIPE_H2_FROBENIUS == H2_FROBENIUS, "rules are the same");

struct mmpipe_h2 {
    h2_matrix matrix;
    /* The matrix on a device, with a plan for products of `plan_vectors` vectors; both are closed when the
     * matrix changes. */
    h2_device_matrix on_device;
    h2_device_plan *plan;
    bool plan_transposed;
    int64_t plan_vectors;
};

static void leave_device(mmpipe_h2 *h2) {
    h2_device_mv_close(h2->plan);
    h2->plan = NULL;
    h2_device_free(&h2->on_device);
}

void mmpipe_h2_free(mmpipe_h2 *h2) {
    if (h2 == NULL)
        return;
    leave_device(h2);
    h2_matrix_free(&h2->matrix);
    free(h2);
}

static base_status give(base_status status, mmpipe_h2 *made, mmpipe_h2 **h2) {
    if (status != BASE_OK) {
        mmpipe_h2_free(made);
        made = NULL;
    }
    *h2 = made;
    return status;
}

/* ---- made from points and records ---- */

static base_status find_function(base_context *context, const char *name, h2_function_kind *kind) {
    for (int k = 0; k < H2_FUNCTIONS; k++)
        if (strcmp(name, h2_function_name((h2_function_kind)k)) == 0) {
            *kind = (h2_function_kind)k;
            return BASE_OK;
        }
    return base_fail(context, BASE_USAGE, "there is no function '%s': " H2_FUNCTION_NAMES, name);
}

static base_status set_options(base_context *context, const mmpipe_h2_build_options *given,
                               h2_build_options *options) {
    base_status status;
    mmpipe_h2_build_options wanted;
    BASE_TRY(api_options(context, given, &wanted, sizeof wanted));
    *options = h2_build_default;
    if (wanted.function != NULL)
        BASE_TRY(find_function(context, wanted.function, &options->function.kind));
    if (wanted.length != 0)
        options->function.length = wanted.length;
    if (wanted.leaf_size != 0)
        options->leaf_size = wanted.leaf_size;
    options->nugget = wanted.nugget;
    options->eta = wanted.eta;
    options->order = wanted.order;
    options->full = wanted.full;
    options->single = wanted.single;
    BASE_TRY(h2_build_check(context, options));
done:
    return status;
}

mmpipe_status mmpipe_h2_build(mmpipe_context *context, const double *point, int64_t n, int64_t dim,
                              const mmpipe_h2_build_options *options, mmpipe_h2 **h2) {
    base_status status;
    h2_build_options wanted;
    h2_dispatch dispatch = {.devices = &context->devices};
    mmpipe_h2 *made = base_alloc_zero(&context->base, 1, sizeof *made);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    BASE_TRY(set_options(&context->base, options, &wanted));
    for (int64_t k = 0; n > 0 && dim > 0 && dim <= 3 && k < n * dim; k++)
        if (!isfinite(point[k]))
            BASE_TRY(
                base_fail(&context->base, BASE_FAILED, "point %lld is not finite", (long long)(k / dim)));
    BASE_TRY(h2_dispatch_build(&context->base, &dispatch, point, n, dim, &wanted, &made->matrix));
    api_log(context, dispatch.note);
done:
    return api_status(give(status, made, h2));
}

mmpipe_status mmpipe_h2_from_record(mmpipe_context *context, mmpipe_record *record, mmpipe_h2 **h2) {
    base_status status;
    mmpipe_h2 *made = base_alloc_zero(&context->base, 1, sizeof *made);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    if (record->record.kind != MM_H2)
        BASE_TRY(base_fail(&context->base, BASE_FAILED, "not an H2 matrix"));
    BASE_TRY(h2_from_record(&context->base, &record->record, &made->matrix));
done:
    return api_status(give(status, made, h2));
}

/* Nothing can be done with a matrix that a record has taken. */
static base_status begin(mmpipe_context *context, const mmpipe_h2 *h2) {
    base_status status;
    BASE_TRY(api_begin(context));
    if (h2->matrix.payload == NULL)
        BASE_TRY(base_fail(&context->base, BASE_USAGE, "the H2 matrix is empty: a record has taken it"));
done:
    return status;
}

mmpipe_status mmpipe_h2_to_record(mmpipe_context *context, mmpipe_h2 *h2, mmpipe_record **record) {
    base_status status;
    mmpipe_record *made = api_record_new(&context->base);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(begin(context, h2));
    leave_device(h2);
    BASE_TRY(h2_to_record(&context->base, &h2->matrix, &made->record));
done:
    return api_status(api_record_give(status, made, record));
}

void mmpipe_h2_get_info(const mmpipe_h2 *h2, mmpipe_h2_info *info) {
    const h2_matrix *matrix = &h2->matrix;
    memset(info, 0, sizeof *info);
    if (matrix->payload == NULL)
        return;
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    *info = (mmpipe_h2_info){.n = matrix->tree.n,
                             .dim = matrix->head.dim,
                             .levels = matrix->head.levels,
                             .most_rank = h2_most_rank(matrix),
                             .bytes = sizes.leaf_bytes + sizes.transfer_bytes + sizes.coupling_bytes +
                                      sizes.dense_bytes,
                             .symmetric = h2_is_symmetric(matrix),
                             .orthogonal = (matrix->head.flags & H2_ORTHOGONAL) != 0,
                             .single = matrix->head.value_bytes == 4,
                             .compress_error = matrix->head.error};
}

/* ---- products ---- */

static base_status check_vectors(base_context *context, const void *x, const void *y, int64_t vectors) {
    return vectors >= 0 && (vectors == 0 || (x != NULL && y != NULL && x != y))
               ? BASE_OK
               : base_fail(context, BASE_USAGE, "%lld vectors; x and y are two arrays", (long long)vectors);
}

mmpipe_status mmpipe_h2_multiply(mmpipe_context *context, const mmpipe_h2 *h2, bool transposed, double alpha,
                                 const double *x, double beta, double *y, int64_t vectors) {
    base_status status;
    h2_dispatch dispatch = {.devices = &context->devices};
    BASE_TRY(begin(context, h2));
    BASE_TRY(check_vectors(&context->base, x, y, vectors));
    if (vectors == 0)
        goto done;
    /* A matrix of this interface is in the host's memory and stays as it is. */
    h2_matrix *matrix = (h2_matrix *)&h2->matrix;
    BASE_TRY(h2_dispatch_mv(&context->base, &dispatch, matrix, transposed, alpha, x, beta, y, vectors));
    api_log(context, dispatch.note);
done:
    return api_status(status);
}

/* The matrix and a plan on the first device. */
static base_status go_to_device(mmpipe_context *context, mmpipe_h2 *h2, bool transposed, int64_t vectors) {
    base_status status;
    base_context *base = &context->base;
    BASE_TRY(base_devices_find(base, &context->devices));
    if (base_devices_count(context->devices.found) == 0)
        BASE_TRY(base_fail(base, BASE_MACHINE, "no device: %s",
                           context->devices.choice == BASE_DEVICE_CPU
                               ? "the context's device is cpu"
                               : base_devices_reason(context->devices.found)));
    base_device *device = base_devices_get(context->devices.found, 0);
    if (h2->on_device.device != device) {
        leave_device(h2);
        BASE_TRY(h2_device_alloc(base, device, &h2->matrix, &h2->on_device));
        BASE_TRY(h2_device_upload(base, &h2->on_device));
    }
    if (h2->plan == NULL || h2->plan_transposed != transposed || h2->plan_vectors != vectors) {
        h2_device_mv_close(h2->plan);
        h2->plan = NULL;
        h2->plan_transposed = transposed;
        h2->plan_vectors = vectors;
        BASE_TRY(h2_device_mv_open(base, &h2->on_device, transposed, vectors, &h2->plan));
    }
done:
    if (status != BASE_OK)
        leave_device(h2);
    return status;
}

mmpipe_status mmpipe_h2_multiply_resident(mmpipe_context *context, mmpipe_h2 *h2, bool transposed,
                                          double alpha, const double *x, double beta, double *y,
                                          int64_t vectors) {
    base_status status;
    base_context *base = &context->base;
    BASE_TRY(begin(context, h2));
    BASE_TRY(check_vectors(base, x, y, vectors));
    if (vectors == 0)
        goto done;
    BASE_TRY(go_to_device(context, h2, transposed, vectors));
    BASE_TRY(h2_device_mv_resident(base, h2->plan, alpha, (uint64_t)(uintptr_t)x, beta,
                                   (uint64_t)(uintptr_t)y, vectors));
    BASE_TRY(base_device_wait(base, h2->on_device.device));
done:
    return api_status(status);
}

mmpipe_status mmpipe_h2_sample_error(mmpipe_context *context, const mmpipe_h2 *h2, int64_t rows,
                                     double *error) {
    base_status status;
    BASE_TRY(begin(context, h2));
    if (rows < 1 || rows > h2->matrix.tree.n)
        BASE_TRY(base_fail(&context->base, BASE_USAGE, "%lld rows of %lld", (long long)rows,
                           (long long)h2->matrix.tree.n));
    BASE_TRY(h2_error_sample(&context->base, &h2->matrix, rows, error));
done:
    return api_status(status);
}

/* ---- changes ---- */

mmpipe_status mmpipe_h2_orthogonalize(mmpipe_context *context, mmpipe_h2 *h2) {
    base_status status;
    h2_dispatch dispatch = {.devices = &context->devices};
    BASE_TRY(begin(context, h2));
    leave_device(h2);
    BASE_TRY(h2_dispatch_orthogonalize(&context->base, &dispatch, &h2->matrix));
    api_log(context, dispatch.note);
done:
    return api_status(status);
}

mmpipe_status mmpipe_h2_compress(mmpipe_context *context, mmpipe_h2 *h2, double tolerance,
                                 mmpipe_h2_rule rule, double *norm, double *error) {
    base_status status;
    h2_dispatch dispatch = {.devices = &context->devices};
    h2_compression compression;
    BASE_TRY(begin(context, h2));
    if (!(tolerance > 0) || tolerance >= 1 || (unsigned)rule > MMPIPE_H2_FROBENIUS)
        BASE_TRY(base_fail(&context->base, BASE_USAGE, "tolerance %g (between 0 and 1), rule %d", tolerance,
                           (int)rule));
    leave_device(h2);
    const h2_compress_options options = {.tolerance = tolerance, .rule = (h2_rule)rule};
    BASE_TRY(h2_dispatch_compress(&context->base, &dispatch, &h2->matrix, &options, &compression));
    api_log(context, dispatch.note);
    if (norm != NULL)
        *norm = compression.norm;
    if (error != NULL)
        *error = compression.error;
done:
    return api_status(status);
}
