/* SPDX-License-Identifier: BSD-3-Clause */
/* bstationary_…: columns of B in shared memory. A variant's `lanes`, `groups` (times as many) and `subwarps`
 * are those of kernels/spmm/bstationary, `most` says in how many chunks of rows B comes there. Each chunk is
 * for blocks of its own, which add their sums in the end. Takes all rows. */
#include "spmm/families/bstationary.h"
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

/* A matrix has room for so many counts of each bundle, as it has one for each row, in whole 256 bytes. */
enum { MOST_CHUNKS = 31 };

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

static int64_t count_sum_bytes(int64_t number_bytes) {
    return number_bytes == 8 ? 8 : 4;
}

/* Of the sums of all chunks: for a group of tiles, and the most there may be for a single one. */
enum { GROUP_BYTES = 24 << 20, TILE_BYTES = 48 << 20 };

/* Blocks for each of some tiles and a chunk. */
static int64_t count_shares(int64_t places, int64_t rows, int64_t tiles, int64_t chunks) {
    return spmm_device_clamp(places / (tiles * chunks), 1, rows > 0 ? count_bundles(rows) : 1);
}

/* Tiles of C that are taken at a time; the last group may have fewer. Where B has several chunks there are no
 * more than blocks for them, nor than keep their sums in the second-level cache: of the sizes that make the
 * fewest groups, that for which blocks have the fewest rows one after the other. */
