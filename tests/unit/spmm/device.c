/* Shapes and prices of the device kernels: for any problem a kernel that there is, or a reason; what is there
 * to compute on makes no difference to the shape. */
#include "config.h"

#include "base/core/random.h"
#include "base/device/blas.h"
#include "spmm/device/mix.h"
#include "tests/support/h200.h"
#include "tests/support/tap.h"

#include <math.h>
#include <string.h>

enum { SEED = 3, PROBLEMS = 4000, FAMILIES = SPMM_FAMILY_TCA_ROW + 1 };

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

/* Whether kernels/spmm has a kernel of that shape. */
static bool is_shape(const spmm_problem *problem, const spmm_device_variant *v) {
    const bool narrow = spmm_format_bytes(spmm_format_of(problem->precision)) == 2;
    const bool lanes = v->lanes == 4 || v->lanes == 8 || v->lanes == 16 || v->lanes == 32;
    switch (v->kind) {
    case SPMM_DEVICE_ROWS:
        return lanes && (v->teams == 1 || v->teams == 32 / v->lanes) && (v->depth == 4 || v->depth == 8) &&
               v->most > 0;
    case SPMM_DEVICE_RUNS:
        return lanes && (v->depth == 4 || v->depth == 8) && v->threads == 128 && v->most > 0;
    case SPMM_DEVICE_SPLITS: return problem->precision == SPMM_3XTF32 && v->most > 0 && v->most <= 8;
    case SPMM_DEVICE_STAGES:
        if (narrow || v->groups == 4)
            return narrow || v->lanes == 8 || v->lanes == 16;
        return problem->precision == SPMM_FP64 ? v->groups == 2 && (v->lanes == 8 || v->lanes == 32)
                                               : v->groups == 1 && v->lanes == 32;
    case SPMM_DEVICE_STRIPS:
        if (narrow || v->groups == 4)
            return narrow ? v->groups == 1 && lanes && v->lanes > 4 : v->lanes == 8 || v->lanes == 16;
        return v->lanes == 8 && (v->groups == 2 || (v->groups == 1 && problem->precision != SPMM_FP64));
    case SPMM_DEVICE_SLABS:
        if (narrow)
            return v->lanes == 2 && v->groups == 1 && (v->teams == 1 || v->teams == 4);
        return v->groups == 2 && (v->teams == 1 || v->teams == 2 || (v->teams == 4 && v->lanes == 1)) &&
               (v->lanes == 1 || v->lanes == 2);
    case SPMM_DEVICE_WINDOWS:
        if (v->most <= 0 || (!narrow && (v->width != 4 || v->tall > 2)))
            return false;
        if (v->tall == 0)
            return narrow && v->width == 4 && (v->groups == 1 || v->groups == 2);
        if (v->warps > 0)
            return v->dense && v->groups == 2 &&
                   (narrow ? v->tall == 1 && v->warps == 4
                           : problem->precision == SPMM_FP64 && v->tall == 2 &&
                                 (v->warps == 1 || v->warps == 2 || v->warps == 4));
        return (v->tall == 1 && v->width == 4 && v->groups <= 2) || (v->tall <= 2 && v->groups == 1) ||
               (v->tall == 4 && v->width == 4 && v->groups == 1);
    case SPMM_DEVICE_RINGS:
        return narrow && v->most > 0 && (v->groups == 2 || (v->groups == 4 && v->tall < 8)) &&
               (v->tall == 1 || v->tall == 2 || v->tall == 4 || v->tall == 8) && (!v->dense || v->tall <= 2);
    case SPMM_DEVICE_PANELS:
        if (v->most <= 0)
            return false;
        if (problem->precision == SPMM_FP64)
            return v->depth == 16 && v->width == 4 && (v->groups == 1 || v->groups == 2 || v->groups == 4);
        return narrow
                   ? v->depth == 64 &&
                         ((v->width == 2 && v->groups == 1) || (v->width == 4 && v->groups <= 2))
                   : v->depth == 32 && v->width == 4 && (v->groups == 1 || v->groups == 2 || v->groups == 4);
    case SPMM_DEVICE_BANDS:
        return v->most > 0 &&
               (v->width == 32 || v->width == 64 || v->width == 128 || (narrow && v->width == 256));
    default: return true;
    }
}

