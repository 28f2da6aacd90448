/* SPDX-License-Identifier: BSD-3-Clause */
/* bstreamed_…: rows of B pass through shared memory. A variant's `lanes` and `groups` are the lanes and rows
 * of kernels/spmm/bstreamed, `most` says how many blocks share the rows of B. Takes all rows. */
#include "spmm/bstreamed/contract.h"
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/device/price.h"
#include "spmm/families/families.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_bstreamed_gpu_fatbin;

/* Two chunks of B, and entries of A beside them. */
enum {
    CHUNK_BYTES = 2 * SPMM_GPU_BSTREAMED_CHUNK_BYTES,
    SHARED_BYTES = CHUNK_BYTES + 12 * SPMM_GPU_BSTREAMED_THREADS
};

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "bstreamed_%s_%d_%d", spmm_device_plain_type(precision), variant->lanes,
             variant->groups);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return variant->lanes * 16 / spmm_format_bytes(spmm_format_of(precision));
}

static int64_t block_rows(const spmm_device_variant *variant) {
    return SPMM_GPU_BSTREAMED_BLOCK(variant->lanes, variant->groups);
}

static int64_t count_chunks(int64_t columns, const spmm_device_variant *variant) {
    return (columns + SPMM_GPU_BSTREAMED_CHUNK(variant->lanes) - 1) /
           SPMM_GPU_BSTREAMED_CHUNK(variant->lanes);
}