static int64_t count_group_tiles(int64_t places, int64_t rows, int64_t tiles, int64_t chunks,
                                 int64_t tile_sums_bytes) {
    if (chunks == 1)
        return tiles;
    const int64_t kept = spmm_device_clamp(GROUP_BYTES / (rows * chunks * tile_sums_bytes + 1), 1, tiles),
                  most = spmm_device_clamp(places / chunks, 1, kept), full = (tiles - 1) / most;
    int64_t best = most;
    double least = INFINITY;
    for (int64_t group = most; group * (full + 1) >= tiles; group--) {
        const double all = (double)full / (double)count_shares(places, rows, group, chunks) +
                           1 / (double)count_shares(places, rows, tiles - full * group, chunks);
        if (all < least) {
            best = group;
            least = all;
        }
    }
    return best;
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

/* Some tiles of B and C, from number `first` on. */
static spmm_gpu_operands take_tiles(const spmm_device_product *product, const spmm_gpu_operands *operands,
                                    int64_t first, int64_t tiles) {
    const spmm_device_variant *v = &product->variant;
    const int vectors = v->lanes * v->groups, before = (int)first * vectors,
              left = operands->vectors - before;
    const bool is_wide = operands->wide && spmm_device_product_bytes(product) == 2;
    spmm_gpu_operands some = *operands;
    some.b = (const char *)operands->b + (int64_t)before * 16;
    some.c = (char *)operands->c + (int64_t)before * (is_wide ? 32 : 16);
    some.tiles = (int)tiles;
    some.vectors = tiles * vectors < left ? (int)tiles * vectors : left;
    return some;
}

/* Room for the sums of the chunks, and two counters of each tile. */
static base_status make_room(base_context *context, spmm_device_product *product,
                             spmm_gpu_operands *operands) {
    base_status status;
    const int64_t bytes = spmm_device_product_bytes(product), parts = product->nrow * product->steps;
    BASE_TRY(spmm_device_product_make_room(context, product,
                                           parts * operands->vectors * (16 / bytes) * count_sum_bytes(bytes),
                                           2 * (int64_t)operands->tiles));
    operands->partial = SPMM_DEVICE_PLACE(product->partial.address);
    operands->arrived = SPMM_DEVICE_PLACE(product->arrived.address);
done:
    return status;
}

/* Some tiles, by as many blocks as there are places, or one for each tile and chunk. */
static base_status submit_tiles(base_context *context, spmm_device_product *product, int64_t places,
                                spmm_gpu_operands *operands, base_device_stream *stream) {
    base_status status = BASE_OK;
    const int64_t chunks = product->steps,
                  shares = count_shares(places, product->nrow, operands->tiles, chunks),
                  rows = chunks > 1 ? count_chunk_rows(product->ncol, &product->variant) : product->ncol;
    const base_device_launch_config shape = {
        .grid = {(unsigned)operands->tiles, (unsigned)shares, (unsigned)chunks},
        .block = {SPMM_GPU_BSTATIONARY_THREADS},
        .shared_bytes = count_shared_bytes(rows, &product->variant),
        .is_cooperative = chunks > 1};
    if (chunks > 1)
        BASE_TRY(make_room(context, product, operands));
    spmm_gpu_bstationary bstationary = {.start = SPMM_DEVICE_PLACE(product->start),
                                        .row = SPMM_DEVICE_PLACE(product->row),
                                        .column = SPMM_DEVICE_PLACE(product->column),
                                        .value = SPMM_DEVICE_PLACE(product->value),
                                        .bundles = (int)product->worker_count,
                                        .shares = (int)shares,
                                        .nrow = (int)product->nrow,
                                        .ncol = (int)product->ncol,
                                        .chunk = (int)rows,
                                        .chunks = (int)chunks,
                                        .operands = *operands};
    BASE_TRY(base_device_launch(context, &product->function, &shape, stream, (void *[]){&bstationary}));
done:
    return status;
}

/* One group of tiles after the other. */
static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    base_status status = BASE_OK;
    const int64_t bytes = spmm_device_product_bytes(product),
                  places = base_device_get_properties(product->function.device)->multiprocessors *
                           (int64_t)product->resident,
                  sums_bytes = columns(product->precision, &product->variant) * count_sum_bytes(bytes),
                  group =
                      count_group_tiles(places, product->nrow, operands->tiles, product->steps, sums_bytes);
    for (int64_t first = 0; first < operands->tiles; first += group) {
        const int64_t left = operands->tiles - first;
        spmm_gpu_operands some = take_tiles(product, operands, first, left < group ? left : group);
        BASE_TRY(submit_tiles(context, product, places, &some, stream));
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
                                                .makes_room = true};

/* ---- the family ---- */

/* The fewest chunks that fit a block; none if B has too many columns. */
static int64_t count_least_chunks(const base_device_properties *device, const spmm_problem *problem,
                                  const spmm_device_variant *v) {
    const int64_t room = (device->shared_bytes_per_block - 1024) / count_shared_bytes(4, v) * 4;
    return room <= 0 ? INT64_MAX : problem->a.ncol > room ? (problem->a.ncol + room - 1) / room : 1;
}

bool spmm_bstationary_fits(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_variant *v) {
    enum { LEAST_LENGTH = 12 };
    const int64_t chunks = v->most, tile_sums = spmm_count_columns(problem, v) *
                                                count_sum_bytes(spmm_device_number_bytes(problem));
    if (chunks < count_least_chunks(device, problem, v) || chunks > MOST_CHUNKS)
        return false;
    return chunks == 1 ||
           (chunks <= device->multiprocessors && chunks * count_bundles(problem->a.nrow) <= problem->a.nrow &&
            problem->a.nrow * chunks * tile_sums <= TILE_BYTES && spmm_device_is_even(problem) &&
            spmm_device_row_length(problem) >= (double)(LEAST_LENGTH * chunks));
}

/* A part of a matrix has as many chunks as the whole. */
static const char *reason(const base_device_properties *device, const spmm_problem *problem) {
    const spmm_problem *whole = problem->whole != NULL ? problem->whole : problem;
    for (const spmm_device_listed *listed = variants; listed->precisions != 0; listed++) {
        spmm_device_variant v = listed->variant;
        v.most = count_least_chunks(device, whole, &v);
        if ((listed->precisions >> problem->precision & 1) != 0 && spmm_bstationary_fits(device, whole, &v))
            return NULL;
    }
    return "B's columns exceed the shared memory, and A's rows are not for chunks of B";
}

/* The cheapest variant, with as few chunks as fit or some times as many, for more blocks. By times of all
 * variants it takes 0.6 (numbers of 16 bits) to 1.2 percent longer than the fastest in the mean (50 random
 * matrices with 16 to 1024 columns, H100 and H200). */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    enum { MOST_TIMES = 8 };
    double least = INFINITY;
    for (const spmm_device_listed *listed = variants; listed->precisions != 0; listed++) {
        spmm_device_variant candidate = listed->variant;
        const int64_t fewest = count_least_chunks(device, problem, &candidate);
        if ((listed->precisions >> problem->precision & 1) == 0)
            continue;
        for (int times = 1; times <= MOST_TIMES && fewest <= MOST_CHUNKS; times *= 2) {
            candidate.most = fewest * times;
            if (spmm_bstationary_fits(device, problem, &candidate))
                spmm_device_take_cheaper(family, device, problem, &candidate, &least, v);
        }
    }
}

