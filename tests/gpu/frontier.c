/* SPDX-License-Identifier: BSD-3-Clause */
/* The frontier dynamic program on a true GPU: the integers of the processor exactly, its doubles within the
 * bounds of both, the same bits again. */
#include "base/core/random.h"
#include "base/run/progress.h"
#include "perm/frontier/device.h"
#include "tests/support/gpu_devices.h"

#include <inttypes.h>
#include <string.h>

static base_context context;
static base_devices *devices;
static base_random numbers;

static bool good(base_status status) {
    if (status != BASE_OK)
        tap_note("status %d: %s", status, context.error.cause);
    return status == BASE_OK;
}

/* The diagonal and a share of the other entries; integers up to `most`, or numbers in [0, 1) if it is 0. */
static base_status draw(int64_t n, double share, int64_t most, mm_field field, perm_matrix *matrix) {
    base_status status;
    BASE_TRY(perm_matrix_alloc(&context, n, n * n, field, matrix));
    matrix->nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (i != j && base_random_uniform(&numbers) >= share)
                continue;
            double part[2] = {base_random_uniform(&numbers), 0};
            if (most > 0)
                part[0] = 1 + (double)base_random_below(&numbers, (uint64_t)most);
            if (field == MM_COMPLEX)
                part[1] = (double)base_random_below(&numbers, 9) - 4;
            if (most > 0 && base_random_below(&numbers, 2))
                part[0] = -part[0];
            perm_value_set_complex(&matrix->entry[matrix->nnz], part[0], part[1]);
            matrix->index[matrix->nnz++] = j;
        }
        matrix->start[i + 1] = matrix->nnz;
    }
done:
    return status;
}

/* Whether they differ by no more than their errors; if those are 0, not at all. */
static bool agree(const perm_value *a, const perm_value *b) {
    perm_value difference;
    perm_value_init(&difference);
    perm_value_set_integer(&difference, -1);
    perm_value_multiply(&difference, b);
    difference.error = (perm_bound){0, 0};
    perm_value exact;
    perm_value_init(&exact);
    perm_value_copy(&exact, a);
    exact.error = (perm_bound){0, 0};
    perm_value_add(&difference, &exact);
    const bool result = perm_bound_at_most(perm_bound_of(&difference), perm_bound_add(a->error, b->error));
    perm_value_free(&exact);
    perm_value_free(&difference);
    return result;
}

static void test(int64_t n, double share, int64_t most, mm_field field, perm_arithmetic arithmetic) {
    perm_matrix matrix = {0};
    perm_schedule schedule = {0};
    order_frontier order = {0};
    perm_frontier_stats stats;
    perm_value expected, value[2];
    perm_value_init(&expected);
    perm_value_init(&value[0]);
    perm_value_init(&value[1]);
    order_frontier_options options = order_frontier_default;
    options.restarts = 2;
    bool ok = good(draw(n, share, most, field, &matrix));
    const mm_sparse pattern = perm_matrix_pattern(&matrix);
    ok = ok && good(order_frontier_search(&context, &pattern, MM_BY_ROWS, &options, &order)) &&
         good(perm_schedule_make(&context, &matrix, order.by_columns ? order.col : order.row,
                                 order.by_columns, &schedule)) &&
         good(perm_frontier_run(&context, &matrix, &schedule, arithmetic, NULL, &expected, &stats));
    for (int run = 0; run < 2; run++)
        ok = ok && good(perm_frontier_device_run(&context, base_devices_get(devices, 0), &matrix, &schedule,
                                                 arithmetic, NULL, &value[run], &stats));
    ok = ok && agree(&value[0], &expected) && mpz_cmp(value[0].re, value[1].re) == 0 &&
         mpz_cmp(value[0].im, value[1].im) == 0 && value[0].exponent == value[1].exponent;
    tap_ok(ok, "n = %" PRId64 ", %g of the entries up to %" PRId64 "%s, %s: %" PRId64 " wide", n, share, most,
           field == MM_COMPLEX ? ", complex" : "", arithmetic == PERM_EXACT ? "exact" : "doubles",
           order.cost.width);
    perm_schedule_free(&schedule);
    order_frontier_free(&order);
    perm_matrix_free(&matrix);
    perm_value_free(&expected);
    perm_value_free(&value[0]);
    perm_value_free(&value[1]);
}

/* A deadline that is over stops the run at its first look. */
static void test_deadline(void) {
    perm_matrix matrix = {0};
    perm_schedule schedule = {0};
    order_frontier order = {0};
    perm_frontier_stats stats;
    perm_value value;
    perm_value_init(&value);
    bool ok = good(draw(16, 0.5, 9, MM_INTEGER, &matrix));
    const mm_sparse pattern = perm_matrix_pattern(&matrix);
    ok = ok && good(order_frontier_search(&context, &pattern, MM_BY_ROWS, &order_frontier_default, &order)) &&
         good(perm_schedule_make(&context, &matrix, order.by_columns ? order.col : order.row,
                                 order.by_columns, &schedule));
    context.deadline_seconds = base_clock_seconds();
    ok = ok && perm_frontier_device_run(&context, base_devices_get(devices, 0), &matrix, &schedule,
                                        PERM_EXACT, NULL, &value, &stats) == BASE_STOPPED;
    context.deadline_seconds = 0;
    tap_ok(ok, "behind the deadline: stopped");
    perm_schedule_free(&schedule);
    order_frontier_free(&order);
    perm_matrix_free(&matrix);
    perm_value_free(&value);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    if (!gpu_devices_open(&context, &devices)) {
        base_devices_close(devices);
        return tap_done();
    }
    test_deadline();
    for (int64_t n = 12; n <= 22; n += 5) {
        for (int64_t most = 1; most <= 100; most *= 10) {
            test(n, 0.4, most, MM_INTEGER, PERM_EXACT);
            test(n, 0.4, most, MM_COMPLEX, PERM_EXACT);
        }
        test(n, 0.4, 0, MM_REAL, PERM_DOUBLE);
        test(n, 0.4, 100, MM_REAL, PERM_DOUBLE);
        test(n, 0.4, 100, MM_COMPLEX, PERM_DOUBLE);
    }
    test(21, 1, 1, MM_INTEGER, PERM_EXACT);
    test(22, 1, 0, MM_REAL, PERM_DOUBLE);
    test(40, 0.07, 0, MM_REAL, PERM_DOUBLE);
    base_devices_close(devices);
    return tap_done();
}
