/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes and prices of the device kernels: for any problem a kernel that there is, or a reason; what is there
 * to compute on makes no difference to the shape. */
#include "config.h"

#include "base/core/random.h"
#include "base/device/blas.h"
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/device/price.h"
#include "spmm/families/families.h"
#include "tests/support/h200.h"
#include "tests/support/tap.h"

#include <math.h>
#include <string.h>

enum { SEED = 3, PROBLEMS = 4000 };

static base_random randoms;

static int64_t pick(int64_t below) {
    return (int64_t)base_random_below(&randoms, (uint64_t)below);
}

/* Small, large, short and long. */
static int64_t draw_size(void) {
    return 1 + pick(INT64_C(1) << (1 + pick(22)));
}

static spmm_problem draw_problem(void) {
    spmm_problem problem = {.precision = (spmm_precision)pick(SPMM_PRECISIONS),
                            .a = {.nrow = draw_size(), .ncol = draw_size()},
                            .n = 1 + pick(1 << (1 + pick(11)))};
    problem.narrow_c = pick(2) == 0;
    problem.a.nnz = problem.a.nrow * (1 + pick(problem.a.ncol < 300 ? problem.a.ncol : 300));
    problem.profile.rows_used = problem.a.nrow;
    problem.profile.longest_row = problem.a.nnz / problem.a.nrow;
    problem.profile.columns_used = (double)problem.a.ncol;
    problem.profile.pairs = (double)problem.a.nnz;
    for (int h = 0; h < SPMM_HEIGHTS; h++)
        problem.profile.vectors[h] = (double)problem.a.nnz / (1 + h * base_random_uniform(&randoms));
    return problem;
}

/* Whether kernels/spmm has a kernel of that shape, and it gets work. */
static bool is_kernel(const spmm_problem *problem, const spmm_device_variant *v) {
    const spmm_device_listed *listed = v->code->variants;
    for (; listed->precisions != 0; listed++) {
        const spmm_device_variant *w = &listed->variant;
        if ((listed->precisions >> problem->precision & 1) != 0 && w->code == v->code &&
            w->lanes == v->lanes && w->subwarps == v->subwarps && w->depth == v->depth &&
            w->tall == v->tall && w->width == v->width && w->groups == v->groups && w->warps == v->warps &&
            w->dense == v->dense)
            break;
    }
    if (listed->precisions == 0)
        return false;
    if (v->code == &spmm_code_rowpairs)
        return true;                         /* rows are not cut */
    if (v->code == &spmm_code_bstationary) { /* a chunk of B has room */
        const int64_t rows = (problem->a.ncol + v->most - 1) / v->most;
        return v->most >= 1 && v->most <= 31 &&
               (rows + 3) / 4 * 4 * v->lanes * v->groups * 16 <= h200.shared_bytes_per_block - 1024;
    }
    if (v->code == &spmm_code_merge && v->threads != 128)
        return false;
    return v->most > 0 && (v->code != &spmm_code_splits || v->most <= 8);
}

/* Tiles of 16-byte vectors: as narrow as leave a tenth fewer columns over. */
static void check_lanes(void) {
    static const struct {
        spmm_precision precision;
        int n, lanes, fit;
    } line[] = {{SPMM_FP32, 96, 16, 8},   /* 24 vectors: 3 tiles of 8, not 2 of 16 */
                {SPMM_FP64, 96, 32, 16},  /* 48 */
                {SPMM_FP64, 72, 32, 8},   /* 36: 40, not 64 or 48 */
                {SPMM_FP32, 128, 16, 16}, /* 32 */
                {SPMM_FP16, 96, 16, 16},  /* 12 */
                {SPMM_FP32, 124, 32, 32}, /* 31 */
                {SPMM_FP64, 16, 8, 8}};   /* never fewer than 8 */
    int wrong = 0;
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        const spmm_problem problem = {.precision = line[k].precision, .n = line[k].n};
        wrong += spmm_device_fit_lanes(&problem, line[k].lanes) != line[k].fit;
    }
    tap_ok(wrong == 0, "lanes that fit the columns (%d wrong)", wrong);
}

/* Up to 70: 1, 2, 4, 4, 8, 8, 8, 8, 16... */
static void check_round_up(void) {
    int wrong = 0;
    for (int64_t x = 1; x <= 70; x++) {
        const int64_t power = spmm_device_round_up(x);
        wrong += (power & (power - 1)) != 0 || power < x || (power > 1 && power / 2 >= x);
    }
    tap_ok(wrong == 0, "the power of two at or above x (%d wrong)", wrong);
}

/* Bytes of B that come from the second-level cache, without how long they take: 0.75 to 1.3 times as long, or
 * -1. */
