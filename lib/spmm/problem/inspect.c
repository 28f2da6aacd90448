/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/problem/inspect.h"
#include "base/core/memory.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

const int spmm_height[SPMM_HEIGHTS] = {8, 16, 32, 64, 128};

/* Bands are sampled down to about so many entries, but some bands at least. */
enum { SAMPLE_ENTRIES = 1 << 18, LEAST_BANDS = 4, PARALLEL_ROWS = 1 << 16, PARALLEL_ENTRIES = 1 << 15 };

static void count_rows(base_context *context, const spmm_csr *a, spmm_profile *profile) {
    int64_t used = 0, longest = 0;
#pragma omp parallel for num_threads(context->threads) reduction(+ : used) reduction(max : longest)          \
    schedule(static) if (a->nrow > PARALLEL_ROWS)
    for (int64_t row = 0; row < a->nrow; row++) {
        const int64_t length = a->start[row + 1] - a->start[row];
        used += length > 0;
        longest = length > longest ? length : longest;
    }
    profile->rows_used = used;
    profile->longest_row = longest;
}

/* Counts the distinct columns of the band's windows. seen[column] - 1 is the number of the last row with that
 * column. The thread's bands are numbered by `stamp`, their rows from stamp · 128 on, so that marks of bands
 * before need not be cleared. A column counts in a window of H rows where its last row lies before the
 * window's first one, which is number / H · H as 128 is a multiple of H. */
static void count_band(const spmm_csr *a, int64_t first, int32_t stamp, int32_t *seen, spmm_band *band) {
    const int64_t end = first + SPMM_BAND_ROWS < a->nrow ? first + SPMM_BAND_ROWS : a->nrow;
    int64_t low = a->ncol, high = -1;
    *band = (spmm_band){.rows = end - first, .nnz = a->start[end] - a->start[first]};
    for (int64_t row = first; row < end; row++) {
        const int64_t length = a->start[row + 1] - a->start[row];
        if (length > 0 && a->index[a->start[row]] < low)
            low = a->index[a->start[row]];
        if (length > 0 && a->index[a->start[row + 1] - 1] > high)
            high = a->index[a->start[row + 1] - 1];
        const int32_t number = stamp * SPMM_BAND_ROWS + (int32_t)(row - first);
        band->rows_used += length > 0;
        band->longest_row = length > band->longest_row ? length : band->longest_row;
        for (int64_t k = a->start[row]; k < a->start[row + 1]; k++) {
            const int32_t last = seen[a->index[k]] - 1;
            seen[a->index[k]] = number + 1;
            band->pairs += last < number / 2 * 2;
            for (int h = 0; h < SPMM_HEIGHTS; h++)
                band->vectors[h] += last < number / spmm_height[h] * spmm_height[h];
        }
    }
    band->span = high < low ? 0 : high - low + 1;
}

/* One band of every `step`, at a place that multiples of 2^64 / φ (φ the golden ratio) make pseudorandom: a
 * period in the rows of the matrix does not bias the sample. */
static int64_t choose_band(int64_t number, int64_t step) {
    return number * step + (int64_t)((uint64_t)(number + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % step;
}

/* Counts bands on several threads, each of which has marks of its own. */
static base_status count_bands(base_context *context, const spmm_csr *a, int64_t step, int count,
                               spmm_band *band) {
    const int64_t entries = a->nrow > 0 ? a->nnz / ((a->nrow - 1) / SPMM_BAND_ROWS + 1) * count : 0,
                  columns = a->ncol + 1;
    const int threads = entries > PARALLEL_ENTRIES ? context->threads : 1;
    int32_t *seen = base_alloc_zero(context, threads, columns * (int64_t)sizeof *seen);
    if (seen == NULL)
        return BASE_MACHINE;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        int32_t *own = seen + omp_get_thread_num() * columns, stamp = 0;
#pragma omp for schedule(dynamic)
        for (int k = 0; k < count; k++)
            count_band(a, choose_band(k, step) * SPMM_BAND_ROWS, stamp++, own, &band[k]);
    }
    free(seen);
    return BASE_OK;
}

static base_status count_columns(base_context *context, const spmm_csr *a, double *count) {
    char *seen = base_alloc_zero(context, a->ncol, 1);
    if (seen == NULL)
        return BASE_MACHINE;
    *count = 0;
    for (int64_t k = 0; k < a->nnz; k++) {
        *count += !seen[a->index[k]];
        seen[a->index[k]] = 1;
    }
    free(seen);
    return BASE_OK;
}

/* Columns with entries, if the entries fall anywhere: a column is missed by all of them with probability
 * (1 - 1 / ncol)^nnz, which is about exp(-nnz / ncol). */
static double estimate_columns(const spmm_csr *a) {
    return (double)a->ncol * -expm1(-(double)a->nnz / fmax(1, (double)a->ncol));
}

static void add_band(const spmm_band *band, spmm_profile *profile, double *entries) {
    *entries += (double)band->nnz;
    profile->span += (double)band->span / profile->sample_count;
    profile->pairs += band->pairs;
    for (int h = 0; h < SPMM_HEIGHTS; h++) {
        /* The band has rows / H windows, or a part of one. */
        const double mean = band->vectors[h] * fmin(1, (double)spmm_height[h] / (double)band->rows);
        profile->vectors[h] += band->vectors[h];
        profile->heaviest[h] = fmax(profile->heaviest[h], mean);
    }
}

base_status spmm_inspect(base_context *context, spmm_problem *problem) {
    base_status status = BASE_OK;
    const spmm_csr *a = &problem->a;
    spmm_profile *profile = &problem->profile;
    const int64_t bands = (a->nrow + SPMM_BAND_ROWS - 1) / SPMM_BAND_ROWS;
    double entries = 0, wanted = (double)bands;
    if (a->nnz > SAMPLE_ENTRIES)
        wanted = fmax(LEAST_BANDS, SAMPLE_ENTRIES / ((double)a->nnz / (double)bands));
    wanted = fmin(wanted, SPMM_SAMPLE_BANDS);
    const int64_t step = (int64_t)ceil((double)bands / fmax(1, wanted));
    *profile = (spmm_profile){.sampled = step > 1, .sample_count = (int)(step > 0 ? bands / step : 0)};
    count_rows(context, a, profile);
    BASE_TRY(count_bands(context, a, step, profile->sample_count, profile->sample));
    for (int k = 0; k < profile->sample_count; k++)
        add_band(&profile->sample[k], profile, &entries);
    const double scale = entries > 0 ? (double)a->nnz / entries : 0;
    profile->pairs *= scale;
    for (int h = 0; h < SPMM_HEIGHTS; h++)
        profile->vectors[h] *= scale;
    if (step > 1)
        profile->columns_used = estimate_columns(a);
    else
        BASE_TRY(count_columns(context, a, &profile->columns_used));
done:
    return status;
}
