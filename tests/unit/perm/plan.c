/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: for a block whose frontier has far fewer states than they are bounded by, and how long an order is
 * searched for. */
#include "perm/plan/plan.h"
#include "perm/dense/device.h"
#include "tests/fake/loader.h"
#include "tests/support/frontier_matrix.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>

enum { ORDER = 40, SEED = 5 };

/* Random entries, of which few of the rows of the upper half reach the right one: most sets of columns that
 * the bound counts are not to be had. */
static void fill(void) {
    base_random random;
    base_random_init(&random, SEED, 0);
    tap_note("seed %d", SEED);
    fill_random(&random, ORDER, 0.3, false);
    for (int i = 0; i < ORDER / 2 - 1; i++)
        for (int j = ORDER / 2; j < ORDER && i % 7 != 0; j++)
            a.re[i][j] = 0;
}

/* An order is searched for no longer than a 32nd of the n 2^(n - 1) steps that Gray code takes, but for those
 * that are begun. */
static void check_search(base_context *context) {
    enum { SMALL = 20 };
    base_random random;
    perm_matrix matrix;
    perm_plan plan;
    const double limit = SMALL * exp2(SMALL - 1) / 32;
    base_random_init(&random, SEED, 1);
    fill_random(&random, SMALL, 0.6, false);
    make(context, &a, &matrix);
    if (perm_plan_make(context, &matrix, &(perm_plan_options){.kernel = NULL}, &plan) != BASE_OK)
        abort();
    const double steps = (double)plan.frontier->order.steps;
    tap_ok(steps > 0 && steps < 1.1 * limit, "an order is searched for %.0f steps of %.0f", steps, limit);
    perm_plan_free(&plan);
    perm_matrix_free(&matrix);
}

/* Many small blocks go to a device without a plan where a sum in doubles will do: not those of integers,
 * whose permanents are exact. */
static void check_direct(base_context *context) {
    if (!fake_load() || !perm_dense_device_is_built()) {
        tap_skip(1, "no tests/fake/libcuda.so, or built without CUDA kernels");
        return;
    }
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    base_device_search search = {.choice = BASE_DEVICE_AUTO, .found = fake_open_devices(context, 1)};
    const perm_plan_options options = {.many = true, .devices = &search};
    bool is_direct[MM_COMPLEX + 1];
    for (mm_field field = MM_PATTERN; field <= MM_COMPLEX; field++)
        is_direct[field] = perm_plan_direct_seconds(context, 12, field, &options) > 0;
    tap_ok(is_direct[MM_REAL] && is_direct[MM_COMPLEX] && !is_direct[MM_INTEGER] && !is_direct[MM_PATTERN],
           "doubles go to a device at once, exact permanents do not");
    base_devices_close(search.found);
}

int main(void) {
    base_context context;
    perm_matrix matrix;
    perm_plan plan;
    perm_frontier_stats counted = {0};
    base_context_init(&context);
    fill();
    make(&context, &a, &matrix);
    if (perm_plan_make(&context, &matrix, &(perm_plan_options){.kernel = NULL}, &plan) != BASE_OK)
        abort();
    const perm_schedule *schedule = &plan.frontier->schedule;
    const double bound = schedule->bound.transitions, expected = schedule->expected.transitions;
    if (perm_frontier_run(&context, &matrix, schedule, PERM_COUNT, NULL, NULL, &counted) != BASE_OK)
        abort();
    tap_ok(bound > 2 * counted.transitions, "%.3g transitions, bounded by %.3g", counted.transitions, bound);
    tap_ok(fabs(log(expected / counted.transitions)) < log(1.5), "the plan expects %.3g of them", expected);
    perm_plan_free(&plan);
    perm_matrix_free(&matrix);
    check_search(&context);
    check_direct(&context);
    return tap_done();
}
