/* The shapes in which the device kernels run: how many columns, rows and entries a block takes, so that the
 * device has work for all its multiprocessors. Measured on an H200. */
#include "config.h"
#include "spmm/device/internal.h"

#include <math.h>

static int64_t clamp(int64_t x, int64_t least, int64_t most) {
    return x < least ? least : x > most ? most : x;
}

/* The power of two at or above x. */
static int64_t round_up(int64_t x) {
    int64_t power = 1;
    while (power < x)
        power *= 2;
    return power;
}

/* Of 16 bytes in a row of B. */
static int64_t count_vectors(const spmm_problem *problem) {
    return (problem->n * spmm_device_number_bytes(problem) + 15) / 16;
}

/* Threads side by side for the columns of a tile, 16 bytes each. */
static int choose_lanes(const spmm_problem *problem, int64_t most) {
    return (int)clamp(round_up(count_vectors(problem)), 4, most);
}

double spmm_device_row_length(const spmm_problem *problem) {
    return (double)problem->a.nnz / fmax(1, (double)problem->profile.rows_used);
}

bool spmm_device_has_90a(const base_device_properties *device) {
    return MMPIPE_90A && device->architecture == 90;
}

bool spmm_device_is_even(const spmm_problem *problem) {
    return (double)problem->profile.longest_row < 4 * spmm_device_row_length(problem);
}

/* Where rows are too few for the device several teams share each, as wide as leave each multiprocessor some
 * thirty warps. A few rows that are hardly longer than the others are not worth blocks of their own. */
static void shape_rows(const spmm_problem *problem, const base_device_properties *device,
                       spmm_device_variant *v) {
    const int64_t vectors = count_vectors(problem);
    const bool is_even = spmm_device_is_even(problem);
    v->most = spmm_device_row_length(problem) > 48 ? 256 : 64;
    if (is_even && problem->profile.longest_row <= 2 * v->most)
        v->most *= 2;
    const double threads =
        fmax((double)problem->a.nrow, (double)problem->a.nnz / (double)v->most) * (double)vectors;
    if (threads < 1024.0 * device->multiprocessors) {
        const double wide =
            threads / ((spmm_device_number_bytes(problem) == 8 ? 16.0 : 31.0) * device->multiprocessors);
        v->lanes = (int)clamp(round_up((int64_t)wide), vectors < 8 ? 4 : 8, clamp(round_up(vectors), 4, 16));
        v->teams = 32 / v->lanes;
    } else {
        v->lanes = vectors > 32 ? 32 : choose_lanes(problem, 16);
        v->teams = 1;
    }
    v->depth = v->teams == 8 || (is_even && v->teams == 1 && v->lanes == 8) ? 4 : 8;
    v->tiles_first = true;
    if (spmm_device_number_bytes(problem) == 8 && vectors >= 64 && spmm_device_row_length(problem) < 48 &&
        v->teams > 1) { /* whole rows are short enough */
        v->teams = 1;
        v->depth = 4;
    }
}

/* Long runs, for the less there is to begin; shorter ones where there would be too few, and for rows of a few
 * entries. */
static void shape_runs(const spmm_problem *problem, const base_device_properties *device,
                       spmm_device_variant *v) {
    const double length = spmm_device_row_length(problem);
    const bool is_even = spmm_device_is_even(problem), is_wide = choose_lanes(problem, 32) > 8;
    v->lanes = choose_lanes(problem, 32);
    v->depth = 4;
    v->threads = 128;
    v->most = length > 24 ? 128 : length > 10 ? 64 : 32;
    if (spmm_device_number_bytes(problem) == 2 && is_wide)
        v->most = length > 24 || !is_even ? 128 : length > 6 ? 64 : 32;
    else if (spmm_device_number_bytes(problem) == 2 && problem->a.nnz > 1000000 && v->most == 32)
        v->most = 48;
    v->tiles_first = true;
    if (!is_even && spmm_device_number_bytes(problem) > 2 &&
        (double)problem->a.nnz / 128 * v->lanes < 1024.0 * device->multiprocessors) {
        v->depth = spmm_device_number_bytes(problem) == 8 ? 4 : 8;
        v->most = spmm_device_number_bytes(problem) == 8 ? 64 : 128;
    } else if (!is_even && spmm_device_number_bytes(problem) == 8 && problem->n <= 128 && v->most == 128)
        v->most = 96;
}

