/* SPDX-License-Identifier: BSD-3-Clause */
/* The step that builds a matrix. */
#include "h2/device/build.h"
#include "h2/dispatch/internal.h"

/* Measured, roughly: numbers a second that a thread fills in. */
static const double fill_rate = 1e8;

static double seconds(const h2_matrix *matrix, const void *call, int threads) {
    (void)call;
    return (double)h2_value_bytes(matrix) / (double)matrix->head.value_bytes / (fill_rate * threads);
}

static int64_t bytes(const h2_matrix *matrix, const void *call) {
    (void)call;
    return h2_device_bytes(matrix, 1);
}

/* A given matrix is small, and the CPU has it. */
static const char *reason(const h2_matrix *matrix, const void *call) {
    const h2_builder *builder = call;
    (void)matrix;
    return builder->options->given != NULL ? "" : NULL;
}

static base_status on_cpu(base_context *context, void *call) {
    return h2_fill(context, call);
}

static base_status on_device(base_context *context, h2_device_matrix *on_device, void *call) {
    return h2_device_fill(context, call, on_device);
}

static int64_t part_bytes(const h2_matrix *matrix, const void *call) {
    (void)call;
    return h2_device_fill_bytes(matrix);
}

static base_status in_parts(base_context *context, base_device *device, void *call) {
    return h2_device_fill_in_parts(context, call, device);
}

static const h2_step step = {
    .downloads = true,
    .makes = true,
    .seconds = seconds,
    .bytes = bytes,
    .reason = reason,
    .on_cpu = on_cpu,
    .on_device = on_device,
    .part_bytes = part_bytes,
    .in_parts = in_parts,
};

base_status h2_dispatch_build(base_context *context, h2_dispatch *dispatch, const double *point, int64_t n,
                              int64_t dim, const h2_build_options *options, h2_matrix *matrix) {
    base_status status;
    h2_builder builder;
    BASE_TRY(h2_builder_open(context, point, n, dim, options, matrix, &builder));
    BASE_TRY(h2_dispatch_step(context, dispatch, &step, matrix, &builder));
done:
    h2_builder_close(&builder);
    return status;
}
