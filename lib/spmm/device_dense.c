#include "spmm/device_dense.h"
#include "base/memory.h"
#include "spmm/device_internal.h"
#include "spmm/format.h"

#include <stdlib.h>

/* Rows at multiples of 16 bytes. */
static int64_t row_numbers(const spmm_csr *a, int64_t bytes) {
    const int64_t many = 16 / bytes, columns = a->ncol > 0 ? a->ncol : 1;
    return (columns + many - 1) / many * many;
}

base_status spmm_device_dense_init(base_context *context, base_device *device, const spmm_csr *a,
                                   spmm_precision precision, spmm_device_dense *dense) {
    base_status status = BASE_MACHINE;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(precision)), row = row_numbers(a, bytes);
    void *full = NULL;
    *dense = (spmm_device_dense){.precision = precision, .m = a->nrow, .k = a->ncol, .stride = row};
    BASE_TRY(base_device_blas_open(context, device, &dense->blas));
    full = base_alloc_zero(context, a->nrow, row * bytes);
    if (full == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < a->nrow; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            spmm_pack_value(precision, a->value, k, full, i * row + a->index[k]);
    BASE_TRY(spmm_device_send(context, device, full, a->nrow * row * bytes, &dense->a));
done:
    free(full);
    if (status != BASE_OK)
        spmm_device_dense_free(dense);
    return status;
}

void spmm_device_dense_free(spmm_device_dense *dense) {
    if (dense == NULL)
        return;
    base_device_blas_close(dense->blas);
    base_device_free(&dense->a);
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
                                   .a = dense->a.address,
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