static base_status prepare(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const spmm_device_variant *variant = &product->variant;
    const int64_t rows = it->matrix->a.nrow, chunks = count_chunks(it->matrix->a.ncol, variant),
                  blocks = (rows + block_rows(variant) - 1) / block_rows(variant);
    spmm_pack_bstreamed pack = {
        .a = it->matrix->a, .chunk = SPMM_GPU_BSTREAMED_CHUNK(variant->lanes), .chunks = (int)chunks};
    BASE_TRY(base_device_allow_shared(it->context, &product->function, CHUNK_BYTES));
    BASE_TRY(spmm_device_packing_alloc(it, &(spmm_device_slice){&product->position, rows * chunks * 4}, 1));
    product->steps = chunks;
    product->worker_count = blocks * variant->most;
    product->part_count = variant->most > 1 ? blocks * block_rows(variant) * variant->most : 0;
    pack.before = SPMM_DEVICE_POINTER(int, product->position);
    BASE_TRY(spmm_device_packing_launch(it, "pack_bstreamed", spmm_device_blocks(rows * chunks),
                                        SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    const base_device_launch_config shape = {.grid = {(unsigned)(product->worker_count * operands->tiles)},
                                             .block = {SPMM_GPU_BSTREAMED_THREADS},
                                             .shared_bytes = CHUNK_BYTES};
    spmm_gpu_bstreamed bstreamed = {.start = SPMM_DEVICE_PLACE(product->entries.start),
                                    .before = SPMM_DEVICE_PLACE(product->position),
                                    .entry = SPMM_DEVICE_PLACE(product->entries.entry),
                                    .column = SPMM_DEVICE_PLACE(product->entries.column),
                                    .nrow = (int)product->nrow,
                                    .ncol = (int)product->ncol,
                                    .chunks = (int)product->steps,
                                    .parts = (int)product->variant.most,
                                    .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&bstreamed});
}

#define SPMM_ENTRY(type, lanes_, rows_)                                                                      \
    {SPMM_PLAIN_TYPE(type), {.code = &spmm_code_bstreamed, .lanes = lanes_, .groups = rows_, .most = 1}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/bstreamed/entry.h"
#include "spmm/bstreamed/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_bstreamed = {.variants = variants,
                                              .fatbin = &spmm_bstreamed_gpu_fatbin,
                                              .name = name,
                                              .columns = columns,
                                              .prepare = prepare,
                                              .takes_entries = true,
                                              .submit = submit};

/* ---- the family ---- */

static const char *reason(const base_device_properties *device, const spmm_problem *problem) {
    /* Kernels count the entries of a block in 32 bits. */
    return SHARED_BYTES > device->shared_bytes_per_block - 1024 ? "too little shared memory"
           : problem->a.ncol > INT32_MAX / 256                  ? "more columns than a block can count"
                                                                : NULL;
}

/* The cheapest, with as many parts as are cheapest, of two chunks at least. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    double least = INFINITY;
    for (const spmm_device_listed *listed = variants; listed->precisions != 0; listed++) {
        const int64_t most = count_chunks(problem->a.ncol, &listed->variant) / 2;
        if ((listed->precisions >> problem->precision & 1) == 0)
            continue;
        for (int64_t parts = 1; parts == 1 || (parts <= 8 && parts <= most); parts++) {
            spmm_device_variant variant = listed->variant;
            variant.most = parts;
            spmm_device_take_cheaper(family, device, problem, &variant, &least, v);
        }
    }
}

/* Waves of blocks, of which a multiprocessor holds one. A block with the last rows of A counts as the share
 * of rows that it has; these come last and fill what the last wave of the others leaves free. */
static double count_waves(const base_device_properties *device, const spmm_problem *problem,
                          const spmm_device_variant *v, double tiles) {
    const int64_t rows = block_rows(v), rest = problem->a.nrow % rows;
    const double beside = tiles * (double)v->most, part = (double)rest / (double)rows,
                 whole = (double)(problem->a.nrow / rows) * beside,
                 waves = ceil(whole / device->multiprocessors),
                 left = waves * device->multiprocessors - whole;
    return beside * part <= left ? waves : waves + part * ceil((beside - left) / device->multiprocessors);
}

/* Each block copies all of B, and each row of A begins in each chunk. `share` is how much longer that takes
 * as multiprocessors are idle. Rows of a block wait for the longest. */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    /* Entries for which a block could have multiplied before its first chunk is there. */
    enum { BEGIN = 100 };
    const double nnz = (double)problem->a.nnz, tiles = spmm_count_tiles(problem, v),
                 tile_bytes = spmm_count_tile_bytes(problem, v), rows = (double)problem->a.nrow,
                 chunks = (double)count_chunks(problem->a.ncol, v), parts = (double)v->most,
                 waves = count_waves(device, problem, v, tiles),
                 share =
                     waves * device->multiprocessors * (double)block_rows(v) / fmax(rows * tiles * parts, 1);
    count[SPMM_TERM_FAR] =
        ceil(rows / (double)block_rows(v)) * tiles * (double)problem->a.ncol * tile_bytes * share;
    count[SPMM_TERM_NEAR] = nnz * tiles * tile_bytes * share;
    count[SPMM_TERM_ENTRY] = nnz * tiles * share;
    count[SPMM_TERM_STEP] = rows * chunks * tiles * share;
    count[SPMM_TERM_CHAIN] =
        ceil(waves) *
        (BEGIN + ((double)problem->profile.longest_row - spmm_device_row_length(problem)) / parts);
    count[SPMM_TERM_REDUCTION] = v->most > 1;
}

/* A variant of zeros stands for numbers of 16 bits, which the family does not take. */
static double format_bytes(const spmm_problem *problem, const spmm_device_variant *v) {
    const double chunks = v->lanes > 0 ? (double)count_chunks(problem->a.ncol, v) : 0;
    return spmm_count_row_bytes(problem, v) + 4.0 * (double)problem->a.nrow * chunks;
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SINGLE, 0, {4.68, 0.01964, 3.874, 0.1345, 0.03015, 1.654, 39.28, 0, 0.3752, 0.4455}},
    {SPMM_OF_DOUBLE, 0, {4.499, 0.01802, 4.062, 0.1183, 0.02778, 2.454, 61.56, 0, 0.6338, 0.6494}},
    {0},
};

const spmm_device_family spmm_family_bstreamed = {.name = "bstreamed",
                                                  .precisions = SPMM_OF_ALL & ~SPMM_OF_SHORT,
                                                  .reads_b_once = true,
                                                  .reason = reason,
                                                  .configure = configure,
                                                  .count = count,
                                                  .format_bytes = format_bytes,
                                                  .rates = rates};
