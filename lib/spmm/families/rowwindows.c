/* SPDX-License-Identifier: BSD-3-Clause */
/* rowwindows_…: rows of A together, each with its distinct columns. */
#include "spmm/families/rowwindows.h"
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/rowwindows/contract.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_rowwindows_short_gpu_fatbin, spmm_rowwindows_wide_gpu_fatbin;

/* ---- for all that work by windows ---- */

int spmm_rowwindows_rows(const spmm_device_variant *v) {
    return v->tall == 0 ? 8 : 16 * v->tall;
}

int spmm_rowwindows_height(const spmm_device_variant *v) {
    return v->tall == 8 ? 4 : v->tall == 4 ? 3 : v->tall;
}

/* For so many chunks, and for as many pieces and parts as they can have. */
static base_status alloc_windows(const spmm_device_packing *it, int64_t windows, spmm_pack_rowwindows *pack) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t bytes = spmm_device_product_bytes(product), chunks = pack->room, height = pack->height,
                  value_bytes =
                      pack->dense ? chunks * height * SPMM_GPU_CHUNK * bytes : it->matrix->a.nnz * 2 * bytes;
    uint64_t cursor;
    const spmm_device_slice slices[] = {
        {&product->worker, (windows + chunks / pack->most) * (int64_t)sizeof(spmm_gpu_piece)},
        {&product->part, 2 * chunks / pack->most * (int64_t)sizeof(spmm_gpu_part)},
        {&product->row, windows * height * 4},
        {&product->column, chunks * SPMM_GPU_CHUNK * 4},
        {&product->start, (chunks + 1) * 8},
        {&product->value, value_bytes},
        {&cursor, chunks * 4}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, sizeof slices / sizeof *slices));
    pack->row = SPMM_DEVICE_POINTER(int, product->row);
    pack->column = SPMM_DEVICE_POINTER(int, product->column);
    pack->start = SPMM_DEVICE_POINTER(long long, product->start);
    pack->cursor = SPMM_DEVICE_POINTER(int, cursor);
    pack->value = SPMM_DEVICE_POINTER(void, product->value);
    pack->piece = SPMM_DEVICE_POINTER(spmm_gpu_piece, product->worker);
    pack->part = SPMM_DEVICE_POINTER(spmm_gpu_part, product->part);
done:
    return status;
}

/* Chunks for which there is room with the matrix. */
static int64_t find_room(const spmm_device_packing *it, int64_t windows, const spmm_pack_rowwindows *pack) {
    const spmm_device_matrix *matrix = it->matrix;
    const int64_t bytes = spmm_device_product_bytes(it->product), height = pack->height,
                  values = pack->dense ? 0 : it->matrix->a.nnz * 2 * bytes, slices = 8 * 256,
                  of_chunk = SPMM_GPU_CHUNK * 4 + 8 + 4 + 48 / pack->most + 1 +
                             (pack->dense ? height * SPMM_GPU_CHUNK * bytes : 0);
    double left = (double)(matrix->buffer.address + (uint64_t)matrix->buffer.bytes - matrix->room);
    left -= (double)(values + slices + windows * (height * 4 + (int64_t)sizeof(spmm_gpu_piece)));
    return left > 0 ? (int64_t)(left / (double)of_chunk) : 0;
}

/* Long windows have work for more threads. */
static int choose_threads(const spmm_device_packing *it, int64_t windows) {
    return it->matrix->a.nnz > 1536 * windows ? SPMM_PACK_WINDOW_THREADS : SPMM_PACK_WINDOW_THREADS / 2;
}