static double count_far_bytes(const double count[SPMM_TERMS], double reads) {
    const double far = reads - count[SPMM_TERM_NEAR], spread = count[SPMM_TERM_FAR] / fmax(far, 1);
    return far < 1e-9 * reads || (spread >= 0.75 - 1e-9 && spread <= 1.3 + 1e-9) ? far : -1;
}

/* Bytes of A, B and C from memory, but for those of A that tiles of columns read again. */
static double count_memory(const spmm_problem *problem, const spmm_device_variant *variant, bool rereads,
                           const double count[SPMM_TERMS]) {
    double again[SPMM_TERMS] = {0};
    if (rereads)
        spmm_count_rereads(&h200, problem, variant, again);
    return count[SPMM_TERM_WARM] - again[SPMM_TERM_WARM] + count[SPMM_TERM_COLD] - again[SPMM_TERM_COLD];
}

/* Whether bstationary counts all products, and of those that are not wanted no more than this: eight entries
 * a row and chunk, as batches are not full; as many passes for A as for B; and twice as many as half of the
 * multiprocessors are left over, with few rows more. So too for the sums of rows, which subwarps add in up to
 * five times as many steps. A kernel copies B, sums of several chunks are written and read, and blocks meet.
 */
static bool is_stationary_count(const spmm_problem *problem, const spmm_device_variant *variant,
                                const double count[SPMM_TERMS]) {
    const double nnz = (double)problem->a.nnz, rows = (double)problem->a.nrow, n = (double)problem->n,
                 bytes = (double)spmm_device_number_bytes(problem), chunks = (double)variant->most,
                 sums = chunks > 1 ? 2 * rows * chunks * n * fmax(4, bytes) : 0,
                 tiles = spmm_count_tiles(problem, variant),
                 stored = 2 * rows * chunks * tiles * variant->lanes,
                 copied = (double)problem->a.ncol / chunks * spmm_count_tile_bytes(problem, variant);
    const bool is_bounded = count[SPMM_TERM_NEAR] <= 2 * 2 * (nnz + 8 * rows * chunks) * n * bytes &&
                            count[SPMM_TERM_ENTRY] <= 5 * 2 * stored;
    return count[SPMM_TERM_NEAR] >= nnz * n * bytes * (1 - 1e-9) &&
           count[SPMM_TERM_ENTRY] >= stored * (1 - 1e-9) && (problem->a.nrow < 4096 || is_bounded) &&
           count[SPMM_TERM_STEP] >= copied * count[SPMM_TERM_START] * (1 - 1e-9) &&
           count[SPMM_TERM_REDUCTION] == (chunks > 1 ? count[SPMM_TERM_START] : 0) &&
           count[SPMM_TERM_START] <= tiles && (chunks > 1 || count[SPMM_TERM_START] == 1) &&
           count[SPMM_TERM_FAR] >= sums * (1 - 1e-9) && count[SPMM_TERM_FAR] <= 1.5 * sums;
}

/* How many of a family's counts are wrong: with twice as many columns what depends on them doubles (but for
 * rowstaged and bstationary, which count multiprocessors that are idle), B and C are read and written once,
 * and those who take entry by entry read a row of B for each and A as it is in CSR; rowstaged and rowpairs
 * count that each tile reads A again. */
static int count_wrong(const spmm_device_family *family, const spmm_problem *problem) {
    static const spmm_device_term doubled[] = {SPMM_TERM_FAR, SPMM_TERM_NEAR, SPMM_TERM_ENTRY,
                                               SPMM_TERM_STEP};
    const spmm_profile *profile = &problem->profile;
    const double nnz = (double)problem->a.nnz, rows = (double)problem->a.nrow, n = (double)problem->n,
                 bytes = (double)spmm_device_number_bytes(problem),
                 b_and_c = n * (profile->columns_used * bytes + rows * (double)spmm_c_bytes(problem));
    spmm_problem wide = *problem;
    wide.n *= 2;
    spmm_device_variant variant;
    spmm_price price;
    double count[SPMM_TERMS], more[SPMM_TERMS];
    spmm_device_price(family, &h200, problem, &variant, &price);
    if (price.seconds == 0)
        return 0;
    spmm_device_count(family, &h200, problem, &variant, count);
    spmm_device_count(family, &h200, &wide, &variant, more);
    int wrong = 0;
    const bool is_bstationary = family == &spmm_family_bstationary,
               counts_idle = family == &spmm_family_rowstaged || is_bstationary,
               rereads = family == &spmm_family_rowstaged || family == &spmm_family_rowpairs,
               spreads = family == &spmm_family_merge || family == &spmm_family_rowpairs;
    if (spreads) {
        count[SPMM_TERM_FAR] /= spmm_count_spread(problem, &variant, INFINITY);
        more[SPMM_TERM_FAR] /= spmm_count_spread(&wide, &variant, INFINITY);
    } else if (family == &spmm_family_rows) {
        count[SPMM_TERM_FAR] = count_far_bytes(count, nnz * n * bytes);
        more[SPMM_TERM_FAR] = count_far_bytes(more, 2 * nnz * n * bytes);
    }
    for (size_t k = 0; !counts_idle && k < sizeof doubled / sizeof *doubled; k++) {
        /* Of rows it is a small difference of many reads. */
        const double far = family == &spmm_family_rows ? nnz * n * bytes
                           : spreads                   ? more[SPMM_TERM_FAR]
                                                       : 0,
                     rounding = doubled[k] == SPMM_TERM_FAR ? 1e-15 * far : 0;
        wrong += fabs(more[doubled[k]] - 2 * count[doubled[k]]) > rounding;
    }
    const double memory = count_memory(problem, &variant, rereads, count),
                 more_memory = count_memory(&wide, &variant, rereads, more),
                 reads = count[SPMM_TERM_FAR] + count[SPMM_TERM_NEAR];
    wrong += fabs(more_memory - memory - b_and_c) > 1e-9 * more_memory;
    wrong += is_bstationary && !is_stationary_count(problem, &variant, count);
    if (family == &spmm_family_rows || family == &spmm_family_merge)
        wrong += fabs(memory - b_and_c - nnz * (bytes + 4) - 8 * rows) > 1e-9 * memory;
    if (family == &spmm_family_rows || family == &spmm_family_merge || family == &spmm_family_rowpairs)
        wrong += fabs(reads - nnz * n * bytes) > 1e-9 * reads;
    return wrong;
}

