/* SPDX-License-Identifier: BSD-3-Clause */
/* What surrounds products, for costs that are given: 0.5 s to start a device, 1 GB/s to it and 2 GB/s from
 * it, 4 GB/s of new memory. */
#include "spmm/plan/handling.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>

static bool is_near(double a, double b) {
    return fabs(a - b) < 1e-12;
}

/* C has 80 MB, as a record and by rows; A 2 · 12 + 4 MB, B 8 MB. */
static const spmm_problem large = {
    .precision = SPMM_FP64, .a = {.nrow = 1000000, .ncol = 100000, .nnz = 2000000}, .n = 10};

static void test_processors(void) {
    const spmm_handling given = {.products = 1}, records = {.products = 1, .makes_records = true},
                        three = {.products = 3, .makes_records = true};
    tap_ok(is_near(spmm_handling_cpu_seconds(&large, &given, 2), 2), "arrays of the caller cost nothing");
    tap_ok(is_near(spmm_handling_cpu_seconds(&large, &records, 2), 2 + 0.02 + 0.02),
           "C by rows and its record are new memory");
    tap_ok(is_near(spmm_handling_cpu_seconds(&large, &three, 2), 2 + 3 * 0.04), "... each time");
    spmm_problem half = large;
    half.precision = SPMM_FP32;
    tap_ok(is_near(spmm_handling_cpu_seconds(&half, &records, 2), 2 + 0.01 + 0.02),
           "C by rows in single precision is half as large");
    spmm_problem small = large;
    small.a.nrow = 400000;
    tap_ok(is_near(spmm_handling_cpu_seconds(&small, &records, 2), 2), "less than 32 MiB is not new");
    spmm_problem power = large;
    power.power = 3;
    tap_ok(is_near(spmm_handling_cpu_seconds(&power, &three, 2), 2.04), "a power has one C");
}

static void test_devices(void) {
    const spmm_handling given = {.products = 1}, three = {.products = 3};
    spmm_handling record = {.products = 1, .makes_records = true, .keeps_b = true};
    tap_ok(is_near(spmm_handling_device_seconds(&large, &given, true, 2), 2 + 0.028 + 0.008 + 0.04),
           "A and B go up, C comes down");
    tap_ok(is_near(spmm_handling_device_seconds(&large, &three, true, 2), 2 + 0.028 + 3 * 0.048),
           "... B and C for each product");
    record.goal = SPMM_FETCHED;
    tap_ok(is_near(spmm_handling_device_seconds(&large, &record, true, 2), 2 + 0.028 + 0.04 + 0.02),
           "B stays there, C comes down as a new record");
    tap_ok(is_near(spmm_handling_device_seconds(&large, &record, false, 2), 2 + 0.028 + 0.04 + 0.04),
           "... or by way of rows");
    record.goal = SPMM_ARRIVING;
    tap_ok(is_near(spmm_handling_device_seconds(&large, &record, true, 2), 2.028),
           "... or hidden behind the next product");
    tap_ok(is_near(spmm_handling_device_seconds(&large, &record, true, 0.001), 0.04),
           "... which takes less: the copy counts");
    record.goal = SPMM_LEFT;
    tap_ok(is_near(spmm_handling_device_seconds(&large, &record, true, 2), 2.028), "... or not at all");
}

static void test_start(void) {
    const spmm_handling first = {.products = 1, .keeps_b = true}, anew = {.products = 1},
                        lost = {.products = 1, .keeps_b = true, .lost_seconds = 0.4},
                        more = {.products = 1, .keeps_b = true, .lost_seconds = 0.6},
                        started = {.products = 1, .keeps_b = true, .is_started = true},
                        there = {.products = 1, .keeps_b = true, .has_b = true, .is_started = true};
    tap_ok(is_near(spmm_handling_start_seconds(&large, &first), 0.508), "the start, with a B that stays");
    tap_ok(is_near(spmm_handling_start_seconds(&large, &anew), 0.5), "... or is sent each time");
    tap_ok(is_near(spmm_handling_start_seconds(&large, &lost), 0.108), "... less what processors lost");
    tap_ok(spmm_handling_start_seconds(&large, &more) == 0, "... who have paid for it");
    tap_ok(is_near(spmm_handling_start_seconds(&large, &started), 0.008), "a device that was used");
    tap_ok(spmm_handling_start_seconds(&large, &there) == 0, "... and has B");
}

int main(void) {
    setenv("MMPIPE_DEVICE_COSTS", "0.5:1e9:2e9:4e9", 1);
    test_processors();
    test_devices();
    test_start();
    return tap_done();
}
