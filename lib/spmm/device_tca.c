#include "spmm/device_tca.h"
#include "base/memory.h"
#include "spmm/device_internal.h"
#include "spmm/format.h"
#include "spmm/tca_warps.h"

#include <stdint.h>
#include <stdlib.h>

extern const base_device_fatbin spmm_tca_gpu_fatbin;

static base_status send_matrix(base_context *context, base_device *device, const spmm_csr *a,
                               spmm_precision precision, spmm_device_tca *tca) {
    base_status status = BASE_MACHINE;
    uint16_t *value = base_alloc(context, a->nnz, sizeof *value);
    if (value == NULL)
        goto done;
    for (int64_t k = 0; k < a->nnz; k++)
        spmm_pack_value(precision, a->value, k, value, k);
    BASE_TRY(
        spmm_device_send(context, device, a->start, (a->nrow + 1) * (int64_t)sizeof *a->start, &tca->start));
    BASE_TRY(spmm_device_send(context, device, a->index, a->nnz * (int64_t)sizeof *a->index, &tca->column));
    BASE_TRY(spmm_device_send(context, device, value, a->nnz * (int64_t)sizeof *value, &tca->value));
done:
    free(value);
    return status;
}

base_status spmm_device_tca_init(base_context *context, base_device *device, const spmm_csr *a,
                                 spmm_precision precision, int64_t n, bool several, spmm_device_tca *tca) {
    base_status status;
    base_device_module *module;
    spmm_tca_warps warps = {0};
    *tca = (spmm_device_tca){.blocks = 0};
    BASE_TRY(spmm_tca_warps_init(context, a, n, several, &warps));
    tca->blocks = warps.blocks;
    const int64_t bytes = warps.blocks * SPMM_TCA_WARPS * (int64_t)sizeof *warps.row;
    BASE_TRY(base_device_get_module(context, device, &spmm_tca_gpu_fatbin, &module));
    BASE_TRY(base_device_get_function(context, module, precision == SPMM_FP16 ? "tca_half" : "tca_bfloat",
                                      &tca->function));
    BASE_TRY(spmm_device_send(context, device, warps.row, bytes, &tca->row));
    BASE_TRY(spmm_device_send(context, device, warps.warps, bytes, &tca->warps));
    BASE_TRY(spmm_device_send(context, device, warps.within, bytes, &tca->within));
    BASE_TRY(send_matrix(context, device, a, precision, tca));
done:
    spmm_tca_warps_free(&warps);
    if (status != BASE_OK)
        spmm_device_tca_free(tca);
    return status;
}

void spmm_device_tca_free(spmm_device_tca *tca) {
    if (tca == NULL)
        return;
    base_device_free(&tca->row);
    base_device_free(&tca->warps);
    base_device_free(&tca->within);
    base_device_free(&tca->start);
    base_device_free(&tca->column);
    base_device_free(&tca->value);
    *tca = (spmm_device_tca){.blocks = 0};
}

base_status spmm_device_tca_run(base_context *context, const spmm_device_tca *tca,
                                const spmm_device_operands *operands, base_device_stream *stream) {
    const base_device_shape shape = {.grid = {(unsigned)tca->blocks}, .block = {SPMM_TCA_WARPS * 32}};
    spmm_tca_product product = {.row = (const int *)(uintptr_t)tca->row.address,
                                .warps = (const int *)(uintptr_t)tca->warps.address,
                                .within = (const int *)(uintptr_t)tca->within.address,
                                .start = (const long long *)(uintptr_t)tca->start.address,
                                .column = (const int *)(uintptr_t)tca->column.address,
                                .value = (const unsigned short *)(uintptr_t)tca->value.address,
                                .b = (const void *)(uintptr_t)operands->b,
                                .c = (void *)(uintptr_t)operands->c,
                                .b_stride = (int)operands->b_stride,
                                .c_stride = (int)operands->c_stride,
                                .vectors = (int)((operands->n + 7) / 8),
                                .n = (int)operands->n,
                                .wide = operands->wide,
                                .alpha = operands->alpha,
                                .beta = operands->beta};
    return base_device_launch(context, &tca->function, &shape, stream, (void *[]){&product});
}
