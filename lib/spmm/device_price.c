/* Prices of the device kernels. The rates are those of an H200 (141 GB): copies 4.3 TB/s, rows
 * from the second-level cache 8 TB/s, fp16 635, tf32 318, fp64 66 TFLOP/s by mma.sync, 30 of each for
 * plain arithmetic; other devices are taken to be as balanced. How much of the rates each family reaches
 * was measured on 22 matrices of different kinds with 32, 128 and 512 columns, and on some real ones. */
#include "base/device_blas.h"
#include "config.h"
#include "spmm/device_internal.h"

#include <math.h>
#include <stdio.h>

static const double copy_rate = 4.3e12, gather_rate = 8e12, plain_rate = 30e12,
                    near_bytes = 256 << 10 /* that a multiprocessor's cache holds */, launch_seconds = 7e-6,
                    chain_seconds = 8e-6 /* a piece of a window, chunk after chunk */,
                    library_seconds = 0.8e-6 /* a product of cuBLAS, beside the launch */,
                    expansion_rate = 1.2e11 /* entries a second */;
/* Of preparations on the device: bytes of the format a second, and what the smallest takes. */
static const double pack_rate = 20e9, pack_seconds = 100e-6;

/* spmm_height of 64 rows: about what a multiprocessor's cache remembers. */
enum { PRICED_ROWS = 3 };

static double matrix_rate(spmm_precision precision) {
    switch (precision) {
    case SPMM_FP16:
    case SPMM_BF16: return 635e12;
    case SPMM_TF32: return 318e12;
    case SPMM_3XTF32: return 318e12 / 3;
    default: return 66e12;
    }
}

/* ---- what does not fit ---- */

static const char *find_reason(spmm_device_family family, const base_device_properties *device,
                               const spmm_problem *problem, const spmm_device_variant *v) {
    const bool narrow = spmm_device_number_bytes(problem) == 2, exact = problem->precision == SPMM_FP32;
    if (device->architecture < 80)
        return "the device has no matrix instructions of that kind";
    if (family == SPMM_FAMILY_DENSE)
        return base_device_blas_missing();
    if (spmm_device_is_tca(family) && !narrow)
        return "for 16 bits only";
    if (family == SPMM_FAMILY_SPLITS && problem->precision != SPMM_3XTF32)
        return "for 3xtf32 only";
    if ((v->kind == SPMM_DEVICE_BANDS || v->kind == SPMM_DEVICE_RINGS || v->kind == SPMM_DEVICE_SPLITS) &&
        (device->architecture != 90 || !MMPIPE_90A))
        return "for compute capability 9.0 alone";
    if (v->kind == SPMM_DEVICE_SLABS &&
        problem->a.ncol * SPMM_GPU_SLAB_BYTES > device->shared_bytes_per_block - 1024)
        return "B's columns exceed the shared memory";
    if ((v->kind == SPMM_DEVICE_WINDOWS || v->kind == SPMM_DEVICE_RINGS || v->kind == SPMM_DEVICE_PANELS ||
         v->kind == SPMM_DEVICE_BANDS) &&
        exact)
        return "fp32 is not exact on matrix units; see 3xtf32";
    if (v->kind == SPMM_DEVICE_BANDS && problem->precision == SPMM_FP64)
        return "not for fp64";
    if (((v->kind == SPMM_DEVICE_WINDOWS && (v->tall == 0 || v->tall == 4)) ||
         v->kind == SPMM_DEVICE_RINGS) &&
        !narrow)
        return "for 16 bits only";
    return NULL;
}

/* ---- prices ---- */