/* 2048 bands: of blocks of 32 rows with 64 columns in common, or of rows with 8 entries anywhere. */
static spmm_problem draw_bands(bool blocks, bool scattered) {
    spmm_problem problem = {.precision = SPMM_FP16, .a = {.nrow = 2048 * 128, .ncol = 1 << 18}, .n = 128};
    spmm_profile *profile = &problem.profile;
    profile->rows_used = problem.a.nrow;
    profile->columns_used = (double)problem.a.ncol;
    profile->sample_count = SPMM_SAMPLE_BANDS;
    for (int k = 0; k < SPMM_SAMPLE_BANDS; k++) {
        const bool block = blocks && (!scattered || k % 2 == 0);
        spmm_band *band = &profile->sample[k];
        *band = (spmm_band){
            .rows = 128, .rows_used = 128, .longest_row = block ? 64 : 8, .nnz = 128 * (block ? 64 : 8)};
        profile->pairs += (double)band->nnz / (block ? 2 : 1) * 2048 / SPMM_SAMPLE_BANDS;
        for (int h = 0; h < SPMM_HEIGHTS; h++) {
            band->vectors[h] = block ? 64 * fmax(4, 128.0 / spmm_height[h]) : 1024;
            profile->vectors[h] += band->vectors[h] * 2048 / SPMM_SAMPLE_BANDS;
        }
        problem.a.nnz += band->nnz * 2048 / SPMM_SAMPLE_BANDS;
        profile->longest_row = block ? 64 : profile->longest_row;
    }
    return problem;
}

static void check_mix(const base_device_properties *device) {
    const spmm_problem mixed = draw_bands(true, true), blocks = draw_bands(true, false),
                       scattered = draw_bands(false, true);
    spmm_device_mix mix, none;
    spmm_price price, other[2];
    spmm_device_mix_price(device, &mixed, &mix, &price);
    spmm_device_mix_price(device, &blocks, &none, &other[0]);
    spmm_device_mix_price(device, &scattered, &none, &other[1]);
    tap_ok(price.seconds > 0 && mix.family[0] != mix.family[1], "blocks and scattered rows: a mix (%s)",
           price.reason);
    tap_ok(price.seconds > 0 && spmm_device_mix_choose(device, &mixed, &mix, &mixed.profile.sample[0]) !=
                                    spmm_device_mix_choose(device, &mixed, &mix, &mixed.profile.sample[1]),
           "... each for the bands of its kind");
    tap_ok(other[0].seconds == 0 && other[1].seconds == 0 && other[0].reason[0] != 0,
           "either of them alone: none");
}

int main(void) {
    base_device_properties old = h200;
    int shapes = 0, silent = 0, dear = 0, fitted[FAMILIES] = {0}, never = 0, fits_old = 0;
    bool is_built[FAMILIES];
    old.architecture = 70;
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", SEED);
    for (int k = 0; k < PROBLEMS; k++) {
        const spmm_problem problem = draw_problem();
        for (int family = 0; family < FAMILIES; family++) {
            spmm_device_variant variant;
            spmm_price price, other;
            spmm_device_price((spmm_device_family)family, &h200, &problem, &variant, &price);
            const bool fits = price.seconds > 0;
            fitted[family] += fits;
            is_built[family] =
                MMPIPE_90A || (variant.kind != SPMM_DEVICE_BANDS && variant.kind != SPMM_DEVICE_RINGS &&
                               variant.kind != SPMM_DEVICE_SPLITS);
            shapes += fits && family < SPMM_FAMILY_DENSE && !is_shape(&problem, &variant);
            silent += fits == (price.reason[0] != '\0');
            dear += fits && !(isfinite(price.seconds) && price.bytes > 0 && price.prepare_seconds >= 0);
            spmm_device_price((spmm_device_family)family, &old, &problem, &variant, &other);
            fits_old += other.seconds > 0;
        }
    }
    for (int family = 0; family < FAMILIES; family++)
        never += fitted[family] == 0 && is_built[family] &&
                 (family != SPMM_FAMILY_DENSE || base_device_blas_missing() == NULL);
    tap_ok(shapes == 0, "%d problems: kernels that there are (%d wrong)", PROBLEMS, shapes);
    tap_ok(silent == 0, "a reason where a kernel does not fit, and only there (%d wrong)", silent);
    tap_ok(dear == 0, "prices are numbers (%d wrong)", dear);
    tap_ok(never == 0, "every family fits some (%d never)", never);
    check_mix(&h200);
    tap_ok(fits_old == 0, "none on a device without the instructions (%d)", fits_old);
    return tap_done();
}
