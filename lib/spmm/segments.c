#include "spmm/segments.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int64_t count_parts(const spmm_csr *a, int64_t row, int64_t most) {
    const int64_t entries = a->start[row + 1] - a->start[row];
    return entries <= most ? 1 : (entries + most - 1) / most;
}

/* Segments by falling number of entries, those with as many in the order they had. */
static base_status sort_segments(base_context *context, int64_t most, spmm_segments *segments) {
    spmm_gpu_segment *sorted = base_alloc(context, segments->count, sizeof *sorted);
    int64_t *place = base_alloc_zero(context, most + 2, sizeof *place);
    if (sorted == NULL || place == NULL) {
        free(sorted);
        free(place);
        return BASE_MACHINE;
    }
    for (int64_t s = 0; s < segments->count; s++)
        place[most - segments->segment[s].count + 1]++;
    for (int64_t length = 0; length < most; length++)
        place[length + 1] += place[length];
    for (int64_t s = 0; s < segments->count; s++)
        sorted[place[most - segments->segment[s].count]++] = segments->segment[s];
    free(segments->segment);
    segments->segment = sorted;
    free(place);
    return BASE_OK;
}

base_status spmm_segments_init(base_context *context, const spmm_csr *a, int64_t most, bool sorted,
                               spmm_segments *segments) {
    base_status status = BASE_MACHINE;
    int64_t count = 0, part_count = 0;
    *segments = (spmm_segments){.count = 0};
    for (int64_t row = 0; row < a->nrow; row++) {
        const int64_t parts = count_parts(a, row, most);
        count += parts;
        part_count += parts > 1 ? parts : 0;
    }
    segments->segment = base_alloc(context, count, sizeof *segments->segment);
    segments->part = base_alloc_zero(context, part_count + 1, sizeof *segments->part);
    if (segments->segment == NULL || segments->part == NULL)
        goto done;
    for (int64_t row = 0; row < a->nrow; row++) {
        const int64_t parts = count_parts(a, row, most), entries = a->start[row + 1] - a->start[row];
        for (int64_t p = 0; p < parts; p++) {
            const int64_t first = entries / parts * p + (p < entries % parts ? p : entries % parts);
            segments->segment[segments->count++] =
                (spmm_gpu_segment){.first = a->start[row] + first,
                                   .count = (int)(entries / parts + (p < entries % parts)),
                                   .row = (int)(parts > 1 ? -1 - (segments->part_count + p) : row)};
        }
        for (int64_t p = 0; parts > 1 && p < parts; p++)
            segments->part[segments->part_count + p] =
                (spmm_gpu_part){.target = (int)row, .first = (int)segments->part_count, .count = (int)parts};
        segments->part_count += parts > 1 ? parts : 0;
    }
    status = BASE_OK;
    if (sorted)
        BASE_TRY(sort_segments(context, most, segments));
done:
    if (status != BASE_OK)
        spmm_segments_free(segments);
    return status;
}

void spmm_segments_free(spmm_segments *segments) {
    if (segments == NULL)
        return;
    free(segments->segment);
    free(segments->part);
    memset(segments, 0, sizeof *segments);
}
