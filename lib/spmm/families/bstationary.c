/* SPDX-License-Identifier: BSD-3-Clause */
/* bstationary_…: columns of B in shared memory. A variant's `lanes`, `groups` (times as many) and `subwarps`
 * are those of kernels/spmm/bstationary, `most` says in how many chunks of rows B comes there, one after the
 * other. Takes all rows. */
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

/* With so many the counts of all bundles fit those of a matrix, which has one for each row and 32 at least.
 */
enum { MOST_CHUNKS = 16 };

/* Rows of B in a chunk: whole fours, so that columns keep their remainders (contract.h). */
static int64_t count_chunk_rows(int64_t rows, const spmm_device_variant *variant) {
    return rows > 0 ? ((rows + variant->most - 1) / variant->most + 3) / 4 * 4 : 4;
}

/* A tile of so many rows of B. */
static int64_t count_shared_bytes(int64_t rows, const spmm_device_variant *variant) {
    return rows * variant->lanes * variant->groups * 16;
}

static int64_t count_bundles(int64_t rows) {
    return (rows + SPMM_GPU_BSTATIONARY_ROWS - 1) / SPMM_GPU_BSTATIONARY_ROWS;
}

/* Finds where each row's entries of a chunk end, and takes room for the order of rows in each chunk. */
static base_status find_chunks(const spmm_device_packing *it, spmm_pack_bstationary *pack,
                               base_device_buffer *scratch) {
    base_status status;
    const int64_t rows = it->matrix->a.nrow, places = rows * pack->chunks;
    uint64_t before, order;
    const spmm_device_slice slices[] = {{&order, places * 4}, {&before, pack->chunks > 1 ? places * 4 : 0}};
    BASE_TRY(spmm_device_take(it->context, it->matrix, slices, 2, scratch));
    pack->before = SPMM_DEVICE_POINTER(int, before);
    pack->order = SPMM_DEVICE_POINTER(int, order);
    if (pack->chunks > 1) {
        spmm_pack_chunks find = {.a = pack->a,
                                 .chunk = pack->chunk,
                                 .chunks = pack->chunks,
                                 .before = SPMM_DEVICE_POINTER(int, before)};
        BASE_TRY(spmm_device_packing_launch(it, "pack_chunks", spmm_device_blocks(places), SPMM_PACK_THREADS,
                                            0, &find));
    }
done:
    return status;
}

static base_status prepare(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t rows = it->matrix->a.nrow, columns = it->matrix->a.ncol,
                  each = count_chunk_rows(columns, &product->variant),
                  chunks = columns > each ? (columns + each - 1) / each : 1,
                  bundles = count_bundles(rows) * chunks;
    int64_t batches;
    base_device_buffer scratch = {.device = NULL};
    spmm_pack_bstationary pack = {.a = it->matrix->a,
                                  .chunk = (int)each,
                                  .chunks = (int)chunks,
                                  .count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0])};
    BASE_TRY(spmm_device_packing_find_resident(
        it, SPMM_GPU_BSTATIONARY_THREADS,
        count_shared_bytes(chunks > 1 ? each : columns, &product->variant)));
    BASE_TRY(find_chunks(it, &pack, &scratch));
    BASE_TRY(spmm_device_packing_launch(it, "pack_bstationary_sort", spmm_device_blocks(rows) * chunks,
                                        SPMM_PACK_THREADS, 0, &pack));
    BASE_TRY(spmm_device_packing_scan(it, bundles, 1, &batches));
    if (batches > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "too many entries for one product"));
    const int64_t bytes = spmm_device_product_bytes(product),
                  batch = SPMM_GPU_BSTATIONARY_ROWS * 4, /* entries */
        behind = SPMM_GPU_BSTATIONARY_BEHIND * batch, places = batches * batch + behind;
    product->worker_count = count_bundles(rows);
    product->steps = chunks;
    const spmm_device_slice slices[] = {{&product->start, (bundles + 1) * 4},
                                        {&product->row, rows * chunks * 4},
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
    base_device_free(&scratch);
    return status;
}

/* As many blocks as are resident at a time, for one chunk of B after the other. The blocks for a chunk begin
 * as those for the one before end. */