/* Where long runs would leave multiprocessors without work; uneven ones take longer to end. */
static void shorten_runs(const spmm_problem *problem, const base_device_properties *device,
                         spmm_device_variant *v) {
    const double vectors = (double)count_vectors(problem),
                 wanted = (spmm_device_is_even(problem) ? 192.0 : 400.0) * device->multiprocessors;
    while (v->most > 16 && (double)problem->a.nnz / (double)v->most * vectors < wanted)
        v->most /= 2;
}

/* Few threads side by side with several groups each, for what all of them read alike takes the cache as long
 * as B. Where neighbouring rows share columns more of them together find these in the cache: large blocks, or
 * wide tiles of short rows. */
static void shape_stages(const spmm_problem *problem, spmm_device_variant *v) {
    const int64_t bytes = spmm_device_number_bytes(problem), vectors = count_vectors(problem);
    const bool is_near = problem->profile.vectors[SPMM_HEIGHTS - 2] < 0.8 * (double)problem->a.nnz;
    v->kind = SPMM_DEVICE_STAGES;
    v->lanes = 8;
    v->groups = bytes == 8 && vectors <= 16 ? 2 : 4;
    if (is_near && vectors > 16 && spmm_device_row_length(problem) > 24) {
        v->lanes = 32;
        v->groups = bytes == 8 ? 2 : 1;
    } else if (is_near && vectors > 32)
        v->lanes = 16;
    v->most = INT32_MAX;
    v->tiles_first = true;
}

/* As many groups as leave 8 threads side by side. */
static void shape_strips(const spmm_problem *problem, spmm_device_variant *v) {
    const int64_t bytes = spmm_device_number_bytes(problem), vectors = count_vectors(problem);
    v->kind = SPMM_DEVICE_STRIPS;
    v->groups = bytes == 2 ? 1 : vectors > 16 ? 4 : vectors > 8 || bytes == 8 ? 2 : 1;
    v->lanes = bytes == 2 ? choose_lanes(problem, 32) : vectors > 32 ? 16 : 8;
    if (v->lanes == 4)
        v->lanes = 8;
    v->tiles_first = true;
}

/* Tiles of 64 bytes where they fit and leave a multiprocessor rows for all warps; so many teams that there
 * are. */
static void shape_slabs(const spmm_problem *problem, const base_device_properties *device,
                        spmm_device_variant *v) {
    const double bytes = (double)(problem->n * spmm_device_number_bytes(problem)),
                 rows = (double)problem->a.nrow * bytes / SPMM_GPU_SLAB_BYTES / device->multiprocessors;
    const bool is_narrow = spmm_device_number_bytes(problem) == 2,
               is_wide = !is_narrow && rows >= 480 &&
                         problem->a.ncol * 2 * SPMM_GPU_SLAB_BYTES <= device->shared_bytes_per_block - 1024;
    v->lanes = is_narrow || is_wide ? 2 : 1;
    v->groups = is_narrow ? 1 : 2;
    v->teams = is_narrow ? (problem->n > 256 ? 1 : 4) : rows >= 400 ? 1 : rows >= 100 ? 2 : 4;
}

int spmm_device_height(const spmm_device_variant *v) {
    return v->tall == 8 ? 4 : v->tall == 4 ? 3 : v->tall;
}

