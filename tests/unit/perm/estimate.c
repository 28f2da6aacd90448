/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates: what is remembered of this processor, and what is refused for it. */
#include "perm/plan/estimate.h"
#include "base/device/cache.h"
#include "config.h"
#include "perm/dense/chunks.h"
#include "perm/dense/device.h"
#include "perm/solve/cost_history.h"
#include "perm/subsets/devices.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 5000 };

/* The number of the window of a record: they end at 16, 32, 64 and on to 1024, 2048, 3072. */
static int find_window(int record) {
    int window = 0;
    for (int end = 16; end <= record; end += end < 1024 ? end : 1024)
        window++;
    return window;
}

/* Record k costs k + 1 seconds; all of the window before a record's own may have been counted, or none. */
static int count_wrong_windows(void) {
    perm_cost_history cost_history = {.records = 0};
    perm_block_result block_result = {.cost_seconds = 0};
    const perm_partial_result partial_result = {.count = 1, .block_result = &block_result};
    int wrong = 0, behind = 0;
    double known = 0;
    for (int record = 0; record < RECORDS; record++) {
        for (; find_window(behind) < find_window(record) - 1; behind++)
            known += behind + 1;
        perm_cost_history late = {.records = 0};
        for (int k = 0; k < behind && record % 512 == 0; k++) {
            block_result.cost_seconds = k + 1;
            perm_cost_history_add(&late, &partial_result);
        }
        wrong += perm_cost_history_before(&cost_history, record).seconds != known;
        wrong += record % 512 == 0 && perm_cost_history_before(&late, record).seconds != known;
        block_result.cost_seconds = record + 1;
        perm_cost_history_add(&cost_history, &partial_result);
    }
    return wrong;
}

/* Texts that another process, and another run, has too. */
static base_device_cache_key make_key(void) {
    char name[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(name, sizeof name, file) != NULL && strncmp(name, "model name", 10) != 0)
        ;
    if (file != NULL)
        fclose(file);
    return base_device_cache_make_key((const char *const[]){"perm calibration 3", PACKAGE_VERSION, name}, 3);
}

static void remember(base_context *context, double calibration, double count) {
    const base_device_cache_key key = make_key();
    base_device_cache_write(context, &key, (double[]){calibration, count}, 2 * sizeof(double));
}

/* How many measurements the cache knows of, if the least is that; else 0. */
static double count_remembered(base_context *context, double calibration) {
    const base_device_cache_key key = make_key();
    void *data = NULL;
    int64_t bytes = 0;
    double count = 0;
    if (base_device_cache_read(context, &key, &data, &bytes) && bytes == 2 * sizeof(double) &&
        memcmp(data, &calibration, sizeof calibration) == 0)
        count = ((const double *)data)[1];
    free(data);
    return count;
}

/* Whatever this processor is measured at, 0.1 times the price is less, and 100 times is more. */
static void test_calibrations(base_context *context) {
    const double measured = perm_calibration(context);
    double least = measured;
    bool falls = true;
    tap_ok(measured >= 0.1 && measured <= 100, "a measurement: %.3g times the price", measured);
    tap_ok(count_remembered(context, measured) > 0,
           "... is remembered under the version and the processor's name");
    for (int call = 1; call < PERM_CALIBRATIONS; call++) {
        const double next = perm_calibration(context);
        falls = falls && next <= least;
        least = next;
    }
    tap_ok(falls && count_remembered(context, least) == PERM_CALIBRATIONS,
           "measured again, the least is remembered, %.3g", least);
    tap_ok(perm_calibration(context) == least, "... to the last bit");
    remember(context, 100, PERM_CALIBRATIONS);
    tap_ok(perm_calibration(context) == 100, "after so many, nothing is measured");
    remember(context, 100, PERM_CALIBRATIONS - 1);
    tap_ok(perm_calibration(context) < 100, "... after one less, once more");
    remember(context, 0.1, 1);
    tap_ok(perm_calibration(context) == 0.1 && count_remembered(context, 0.1) > 1,
           "a measurement that was disturbed changes nothing");
    remember(context, 0.01, 1);
    tap_ok(perm_calibration(context) >= 0.1, "what cannot be true is not remembered");
}

int main(void) {
    static char folder[] = "/tmp/mmpipe-estimate.XXXXXX";
    char command[64];
    base_context context;
    base_context_init(&context);
    if (mkdtemp(folder) == NULL)
        return 1;
    setenv("MMPIPE_CACHE", folder, 1);
    test_calibrations(&context);
    tap_ok(perm_device_calibration(&context, NULL) == 1, "nothing is measured without a device");
    tap_ok(perm_devices_rate(&(base_device_search){.found = NULL}) == 0, "... and no device has no rate");
    const perm_calibrations here = {3, 2};
    perm_candidate way = {.name = "dense", .method = &perm_dense_method, .seconds = 100};
    tap_ok(perm_estimate_seconds(&way, here) == 300, "a price on a processor of a third of the speed");
    tap_ok(perm_estimate_check(&context, 30, &way, here, 1, 0) == BASE_OK, "no limit");
    tap_ok(perm_estimate_check(&context, 30, &way, here, 10, 31) == BASE_OK, "ten cores are fast enough");
    tap_ok(perm_estimate_check(&context, 30, &way, here, 1, 250) == BASE_FAILED, "one is not");
    tap_ok(strstr(context.error.cause, "5 minutes") != NULL &&
               strstr(context.error.cause, "4.17 minutes") != NULL,
           "... and the message says why: %s", context.error.cause);
    way.method = &perm_dense_cuda_method;
    tap_ok(perm_estimate_seconds(&way, here) == 200, "... on a device of half the speed");
    way.start_seconds = 10;
    tap_ok(perm_estimate_seconds(&way, here) == 190, "... which starts as fast");
    tap_ok(count_wrong_windows() == 0, "records know the cost of those before the window before theirs");

    snprintf(command, sizeof command, "rm -r %s", folder);
    return tap_done() | (system(command) != 0);
}
