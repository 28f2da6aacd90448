#include "spmm/bands.h"
#include "base/memory.h"
#include "spmm/format.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB_ROWS = 16, SLABS = SPMM_GPU_BAND_ROWS / SLAB_ROWS, DEPTH = SPMM_GPU_BAND_DEPTH };

int spmm_bands_position(int row, int column) {
    return row * 2 * DEPTH + ((column / 8) ^ (row % 8)) * 16 + column % 8 * 2;
}

/* Slabs of the 16 rows that row `row` is among. */
static int64_t first_slab(const spmm_bands *bands, int64_t row) {
    return row / SLAB_ROWS * bands->steps;
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
                count[a->index[k] / DEPTH]++;
        for (int64_t step = 0; step < bands->steps; step++)
            count[step] = (count[step] + 3) / 4;
    }
}

/* `next`: where the next entry of each slab goes. */
static void fill_slabs(base_context *context, const spmm_bands *bands, const spmm_csr *a,
                       spmm_precision precision, int64_t *next) {
    const int64_t groups = bands->band_count * SLABS;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 8)
    for (int64_t group = 0; group < groups; group++) {
        for (int64_t slab = group * bands->steps; slab < (group + 1) * bands->steps; slab++)
            next[slab] = (int64_t)bands->start[slab] * 4;
        for (int64_t row = group * SLAB_ROWS; row < last_row(a, group); row++)
            for (int64_t k = a->start[row]; k < a->start[row + 1]; k++) {
                const int64_t at = next[first_slab(bands, row) + a->index[k] / DEPTH]++;
                uint16_t value;
                spmm_pack_value(precision, a->value, k, &value, 0);
                bands->entry[at] =
                    (uint32_t)spmm_bands_position((int)(row % SLAB_ROWS), a->index[k] % DEPTH) |
                    (uint32_t)value << 16;
            }
        for (int64_t slab = group * bands->steps; slab < (group + 1) * bands->steps; slab++)
            for (int64_t at = next[slab]; at < (int64_t)bands->start[slab + 1] * 4; at++)
                bands->entry[at] = bands->entry[at - 1];
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
    *bands = (spmm_bands){.band_count = (a->nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS,
                          .steps = (a->ncol + DEPTH - 1) / DEPTH};
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