/* Tall windows of 16-bit numbers exist in more shapes than those of others. */
static void shape_windows(const spmm_problem *problem, const base_device_properties *device, int height,
                          bool dense, spmm_device_variant *v) {
    const bool narrow = spmm_device_number_bytes(problem) == 2;
    v->tall = height / 16;
    const bool is_small =
        narrow && height > 8 && ((dense && height == 16) || (problem->n <= 32 && height <= 32));
    v->width = is_small ? 2 : 4;
    v->groups = height <= 16 && !is_small && problem->n * spmm_device_number_bytes(problem) > 128 ? 2 : 1;
    v->dense = dense;
    if (dense && height == 32 && problem->precision == SPMM_FP64 && spmm_device_has_90a(device)) {
        v->warps = problem->n <= 64 ? 2 : 4;
        v->groups = 2;
    }
    const double chunks = problem->profile.vectors[spmm_device_height(v)] / 16;
    const double tiles = ceil((double)(problem->n * spmm_device_number_bytes(problem)) / (64 * v->groups));
    v->most =
        clamp((int64_t)(chunks * tiles / (32 * device->multiprocessors)), narrow ? 32 : 8, narrow ? 128 : 64);
    v->tiles_first = narrow || !dense; /* else rows of B are in the cache when the next tile comes */
    if (v->warps > 0) {
        v->most = clamp((int64_t)(chunks * ceil(tiles / v->warps) / (8 * device->multiprocessors)), 32, 1024);
        v->tiles_first = problem->n > 256;
    }
}

/* Windows of which blocks of several warps take 128 columns at a time. */
static void shape_rings(int height, bool dense, spmm_device_variant *v) {
    v->kind = SPMM_DEVICE_RINGS;
    v->tall = height / 16;
    v->groups = 2;
    v->dense = dense;
    v->most = 128;
    v->tiles_first = true;
}

/* Dense windows: in rings where columns are many, but for low windows that are nearly empty, and in blocks
 * that take 512 columns at a time, if the windows are low. Where a few tiles are side by side they find the
 * window's numbers in the cache. */
static void shape_blocks(const spmm_problem *problem, const base_device_properties *device, int height,
                         spmm_device_variant *v) {
    const double places = problem->profile.vectors[height == 16 ? 1 : 2] * height;
    const bool narrow = spmm_device_number_bytes(problem) == 2,
               is_empty = height == 16 && (double)problem->a.nnz < 0.4 * places;
    if (spmm_device_has_90a(device) && narrow && problem->n > 256 && height == 16) {
        const double chunks = problem->profile.vectors[1] / SPMM_GPU_CHUNK * ceil((double)problem->n / 512);
        *v = (spmm_device_variant){.kind = SPMM_DEVICE_WINDOWS,
                                   .tall = 1,
                                   .width = 4,
                                   .groups = 2,
                                   .warps = 4,
                                   .dense = true,
                                   .most = clamp((int64_t)(chunks / (8 * device->multiprocessors)), 32, 1024),
                                   .tiles_first = true};
        return;
    }
    if (spmm_device_has_90a(device) && narrow && problem->n > 128 && !is_empty) {
        shape_rings(height, true, v);
        return;
    }
    v->kind = SPMM_DEVICE_WINDOWS;
    shape_windows(problem, device, height, true, v);
    if (narrow && problem->n > 64) {
        v->width = height == 32 || is_empty ? 4 : v->width;
        v->tiles_first = v->width == 2;
    }
}

static void shape_panels(const spmm_problem *problem, const base_device_properties *device,
                         spmm_device_variant *v) {
    const bool narrow = spmm_device_number_bytes(problem) == 2;
    const int64_t n = problem->n;
    const bool is_double = problem->precision == SPMM_FP64;
    v->depth = narrow ? 64 : is_double ? 16 : 32;
    v->width = narrow && n <= 32 ? 2 : 4;
    v->groups = n <= (narrow ? 64 : is_double ? 16 : 32) ? 1 : narrow || n <= (is_double ? 32 : 64) ? 2 : 4;
    const int64_t columns = 8 * v->width * 4 / spmm_device_number_bytes(problem) * v->groups;
    const int64_t blocks = (problem->a.nrow + 127) / 128 * ((n + columns - 1) / columns);
    const int64_t parts = clamp(2 * device->multiprocessors / (blocks > 0 ? blocks : 1), 1, 16);
    const int64_t steps = (problem->a.ncol + v->depth - 1) / v->depth;
    v->most = steps > 0 ? (steps + parts - 1) / parts : 1;
}

