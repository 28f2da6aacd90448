/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipelines/bench_gpu_spmm.h"
#include "spmm/problem/format.h"

#include <stdlib.h>

static base_status upload(bench *it, const void *from, int64_t bytes, base_device_buffer *buffer) {
    base_status status = base_device_alloc(&it->context, it->device, bytes + 16, 1, buffer);
    return status != BASE_OK ? status : base_device_upload(&it->context, buffer, 0, from, bytes, NULL);
}

base_status bench_spmm_fill_b(bench *it) {
    base_status status;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)), all = it->a.ncol * it->n * bytes;
    void *packed = malloc((size_t)(TABLE * bytes));
    uint64_t state = 88172645463325252;
    for (int64_t i = 0; i < TABLE; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        it->numbers[i] = spmm_round(it->precision, (double)(state >> 11) * 0x1p-52 - 1);
    }
    spmm_pack(it->precision, it->numbers, 1, TABLE, packed);
    base_device_free(&it->b);
    base_device_free(&it->c);
    BASE_TRY(base_device_alloc(&it->context, it->device, all + 16, 1, &it->b));
    BASE_TRY(base_device_alloc(&it->context, it->device, it->a.nrow * it->n * bytes + 16, 1, &it->c));
    int64_t filled = all < TABLE * bytes ? all : TABLE * bytes;
    BASE_TRY(base_device_upload(&it->context, &it->b, 0, packed, filled, NULL));
    while (filled < all) {
        const int64_t some = all - filled < filled ? all - filled : filled;
        BASE_TRY(base_device_copy(&it->context, &it->b, filled, &it->b, 0, some, NULL));
        filled += some;
    }
done:
    free(packed);
    return status;
}

void bench_spmm_round_values(bench *it, const spmm_csr *exact, void *value) {
    it->a.value = value;
    for (int64_t k = 0; k < exact->nnz; k++) {
        const float number = ((const float *)exact->value)[k];
        if (it->precision == SPMM_FP64)
            ((double *)value)[k] = number;
        else if (it->precision == SPMM_FP32)
            ((float *)value)[k] = number;
        else
            ((float *)value)[k] = (float)spmm_round(it->precision, number);
    }
}

base_status bench_spmm_fill_library(bench *it, base_device_buffer *start, base_device_buffer *column,
                                    base_device_buffer *value, base_device_buffer *dense,
                                    bench_spmm_case *library) {
    base_status status = BASE_OK;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision));
    int32_t *narrow = malloc((size_t)(it->a.nrow + 1) * sizeof *narrow);
    void *full = NULL, *packed = malloc((size_t)(it->a.nnz * bytes) + 1);
    for (int64_t k = 0; k < it->a.nnz; k++)
        spmm_pack_value(it->precision, it->a.value, k, packed, k);
    BASE_TRY(upload(it, it->a.index, it->a.nnz * 4, column));
    BASE_TRY(upload(it, packed, it->a.nnz * bytes, value));
    for (int64_t row = 0; row <= it->a.nrow; row++)
        narrow[row] = (int32_t)it->a.start[row];
    BASE_TRY(upload(it, narrow, (it->a.nrow + 1) * 4, start));
    *library = (bench_spmm_case){.precision = it->precision,
                                 .m = it->a.nrow,
                                 .k = it->a.ncol,
                                 .nnz = it->a.nnz,
                                 .start = start->address,
                                 .column = column->address,
                                 .value = value->address};
    if (it->a.nrow <= 4096 && bench_spmm_among(it->kinds, "cublas")) {
        full = calloc((size_t)(it->a.nrow * it->a.ncol), (size_t)bytes);
        for (int64_t row = 0; row < it->a.nrow; row++)
            for (int64_t k = it->a.start[row]; k < it->a.start[row + 1]; k++) {
                char *to = (char *)full + (row * it->a.ncol + it->a.index[k]) * bytes;
                const double number =
                    bytes == 8 ? ((const double *)it->a.value)[k] : (double)((const float *)it->a.value)[k];
                spmm_pack(it->precision, &number, 1, 1, to);
            }
        BASE_TRY(upload(it, full, it->a.nrow * it->a.ncol * bytes, dense));
        library->dense = dense->address;
    }
done:
    free(narrow);
    free(packed);
    free(full);
    return status;
}