/* 128 bytes that a multiprocessor's shared memory or first-level cache gives at a time, for the four entries
 * of a batch: a tile's part of four rows of B, and A, where a warp reads so many lines for 32 rows. Subwarps
 * wait for each other. */
static double count_passes(const spmm_problem *problem, const spmm_device_variant *v) {
    enum { COLUMNS = 2 };
    const double number_bytes = (double)spmm_device_number_bytes(problem),
                 waiting = v->subwarps == 1                        ? 0
                           : v->subwarps == 2 || number_bytes == 2 ? 4
                                                                   : 14;
    return (double)count_shared_bytes(4, v) / 128 + (number_bytes + COLUMNS + waiting) / 32;
}

/* Adds what a group of tiles does. A block begins with a tile of a chunk of B, a byte of which takes the less
 * the wider it is, and ends with the longest row: by chance, longer than the mean by the root of what it
 * would be in all chunks together. The time of a batch is that of its passes (SPMM_TERM_NEAR) where warps are
 * enough, and the rest of LATENCY cycles otherwise (SPMM_TERM_CHAIN). A row's last batch is half empty, and
 * subwarps wait for that with one more. A row is begun and stored in the time of two additions of sums, which
 * subwarps do in pairs (SPMM_TERM_ENTRY). */
static void count_group(const base_device_properties *device, const spmm_problem *problem,
                        const spmm_device_variant *v, int64_t tiles, double count[SPMM_TERMS]) {
    enum { LATENCY = 350, MOST_WARPS = SPMM_GPU_BSTATIONARY_THREADS / 32, NARROW = 160 };
    const double chunks = (double)v->most, lanes = v->lanes, subwarps = v->subwarps,
                 places = device->multiprocessors, waves = ceil((double)tiles * chunks / places),
                 rows = (double)problem->a.nrow /
                        (double)count_shares(device->multiprocessors, problem->a.nrow, tiles, v->most),
                 length = spmm_device_row_length(problem), passes = count_passes(problem, v),
                 batches = length / chunks / 4 + 0.5 + (subwarps - 1) / 2,
                 longest = ((double)problem->profile.longest_row - length) / sqrt(chunks) / 4,
                 warps = fmin(MOST_WARPS, rows * lanes * subwarps / 32),
                 late = fmax(0, 1 - warps * passes * 32 / lanes / LATENCY),
                 all = waves * rows * places; /* of a tile and chunk, in the time that multiprocessors take */
    count[SPMM_TERM_CHAIN] += waves * (batches * late + longest) / subwarps;
    count[SPMM_TERM_NEAR] += all * batches * passes * 128;
    count[SPMM_TERM_ENTRY] += all * lanes * (2 + subwarps * log2(subwarps));
    count[SPMM_TERM_STEP] +=
        (double)problem->a.ncol / chunks * (spmm_count_tile_bytes(problem, v) + NARROW) * waves;
}

/* For each group of tiles a kernel starts, whose blocks wait for each other where there are several chunks
 * (SPMM_TERM_REDUCTION); their sums are written, BURST bytes at least, and read again (SPMM_TERM_FAR). By
 * times of all variants it is met within 5 (fp32), 6 (fp64) and 7 percent (16 bits; random matrices of three
 * seeds, H100 and H200). */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    enum { BURST = 64 };
    const int64_t sums_bytes =
                      spmm_count_columns(problem, v) * count_sum_bytes(spmm_device_number_bytes(problem)),
                  tiles = (int64_t)spmm_count_tiles(problem, v),
                  group =
                      count_group_tiles(device->multiprocessors, problem->a.nrow, tiles, v->most, sums_bytes);
    for (int64_t left = tiles; left > 0; left -= group)
        count_group(device, problem, v, left < group ? left : group, count);
    if (v->most > 1) {
        count[SPMM_TERM_START] = count[SPMM_TERM_REDUCTION] = ceil((double)tiles / (double)group);
        count[SPMM_TERM_FAR] = (double)(problem->a.nrow * v->most * tiles) *
                               ((double)sums_bytes + fmax(BURST, (double)sums_bytes));
    }
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, 0, {6.083, 0.1839, 1.375, 0.1548, 0.05435, 3.163, 6.921, 0, 0.05, 0.1}},
    {SPMM_OF_SINGLE, 0, {6.11, 0.1641, 0.716, 0.2334, 0.0353, 3.486, 8.828, 0, 0.05, 0.3029}},
    {SPMM_OF_DOUBLE, 0, {5.767, 0.2086, 0.4425, 0.1838, 0.03802, 5.882, 8.656, 0, 0.05, 0.1517}},
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