/* Into the room there is, most often; else again, with memory for the chunks that were counted. */
base_status spmm_rowwindows_prepare(const spmm_device_packing *it) {
    base_status status = BASE_OK;
    const spmm_device_variant *variant = &it->product->variant;
    spmm_device_matrix *matrix = it->matrix;
    const int64_t height = spmm_rowwindows_rows(variant),
                  windows = (it->matrix->a.nrow + height - 1) / height,
                  words = spmm_device_words(it->matrix->a.ncol),
                  shared_bytes = words * 4 + words / SPMM_PACK_GROUP * 4;
    const uint64_t room = matrix->room;
    int64_t total[2] = {0, 0};
    spmm_pack_rowwindows pack = {.a = it->matrix->a,
                                 .height = (int)height,
                                 .dense = variant->dense,
                                 .words = (int)words,
                                 .most = (int)variant->most,
                                 .sum = SPMM_DEVICE_POINTER(unsigned long long, matrix->before),
                                 .total = (long long *)matrix->total};
    for (pack.room = find_room(it, windows, &pack); windows > 0; pack.room = total[0]) {
        BASE_TRY(alloc_windows(it, windows, &pack));
        if (!matrix->is_before_clear)
            BASE_TRY(spmm_device_clear(it->context, matrix, &(base_device_buffer){.address = 0},
                                       matrix->before, windows * 16));
        matrix->is_before_clear = false;
        BASE_TRY(spmm_device_packing_launch(it, "pack_rowwindows", windows, choose_threads(it, windows),
                                            shared_bytes, &pack));
        BASE_TRY(spmm_device_totals(it->context, matrix, 2, total));
        if (total[0] > INT32_MAX)
            BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 chunks of columns"));
        if (total[0] <= pack.room)
            break;
        base_device_free(&it->product->own);
        matrix->room = room;
    }
    spmm_device_packing_take_counts(it, total[1]);
done:
    return status;
}

base_status spmm_rowwindows_launch(base_context *context, const spmm_device_product *product,
                                   const spmm_gpu_operands *operands, const base_device_launch_config *shape,
                                   base_device_stream *stream) {
    spmm_gpu_rowwindows windows = {.pieces = SPMM_DEVICE_PLACE(product->worker),
                                   .parts = SPMM_DEVICE_PLACE(product->part),
                                   .rows = SPMM_DEVICE_PLACE(product->row),
                                   .column = SPMM_DEVICE_PLACE(product->column),
                                   .start = SPMM_DEVICE_PLACE(product->start),
                                   .value = SPMM_DEVICE_PLACE(product->value),
                                   .piece_count = product->worker_count,
                                   .operands = *operands};
    return base_device_launch(context, &product->function, shape, stream, (void *[]){&windows});
}

base_status spmm_rowwindows_launch_resident(base_context *context, const spmm_device_product *product,
                                            const spmm_gpu_operands *operands, int64_t blocks, int threads,
                                            int64_t shared_bytes, base_device_stream *stream) {
    const int64_t places =
        base_device_get_properties(product->function.device)->multiprocessors * (int64_t)product->resident;
    const base_device_launch_config shape = {.grid = {(unsigned)(blocks > places ? places : blocks)},
                                             .block = {(unsigned)threads},
                                             .shared_bytes = shared_bytes};
    return spmm_rowwindows_launch(context, product, operands, &shape, stream);
}

void spmm_rowwindows_count(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_variant *v, double count[SPMM_TERMS]) {
    (void)device;
    const spmm_profile *profile = &problem->profile;
    const int height = spmm_rowwindows_height(v);
    const double columns = profile->vectors[height], tiles = spmm_count_tiles(problem, v),
                 tile_bytes = spmm_count_tile_bytes(problem, v),
                 far = spmm_count_far(profile, columns, tile_bytes, height, SPMM_HEIGHTS - 1),
                 most = (double)v->most, heaviest = profile->heaviest[height] / SPMM_GPU_CHUNK;
    count[SPMM_TERM_FAR] = far * tiles * tile_bytes;
    count[SPMM_TERM_NEAR] = (columns - far) * tiles * tile_bytes;
    count[SPMM_TERM_ENTRY] = v->dense ? 0 : (double)problem->a.nnz * tiles;
    count[SPMM_TERM_STEP] = (double)profile->rows_used / spmm_rowwindows_rows(v) * tiles;
    count[SPMM_TERM_CHAIN] = fmin(most, heaviest);
    /* The part of a window that arrives last adds the others, one after the other. */
    count[SPMM_TERM_REDUCTION] = fmax(0, heaviest / most - 1);
    if (!spmm_device_is_even(problem)) /* heavy windows begin late, too, where columns are many */
        count[SPMM_TERM_CHAIN] *= fmax(1, (double)problem->n / 512);
}

double spmm_rowwindows_format_bytes(const spmm_problem *problem, const spmm_device_variant *v) {
    const double nnz = (double)problem->a.nnz, s = (double)spmm_device_number_bytes(problem),
                 columns = problem->profile.vectors[spmm_rowwindows_height(v)] +
                           16.0 * (double)problem->a.nrow / spmm_rowwindows_rows(v);
    return columns * 4 + (v->dense ? columns * spmm_rowwindows_rows(v) * s : nnz * 2 * s);
}