/* As many blocks as are resident at a time. */
static void shape_bands(const spmm_problem *problem, const base_device_properties *device,
                        spmm_device_variant *v) {
    v->width = (int)clamp(round_up(problem->n), 32, 128);
    if (v->width == 128 && spmm_device_number_bytes(problem) == 2 &&
        (problem->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS * ((problem->n + 127) / 128) <
            device->multiprocessors * 4 / 5)
        v->width = 64;
    const int64_t blocks = (problem->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS *
                           ((problem->n + v->width - 1) / v->width);
    const int64_t steps =
        (problem->a.ncol * spmm_device_number_bytes(problem) + SPMM_GPU_BAND_BYTES - 1) / SPMM_GPU_BAND_BYTES;
    const int64_t parts = clamp(2 * device->multiprocessors / (blocks > 0 ? blocks : 1), 1, 8);
    v->most = steps > 0 ? (steps + parts - 1) / parts : 1;
}

/* At most as many blocks as there are multiprocessors, which hold one each. */
static void shape_splits(const spmm_problem *problem, const base_device_properties *device,
                         spmm_device_variant *v) {
    const int64_t blocks = (problem->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS *
                           ((problem->n + SPMM_GPU_SPLIT_COLUMNS - 1) / SPMM_GPU_SPLIT_COLUMNS);
    v->most = clamp(device->multiprocessors / (blocks > 0 ? blocks : 1), 1, 8);
}

void spmm_device_find_shape(spmm_device_family family, const base_device_properties *device,
                            const spmm_problem *problem, spmm_device_variant *v) {
    *v = (spmm_device_variant){.kind = SPMM_DEVICE_ROWS};
    switch (family) {
    case SPMM_FAMILY_ROWS: shape_rows(problem, device, v); break;
    case SPMM_FAMILY_DENSE:
    case SPMM_FAMILY_TCA:
    case SPMM_FAMILY_TCA_ROW: break;
    case SPMM_FAMILY_RUNS:
        v->kind = SPMM_DEVICE_RUNS;
        shape_runs(problem, device, v);
        shorten_runs(problem, device, v);
        break;
    case SPMM_FAMILY_STAGES: shape_stages(problem, v); break;
    case SPMM_FAMILY_STRIPS: shape_strips(problem, v); break;
    case SPMM_FAMILY_SLABS:
        v->kind = SPMM_DEVICE_SLABS;
        shape_slabs(problem, device, v);
        break;
    case SPMM_FAMILY_PANELS:
        v->kind = SPMM_DEVICE_PANELS;
        shape_panels(problem, device, v);
        break;
    case SPMM_FAMILY_SPLITS:
        v->kind = SPMM_DEVICE_SPLITS;
        shape_splits(problem, device, v);
        break;
    case SPMM_FAMILY_BANDS:
        v->kind = SPMM_DEVICE_BANDS;
        shape_bands(problem, device, v);
        break;
    case SPMM_FAMILY_RINGS16:
    case SPMM_FAMILY_RINGS32:
    case SPMM_FAMILY_RINGS64:
    case SPMM_FAMILY_RINGS128: shape_rings(16 << (family - SPMM_FAMILY_RINGS16), false, v); break;
    case SPMM_FAMILY_BLOCKS16:
    case SPMM_FAMILY_BLOCKS32:
        shape_blocks(problem, device, family == SPMM_FAMILY_BLOCKS16 ? 16 : 32, v);
        break;
    default:
        v->kind = SPMM_DEVICE_WINDOWS;
        shape_windows(problem, device,
                      family == SPMM_FAMILY_WINDOWS8    ? 8
                      : family == SPMM_FAMILY_WINDOWS16 ? 16
                      : family == SPMM_FAMILY_WINDOWS32 ? 32
                                                        : 64,
                      false, v);
        break;
    }
}