static void check_counts(void) {
    int wrong = 0;
    for (int k = 0; k < PROBLEMS / 4; k++) {
        spmm_problem problem = draw_problem();
        problem.n = INT64_C(256) << pick(3); /* whole tiles of every kernel */
        for (int family = 0; family < SPMM_FAMILY_COUNT; family++)
            wrong += count_wrong(spmm_device_families[family], &problem);
    }
    tap_ok(wrong == 0, "what a product reads and writes, of B and C, and A in CSR (%d wrong)", wrong);
}

/* A B without columns has prices, too. */
static void check_no_columns(void) {
    int wrong = 0;
    for (int k = 0; k < PROBLEMS / 4; k++) {
        spmm_problem problem = draw_problem();
        problem.n = 0;
        for (int family = 0; family < SPMM_FAMILY_COUNT; family++) {
            spmm_device_variant variant;
            spmm_price price;
            spmm_device_price(spmm_device_families[family], &h200, &problem, &variant, &price);
            wrong += !isfinite(price.seconds) || (price.seconds > 0) != (price.reason[0] == '\0');
        }
    }
    tap_ok(wrong == 0, "prices without columns (%d wrong)", wrong);
}

int main(void) {
    check_lanes();
    check_round_up();
    base_device_properties old = h200;
    int shapes = 0, silent = 0, dear = 0, fitted[SPMM_FAMILY_COUNT] = {0}, never = 0, fits_old = 0;
    bool is_built[SPMM_FAMILY_COUNT];
    old.architecture = 70;
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", SEED);
    check_counts();
    check_no_columns();
    for (int k = 0; k < PROBLEMS; k++) {
        const spmm_problem problem = draw_problem();
        for (int family = 0; family < SPMM_FAMILY_COUNT; family++) {
            spmm_device_variant variant;
            spmm_price price, other;
            const spmm_device_family *row = spmm_device_families[family];
            spmm_device_price(row, &h200, &problem, &variant, &price);
            const bool fits = price.seconds > 0;
            fitted[family] += fits;
            is_built[family] = MMPIPE_90A || variant.code == NULL || !variant.code->needs_90a;
            shapes += fits && row->engine == NULL && !is_kernel(&problem, &variant);
            silent += fits == (price.reason[0] != '\0');
            dear += fits && !(isfinite(price.seconds) && price.bytes > 0 && price.prepare_seconds >= 0);
            spmm_device_price(row, &old, &problem, &variant, &other);
            fits_old += other.seconds > 0;
        }
    }
    for (int family = 0; family < SPMM_FAMILY_COUNT; family++)
        never += fitted[family] == 0 && is_built[family] &&
                 (spmm_device_families[family] != &spmm_family_dense || base_device_blas_missing() == NULL);
    tap_ok(shapes == 0, "%d problems: kernels that there are (%d wrong)", PROBLEMS, shapes);
    tap_ok(silent == 0, "a reason where a kernel does not fit, and only there (%d wrong)", silent);
    tap_ok(dear == 0, "prices are numbers (%d wrong)", dear);
    tap_ok(never == 0, "every family fits some (%d never)", never);
    tap_ok(fits_old == 0, "none on a device without the instructions (%d)", fits_old);
    return tap_done();
}
