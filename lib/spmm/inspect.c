#include "spmm/inspect.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int spmm_height[SPMM_HEIGHTS] = {8, 16, 32, 64, 128};

enum { TALLEST = 128, SAMPLE_WINDOWS = 256 }; /* windows of the tallest kind */

/* Marks of the columns that were seen in the window at hand, by its number. */
typedef struct sample {
    const spmm_csr *a;
    int32_t *seen; /* a number for each column */
    int32_t window;
    spmm_profile *profile;
    double entries;           /* of the sample */
    double met[SPMM_HEIGHTS]; /* columns */
} sample;

static void count_rows(const spmm_csr *a, spmm_profile *profile) {
    for (int64_t row = 0; row < a->nrow; row++) {
        const int64_t length = a->start[row + 1] - a->start[row];
        profile->rows_used += length > 0;
        if (length > profile->longest_row)
            profile->longest_row = length;
    }
}

/* Distinct columns of the rows first … end-1. */
static double count_columns(sample *s, int64_t first, int64_t end) {
    double count = 0;
    s->window++;
    for (int64_t k = s->a->start[first]; k < s->a->start[end]; k++) {
        int32_t *mark = &s->seen[s->a->index[k]];
        count += *mark != s->window;
        *mark = s->window;
    }
    return count;
}

/* All heights inside one window of the tallest kind. */
static void count_window(sample *s, int64_t first) {
    const int64_t end = first + TALLEST < s->a->nrow ? first + TALLEST : s->a->nrow;
    s->entries += (double)(s->a->start[end] - s->a->start[first]);
    for (int h = 0; h < SPMM_HEIGHTS; h++)
        for (int64_t row = first; row < end; row += spmm_height[h]) {
            const int64_t below = row + spmm_height[h] < end ? row + spmm_height[h] : end;
            const double count = count_columns(s, row, below);
            s->met[h] += count;
            if (count > s->profile->heaviest[h])
                s->profile->heaviest[h] = count;
        }
}

/* From a sample: columns that are missed by all entries if these fall anywhere. */
static double estimate_columns(const spmm_csr *a) {
    return (double)a->ncol * -expm1(-(double)a->nnz / fmax(1, (double)a->ncol));
}

base_status spmm_inspect(base_context *context, spmm_problem *problem) {
    const spmm_csr *a = &problem->a;
    spmm_profile *profile = &problem->profile;
    const int64_t windows = (a->nrow + TALLEST - 1) / TALLEST;
    const int64_t step = windows > 2 * SAMPLE_WINDOWS ? windows / SAMPLE_WINDOWS : 1;
    sample s = {.a = a, .profile = profile};
    *profile = (spmm_profile){.sampled = step > 1};
    s.seen = base_alloc_zero(context, a->ncol, sizeof *s.seen);
    if (s.seen == NULL)
        return BASE_MACHINE;
    count_rows(a, profile);
    for (int64_t window = step / 2; window < windows; window += step)
        count_window(&s, window * TALLEST);
    const double scale = s.entries > 0 ? (double)a->nnz / s.entries : 0;
    for (int h = 0; h < SPMM_HEIGHTS; h++)
        profile->vectors[h] = s.met[h] * scale;
    profile->columns_used = step > 1 ? estimate_columns(a) : count_columns(&s, 0, a->nrow);
    free(s.seen);
    return BASE_OK;
}
