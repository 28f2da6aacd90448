/* SPDX-License-Identifier: BSD-3-Clause */
/* bstationary_…: columns of B in shared memory. A variant's `lanes`, `groups` (times as many) and `subwarps`
 * are those of kernels/spmm/bstationary. Takes all rows. */
#include "spmm/bstationary/contract.h"
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/device/price.h"
#include "spmm/families/families.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_bstationary_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "bstationary_%s_%d_%d_%d", spmm_device_plain_type(precision), variant->lanes,
             variant->groups, variant->subwarps);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return variant->lanes * variant->groups * 16 / spmm_format_bytes(spmm_format_of(precision));
}

/* A tile of B. */
static int64_t shared_bytes_of(const spmm_device_product *product) {
    return product->ncol * product->variant.lanes * product->variant.groups * 16;
}

static base_status prepare(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t rows = it->matrix->a.nrow,
                  bundles = (rows + SPMM_GPU_BSTATIONARY_ROWS - 1) / SPMM_GPU_BSTATIONARY_ROWS;
    int64_t batches;
    spmm_pack_bstationary pack = {.a = it->matrix->a,
                                  .count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0]),
                                  .order = SPMM_DEVICE_POINTER(int, it->matrix->count[1])};
    BASE_TRY(spmm_device_packing_find_resident(it, SPMM_GPU_BSTATIONARY_THREADS, shared_bytes_of(product)));
    BASE_TRY(spmm_device_packing_launch(it, "pack_bstationary_sort", spmm_device_blocks(rows),
                                        SPMM_PACK_THREADS, 0, &pack));
    BASE_TRY(spmm_device_packing_scan(it, bundles, 1, &batches));
    if (batches > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "too many entries for one product"));
    const int64_t bytes = spmm_device_product_bytes(product),
                  batch = SPMM_GPU_BSTATIONARY_ROWS * 4, /* entries */
        behind = SPMM_GPU_BSTATIONARY_BEHIND * batch, places = batches * batch + behind;
    product->worker_count = bundles;
    const spmm_device_slice slices[] = {{&product->start, (bundles + 1) * 4},
                                        {&product->row, rows * 4},
                                        {&product->column, places * 2},
                                        {&product->value, places * bytes}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, 4));
    BASE_TRY(spmm_device_packing_clear(it, product->column + (uint64_t)(batches * batch * 2), behind * 2));
    BASE_TRY(
        spmm_device_packing_clear(it, product->value + (uint64_t)(batches * batch * bytes), behind * bytes));
    pack.start = SPMM_DEVICE_POINTER(int, product->start);
    pack.row = SPMM_DEVICE_POINTER(int, product->row);
    pack.column = SPMM_DEVICE_POINTER(unsigned short, product->column);
    pack.value = SPMM_DEVICE_POINTER(void, product->value);
    BASE_TRY(spmm_device_packing_launch(it, "pack_bstationary",
                                        spmm_device_blocks(32 * SPMM_GPU_BSTATIONARY_ROWS * bundles),
                                        SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}

/* As many blocks as are resident at a time. */
static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int64_t places =
        base_device_get_properties(product->function.device)->multiprocessors * (int64_t)product->resident;
    int64_t shares = places / operands->tiles > 0 ? places / operands->tiles : 1;
    if (shares > product->worker_count)
        shares = product->worker_count;
    const base_device_launch_config shape = {.grid = {(unsigned)operands->tiles, (unsigned)shares},
                                             .block = {SPMM_GPU_BSTATIONARY_THREADS},
                                             .shared_bytes = shared_bytes_of(product)};
    spmm_gpu_bstationary bstationary = {.start = SPMM_DEVICE_PLACE(product->start),
                                        .row = SPMM_DEVICE_PLACE(product->row),
                                        .column = SPMM_DEVICE_PLACE(product->column),
                                        .value = SPMM_DEVICE_PLACE(product->value),
                                        .bundles = (int)product->worker_count,
                                        .shares = (int)shares,
                                        .nrow = (int)product->nrow,
                                        .ncol = (int)product->ncol,
                                        .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&bstationary});
}