/* Tall windows of 16-bit numbers exist in more shapes than those of others. */
void spmm_rowwindows_configure(const base_device_properties *device, const spmm_problem *problem, int height,
                               bool dense, spmm_device_variant *v) {
    v->code = &spmm_code_rowwindows;
    const bool narrow = spmm_device_number_bytes(problem) == 2;
    v->tall = height / 16;
    const bool is_small =
        narrow && height > 8 && ((dense && height == 16) || (problem->n <= 32 && height <= 32));
    v->width = is_small ? 2 : 4;
    v->groups = height <= 16 && !is_small && problem->n * spmm_device_number_bytes(problem) > 128 ? 2 : 1;
    v->dense = dense;
    const double chunks = problem->profile.vectors[spmm_rowwindows_height(v)] / 16;
    const double tiles = ceil((double)(problem->n * spmm_device_number_bytes(problem)) / (64 * v->groups));
    v->most = spmm_device_clamp((int64_t)(chunks * tiles / (32 * device->multiprocessors)), narrow ? 32 : 8,
                                narrow ? 128 : 64);
    v->tiles_first = narrow || !dense; /* else rows of B are in the cache when the next tile comes */
}

/* ---- rowwindows_… ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "rowwindows_%s_%d_%d_%d_%d", spmm_device_matrix_type(precision), variant->tall,
             variant->width, variant->groups, variant->dense);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return 8 * variant->width * 4 / spmm_format_bytes(spmm_format_of(precision)) * variant->groups;
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    const base_device_launch_config shape = {.grid = {(unsigned)(product->worker_count * operands->tiles)},
                                             .block = {SPMM_GPU_WINDOW_THREADS}};
    return spmm_rowwindows_launch(context, product, operands, &shape, stream);
}

#define SPMM_ENTRY(type, tall_, width_, groups_, dense_)                                                     \
    {SPMM_MATRIX_TYPE(type),                                                                                 \
     {.code = &spmm_code_rowwindows, .tall = tall_, .width = width_, .groups = groups_, .dense = dense_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/rowwindows/entry.h"
#include "spmm/rowwindows/short_variants.h"
#define SPMM_EACH "spmm/rowwindows/entry.h"
#include "spmm/rowwindows/wide_variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_rowwindows = {.variants = variants,
                                               .fatbin = &spmm_rowwindows_wide_gpu_fatbin,
                                               .short_fatbin = &spmm_rowwindows_short_gpu_fatbin,
                                               .name = name,
                                               .columns = columns,
                                               .prepare = spmm_rowwindows_prepare,
                                               .submit = submit,
                                               .part_rows = spmm_rowwindows_rows,
                                               .window_rows = spmm_rowwindows_rows};

/* ---- the families ---- */

static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    spmm_rowwindows_configure(device, problem, family->height, false, v);
}

static const spmm_device_rates rates8[] = {
    {SPMM_OF_SHORT, 0, {5.037, 0.2511, 0, 0.1434, 0.1262, 0.6537, 106.4, 0, 0.238, 0.2958}},
    {0},
};

static const spmm_device_rates rates16[] = {
    {SPMM_OF_SHORT, 0, {5.309, 0.2445, 0, 0.1437, 0.1284, 1.086, 0, 0, 0.2406, 0.3516}},
    {SPMM_OF_TF32, 0, {5.234, 0.3666, 0, 0.1507, 0.1098, 3.022, 151.7, 0, 0.0925, 0.2578}},
    {SPMM_OF_3XTF32, 0, {6.256, 0.5423, 0.25, 0.1426, 0.1123, 3.723, 0, 0, 0.1382, 0.3006}},
    {SPMM_OF_DOUBLE, 0, {5.695, 0.2962, 0.25, 0.1529, 0.125, 3.039, 0, 0, 0.1626, 0.2507}},
    {0},
};

const spmm_device_family spmm_family_rowwindows8 = {.name = "rowwindows8",
                                                    .precisions = SPMM_OF_SHORT,
                                                    .height = 8,
                                                    .configure = configure,
                                                    .count = spmm_rowwindows_count,
                                                    .format_bytes = spmm_rowwindows_format_bytes,
                                                    .rates = rates8};

const spmm_device_family spmm_family_rowwindows16 = {.name = "rowwindows16",
                                                     .precisions = SPMM_OF_MATRIX_UNITS,
                                                     .height = 16,
                                                     .configure = configure,
                                                     .count = spmm_rowwindows_count,
                                                     .format_bytes = spmm_rowwindows_format_bytes,
                                                     .rates = rates16};
