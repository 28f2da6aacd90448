/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/device/count.h"
#include "spmm/device/configuration.h"
#include "spmm/device/product.h"

#include <math.h>

/* What a multiprocessor's cache holds of B while others use it, too. */
static const double near_bytes = 192e3;

int64_t spmm_count_columns(const spmm_problem *problem, const spmm_device_variant *v) {
    return spmm_device_variant_columns(problem->precision, v) * (v->warps > 0 ? v->warps : 1);
}

double spmm_count_tiles(const spmm_problem *problem, const spmm_device_variant *v) {
    const int64_t columns = spmm_count_columns(problem, v);
    return (double)((problem->n + columns - 1) / columns);
}

double spmm_count_tile_bytes(const spmm_problem *problem, const spmm_device_variant *v) {
    return (double)(spmm_count_columns(problem, v) * spmm_device_number_bytes(problem));
}

double spmm_count_far(const spmm_profile *profile, double columns, double tile_bytes, int first, int last) {
    /* Where the rows of B of a window of H rows fit the cache together, each comes from afar once a window.
     */
    for (int h = first; h <= last; h++)
        if (profile->heaviest[h] * tile_bytes <= near_bytes)
            columns = fmin(columns, profile->vectors[h]);
    return columns;
}

double spmm_count_together(const spmm_problem *problem, double rows) {
    const spmm_profile *profile = &problem->profile;
    double low = 1, columns = (double)problem->a.nnz;
    for (int h = 0; h < SPMM_HEIGHTS; h++) {
        const double high = spmm_height[h], fewer = fmin(columns, profile->vectors[h]);
        if (rows <= high)
            return columns + (fewer - columns) * log2(rows / low) / log2(high / low);
        low = high;
        columns = fewer;
    }
    return columns;
}

double spmm_count_longest(const spmm_problem *problem, double rows, double most) {
    /* What the longest of 1, 2, 4, … rows has beyond the mean, in standard deviations. */
    static const double beyond[] = {0, 0.56, 1.03, 1.42, 1.77, 2.07, 2.34, 2.59};
    const double length = fmin(spmm_device_row_length(problem), most),
                 longest = fmin((double)problem->profile.longest_row, most);
    return spmm_device_is_even(problem)
               ? fmin(longest, length + beyond[(int)log2(fmin(rows, 128))] * sqrt(length))
               : longest;
}

double spmm_count_spread(const spmm_problem *problem, const spmm_device_variant *v, double rounds) {
    const double middle = 2e6, least = 0.75, most = 1.3, each = 0.13; /* for twice as many bytes */
    const double tiles = spmm_count_tiles(problem, v),
                 together = v->tiles_first ? fmax(1, fmin(tiles, tiles / rounds)) : tiles,
                 bytes = problem->profile.columns_used * spmm_count_tile_bytes(problem, v) * together;
    return fmin(most, fmax(least, 1 + each * log2(fmax(bytes, 1) / middle)));
}

void spmm_count_reads(const spmm_problem *problem, const spmm_device_variant *v, double reads,
                      double *count) {
    const double tile_bytes = spmm_count_tile_bytes(problem, v),
                 bytes = spmm_count_tiles(problem, v) * tile_bytes,
                 far = spmm_count_far(&problem->profile, reads, tile_bytes, 0, 0);
    count[SPMM_TERM_FAR] = far * bytes * spmm_count_spread(problem, v, INFINITY);
    count[SPMM_TERM_NEAR] = (reads - far) * bytes;
}

void spmm_count_rows(const spmm_problem *problem, const spmm_device_variant *v, double reads, double *count) {
    const double tiles = spmm_count_tiles(problem, v);
    spmm_count_reads(problem, v, reads, count);
    count[SPMM_TERM_ENTRY] = reads * tiles;
    count[SPMM_TERM_STEP] = (double)problem->profile.rows_used * tiles;
    count[SPMM_TERM_CHAIN] = (double)problem->profile.longest_row;
}

/* Distinct columns of the highest windows, if rows had none in common but by chance, of so many columns. */
static double count_uniform(const spmm_problem *problem, double columns) {
    const double windows = fmax(1, (double)problem->profile.rows_used / spmm_height[SPMM_HEIGHTS - 1]);
    return windows * columns * -expm1(-(double)problem->a.nnz / windows / columns);
}

int spmm_count_kind(const spmm_problem *problem, const spmm_device_variant *v) {
    (void)v;
    if (!spmm_device_is_even(problem))
        return SPMM_ROWS_UNEVEN;
    return problem->profile.vectors[SPMM_HEIGHTS - 1] >=
                   0.9 * count_uniform(problem, fmax(1, (double)problem->a.ncol))
               ? SPMM_ROWS_UNIFORM
               : SPMM_ROWS_EVEN;
}

/* What the second-level cache keeps while a product runs. */
static const double kept = 0.6;

/* Columns of A, as those of B's rows that are wanted at a time. */
static double count_wanted(const spmm_profile *profile) {
    return fmax(1, fmin(profile->columns_used, profile->span));
}

bool spmm_count_fits(const base_device_properties *device, const spmm_problem *problem) {
    const double bytes = (double)(problem->n * (spmm_device_number_bytes(problem) + spmm_c_bytes(problem)));
    return spmm_device_is_even(problem) &&
           count_wanted(&problem->profile) * bytes <= (double)device->l2_bytes;
}

void spmm_count_rereads(const base_device_properties *device, const spmm_problem *problem,
                        const spmm_device_variant *v, double *count) {
    if (!v->tiles_first)
        return;
    const double tiles = spmm_count_tiles(problem, v), a = spmm_count_row_bytes(problem, v),
                 bytes = (double)(problem->n * spmm_device_number_bytes(problem)) / tiles,
                 once = a + (problem->profile.columns_used + (double)problem->a.nrow) * bytes,
                 lost = fmax(0, 1 - kept * (double)device->l2_bytes / once);
    count[SPMM_TERM_WARM] += a * (tiles - 1) * (1 - lost);
    count[SPMM_TERM_COLD] += a * (tiles - 1) * lost;
}

double spmm_count_lost(const base_device_properties *device, const spmm_problem *problem,
                       const spmm_device_variant *v) {
    enum { UNDER_WAY = 64 }; /* rows of a multiprocessor, about */
    const spmm_profile *profile = &problem->profile;
    const double tiles = v->tiles_first ? spmm_count_tiles(problem, v) : 1,
                 bytes = (double)(problem->n * spmm_device_number_bytes(problem)) / tiles,
                 columns = count_wanted(profile), room = kept * (double)device->l2_bytes,
                 rounds = (double)problem->a.nrow / (UNDER_WAY * device->multiprocessors);
    if (columns * bytes <= room || rounds <= 1 || !spmm_device_is_even(problem))
        return 0;
    const double distinct = profile->vectors[SPMM_HEIGHTS - 1], even = count_uniform(problem, columns);
    return (1 - room / (columns * bytes)) * (1 - 1 / rounds) * distinct * fmin(1, distinct / even) * bytes *
           tiles;
}

void spmm_count_fit_lanes(const base_device_properties *device, const spmm_problem *problem,
                          spmm_device_variant *v) {
    while (v->lanes > 8 && spmm_count_lost(device, problem, v) > 0)
        v->lanes /= 2;
}

double spmm_count_row_bytes(const spmm_problem *problem, const spmm_device_variant *v) {
    const double nnz = (double)problem->a.nnz, s = (double)spmm_device_number_bytes(problem);
    (void)v;
    return nnz * (s + 4) + 8.0 * (double)problem->a.nrow;
}