static double format_bytes(spmm_device_family family, const spmm_problem *problem,
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

/* How much slower than the matrix units' rate: numbers of 32 and 64 bits take more steps and registers,
 * the more so in tall windows. */
static double matrix_overhead(const spmm_problem *problem, const spmm_device_variant *v) {
    if (spmm_device_number_bytes(problem) == 2)
        return 1.3;
    if (v->warps > 0)
        return 1.4;
    return (problem->precision == SPMM_FP64 ? 2.2 : 2.0) * (v->tall > 1 && !v->dense ? 1.4 : 1);
}

/* What a warp takes for a chunk of a window of 16-bit numbers and a tile, on a device that has many, beside
 * what the memory takes. */
static double chunk_seconds(const spmm_device_variant *v) {
    if (v->kind == SPMM_DEVICE_RINGS)
        return (v->dense      ? (v->tall == 1 ? 0.33e-9 : 0.31e-9)
                : v->tall < 4 ? 0.53e-9
                              : 0.25e-9 * v->tall) *
               v->groups;
    if (v->dense)
        return v->width == 2 ? 0.125e-9 : v->tall == 2 ? 0.3e-9 : 0.27e-9 * v->groups;
    if (v->width == 2)
        return v->tall == 1 ? 0.18e-9 : 0.27e-9;
    if (v->tall == 0)
        return v->groups == 2 ? 0.75e-9 : 0.4e-9;
    return v->tall == 4 ? 0.9e-9 : v->tall == 2 ? 0.44e-9 : v->groups == 2 ? 0.65e-9 : 0.45e-9;
}

/* Entries of compressed windows are put in their places once for each tile of columns. */
static void price_windows(const spmm_problem *problem, const spmm_device_variant *v, spmm_price *price) {
    const double n = (double)problem->n, s = (double)spmm_device_number_bytes(problem);
    const double columns = problem->profile.vectors[spmm_device_height(v)];
    price->math_seconds = 2 * columns * fmax(16, spmm_device_window_rows(v)) * n /
                          matrix_rate(problem->precision) * matrix_overhead(problem, v);
    price->gather_seconds = (s > 4 ? 0.93 : 1.15) * columns * n * s / gather_rate;
    if (s == 2) { /* and a piece chunk after chunk */
        const double rows = spmm_device_window_rows(v),
                     tile = v->kind == SPMM_DEVICE_RINGS ? 128 : 32 * v->width,
                     tiles = ceil(n * s / (tile * v->groups)),
                     windows = fmax(1, (double)problem->profile.rows_used / rows);
        price->gather_seconds =
            (columns / 16 + (double)problem->a.nrow / (2 * rows)) * tiles * chunk_seconds(v);
        price->start_seconds =
            fmax(0, fmin((double)v->most, columns / 16 / windows) * (v->dense ? 0.1e-6 : 0.4e-6) -
                        price->gather_seconds);
        if (v->dense && v->tall == 1 && problem->n <= 32 && spmm_device_is_even(problem) &&
            (double)problem->a.nnz < 0.4 * 16 * columns)
            price->gather_seconds *= 0.5; /* as measured */
        if (!v->dense && v->width == 4)
            price->gather_seconds += (double)problem->a.nnz * tiles * 1.5e-12;
    }
    if (v->warps > 0) { /* the first chunks of a window wait */
        const double chunks = columns / SPMM_GPU_CHUNK / fmax(1, (double)problem->a.nrow / 16 / v->tall);
        price->gather_seconds *= 1 + 4 / fmax(1, chunks);
        price->math_seconds *= 1 + 4 / fmax(1, chunks);
    }
    if (v->dense && v->kind != SPMM_DEVICE_RINGS) /* A once for each tile */
        price->gather_seconds += 0.4 * columns * 16 * v->tall * s *
                                 ceil(n * s /
                                      ((v->warps > 0 ? 128 * v->warps
                                        : s == 2     ? 32 * v->width
                                                     : 64) *
                                       v->groups)) /
                                 gather_rate;
    else if (s > 2)
        price->gather_seconds += (double)problem->a.nnz * ceil(n * s / 256) / expansion_rate *
                                 (v->tall == 1   ? 0.25
                                  : v->tall == 2 ? 0.4
                                                 : 1);
}

static void price_panels(const spmm_problem *problem, spmm_price *price) {
    const double n = (double)problem->n, bands = ceil((double)problem->a.nrow / 128);
    const double share = spmm_device_number_bytes(problem) == 8   ? 0.36
                         : spmm_device_number_bytes(problem) == 4 ? 0.3
                         : n > 128                                ? 0.3
                                                                  : 0.2;
    const double flop = 2 * bands * 128 * (double)problem->a.ncol * n;
    price->math_seconds = flop / (share * matrix_rate(problem->precision));
    price->gather_seconds =
        bands * (double)problem->a.ncol * n * (double)spmm_device_number_bytes(problem) / gather_rate +
        (double)problem->a.nnz * ceil(n / 128) / 1e12 +
        (spmm_device_number_bytes(problem) == 4   ? 6e-6
         : spmm_device_number_bytes(problem) == 2 ? 4e-6
                                                  : 0);
}

static void price_bands(const spmm_problem *problem, const spmm_device_variant *v, spmm_price *price) {
    const double n = ceil((double)problem->n / v->width) * v->width;
    const double bands = ceil((double)problem->a.nrow / SPMM_GPU_BAND_ROWS), k = (double)problem->a.ncol;
    const double share = problem->precision == SPMM_TF32 ? 0.3 : 0.5;
    price->math_seconds = 2 * bands * SPMM_GPU_BAND_ROWS * k * n / (share * matrix_rate(problem->precision));
    price->gather_seconds =
        bands * k * fmax(n, 128) * (double)spmm_device_number_bytes(problem) / gather_rate +
        (double)problem->a.nnz * n / v->width / 1e12 + 2e-6;
}

/* Blocks of 128 rows and 64 columns, a multiprocessor each; B is split beforehand. */
static void price_splits(const base_device_properties *device, const spmm_problem *problem,
                         const spmm_device_variant *v, spmm_price *price) {
    static const double rate = 3.1e12 /* of a multiprocessor */, halves_seconds = 4e-6;
    const double blocks = ceil((double)problem->a.nrow / SPMM_GPU_BAND_ROWS) *
                          ceil((double)problem->n / SPMM_GPU_SPLIT_COLUMNS) * (double)v->most;
    price->math_seconds = 6.0 * SPMM_GPU_BAND_ROWS * SPMM_GPU_SPLIT_COLUMNS * (double)problem->a.ncol /
                              (double)v->most * ceil(blocks / device->multiprocessors) / rate +
                          halves_seconds + (v->most > 1 ? 3e-6 : 0);
}

/* Each row costs as much as some entries more, and each block brings a tile of B. Teams wait for what they
 * read of A, the less the more columns there are. */
static void price_slabs(const spmm_problem *problem, const spmm_device_variant *v, spmm_price *price) {
    const double n = (double)problem->n, s = (double)spmm_device_number_bytes(problem),
                 tile_bytes = (double)problem->a.ncol * v->lanes * v->groups * 16;
    const double rate = s == 2 ? 13e12 : v->lanes * v->groups > 2 ? 26e12 : s == 4 ? 24e12 : 19e12;
    price->gather_seconds = ((double)problem->a.nnz + 6.0 * (double)problem->a.nrow) * n * s / rate +
                            tile_bytes / 29e9 + (s < 8 ? 1e-6 : 0) +
                            (v->teams > 1 ? 3.2e-6 * 128 / fmax(128, n * s) : 0);
    price->math_seconds = 2 * (double)problem->a.nnz * n / plain_rate;
}

/* Whether rows, of which blocks take the long ones, fill the device better than runs, if they are not many
 * short ones. */
static bool has_few_runs(const base_device_properties *device, const spmm_problem *problem) {
    const double s = (double)spmm_device_number_bytes(problem),
                 threads = (double)problem->a.nnz / 128 * ceil((double)problem->n * s / 16);
    return threads < (s == 2   ? 4096.0
                      : s == 4 ? 2048.0
                               : 512.0) *
                         device->multiprocessors &&
           problem->a.nnz >= 4 * problem->a.nrow;
}

/* Rows of B that a neighbour fetched just before come cheaper; uneven rows, and short ones one by one,
 * cost more. */
static void price_rows(const base_device_properties *device, const spmm_problem *problem,
                       const spmm_device_variant *v, spmm_price *price) {
    const double n = (double)problem->n, s = (double)spmm_device_number_bytes(problem),
                 nnz = (double)problem->a.nnz;
    const double far = fmin(problem->profile.vectors[PRICED_ROWS], nnz),
                 average = spmm_device_row_length(problem);
    const bool is_even = spmm_device_is_even(problem);
    const bool is_near = problem->profile.heaviest[PRICED_ROWS] * fmin(n * s, 256) < near_bytes;
    const double near_cost = s > 2 && problem->a.ncol <= 8192       ? (s > 4 ? 0.7 : 0.55)
                             : !is_near                             ? 0.85
                             : v->kind == SPMM_DEVICE_ROWS && s < 8 ? 0.55
                                                                    : 0.6;
    price->gather_seconds = fmax((far + near_cost * (nnz - far)) * n * s / (1.2 * gather_rate),
                                 nnz * ceil(n * s / 256) / (s == 2 ? 2e11 : 1e11));
    price->math_seconds = 2 * nnz * n / plain_rate;
    if (n * s < 128 && s > 2)
        price->gather_seconds *= 1.2;
    if (!is_even && n * s <= 64) /* long rows are most of the work */
        price->gather_seconds *= v->kind == SPMM_DEVICE_ROWS ? 1.8 : 2.5;
    else if (!is_even && has_few_runs(device, problem))
        price->gather_seconds *= v->kind == SPMM_DEVICE_ROWS ? 1.1 : 1.3;
    else if (v->kind == SPMM_DEVICE_ROWS && is_even && v->teams == 1 && v->lanes <= 8 &&
             (average >= 6 || s > 2)) /* reads of entries serve several rows */
        price->gather_seconds *= 0.95;
    else if (v->kind == SPMM_DEVICE_ROWS)
        price->gather_seconds *= !is_even || average < 16   ? 1.3
                                 : average < 36 && !is_near ? 1.12
                                 : v->teams > 1             ? 0.98
                                                            : 1.02;
    else if (!is_even)
        price->gather_seconds *= 1.1;
}

/* Distinct columns of pairs of rows, from those of 8 and 16: neighbours in a stencil have the same columns
 * but for their ends, those in a community meet by chance. */
static double count_pairs(const spmm_problem *problem) {
    const double nnz = fmax(1, (double)problem->a.nnz), *vectors = problem->profile.vectors;
    const double common = 1 - fmin(1, vectors[0] / nnz);
    const bool is_stencil = vectors[1] / nnz >= 0.95 * (1 - common * 15 / 14);
    return nnz * (1 - common * (is_stencil ? 4.0 / 7 : 0.2));
}

/* As rows, with the columns that two rows have in common once; four columns at a time. */
static void price_strips(const base_device_properties *device, const spmm_problem *problem,
                         spmm_price *price) {
    const double n = (double)problem->n, s = (double)spmm_device_number_bytes(problem),
                 nnz = (double)problem->a.nnz;
    const double far = fmin(problem->profile.vectors[PRICED_ROWS], nnz),
                 columns = fmax(count_pairs(problem), far) + 0.75 * (double)problem->profile.rows_used;
    const bool is_near = problem->profile.heaviest[PRICED_ROWS] * fmin(n * s, 256) < near_bytes;
    price->gather_seconds = (far + (is_near ? 0.5 : 0.85) * (columns - far)) * n * s / (1.2 * gather_rate) *
                            (s > 4 ? 1.08 : 1.05);
    price->math_seconds = 4 * columns * n / plain_rate;
    if (!spmm_device_is_even(problem))
        price->gather_seconds *= 20;
    if (n * s <= 256)
        price->gather_seconds *= 1.35;
    price->gather_seconds *=
        fmax(1, 2048.0 * device->multiprocessors / ((double)problem->a.nrow / 2 * fmax(n * s / 16, 8)));
}

/* Few columns take as long as some, sizes that are no multiples of tiles longer. */
static void price_dense(const spmm_problem *problem, spmm_price *price) {
    static const double rates[SPMM_PRECISIONS] = {850e12, 850e12, 495e12, 48e12, 48e12, 59e12};
    static const double fewest[SPMM_PRECISIONS] = {32, 32, 16, 64, 64, 32};
    static const double enough_flop = 1e10, edge_seconds = 5e-6;
    const double n = fmax((double)problem->n, fewest[problem->precision]),
                 flop = 2 * (double)problem->a.nrow * (double)problem->a.ncol * n;
    price->math_seconds =
        flop / rates[problem->precision] * (problem->precision == SPMM_FP64 && n <= 128 ? 1.07 : 1);
    if (problem->precision == SPMM_TF32) /* small products leave multiprocessors without work */
        price->math_seconds *= fmax(1, pow(enough_flop / flop, 0.25));
    if (problem->a.nrow % 64 != 0 || problem->a.ncol % 64 != 0)
        price->math_seconds += edge_seconds;
}

/* Every column of B passes through shared memory for each row, by words of 16 bits; a row that has a block
 * takes as long as one of 64 entries. */
static void price_tca(const spmm_problem *problem, bool several, spmm_price *price) {
    const double n = (double)problem->n, rows = (double)problem->a.nrow;
    const double nnz = fmax((double)problem->a.nnz, several ? 0 : 64 * rows);
    price->gather_seconds = 11 * nnz * n * 2 / gather_rate;
    price->math_seconds = 8 * 2 * (nnz + 4 * rows) * n / matrix_rate(problem->precision);
}

void spmm_device_price(spmm_device_family family, const base_device_properties *device,
                       const spmm_problem *problem, spmm_device_variant *variant, spmm_price *price) {
    *price = (spmm_price){0};
    spmm_device_find_shape(family, device, problem->whole != NULL ? problem->whole : problem, variant);
    const char *reason = find_reason(family, device, problem, variant);
    const double format = format_bytes(family, problem, variant);
    const double b_bytes =
        (double)problem->a.ncol * (double)((problem->n + 7) / 8 * 8 * spmm_device_number_bytes(problem));
    const double c_bytes =
        (double)problem->a.nrow * (double)((problem->n + 7) / 8 * 8 * spmm_c_bytes(problem));
    const double csr_bytes =
        (double)problem->a.nnz * (problem->precision == SPMM_FP64 ? 12 : 8) + 24 * (double)problem->a.nrow;
    price->format_bytes = (int64_t)(1.25 * format) + 64 * problem->a.nrow + (1 << 20);
    price->bytes = (int64_t)(csr_bytes + b_bytes + c_bytes) + price->format_bytes + (64 << 20);
    if (reason != NULL) {
        snprintf(price->reason, sizeof price->reason, "%s", reason);
        return;
    }
    switch (family) {
    case SPMM_FAMILY_ROWS:
    case SPMM_FAMILY_RUNS: price_rows(device, problem, variant, price); break;
    case SPMM_FAMILY_STRIPS: price_strips(device, problem, price); break;
    case SPMM_FAMILY_SPLITS: price_splits(device, problem, variant, price); break;
    case SPMM_FAMILY_SLABS: price_slabs(problem, variant, price); break;
    case SPMM_FAMILY_PANELS: price_panels(problem, price); break;
    case SPMM_FAMILY_BANDS: price_bands(problem, variant, price); break;
    case SPMM_FAMILY_DENSE: price_dense(problem, price); break;
    case SPMM_FAMILY_TCA:
    case SPMM_FAMILY_TCA_ROW: price_tca(problem, family == SPMM_FAMILY_TCA, price); break;
    default: price_windows(problem, variant, price); break;
    }
    price->memory_seconds =
        (format +
         problem->profile.columns_used * (double)problem->n * (double)spmm_device_number_bytes(problem) +
         (double)problem->a.nrow * (double)problem->n * (double)spmm_c_bytes(problem)) /
        copy_rate;
    price->start_seconds +=
        launch_seconds +
        (variant->kind == SPMM_DEVICE_WINDOWS && spmm_device_number_bytes(problem) > 2
             ? fmin(chain_seconds,
                    0.6e-6 * problem->profile.vectors[spmm_device_height(variant)] / SPMM_GPU_CHUNK /
                        fmax(1, (double)problem->profile.rows_used / spmm_device_window_rows(variant)))
             : 0);
    price->seconds = fmax(price->gather_seconds, price->math_seconds) +
                     0.25 * fmin(price->gather_seconds, price->math_seconds) + price->memory_seconds +
                     price->start_seconds;
    if (family == SPMM_FAMILY_DENSE || family == SPMM_FAMILY_SPLITS) {
        price->start_seconds = launch_seconds + library_seconds;
        if (family == SPMM_FAMILY_DENSE &&
            format > (double)device->l2_bytes) /* it reads A from memory at less than the rate of copies */
            price->memory_seconds *= 1.15;
        price->seconds = fmax(price->memory_seconds, price->math_seconds) + price->start_seconds;
        if (problem->precision == SPMM_TF32) /* the two hardly overlap */
            price->seconds += fmin(price->memory_seconds, price->math_seconds);
        if (family == SPMM_FAMILY_SPLITS)
            price->seconds += 0.25 * fmin(price->memory_seconds, price->math_seconds);
    }
    price->prepare_seconds = pack_seconds + format / pack_rate;
}
