#include "spmm/runs.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Runs from `row` on, of short rows or of one long one: sets the row behind them, returns how many. */
static int64_t measure(const spmm_csr *a, int64_t most, int64_t row, int64_t *end) {
    const int64_t entries = a->start[row + 1] - a->start[row];
    *end = row + 1;
    if (entries > most)
        return (entries + most - 1) / most;
    while (*end < a->nrow && *end - row < 4 * most && a->start[*end + 1] - a->start[row] <= most)
        (*end)++;
    return 1;
}

static void fill(const spmm_csr *a, int64_t row, int64_t end, int64_t parts, spmm_runs *runs) {
    const int64_t entries = a->start[end] - a->start[row];
    for (int64_t p = 0; p < parts; p++) {
        runs->run[runs->count++] = (spmm_gpu_run){.first = a->start[row] + entries / parts * p +
                                                           (p < entries % parts ? p : entries % parts),
                                                  .count = (int)(entries / parts + (p < entries % parts)),
                                                  .row = (int)(parts > 1 ? -1 - (runs->part_count + p) : row),
                                                  .rows = (int)(end - row)};
        if (parts > 1)
            runs->part[runs->part_count + p] =
                (spmm_gpu_part){.target = (int)row, .first = (int)runs->part_count, .count = (int)parts};
    }
    runs->part_count += parts > 1 ? parts : 0;
}

base_status spmm_runs_init(base_context *context, const spmm_csr *a, int64_t most, spmm_runs *runs) {
    int64_t count = 0, part_count = 0, end;
    *runs = (spmm_runs){.count = 0};
    for (int64_t row = 0; row < a->nrow; row = end) {
        const int64_t parts = measure(a, most, row, &end);
        count += parts;
        part_count += parts > 1 ? parts : 0;
    }
    runs->run = base_alloc(context, count, sizeof *runs->run);
    runs->part = base_alloc_zero(context, part_count + 1, sizeof *runs->part);
    if (runs->run == NULL || runs->part == NULL) {
        spmm_runs_free(runs);
        return BASE_MACHINE;
    }
    for (int64_t row = 0; row < a->nrow; row = end) {
        const int64_t parts = measure(a, most, row, &end);
        fill(a, row, end, parts, runs);
    }
    return BASE_OK;
}

void spmm_runs_free(spmm_runs *runs) {
    if (runs == NULL)
        return;
    free(runs->run);
    free(runs->part);
    memset(runs, 0, sizeof *runs);
}
