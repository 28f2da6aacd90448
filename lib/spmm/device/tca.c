#include "spmm/device/tca.h"
#include "spmm/device/internal.h"
#include "spmm/tca/tca.h"

#include <stdint.h>

extern const base_device_fatbin spmm_tca_gpu_fatbin;

#define PLACE(address) ((void *)(uintptr_t)(address))

base_status spmm_device_tca_open(base_context *context, base_device *device, spmm_precision precision,
                                 spmm_device_tca *tca) {
    base_status status;
    base_device_module *module;
    *tca = (spmm_device_tca){.blocks = 0};
    BASE_TRY(base_device_get_module(context, device, &spmm_tca_gpu_fatbin, &module));
    BASE_TRY(base_device_get_function(context, module, precision == SPMM_FP16 ? "tca_half" : "tca_bfloat",
                                      &tca->function));
done:
    return status;
}

static base_status fill_values(base_context *context, spmm_device_matrix *matrix, spmm_device_tca *tca) {
    base_status status;
    const spmm_device_slice slice = {&tca->value, matrix->a.nnz * 2};
    BASE_TRY(spmm_device_take(context, matrix, &slice, 1, &tca->own[0]));
    spmm_pack_entries pack = {.a = matrix->a, .entry = PLACE(tca->value)};
    BASE_TRY(spmm_device_pack(
        context, matrix->device, "pack_values",
        &(base_device_shape){.grid = {spmm_device_blocks(matrix->a.nnz)}, .block = {SPMM_PACK_THREADS}},
        &pack));
done:
    return status;
}

static base_status fill_warps(base_context *context, spmm_device_matrix *matrix, int64_t n, bool several,
                              spmm_device_tca *tca) {
    base_status status;
    const int64_t groups = (matrix->a.nrow + SPMM_PACK_TCA_ROWS - 1) / SPMM_PACK_TCA_ROWS;
    const base_device_shape shape = {.grid = {spmm_device_blocks(groups)}, .block = {SPMM_PACK_THREADS}};
    spmm_pack_tca pack = {.a = matrix->a,
                          .tiles = (int)(n > SPMM_TCA_TILE ? (n + SPMM_TCA_TILE - 1) / SPMM_TCA_TILE : 1),
                          .several = several,
                          .count = PLACE(matrix->count[0])};
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_tca_count", &shape, &pack));
    BASE_TRY(spmm_device_scan(context, matrix, groups, 1, &tca->blocks));
    const int64_t bytes = tca->blocks * SPMM_TCA_WARPS * 4;
    const spmm_device_slice slices[] = {{&tca->row, bytes}, {&tca->warps, bytes}, {&tca->within, bytes}};
    BASE_TRY(spmm_device_take(context, matrix, slices, 3, &tca->own[1]));
    pack.row = PLACE(tca->row);
    pack.warps = PLACE(tca->warps);
    pack.within = PLACE(tca->within);
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_tca", &shape, &pack));
done:
    return status;
}

base_status spmm_device_tca_fill(base_context *context, spmm_device_matrix *matrix, int64_t n, bool several,
                                 spmm_device_tca *tca) {
    base_status status;
    tca->a = matrix->a;
    BASE_TRY(fill_values(context, matrix, tca));
    BASE_TRY(fill_warps(context, matrix, n, several, tca));
    BASE_TRY(base_device_wait(context, matrix->device));
done:
    return status;
}

void spmm_device_tca_free(spmm_device_tca *tca) {
    if (tca == NULL)
        return;
    base_device_free(&tca->own[0]);
    base_device_free(&tca->own[1]);
    *tca = (spmm_device_tca){.blocks = 0};
}

base_status spmm_device_tca_run(base_context *context, const spmm_device_tca *tca,
                                const spmm_device_operands *operands, base_device_stream *stream) {
    const base_device_shape shape = {.grid = {(unsigned)tca->blocks}, .block = {SPMM_TCA_WARPS * 32}};
    spmm_tca_product product = {.row = PLACE(tca->row),
                                .warps = PLACE(tca->warps),
                                .within = PLACE(tca->within),
                                .start = tca->a.start,
                                .column = tca->a.column,
                                .value = PLACE(tca->value),
                                .b = PLACE(operands->b),
                                .c = PLACE(operands->c),
                                .b_stride = (int)operands->b_stride,
                                .c_stride = (int)operands->c_stride,
                                .vectors = (int)((operands->n + 7) / 8),
                                .n = (int)operands->n,
                                .wide = operands->wide,
                                .alpha = operands->alpha,
                                .beta = operands->beta};
    return base_device_launch(context, &tca->function, &shape, stream, (void *[]){&product});
}
