/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/device/array.h"
#include "base/core/memory.h"
#include "spmm/transpose/contract.h"

#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin spmm_transpose_gpu_fatbin;

base_status spmm_device_array_alloc(base_context *context, base_device *device, int64_t nrow, int64_t ncol,
                                    spmm_precision precision, spmm_format format, spmm_device_array *array) {
    const int64_t many = 16 / spmm_format_bytes(spmm_format_of(precision));
    *array = (spmm_device_array){.nrow = nrow,
                                 .ncol = ncol,
                                 .stride = (ncol + many - 1) / many * many * spmm_format_bytes(format),
                                 .format = format};
    return base_device_alloc(context, device, nrow > 0 ? nrow : 1, array->stride, &array->buffer);
}

void spmm_device_array_free(spmm_device_array *array) {
    base_device_free(&array->buffer);
    *array = (spmm_device_array){.nrow = 0};
}

base_status spmm_device_array_upload(base_context *context, const spmm_device_array *array, const void *from,
                                     int64_t row_bytes) {
    base_status status = BASE_OK;
    const int64_t width = array->ncol * spmm_format_bytes(array->format);
    char *padded = NULL;
    if (width < array->stride || row_bytes != array->stride) {
        padded = base_alloc_zero(context, array->nrow, array->stride);
        if (padded == NULL)
            BASE_TRY(BASE_MACHINE);
        for (int64_t row = 0; row < array->nrow; row++)
            memcpy(padded + row * array->stride, (const char *)from + row * row_bytes, (size_t)width);
        from = padded;
    }
    BASE_TRY(base_device_upload_pieces(context, &array->buffer, from, array->nrow * array->stride));
done:
    free(padded);
    return status;
}

/* ---- layouts ---- */

static base_status launch(base_context *context, const char *kernel, base_device *device, int64_t blocks,
                          spmm_transpose *it) {
    base_status status;
    base_device_module *module;
    base_device_function function;
    BASE_TRY(base_device_get_module(context, device, &spmm_transpose_gpu_fatbin, &module));
    BASE_TRY(base_device_get_function(context, module, kernel, &function));
    BASE_TRY(base_device_launch(
        context, &function,
        &(base_device_launch_config){.grid = {(unsigned)blocks}, .block = {SPMM_TRANSPOSE_THREADS}}, NULL,
        (void *[]){it}));
done:
    return status;
}

base_status spmm_device_array_round(base_context *context, const spmm_device_array *array) {
    spmm_transpose it = {.row = (void *)(uintptr_t)array->buffer.address,
                         .nrow = array->nrow,
                         .stride = array->stride / (int64_t)sizeof(float)};
    const int64_t blocks = (it.nrow * it.stride + SPMM_TRANSPOSE_THREADS - 1) / SPMM_TRANSPOSE_THREADS;
    return blocks > 0 ? launch(context, "transpose_round", array->buffer.device, blocks, &it) : BASE_OK;
}

/* Submits the kernel and waits for it; `count` is a counter on the device. */
static base_status transpose(base_context *context, const char *kernel, const spmm_device_array *array,
                             const base_device_buffer *columns, spmm_transpose_format format,
                             const base_device_buffer *count, int64_t *beyond) {
    base_status status;
    spmm_transpose it = {.column = (double *)(uintptr_t)columns->address,
                         .row = (void *)(uintptr_t)array->buffer.address,
                         .beyond = (unsigned long long *)(uintptr_t)count->address,
                         .nrow = array->nrow,
                         .ncol = array->ncol,
                         .stride = array->stride / spmm_format_bytes(array->format),
                         .format = (int)format};
    BASE_TRY(base_device_fill(context, count, 0, 0, sizeof *beyond, NULL));
    BASE_TRY(launch(context, kernel, array->buffer.device,
                    SPMM_TRANSPOSE_PARTS(it.nrow) * SPMM_TRANSPOSE_PARTS(it.stride), &it));
    BASE_TRY(base_device_download(context, count, 0, beyond, sizeof *beyond, NULL));
done:
    return status;
}

static base_status run(base_context *context, const char *kernel, const spmm_device_array *array,
                       const base_device_buffer *columns, spmm_transpose_format format, int64_t *beyond) {
    base_status status = BASE_OK;
    base_device_buffer count = {.device = NULL};
    *beyond = 0;
    if (array->nrow == 0 || array->ncol == 0)
        goto done;
    BASE_TRY(base_device_alloc(context, array->buffer.device, 1, sizeof *beyond, &count));
    BASE_TRY(transpose(context, kernel, array, columns, format, &count, beyond));
done:
    base_device_free(&count);
    return status;
}

base_status spmm_device_array_from_columns(base_context *context, const base_device_buffer *columns,
                                           spmm_precision precision, const spmm_device_array *array,
                                           int64_t *beyond) {
    static const spmm_transpose_format formats[] = {
        [SPMM_FP16] = SPMM_TRANSPOSE_FP16, [SPMM_BF16] = SPMM_TRANSPOSE_BF16,
        [SPMM_TF32] = SPMM_TRANSPOSE_TF32, [SPMM_3XTF32] = SPMM_TRANSPOSE_FP32,
        [SPMM_FP32] = SPMM_TRANSPOSE_FP32, [SPMM_FP64] = SPMM_TRANSPOSE_FP64};
    return run(context, "transpose_rows", array, columns, formats[precision], beyond);
}

base_status spmm_device_array_to_columns(base_context *context, const spmm_device_array *array,
                                         const base_device_buffer *columns, int64_t *beyond) {
    return run(context, "transpose_columns", array, columns,
               array->format == SPMM_FORMAT_FP64 ? SPMM_TRANSPOSE_FP64 : SPMM_TRANSPOSE_FP32, beyond);
}
