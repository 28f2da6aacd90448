/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes and prices of the device kernels: for any problem a kernel that there is, or a reason; what is there
 * to compute on makes no difference to the shape. */
#include "config.h"

#include "base/core/random.h"
#include "base/device/blas.h"
#include "spmm/device/configuration.h"
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
    if (v->code == &spmm_code_rowpairs || v->code == &spmm_code_bstationary)
        return true; /* rows are not cut */
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

int main(void) {
    check_lanes();
    base_device_properties old = h200;
    int shapes = 0, silent = 0, dear = 0, fitted[SPMM_FAMILY_COUNT] = {0}, never = 0, fits_old = 0;
    bool is_built[SPMM_FAMILY_COUNT];
    old.architecture = 70;
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", SEED);
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
