#include "spmm/device/price.h"

#include <math.h>

/* What a multiprocessor's cache holds of B while others use it, too. */
static const double near_bytes = 192e3;

/* A long row takes runs, who share it, about as long as one after the other the entries of one that is so
 * many times shorter. */
static const double sharers = 32;

/* Columns that a block, or a warp where it works by itself, computes at a time. */
static int64_t count_columns(const spmm_problem *problem, const spmm_device_variant *v) {
    return spmm_device_variant_columns(problem->precision, v) * (v->warps > 0 ? v->warps : 1);
}

static double count_tiles(const spmm_problem *problem, const spmm_device_variant *v) {
    const int64_t columns = count_columns(problem, v);
    return (double)((problem->n + columns - 1) / columns);
}

static double count_tile_bytes(const spmm_problem *problem, const spmm_device_variant *v) {
    return (double)(count_columns(problem, v) * spmm_device_number_bytes(problem));
}

double spmm_device_format_bytes(spmm_device_family family, const spmm_problem *problem,
                                const spmm_device_variant *v) {
    const double nnz = (double)problem->a.nnz, s = (double)spmm_device_number_bytes(problem);
    if (family == SPMM_FAMILY_DENSE || family == SPMM_FAMILY_SPLITS)
        return (double)problem->a.nrow * (double)problem->a.ncol * s * (family == SPMM_FAMILY_SPLITS ? 2 : 1);
    if (v->kind == SPMM_DEVICE_WINDOWS || v->kind == SPMM_DEVICE_RINGS) {
        const double columns = problem->profile.vectors[spmm_device_height(v)] +
                               16.0 * (double)problem->a.nrow / spmm_device_window_rows(v);
        return columns * 4 + (v->dense ? columns * spmm_device_window_rows(v) * s : nnz * 2 * s);
    }
    return nnz * (s + 4) + 8.0 * (double)problem->a.nrow;
}

/* Of so many bytes of B those that have to come from the second-level cache, where the rows of windows of
 * some heights find what they share in that of the multiprocessor. */
static double count_far(const spmm_profile *profile, double columns, double tile_bytes, int first, int last) {
    for (int h = first; h <= last; h++)
        if (profile->heaviest[h] * tile_bytes <= near_bytes)
            columns = fmin(columns, profile->vectors[h]);
    return columns;
}

/* Rows of B once for each entry, or for two rows of A that share it. Rows of A are begun together and so wait
 * for the longest where their lengths differ. */
static void count_plain(const spmm_problem *problem, const spmm_device_variant *v, double *count) {
    const spmm_profile *profile = &problem->profile;
    const double nnz = (double)problem->a.nnz, tiles = count_tiles(problem, v),
                 reads = v->kind == SPMM_DEVICE_STRIPS ? profile->pairs : nnz,
                 bytes = tiles * count_tile_bytes(problem, v),
                 far = count_far(profile, reads, count_tile_bytes(problem, v), 0, 0);
    count[SPMM_TERM_FAR] = far * bytes;
    count[SPMM_TERM_NEAR] = (reads - far) * bytes;
    if (v->kind == SPMM_DEVICE_ROWS) {
        count[SPMM_TERM_ENTRY] = spmm_device_is_even(problem) ? 0 : nnz * tiles;
        return;
    }
    if (v->kind != SPMM_DEVICE_RUNS)
        count[SPMM_TERM_ENTRY] = reads * tiles;
    count[SPMM_TERM_STEP] = (double)profile->rows_used * tiles;
    count[SPMM_TERM_CHAIN] = v->kind == SPMM_DEVICE_RUNS ? (double)v->most : (double)profile->longest_row;
    if (v->kind == SPMM_DEVICE_RUNS && profile->longest_row > v->most) {
        count[SPMM_TERM_CHAIN] += (double)profile->longest_row / sharers;
        count[SPMM_TERM_MEET] = 1;
    }
}

/* Rows of B once for each distinct column of a window, in whole tiles. */
static void count_windows(const spmm_problem *problem, const spmm_device_variant *v, double *count) {
    const spmm_profile *profile = &problem->profile;
    const int height = spmm_device_height(v);
    const double columns = profile->vectors[height], tiles = count_tiles(problem, v),
                 tile_bytes = count_tile_bytes(problem, v),
                 far = count_far(profile, columns, tile_bytes, height, SPMM_HEIGHTS - 1);
    count[SPMM_TERM_FAR] = far * tiles * tile_bytes;
    count[SPMM_TERM_NEAR] = (columns - far) * tiles * tile_bytes;
    count[SPMM_TERM_ENTRY] = v->dense ? 0 : (double)problem->a.nnz * tiles;
    count[SPMM_TERM_STEP] = (double)profile->rows_used / spmm_device_window_rows(v) * tiles;
    count[SPMM_TERM_CHAIN] = fmin((double)v->most, profile->heaviest[height] / SPMM_GPU_CHUNK);
}

