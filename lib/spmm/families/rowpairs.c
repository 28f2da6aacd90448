/* SPDX-License-Identifier: BSD-3-Clause */
/* rowpairs_…: two rows at a time, for which a row of B that both want is read once. A variant's `lanes` and
 * `groups` are those of kernels/spmm/rowpairs. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/device/price.h"
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

/* Tiles that are no wider than B. */
static bool is_candidate(const spmm_problem *problem, const spmm_device_variant *v) {
    enum { NARROW = 16 };
    const int64_t wide = v->lanes * v->groups;
    return wide <= NARROW || wide <= spmm_device_vectors(problem);
}

/* The cheapest variant. By times of all variants it takes 1 to 3 percent longer than the fastest in the mean
 * (40 matrices of all kinds with 16 to 1024 columns, H200). */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    spmm_device_choose_cheapest(family, device, problem, variants, is_candidate, v);
}

static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    spmm_count_rows(problem, v, problem->profile.pairs, count);
    spmm_count_rereads(device, problem, v, count);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, SPMM_ROWS_EVEN, {5.428, 0.0461, 0, 0.07314, 0.07801, 0.08414, 7.293, 0, 0.1203, 0.1995}},
    {SPMM_OF_SINGLE, SPMM_ROWS_EVEN, {5.796, 0.03781, 0, 0.04511, 0.0353, 1.623, 0, 0, 0.1253, 0.2247}},
    {SPMM_OF_DOUBLE, SPMM_ROWS_EVEN, {6.624, 0.03029, 0, 0.06107, 0.03653, 0, 0, 0, 0.08901, 0.1932}},
    {SPMM_OF_SHORT, SPMM_ROWS_UNIFORM, {8.28, 0.04468, 0, 0.07384, 0.2074, 2.334, 8.551, 0, 0.05, 0.1569}},
    {SPMM_OF_SINGLE,
     SPMM_ROWS_UNIFORM,
     {6.308, 0.06484, 0, 0.06448, 0.1327, 1.736, 2.122, 0, 0.1148, 0.1565}},
    {SPMM_OF_DOUBLE, SPMM_ROWS_UNIFORM, {4.295, 0.105, 0, 0.07053, 0.1963, 0, 83, 0, 0.05, 0.1152}},
    {SPMM_OF_SHORT, SPMM_ROWS_UNEVEN, {8.004, 0.07897, 0, 0.1278, 0, 0, 0, 0, 0.05, 0.2946}},
    {SPMM_OF_SINGLE, SPMM_ROWS_UNEVEN, {7.176, 0.1152, 0, 0.0662, 0, 0, 0, 0, 0.05, 0.2677}},
    {SPMM_OF_DOUBLE, SPMM_ROWS_UNEVEN, {8.556, 0.1905, 0, 0.05004, 0, 0, 0, 0, 0.05, 0.3095}},
    {0},
};

const spmm_device_family spmm_family_rowpairs = {.name = "rowpairs",
                                                 .precisions = SPMM_OF_ALL,
                                                 .configure = configure,
                                                 .count = count,
                                                 .format_bytes = spmm_count_row_bytes,
                                                 .rates = rates,
                                                 .kind = spmm_count_kind};
