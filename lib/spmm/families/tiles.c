/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/families/tiles.h"
#include "spmm/bands/contract.h"
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"

#include <math.h>

base_status spmm_tiles_begin(const spmm_device_packing *it, int64_t depth, int64_t shared_bytes,
                             int64_t *bands, spmm_pack_tiles *pack) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t steps = (it->matrix->a.ncol + depth - 1) / depth,
                  parts = steps == 0 ? 1 : (steps + product->variant.most - 1) / product->variant.most;
    *bands = (it->matrix->a.place_count + SPMM_PACK_BAND - 1) / SPMM_PACK_BAND;
    if (*bands * steps > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 tiles"));
    BASE_TRY(base_device_allow_shared(it->context, &product->function, shared_bytes));
    product->steps = steps;
    product->worker_count = *bands * parts;
    product->part_count = parts > 1 ? *bands * parts : 0;
    *pack =
        (spmm_pack_tiles){.a = it->matrix->a, .depth = (int)depth, .steps = (int)steps, .parts = (int)parts};
done:
    return status;
}

base_status spmm_tiles_alloc(const spmm_device_packing *it, const spmm_device_slice *own, int count,
                             spmm_pack_tiles *pack) {
    spmm_device_product *product = it->product;
    spmm_device_slice slices[2 + SPMM_TILES_SLICES] = {
        {&product->worker, product->worker_count * (int64_t)sizeof(spmm_gpu_piece)},
        {&product->part, product->part_count * (int64_t)sizeof(spmm_gpu_part)}};
    for (int k = 0; k < count; k++)
        slices[2 + k] = own[k];
    const base_status status = spmm_device_packing_alloc(it, slices, 2 + count);
    if (status != BASE_OK)
        return status;
    pack->value = SPMM_DEVICE_POINTER(void, product->value);
    pack->piece = SPMM_DEVICE_POINTER(spmm_gpu_piece, product->worker);
    pack->part = SPMM_DEVICE_POINTER(spmm_gpu_part, product->part);
    return BASE_OK;
}

base_status spmm_tiles_launch(base_context *context, spmm_device_product *product,
                              const spmm_gpu_operands *operands, int threads, int64_t shared_bytes,
                              base_device_stream *stream, void *argument) {
    const base_device_launch_config config = {.grid = {(unsigned)(product->worker_count * operands->tiles)},
                                              .block = {(unsigned)threads},
                                              .shared_bytes = shared_bytes};
    return base_device_launch(context, &product->function, &config, stream, (void *[]){argument});
}

int spmm_tiles_part_rows(const spmm_device_variant *variant) {
    (void)variant;
    return SPMM_PACK_BAND;
}

void spmm_tiles_count_blocks(const spmm_problem *problem, const spmm_device_variant *v, double blocks,
                             double *count) {
    const double columns = (double)spmm_count_columns(problem, v);
    count[SPMM_TERM_FLOP] = 2e-3 * blocks * SPMM_GPU_BAND_ROWS * columns * (double)problem->a.ncol;
}

/* Steps of a band of rows, one for empty ones too: tiles side by side. Those of panels have `depth` columns,
 * and those of bands as many as fit SPMM_GPU_BAND_BYTES. */
static int64_t count_steps(const spmm_problem *problem, const spmm_device_variant *v) {
    const int64_t columns = v->depth > 0 ? v->depth : SPMM_GPU_BAND_BYTES / spmm_device_number_bytes(problem);
    return problem->a.ncol > columns ? (problem->a.ncol + columns - 1) / columns : 1;
}

void spmm_tiles_cut(const base_device_properties *device, const spmm_problem *problem, int64_t columns,
                    int64_t most, spmm_device_variant *v) {
    const int64_t bands = (problem->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS,
                  blocks = bands * ((problem->n + columns - 1) / columns),
                  parts = spmm_device_clamp(2 * device->multiprocessors / (blocks > 0 ? blocks : 1), 1, most);
    v->most = (count_steps(problem, v) + parts - 1) / parts;
}

void spmm_tiles_count(const base_device_properties *device, const spmm_problem *problem,
                      const spmm_device_variant *v, double count[SPMM_TERMS]) {
    const double blocks = ceil((double)problem->a.nrow / SPMM_GPU_BAND_ROWS) * spmm_count_tiles(problem, v),
                 parts = blocks * ceil((double)count_steps(problem, v) / (double)v->most);
    /* Multiprocessors that get no part are idle. */
    spmm_tiles_count_blocks(problem, v, blocks * fmax(1, device->multiprocessors / fmax(1, parts)), count);
}