static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    base_status status = BASE_OK;
    const int64_t each = count_chunk_rows(product->ncol, &product->variant),
                  places = base_device_get_properties(product->function.device)->multiprocessors *
                           (int64_t)product->resident;
    int64_t shares = places / operands->tiles > 0 ? places / operands->tiles : 1;
    if (shares > product->worker_count)
        shares = product->worker_count;
    for (int64_t chunk = 0; chunk < product->steps; chunk++) {
        const int64_t first = chunk * each,
                      rows = first + each < product->ncol ? each : product->ncol - first;
        const base_device_launch_config shape = {.grid = {(unsigned)operands->tiles, (unsigned)shares},
                                                 .block = {SPMM_GPU_BSTATIONARY_THREADS},
                                                 .shared_bytes = count_shared_bytes(rows, &product->variant),
                                                 .follows = chunk > 0};
        spmm_gpu_bstationary bstationary = {
            .start = SPMM_DEVICE_PLACE(product->start + (uint64_t)(chunk * product->worker_count * 4)),
            .row = SPMM_DEVICE_PLACE(product->row + (uint64_t)(chunk * product->nrow * 4)),
            .column = SPMM_DEVICE_PLACE(product->column),
            .value = SPMM_DEVICE_PLACE(product->value),
            .bundles = (int)product->worker_count,
            .shares = (int)shares,
            .nrow = (int)product->nrow,
            .ncol = (int)rows,
            .operands = *operands};
        bstationary.operands.b = (const char *)operands->b + first * operands->b_stride;
        if (chunk > 0) /* C has the chunks before */
            bstationary.operands.beta = 1;
        BASE_TRY(base_device_launch(context, &product->function, &shape, stream, (void *[]){&bstationary}));
    }
done:
    return status;
}

#define SPMM_ENTRY(type, lanes_, groups_, subwarps_)                                                         \
    {SPMM_PLAIN_TYPE(type),                                                                                  \
     {.code = &spmm_code_bstationary,                                                                        \
      .lanes = lanes_,                                                                                       \
      .groups = groups_,                                                                                     \
      .subwarps = subwarps_,                                                                                 \
      .most = 1}},
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

/* Takes the fewest chunks that fit a block. Several add up in C. So they are not for 16-bit numbers, nor for
 * uneven rows or rows with few entries in a chunk. */
static bool fit(const base_device_properties *device, const spmm_problem *problem, spmm_device_variant *v) {
    enum { LEAST_LENGTH = 12 };
    const int64_t room = (device->shared_bytes_per_block - 1024) / count_shared_bytes(4, v) * 4;
    v->most = room <= 0 ? INT64_MAX : problem->a.ncol > room ? (problem->a.ncol + room - 1) / room : 1;
    return v->most <= 1 ||
           (v->most <= MOST_CHUNKS && v->most * count_bundles(problem->a.nrow) <= problem->a.nrow &&
            !spmm_device_is_short(problem) && spmm_device_is_even(problem) &&
            spmm_device_row_length(problem) >= (double)(LEAST_LENGTH * v->most));
}

/* A part of a matrix has as many chunks as the whole. */
static const char *reason(const base_device_properties *device, const spmm_problem *problem) {
    const spmm_problem *whole = problem->whole != NULL ? problem->whole : problem;
    for (const spmm_device_listed *listed = variants; listed->precisions != 0; listed++) {
        spmm_device_variant variant = listed->variant;
        if ((listed->precisions >> problem->precision & 1) != 0 && fit(device, whole, &variant))
            return NULL;
    }
    return "B's columns exceed the shared memory, and A's rows are not for chunks of B";
}

/* The cheapest variant. By times of all variants it takes 0 (numbers of 16 bits) to 3 percent longer than the
 * fastest in the mean (20 random matrices with 16 to 1024 columns, H200). */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    spmm_device_choose_cheapest(family, device, problem, variants, fit, v);
}

/* 128 bytes that a multiprocessor's shared memory or first-level cache gives at a time, for the four entries
 * of a batch: a tile's part of four rows of B, and A, where a warp reads so many lines for 32 rows. Doubles
 * come in two halves, each from all lines, and four subwarps wait for each other. */
