#include "spmm/pieces.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int64_t count_parts(const int64_t *chunk, int64_t window, int64_t most) {
    const int64_t count = chunk[window + 1] - chunk[window];
    return count <= most ? 1 : (count + most - 1) / most;
}

base_status spmm_pieces_init(base_context *context, const int64_t *chunk, int64_t window_count, int64_t most,
                             spmm_pieces *pieces) {
    int64_t count = 0, part_count = 0;
    *pieces = (spmm_pieces){.count = 0};
    for (int64_t window = 0; window < window_count; window++) {
        const int64_t parts = count_parts(chunk, window, most);
        count += parts;
        part_count += parts > 1 ? parts : 0;
    }
    pieces->piece = base_alloc(context, count, sizeof *pieces->piece);
    pieces->part = base_alloc_zero(context, part_count + 1, sizeof *pieces->part);
    if (pieces->piece == NULL || pieces->part == NULL) {
        spmm_pieces_free(pieces);
        return BASE_MACHINE;
    }
    for (int64_t window = 0; window < window_count; window++) {
        const int64_t parts = count_parts(chunk, window, most), all = chunk[window + 1] - chunk[window];
        for (int64_t p = 0; p < parts; p++) {
            const int64_t first = all / parts * p + (p < all % parts ? p : all % parts);
            pieces->piece[pieces->count++] =
                (spmm_gpu_piece){.first = (int)(chunk[window] + first),
                                 .count = (int)(all / parts + (p < all % parts)),
                                 .window = (int)(parts > 1 ? -1 - (pieces->part_count + p) : window)};
        }
        for (int64_t p = 0; parts > 1 && p < parts; p++)
            pieces->part[pieces->part_count + p] =
                (spmm_gpu_part){.target = (int)window, .first = (int)pieces->part_count, .count = (int)parts};
        pieces->part_count += parts > 1 ? parts : 0;
    }
    return BASE_OK;
}

void spmm_pieces_free(spmm_pieces *pieces) {
    if (pieces == NULL)
        return;
    free(pieces->piece);
    free(pieces->part);
    memset(pieces, 0, sizeof *pieces);
}