#define SPMM_ENTRY(type, lanes_, groups_, subwarps_)                                                         \
    {SPMM_PLAIN_TYPE(type),                                                                                  \
     {.code = &spmm_code_bstationary, .lanes = lanes_, .groups = groups_, .subwarps = subwarps_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/bstationary/entry.h"
#include "spmm/bstationary/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_bstationary = {.variants = variants,
                                                .fatbin = &spmm_bstationary_gpu_fatbin,
                                                .name = name,
                                                .columns = columns,
                                                .prepare = prepare,
                                                .submit = submit,
                                                .has_no_sums = true};

/* ---- the family ---- */

static const char *reason(const base_device_properties *device, const spmm_problem *problem) {
    return problem->a.ncol * SPMM_GPU_BSTATIONARY_BYTES > device->shared_bytes_per_block - 1024
               ? "B's columns exceed the shared memory"
               : NULL;
}

/* Whether a block has room for a tile of B; the narrowest is one in any case. */
static bool is_candidate(const base_device_properties *device, const spmm_problem *problem,
                         const spmm_device_variant *v) {
    const int64_t bytes = v->lanes * v->groups * 16;
    return bytes == SPMM_GPU_BSTATIONARY_BYTES ||
           problem->a.ncol * bytes <= device->shared_bytes_per_block - 1024;
}

/* The cheapest variant. By times of all variants it takes 0 (numbers of 16 bits) to 3 percent longer than the
 * fastest in the mean (20 random matrices with 16 to 1024 columns, H200). */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    spmm_device_choose_cheapest(family, device, problem, variants, is_candidate, v);
}

/* A multiprocessor holds one block, which begins with a tile of B and ends with the longest row. `share` is
 * how much longer that takes as multiprocessors are left over. Each tile reads A again (SPMM_TERM_FAR), row
 * by row in batches of four entries: the last one is half empty, and subwarps wait for that with one more.
 * For each tile a row is begun and stored, and the sums of its subwarps are added in pairs. Warps wait for
 * what they read of A. */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    const double number_bytes = (double)spmm_device_number_bytes(problem), rows = (double)problem->a.nrow,
                 bytes = (double)problem->n * number_bytes, tiles = spmm_count_tiles(problem, v),
                 places = device->multiprocessors, waves = ceil(tiles / places),
                 blocks = tiles * fmax(1, floor(places / tiles)), share = waves * places / blocks,
                 length = spmm_device_row_length(problem), subwarps = v->subwarps, batches = length / 4 + 0.5,
                 entries = rows * 4 * (batches + (subwarps - 1) / 2),
                 warps = SPMM_GPU_BSTATIONARY_THREADS / 32.0,
                 rounds = rows * tiles * v->lanes * subwarps / 32 / warps / blocks;
    count[SPMM_TERM_FAR] = entries * (2 + number_bytes) * tiles * share;
    count[SPMM_TERM_NEAR] = entries * bytes * share;
    count[SPMM_TERM_ENTRY] = rows * tiles * v->lanes * subwarps * (1 + log2(subwarps)) * share;
    count[SPMM_TERM_STEP] = (double)problem->a.ncol * spmm_count_tile_bytes(problem, v) * waves;
    count[SPMM_TERM_CHAIN] =
        (fmax(1, rounds) * batches + ((double)problem->profile.longest_row - length) / 4) / subwarps;
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, 0, {5.704, 0.1275, 0, 0, 0.05298, 3.145, 38.18, 0, 0.05, 0.1}},
    {SPMM_OF_SINGLE, 0, {6.624, 0.05445, 0, 0.0402, 0.02883, 3.644, 36.12, 0, 0.1987, 0.6884}},
    {SPMM_OF_DOUBLE, 0, {7.176, 0.02945, 0, 0.07178, 0.02913, 4.379, 31.2, 0, 0.1191, 0.6105}},
    {0},
};

const spmm_device_family spmm_family_bstationary = {.name = "bstationary",
                                                    .precisions = SPMM_OF_ALL,
                                                    .reads_b_once = true,
                                                    .reason = reason,
                                                    .configure = configure,
                                                    .count = count,
                                                    .format_bytes = spmm_count_row_bytes,
                                                    .rates = rates};
