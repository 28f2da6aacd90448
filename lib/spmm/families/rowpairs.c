/* SPDX-License-Identifier: BSD-3-Clause */
/* rowpairs_…: two rows at a time, for which a row of B that both want is read once. A variant's `lanes` and
 * `groups` are those of kernels/spmm/rowpairs. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/rowpairs/contract.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_rowpairs_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "rowpairs_%s_%d_%d", spmm_device_plain_type(precision), variant->lanes,
             variant->groups);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return variant->lanes * variant->groups * 16 / spmm_format_bytes(spmm_format_of(precision));
}

static base_status prepare(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t rowpairs = (it->matrix->a.nrow + SPMM_GPU_ROWPAIR_ROWS - 1) / SPMM_GPU_ROWPAIR_ROWS;
    int64_t steps;
    spmm_pack_rowpairs pack = {.a = it->matrix->a,
                               .count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0])};
    BASE_TRY(spmm_device_packing_launch(it, "pack_rowpairs_count", spmm_device_blocks(rowpairs),
                                        SPMM_PACK_THREADS, 0, &pack));
    BASE_TRY(spmm_device_packing_scan(it, rowpairs, 1, &steps));
    if (steps > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "too many columns for pairs of rows"));
    product->worker_count = rowpairs;
    const spmm_device_slice slices[] = {
        {&product->start, (rowpairs + 1) * 4},
        {&product->row, rowpairs * 4},
        {&product->value, steps * (16 + 4 * SPMM_GPU_ROWPAIR_ROWS * spmm_device_product_bytes(product))}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, 3));
    pack.start = SPMM_DEVICE_POINTER(int, product->start);
    pack.row = SPMM_DEVICE_POINTER(int, product->row);
    pack.step = SPMM_DEVICE_POINTER(void, product->value);
    BASE_TRY(spmm_device_packing_launch(it, "pack_rowpairs", spmm_device_blocks(rowpairs), SPMM_PACK_THREADS,
                                        0, &pack));
done:
    return status;
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int64_t workers = SPMM_GPU_THREADS / product->variant.lanes;
    const base_device_launch_config shape = {
        .grid = {(unsigned)((product->worker_count + workers - 1) / workers * operands->tiles)},
        .block = {SPMM_GPU_THREADS}};
    spmm_gpu_rowpairs rowpairs = {.start = SPMM_DEVICE_PLACE(product->start),
                                  .row = SPMM_DEVICE_PLACE(product->row),
                                  .step = SPMM_DEVICE_PLACE(product->value),
                                  .rowpair_count = product->worker_count,
                                  .nrow = (int)product->nrow,
                                  .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&rowpairs});
}

#define SPMM_ENTRY(type, lanes_, groups_)                                                                    \
    {SPMM_PLAIN_TYPE(type), {.code = &spmm_code_rowpairs, .lanes = lanes_, .groups = groups_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/rowpairs/entry.h"
#include "spmm/rowpairs/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_rowpairs = {.variants = variants,
                                             .fatbin = &spmm_rowpairs_gpu_fatbin,
                                             .name = name,
                                             .columns = columns,
                                             .prepare = prepare,
                                             .submit = submit};

/* ---- the family ---- */

/* As many groups as leave 8 threads side by side. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    (void)family;
    (void)device;
    v->code = &spmm_code_rowpairs;
    const int64_t bytes = spmm_device_number_bytes(problem), vectors = spmm_device_vectors(problem);
    v->groups = bytes == 2 ? 1 : vectors > 16 ? 4 : vectors > 8 || bytes == 8 ? 2 : 1;
    v->lanes = bytes == 2 ? spmm_device_lanes(problem, 32) : vectors > 32 ? 16 : 8;
    if (v->lanes == 4)
        v->lanes = 8;
    v->tiles_first = true;
}

static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    (void)device;
    spmm_count_rows(problem, v, problem->profile.pairs, count);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, false, {5.355, 0.06866, 0, 0.07583, 0.05628, 1.278, 7.873, 0, 0.1019, 0.2183}},
    {SPMM_OF_SINGLE, false, {5.355, 0.05761, 0, 0.06289, 0.01573, 2.305, 11.83, 0, 0.0672, 0.1833}},
    {SPMM_OF_DOUBLE, false, {6.205, 0.05947, 0, 0.07363, 0.0234, 0, 8.809, 0, 0.0677, 0.1412}},
    {0},
};

const spmm_device_family spmm_family_rowpairs = {.name = "rowpairs",
                                                 .precisions = SPMM_OF_ALL,
                                                 .configure = configure,
                                                 .count = count,
                                                 .format_bytes = spmm_count_row_bytes,
                                                 .rates = rates};
