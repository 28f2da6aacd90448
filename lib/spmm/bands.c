#include "spmm/bands.h"
#include "base/memory.h"
#include "spmm/format.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB_ROWS = 16, SLABS = SPMM_GPU_BAND_ROWS / SLAB_ROWS };

int spmm_bands_position(int row, int byte) {
    return row * SPMM_GPU_BAND_BYTES + ((byte / 16) ^ (row % 8)) * 16 + byte % 16;
}

/* Entries of a vector of 16 bytes. */
static int per_vector(const spmm_bands *bands) {
    return bands->depth / (SPMM_GPU_BAND_BYTES / 8);
}

/* Entry k of A becomes entry `at`. */
static void put_entry(const spmm_bands *bands, const spmm_csr *a, spmm_precision precision, int64_t row,
                      int64_t k, int64_t at) {
    const int bytes = SPMM_GPU_BAND_BYTES / bands->depth;
    const uint32_t position =
        (uint32_t)spmm_bands_position((int)(row % SLAB_ROWS), a->index[k] % bands->depth * bytes);
    if (bytes == 4) {
        bands->entry[2 * at] = position;
        spmm_pack_value(precision, a->value, k, &bands->entry[2 * at + 1], 0);
        return;
    }
    uint16_t value;
    spmm_pack_value(precision, a->value, k, &value, 0);
    bands->entry[at] = position | (uint32_t)value << 16;
}

static int64_t last_row(const spmm_csr *a, int64_t group) {
    return (group + 1) * SLAB_ROWS < a->nrow ? (group + 1) * SLAB_ROWS : a->nrow;
}

/* Vectors of each slab into start[slab]. */
static void count_vectors(base_context *context, const spmm_bands *bands, const spmm_csr *a) {
    const int64_t groups = bands->band_count * SLABS;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 8)
    for (int64_t group = 0; group < groups; group++) {
        int32_t *count = bands->start + group * bands->steps;
        for (int64_t row = group * SLAB_ROWS; row < last_row(a, group); row++)
            for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
                count[a->index[k] / bands->depth]++;
        for (int64_t step = 0; step < bands->steps; step++)
            count[step] = (count[step] + per_vector(bands) - 1) / per_vector(bands);
    }
}

/* `next`: where the next entry of each slab goes. */
static void fill_slabs(base_context *context, const spmm_bands *bands, const spmm_csr *a,
                       spmm_precision precision, int64_t *next) {
    const int64_t groups = bands->band_count * SLABS, many = per_vector(bands);
    const size_t bytes = (size_t)(16 / many);
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 8)
    for (int64_t group = 0; group < groups; group++) {
        const int64_t first = group * bands->steps;
        for (int64_t slab = first; slab < first + bands->steps; slab++)
            next[slab] = bands->start[slab] * many;
        for (int64_t row = group * SLAB_ROWS; row < last_row(a, group); row++)
            for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
                put_entry(bands, a, precision, row, k, next[first + a->index[k] / bands->depth]++);
        for (int64_t slab = first; slab < first + bands->steps; slab++)
            for (int64_t at = next[slab]; at < bands->start[slab + 1] * many; at++)
                memcpy((char *)bands->entry + (size_t)at * bytes,
                       (const char *)bands->entry + (size_t)(at - 1) * bytes, bytes);
    }
}

/* Counts become starts. */
static base_status add_counts(base_context *context, spmm_bands *bands) {
    const int64_t slabs = bands->band_count * SLABS * bands->steps;
    for (int64_t slab = 0; slab < slabs; slab++) {
        const int32_t count = bands->start[slab];
        bands->start[slab] = (int32_t)bands->vector_count;
        bands->vector_count += count;
        if (bands->vector_count > INT32_MAX)
            return base_fail(context, BASE_FAILED, "more than 2^31 vectors of entries");
    }
    bands->start[slabs] = (int32_t)bands->vector_count;
    return BASE_OK;
}

base_status spmm_bands_init(base_context *context, const spmm_csr *a, spmm_precision precision, int64_t most,
                            spmm_bands *bands) {
    base_status status = BASE_MACHINE;
    int64_t *next = NULL, *tiles = NULL;
    const int depth = SPMM_GPU_BAND_BYTES / (int)spmm_format_bytes(spmm_format_of(precision));
    *bands = (spmm_bands){.depth = depth,
                          .band_count = (a->nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS,
                          .steps = (a->ncol + depth - 1) / depth};
    const int64_t slabs = bands->band_count * SLABS * bands->steps;
    if (bands->band_count * bands->steps > INT32_MAX)
        return base_fail(context, BASE_FAILED, "more than 2^31 tiles");
    bands->start = base_alloc_zero(context, slabs + 1, sizeof *bands->start);
    next = base_alloc(context, slabs + 1, sizeof *next);
    tiles = base_alloc(context, bands->band_count + 1, sizeof *tiles);
    if (bands->start == NULL || next == NULL || tiles == NULL)
        goto done;
    count_vectors(context, bands, a);
    BASE_TRY(add_counts(context, bands));
    status = BASE_MACHINE;
    bands->entry = base_alloc(context, bands->vector_count * 4 + 1, sizeof *bands->entry);
    if (bands->entry == NULL)
        goto done;
    fill_slabs(context, bands, a, precision, next);
    for (int64_t band = 0; band <= bands->band_count; band++)
        tiles[band] = band * bands->steps;
    BASE_TRY(spmm_pieces_init(context, tiles, bands->band_count, most, &bands->pieces));
done:
    free(next);
    free(tiles);
    if (status != BASE_OK)
        spmm_bands_free(bands);
    return status;
}

void spmm_bands_free(spmm_bands *bands) {
    if (bands == NULL)
        return;
    spmm_pieces_free(&bands->pieces);
    free(bands->start);
    free(bands->entry);
    memset(bands, 0, sizeof *bands);
}