static double count_passes(const spmm_problem *problem, const spmm_device_variant *v) {
    enum { COLUMNS = 2, WAITING = 10 };
    const double number_bytes = (double)spmm_device_number_bytes(problem);
    return (double)count_shared_bytes(4, v) / 128 +
           (number_bytes * (number_bytes == 8 ? 2 : 1) + COLUMNS + (v->subwarps == 4 ? WAITING : 0)) / 32;
}

/* How a product is divided: blocks, of which a multiprocessor holds one, into waves and the blocks of a tile;
 * how much longer they take as multiprocessors are left over. */
typedef struct division {
    double waves, shares, longer;
} division;

static division divide(const base_device_properties *device, const spmm_problem *problem, double tiles) {
    const double places = device->multiprocessors,
                 shares = fmin((double)count_bundles(problem->a.nrow), fmax(1, floor(places / tiles))),
                 waves = ceil(tiles / places);
    return (division){waves, shares, waves * places / fmax(1, tiles * shares)};
}

/* For each chunk of B a block begins with a tile of it, a byte of which takes the less the wider it is, and
 * ends with the longest row: by chance, longer than the mean by the root of what it would be in all chunks
 * together. The time of a batch is that of its passes (SPMM_TERM_NEAR) where warps are enough, and the rest
 * of LATENCY cycles otherwise (SPMM_TERM_CHAIN). A row's last batch is half empty, and subwarps wait for that
 * with one more. A row is begun and stored in the time of two additions of sums, which subwarps do in pairs
 * (SPMM_TERM_ENTRY). Each chunk but the first reads and writes C again, 64 bytes at least. By times of all
 * variants it is met within 7 percent (76 random matrices, H100 and H200). */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    enum { LATENCY = 350, MOST_WARPS = SPMM_GPU_BSTATIONARY_THREADS / 32, NARROW = 160, BURST = 64 };
    const double chunks = (double)v->most, rows = (double)problem->a.nrow, lanes = v->lanes,
                 subwarps = v->subwarps, tiles = spmm_count_tiles(problem, v),
                 tile_bytes = spmm_count_tile_bytes(problem, v), c = spmm_count_c_bytes(problem),
                 bytes = (double)(problem->n * spmm_device_number_bytes(problem)),
                 length = spmm_device_row_length(problem), passes = count_passes(problem, v),
                 batches = length / chunks / 4 + 0.5 + (subwarps - 1) / 2,
                 longest = ((double)problem->profile.longest_row - length) / sqrt(chunks) / 4;
    const division division = divide(device, problem, tiles);
    const double warps = fmin(MOST_WARPS, rows / division.shares * lanes * subwarps / 32),
                 late = fmax(0, 1 - warps * passes * 32 / lanes / LATENCY),
                 all = rows * chunks * tiles * division.longer;
    count[SPMM_TERM_CHAIN] = chunks * division.waves * (batches * late + longest) / subwarps;
    count[SPMM_TERM_REDUCTION] = chunks - 1;
    count[SPMM_TERM_NEAR] = all * batches * passes * 128;
    count[SPMM_TERM_ENTRY] = all * lanes * (2 + subwarps * log2(subwarps));
    count[SPMM_TERM_STEP] = (double)problem->a.ncol * (tile_bytes + NARROW) * division.waves;
    spmm_count_again(device, 2 * c * (chunks - 1) * fmax(1, BURST / tile_bytes),
                     c + (spmm_count_row_bytes(problem, v) + (double)problem->a.ncol * bytes) / chunks,
                     count);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, 0, {6.256, 0.1969, 0, 0, 0.05578, 2.017, 5.524, 0, 0.05, 0.1997}},
    {SPMM_OF_SINGLE, 0, {6.992, 0.1069, 3.959, 0, 0.03447, 4.016, 6.949, 0, 0.1246, 0.3474}},
    {SPMM_OF_DOUBLE, 0, {7.544, 0.1192, 6.003, 0, 0.03422, 5.549, 5.923, 0, 0.05965, 0.3057}},
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
