#include "h2/device/dispatch.h"
#include "h2/build/internal.h"
#include "h2/change/orthog.h"
#include "h2/device/compress.h"
#include "h2/device/product.h"
#include "h2/product/mv.h"

#include <stdarg.h>
#include <stdio.h>

/* Measured, roughly: seconds to start a device; bytes a second that a matrix is copied with; that the CPU's
 * products read with; numbers a second that a thread fills in; flop a
 * second of a thread. */
static const double start_seconds = 0.5, copy_rate = 12e9, product_rate = 10e9, fill_rate = 1e8,
                    flop_rate = 2e10;

static int64_t value_bytes(const h2_matrix *matrix) {
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    return sizes.leaf_bytes + sizes.transfer_bytes + sizes.coupling_bytes + sizes.dense_bytes;
}

static void tell(h2_where *where, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(h2_where *where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(where->note, sizeof where->note, format, arguments);
    va_end(arguments);
}

/* The device, or NULL for the CPU, which would take so many seconds; a device so many bytes. */
static base_status pick(base_context *context, h2_where *where, const h2_matrix *matrix, double seconds,
                        int64_t bytes, base_device **device) {
    base_status status = BASE_OK;
    int64_t free_bytes = 0;
    *device = NULL;
    where->note[0] = 0;
    if (where->devices->choice == BASE_DEVICE_CPU ||
        (where->devices->choice == BASE_DEVICE_AUTO &&
         seconds < start_seconds + (double)value_bytes(matrix) / copy_rate))
        goto done;
    BASE_TRY(base_devices_find(context, where->devices));
    if (base_devices_count(where->devices->found) == 0)
        goto done;
    base_device *first = base_devices_get(where->devices->found, 0);
    BASE_TRY(base_device_get_memory(context, first, &free_bytes, NULL, NULL));
    if (bytes > free_bytes)
        tell(where, "the matrix takes %.3g GiB on the device, which has %.3g GiB free: the CPU does it",
             (double)bytes / (1 << 30), (double)free_bytes / (1 << 30));
    else
        *device = first;
done:
    return status;
}

base_status h2_where_build(base_context *context, h2_where *where, const double *point, int64_t n,
                           int64_t dim, const h2_build_options *options, h2_matrix *matrix) {
    base_status status;
    h2_builder builder;
    base_device *device;
    h2_device_matrix on_device = {.matrix = NULL};
    BASE_TRY(h2_builder_open(context, point, n, dim, options, matrix, &builder));
    const double numbers = (double)value_bytes(matrix) / (double)matrix->head.value_bytes;
    if (options->given != NULL) { /* small, and the CPU has it */
        BASE_TRY(h2_fill(context, &builder));
        goto done;
    }
    BASE_TRY(pick(context, where, matrix, numbers / (fill_rate * context->threads),
                  h2_device_bytes(matrix, 1), &device));
    if (device == NULL) {
        BASE_TRY(h2_fill(context, &builder));
        goto done;
    }
    BASE_TRY(h2_device_fill(context, device, &builder, &on_device));
    BASE_TRY(h2_device_download(context, &on_device));
done:
    h2_device_free(&on_device);
    h2_builder_close(&builder);
    return status;
}

static base_status multiply_on_device(base_context *context, base_device *device, const h2_matrix *matrix,
                                      bool transposed, double alpha, const double *x, double beta, double *y,
                                      int64_t vectors) {
    base_status status;
    h2_device_matrix on_device;
    h2_device_plan *plan = NULL;
    BASE_TRY(h2_device_alloc(context, device, matrix, &on_device));
    BASE_TRY(h2_device_upload(context, &on_device));
    BASE_TRY(h2_device_mv_open(context, &on_device, transposed, vectors, &plan));
    BASE_TRY(h2_device_mv(context, plan, alpha, x, beta, y, vectors));
done:
    h2_device_mv_close(plan);
    h2_device_free(&on_device);
    return status;
}

base_status h2_where_mv(base_context *context, h2_where *where, const h2_matrix *matrix, bool transposed,
                        double alpha, const double *x, double beta, double *y, int64_t vectors) {
    base_status status;
    base_device *device;
    h2_product_plan *plan = NULL;
    const double groups = (double)((vectors + 15) / 16),
                 seconds = groups * (double)value_bytes(matrix) / (product_rate * context->threads);
    BASE_TRY(pick(context, where, matrix, seconds, h2_device_bytes(matrix, vectors), &device));
    if (device != NULL) {
        BASE_TRY(multiply_on_device(context, device, matrix, transposed, alpha, x, beta, y, vectors));
        goto done;
    }
    BASE_TRY(h2_mv_open(context, matrix, vectors, &plan));
    h2_mv(plan, transposed, alpha, x, beta, y, vectors);
done:
    h2_mv_close(plan);
    return status;
}

/* Both ways, with flop a number of the coupling blocks and its rank. */
static base_status pick_for_change(base_context *context, h2_where *where, const h2_matrix *matrix,
                                   double flop, base_device **device) {
    base_status status = BASE_OK;
    const int64_t rank = h2_most_rank(matrix);
    const double numbers = (double)matrix->coupling.offset[matrix->coupling.count];
    const double seconds = flop * numbers * (double)rank / (flop_rate * context->threads);
    const int64_t bytes = 2 * matrix->payload_bytes + 48 * rank * rank * matrix->tree.nodes;
    *device = NULL;
    where->note[0] = 0;
    if (!h2_device_can_change(matrix)) {
        if (where->devices->choice == BASE_DEVICE_CUDA)
            tell(where, "ranks beyond 64 or leaves beyond 128 points: the CPU does it");
        goto done;
    }
    BASE_TRY(pick(context, where, matrix, seconds, bytes, device));
done:
    return status;
}

base_status h2_where_orthogonalize(base_context *context, h2_where *where, h2_matrix *matrix) {
    base_status status;
    base_device *device;
    h2_device_matrix on_device = {.matrix = NULL};
    BASE_TRY(pick_for_change(context, where, matrix, 4, &device));
    if (device == NULL) {
        BASE_TRY(h2_orthogonalize(context, matrix));
        goto done;
    }
    BASE_TRY(h2_device_alloc(context, device, matrix, &on_device));
    BASE_TRY(h2_device_upload(context, &on_device));
    BASE_TRY(h2_device_orthogonalize(context, &on_device, matrix, NULL));
    BASE_TRY(h2_device_download(context, &on_device));
done:
    h2_device_free(&on_device);
    return status;
}

base_status h2_where_compress(base_context *context, h2_where *where, h2_matrix *matrix,
                              const h2_compress_options *options, h2_compression *compression) {
    base_status status;
    base_device *device = NULL;
    h2_device_matrix on_device = {.matrix = NULL};
    BASE_TRY(pick_for_change(context, where, matrix, 8, &device));
    if (device == NULL) {
        BASE_TRY(h2_compress(context, matrix, options, compression));
        goto done;
    }
    BASE_TRY(h2_device_alloc(context, device, matrix, &on_device));
    BASE_TRY(h2_device_upload(context, &on_device));
    BASE_TRY(h2_device_compress(context, &on_device, matrix, options, compression, NULL));
    BASE_TRY(h2_device_download(context, &on_device));
done:
    h2_device_free(&on_device);
    return status;
}
