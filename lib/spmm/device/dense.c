#include "spmm/device/dense.h"
#include "spmm/device/internal.h"
#include "spmm/problem/format.h"

enum { TILE_BYTES = 32 << 10 }; /* of a row that is made in shared memory at a time */

/* Rows begin at multiples of 16 bytes. */
static int64_t row_numbers(int64_t columns, int64_t bytes) {
    const int64_t many = 16 / bytes;
    return ((columns > 0 ? columns : 1) + many - 1) / many * many;
}

base_status spmm_device_dense_open(base_context *context, base_device *device, spmm_device_dense *dense) {
    *dense = (spmm_device_dense){.blas = NULL};
    return base_device_blas_open(context, device, &dense->blas);
}

base_status spmm_device_dense_fill(base_context *context, spmm_device_matrix *matrix,
                                   spmm_precision precision, spmm_device_dense *dense) {
    base_status status;
    const spmm_pack_matrix *a = &matrix->a;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(precision));
    dense->precision = precision;
    dense->m = a->nrow;
    dense->k = a->ncol;
    dense->stride = row_numbers(a->ncol, bytes);
    const spmm_device_slice slice = {&dense->a, a->nrow * dense->stride * bytes};
    const int64_t tile = dense->stride * bytes < TILE_BYTES ? dense->stride : TILE_BYTES / bytes;
    BASE_TRY(spmm_device_take(context, matrix, &slice, 1, &dense->own));
    spmm_pack_dense pack = {
        .a = *a, .stride = dense->stride, .tile = (int)tile, .value = (void *)(uintptr_t)dense->a};
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_dense",
                              &(base_device_shape){.grid = {(unsigned)a->nrow},
                                                   .block = {SPMM_PACK_THREADS},
                                                   .shared_bytes = tile * bytes},
                              &pack));
    BASE_TRY(base_device_wait(context, matrix->device));
done:
    return status;
}

void spmm_device_dense_free(spmm_device_dense *dense) {
    if (dense == NULL)
        return;
    base_device_blas_close(dense->blas);
    base_device_free(&dense->own);
    *dense = (spmm_device_dense){.blas = NULL};
}

base_status spmm_device_dense_run(base_context *context, const spmm_device_dense *dense,
                                  const spmm_device_operands *operands, base_device_stream *stream) {
    static const base_device_number numbers[] = {BASE_DEVICE_FP16, BASE_DEVICE_BF16, BASE_DEVICE_TF32,
                                                 BASE_DEVICE_FP32, BASE_DEVICE_FP32, BASE_DEVICE_FP64};
    const int64_t bytes = spmm_format_bytes(spmm_format_of(dense->precision)),
                  c_bytes = bytes == 2 && operands->wide ? 4 : bytes;
    const base_device_gemm gemm = {.number = numbers[dense->precision],
                                   .wide = operands->wide,
                                   .m = dense->m,
                                   .n = operands->n,
                                   .k = dense->k,
                                   .a = dense->a,
                                   .b = operands->b,
                                   .c = operands->c,
                                   .a_stride = dense->stride,
                                   .b_stride = operands->b_stride / bytes,
                                   .c_stride = operands->c_stride / c_bytes,
                                   .alpha = operands->alpha,
                                   .beta = operands->beta};
    if (gemm.m == 0 || gemm.n == 0)
        return BASE_OK;
    return base_device_blas_multiply(context, dense->blas, &gemm, stream);
}
