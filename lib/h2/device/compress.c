/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/compress.h"
#include "base/core/memory.h"
#include "h2/device/compressor.h"
#include "h2/device/large.h"
#include "h2/device/parts.h"
#include "h2/device/product.h"
#include "h2/product/norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- norms ---- */

static base_status sum_squares(base_context *context, base_device_module *module,
                               const h2_device_matrix *on_device, double *square) {
    base_status status = BASE_OK;
    const h2_matrix *matrix = on_device->matrix;
    long long count = matrix->coupling.offset[matrix->coupling.count];
    const int64_t pieces = (count + H2_GPU_SQUARES - 1) / H2_GPU_SQUARES;
    base_device_buffer buffer = {0};
    base_device_function function;
    double *sums = base_alloc(context, pieces + 1, sizeof *sums);
    *square = 0;
    if (sums == NULL)
        BASE_TRY(BASE_MACHINE);
    uint64_t values = h2_device_address(on_device, matrix->coupling.value);
    const base_device_launch_config shape = {.grid = {(unsigned)pieces}, .block = {H2_GPU_QR_THREADS}};
    BASE_TRY(h2_device_get_function(context, module, matrix, "h2_gpu_squares", &function));
    BASE_TRY(base_device_alloc(context, on_device->device, pieces + 1, sizeof *sums, &buffer));
    if (pieces > 0) {
        BASE_TRY(base_device_launch(context, &function, &shape, NULL,
                                    (void *[]){&count, &values, &buffer.address}));
        BASE_TRY(base_device_download(context, &buffer, 0, sums, pieces * (int64_t)sizeof *sums, NULL));
    }
    for (int64_t i = 0; i < pieces; i++)
        *square += sums[i];
    *square *= h2_is_symmetric(matrix) ? 2 : 1;
done:
    base_device_free(&buffer);
    free(sums);
    return status;
}

static base_status multiply(base_context *context, void *data, bool transposed, const double *x, double *y) {
    return h2_device_mv(context, ((h2_device_plan **)data)[transposed], 1, x, 0, y, 1);
}

static base_status find_norm(base_context *context, const h2_device_matrix *on_device, double *norm) {
    base_status status;
    const h2_matrix *matrix = on_device->matrix;
    h2_device_plan *plans[2] = {NULL, NULL}; /* for A, for Aᵀ */
    BASE_TRY(h2_device_mv_open(context, on_device, false, 1, &plans[0]));
    if (!h2_is_symmetric(matrix))
        BASE_TRY(h2_device_mv_open(context, on_device, true, 1, &plans[1]));
    BASE_TRY(h2_norm_by(context, matrix, H2_POWER_STEPS, multiply, plans, norm));
done:
    h2_device_mv_close(plans[0]);
    h2_device_mv_close(plans[1]);
    return status;
}

static base_status set_norms(base_context *context, base_device_module *module,
                             const h2_device_matrix *on_device, const h2_compress_options *options,
                             h2_compression *compression) {
    base_status status;
    double square;
    BASE_TRY(sum_squares(context, module, on_device, &square));
    compression->norm = sqrt(square);
    if (options->rule == H2_ABSOLUTE)
        BASE_TRY(find_norm(context, on_device, &compression->norm2));
done:
    return status;
}

/* ---- compression ---- */

base_status h2_device_compress(base_context *context, h2_device_matrix *on_device, h2_matrix *matrix,
                               const h2_compress_options *options, h2_compression *compression,
                               h2_device_times *times) {
    base_status status;
    const bool is_large = h2_device_is_large(matrix);
    h2_device_compressor c;
    h2_device_matrix other = {.matrix = NULL};
    h2_matrix result = {.payload = NULL};
    BASE_TRY(h2_device_compressor_open(context, on_device, options, compression, &c));
    BASE_TRY(set_norms(context, c.module, on_device, options, compression));
    BASE_TRY(h2_device_compressor_truncate(context, &c, is_large ? &h2_device_large_steps : NULL));
    const h2_shape shape = h2_device_compressor_shape(&c);
    BASE_TRY(h2_matrix_alloc(context, &shape, &result));
    BASE_TRY(h2_device_alloc(context, on_device->device, &result, &other));
    BASE_TRY(h2_device_compressor_store(context, &c, &other));
    BASE_TRY(is_large ? h2_device_change_large_blocks(context, on_device, &c.row.change, &c.cols->change,
                                                      &other, 0, matrix->coupling.count)
                      : h2_device_change_blocks(context, c.module, on_device, &c.row.change, &c.cols->change,
                                                &other));
    if (times != NULL)
        *times = h2_device_compressor_times(&c);
    BASE_TRY(h2_device_replace(context, on_device, matrix, &other, &result));
done:
    h2_device_compressor_close(&c);
    h2_device_free(&other);
    h2_matrix_free(&result);
    return status;
}

/* ---- in parts ---- */

static const h2_device_truncation_steps part_steps = {h2_device_weigh_in_parts, h2_device_truncate_large};

/* What is known when the bases of the result are; those of the matrix are not needed then. */
static base_status find_bases(base_context *context, h2_device_compressor *c, h2_matrix *result) {
    base_status status;
    h2_device_matrix bases = {.matrix = NULL};
    h2_shape shape = h2_device_compressor_shape(c);
    shape.without_dense = true;
    BASE_TRY(h2_matrix_alloc(context, &shape, result));
    BASE_TRY(h2_device_alloc_bases(context, c->from->device, result, &bases));
    BASE_TRY(h2_device_compressor_store(context, c, &bases));
    BASE_TRY(h2_device_download(context, &bases));
done:
    h2_device_free(&bases);
    return status;
}

base_status h2_device_compress_in_parts(base_context *context, base_device *device, h2_matrix *matrix,
                                        const h2_compress_options *options, h2_compression *compression,
                                        h2_device_times *times) {
    base_status status;
    h2_device_compressor c = {.cols = NULL};
    h2_device_matrix bases = {.matrix = NULL};
    h2_matrix result = {.payload = NULL};
    BASE_TRY(h2_device_alloc_bases(context, device, matrix, &bases));
    BASE_TRY(h2_device_upload(context, &bases));
    BASE_TRY(h2_device_compressor_open(context, &bases, options, compression, &c));
    compression->norm = sqrt(h2_sum_squares(matrix, &matrix->coupling, context->threads));
    if (options->rule == H2_ABSOLUTE)
        BASE_TRY(h2_norm(context, matrix, H2_POWER_STEPS, &compression->norm2));
    BASE_TRY(h2_device_compressor_truncate(context, &c, &part_steps));
    BASE_TRY(find_bases(context, &c, &result));
    h2_device_free(&bases);
    BASE_TRY(h2_device_change_in_parts(context, device, matrix, &c.row.change, &c.cols->change, &result));
    if (times != NULL)
        *times = h2_device_compressor_times(&c);
    BASE_TRY(h2_matrix_take_dense(context, &result, matrix));
done:
    h2_device_compressor_close(&c);
    h2_device_free(&bases);
    h2_matrix_free(&result);
    return status;
}