/* All columns of B for bands of rows, in whole tiles; for splits in as many rounds as the blocks take. */
static void count_zeros(const base_device_properties *device, const spmm_problem *problem,
                        const spmm_device_variant *v, double *count) {
    const double bands = ceil((double)problem->a.nrow / SPMM_GPU_BAND_ROWS), tiles = count_tiles(problem, v),
                 columns = (double)count_columns(problem, v);
    double blocks = bands * tiles;
    if (v->kind == SPMM_DEVICE_SPLITS)
        blocks = ceil(blocks * (double)v->most / device->multiprocessors) * device->multiprocessors /
                 (double)v->most;
    count[SPMM_TERM_FLOP] = 2e-3 * blocks * SPMM_GPU_BAND_ROWS * columns * (double)problem->a.ncol;
}

/* Few columns take as long as some; rows that do not begin at multiples of some bytes cost the library's
 * fastest kernels, most of all for short numbers. */
static void count_dense(const spmm_problem *problem, double *count) {
    static const double fewest[SPMM_PRECISIONS] = {32, 32, 16, 64, 64, 32},
                        odd[SPMM_PRECISIONS] = {14, 14, 3.5, 1.3, 1.3, 1.6};
    const bool is_odd = problem->a.nrow % 8 != 0 || problem->a.ncol % 8 != 0;
    const double n = fmax((double)problem->n, fewest[problem->precision]);
    count[SPMM_TERM_FLOP] = 2e-3 * (double)problem->a.nrow * (double)problem->a.ncol *
                            (is_odd ? (n + 64) * odd[problem->precision] : n);
}

/* Blocks begin with a tile of B and end with the longest row. Teams wait for what they read of A, the less
 * the more columns there are. */
static void count_slabs(const spmm_problem *problem, const spmm_device_variant *v, double *count) {
    const double bytes = (double)(problem->n * spmm_device_number_bytes(problem));
    count[SPMM_TERM_NEAR] = (double)problem->a.nnz * bytes;
    count[SPMM_TERM_STEP] = (double)problem->a.ncol * count_tile_bytes(problem, v);
    count[SPMM_TERM_CHAIN] = (double)problem->profile.longest_row / v->teams;
    count[SPMM_TERM_MEET] = v->teams > 1 ? 128 / fmax(128, bytes) : 0;
}

/* Every column of B passes through shared memory for each row; a row that has a block takes as long as one of
 * 64 entries. */
static void count_tca(const spmm_problem *problem, bool several, double *count) {
    const double rows = (double)problem->a.nrow;
    count[SPMM_TERM_NEAR] = fmax((double)problem->a.nnz, several ? 0 : 64 * rows) * (double)problem->n * 2;
    count[SPMM_TERM_STEP] = rows * (double)problem->n;
}

void spmm_device_count(spmm_device_family family, const base_device_properties *device,
                       const spmm_problem *problem, const spmm_device_variant *v, double count[SPMM_TERMS]) {
    const double b_bytes =
                     problem->profile.columns_used * (double)(problem->n * spmm_device_number_bytes(problem)),
                 c_bytes = (double)(problem->a.nrow * problem->n * spmm_c_bytes(problem)),
                 bytes = spmm_device_format_bytes(family, problem, v) + b_bytes + c_bytes,
                 room = 0.5 * (double)device->l2_bytes;
    for (int term = 0; term < SPMM_TERMS; term++)
        count[term] = 0;
    count[SPMM_TERM_START] = 1;
    count[SPMM_TERM_WARM] = fmin(bytes, room);
    count[SPMM_TERM_COLD] = bytes - count[SPMM_TERM_WARM];
    switch (family) {
    case SPMM_FAMILY_ROWS:
    case SPMM_FAMILY_RUNS:
    case SPMM_FAMILY_STAGES:
    case SPMM_FAMILY_STRIPS: count_plain(problem, v, count); break;
    case SPMM_FAMILY_SLABS: count_slabs(problem, v, count); break;
    case SPMM_FAMILY_PANELS:
    case SPMM_FAMILY_BANDS:
    case SPMM_FAMILY_SPLITS: count_zeros(device, problem, v, count); break;
    case SPMM_FAMILY_DENSE: count_dense(problem, count); break;
    case SPMM_FAMILY_TCA:
    case SPMM_FAMILY_TCA_ROW: count_tca(problem, family == SPMM_FAMILY_TCA, count); break;
    default: count_windows(problem, v, count); break;
    }
}
