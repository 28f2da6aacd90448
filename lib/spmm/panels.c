#include "spmm/panels.h"
#include "base/memory.h"
#include "spmm/format.h"
#include "spmm/windows.h"

#include <stdlib.h>
#include <string.h>

int spmm_panels_position(spmm_precision precision, int row, int column) {
    return column / SPMM_GPU_CHUNK * SPMM_GPU_PANEL_ROWS * SPMM_GPU_CHUNK +
           spmm_windows_position(precision, row, column % 4 * 4 + column / 4 % 4);
}

/* Entries of each tile: into start[tile + 1]. */
static void count_entries(const spmm_panels *panels, const spmm_csr *a) {
    for (int64_t row = 0; row < a->nrow; row++) {
        int64_t *start = panels->start + row / SPMM_GPU_PANEL_ROWS * panels->steps + 1;
        for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
            start[a->index[k] / panels->shape.depth]++;
    }
    for (int64_t tile = 0; tile < panels->band_count * panels->steps; tile++)
        panels->start[tile + 1] += panels->start[tile];
}

/* `next`: where the next entry of each tile goes. */
static void fill_tiles(spmm_panels *panels, const spmm_csr *a, int64_t *next) {
    const int depth = panels->shape.depth;
    for (int64_t row = 0; row < a->nrow; row++) {
        int64_t *to = next + row / SPMM_GPU_PANEL_ROWS * panels->steps;
        for (int64_t k = a->start[row]; k < a->start[row + 1]; k++) {
            const int64_t at = to[a->index[k] / depth]++;
            panels->position[at] = (uint16_t)spmm_panels_position(
                panels->shape.precision, (int)(row % SPMM_GPU_PANEL_ROWS), a->index[k] % depth);
            spmm_pack_value(panels->shape.precision, a->value, k, panels->value, at);
        }
    }
}

base_status spmm_panels_init(base_context *context, const spmm_csr *a, const spmm_panels_shape *shape,
                             spmm_panels *panels) {
    base_status status = BASE_MACHINE;
    int64_t *next = NULL, *bands = NULL;
    *panels = (spmm_panels){.shape = *shape};
    panels->band_count = (a->nrow + SPMM_GPU_PANEL_ROWS - 1) / SPMM_GPU_PANEL_ROWS;
    panels->steps = (a->ncol + shape->depth - 1) / shape->depth;
    const int64_t tiles = panels->band_count * panels->steps;
    if (tiles > INT32_MAX)
        return base_fail(context, BASE_FAILED, "more than 2^31 tiles");
    panels->start = base_alloc_zero(context, tiles + 1, sizeof *panels->start);
    panels->position = base_alloc(context, a->nnz + 1, sizeof *panels->position);
    panels->value = base_alloc(context, a->nnz + 1, spmm_format_bytes(spmm_format_of(shape->precision)));
    next = base_alloc(context, tiles + 1, sizeof *next);
    bands = base_alloc(context, panels->band_count + 1, sizeof *bands);
    if (panels->start == NULL || panels->position == NULL || panels->value == NULL || next == NULL ||
        bands == NULL)
        goto done;
    count_entries(panels, a);
    memcpy(next, panels->start, (size_t)(tiles + 1) * sizeof *next);
    fill_tiles(panels, a, next);
    for (int64_t band = 0; band <= panels->band_count; band++)
        bands[band] = band * panels->steps;
    BASE_TRY(spmm_pieces_init(context, bands, panels->band_count, shape->most, &panels->pieces));
done:
    free(next);
    free(bands);
    if (status != BASE_OK)
        spmm_panels_free(panels);
    return status;
}

void spmm_panels_free(spmm_panels *panels) {
    if (panels == NULL)
        return;
    spmm_pieces_free(&panels->pieces);
    free(panels->start);
    free(panels->position);
    free(panels->value);
    memset(panels, 0, sizeof *panels);
}
