/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/plan/estimate.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "base/device/cache.h"
#include "base/run/progress.h"
#include "config.h"
#include "perm/dense/batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- calibration ---- */

enum { SAMPLE_ORDER = 23, SAMPLE_RUNS = 5 };

/* A device is measured with matrices that take it so long, some at a time. */
enum { SMALLEST_SAMPLE = 16, LARGEST_SAMPLE = PERM_DENSE_BATCH_LARGEST, DEVICE_RUNS = 3, SAMPLES = 4 };
static const double sample_seconds = 4e-3;

/* A measurement of the processor that may be made again. */
static const double short_seconds = 0.05;

/* An estimate beyond these is a disturbed measurement. */
static const double least_calibration = 0.1, most_calibration = 100;

/* "model name : …", or nothing where the system does not tell. */
static void read_processor_name(char name[256]) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    name[0] = '\0';
    while (file != NULL && fgets(name, 256, file) != NULL)
        if (strncmp(name, "model name", 10) == 0)
            break;
    if (file != NULL)
        fclose(file);
}

static base_device_cache_key make_key(const char *name) {
    return base_device_cache_make_key((const char *const[]){"perm calibration 3", PACKAGE_VERSION, name}, 3);
}

/* What the cache remembers. */
typedef struct calibration {
    double least;
    double count; /* of measurements that are made; more than these are not needed */
} calibration;

static bool find_remembered(base_context *context, const base_device_cache_key *key, calibration *found) {
    void *data = NULL;
    int64_t bytes = 0;
    *found = (calibration){.least = 0};
    if (!base_device_cache_read(context, key, &data, &bytes))
        return false;
    if (bytes == sizeof *found)
        memcpy(found, data, sizeof *found);
    free(data);
    if (!(found->least >= least_calibration && found->least <= most_calibration))
        *found = (calibration){.least = 0};
    return found->least > 0;
}

/* Of this thread's work: others that wait for the processor must not count. */
static double read_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A matrix of order n up to LARGEST_SAMPLE. */
static perm_dense_matrix draw_sample(int n, double *entries) {
    base_random random;
    base_random_init(&random, 1, 0);
    for (int k = 0; k < n * n; k++)
        entries[k] = base_random_uniform(&random) + 0.5;
    return (perm_dense_matrix){n, false, entries, NULL, 0, NULL};
}

/* The least of a few times, over the price; 0 when that cannot be done. */
static double measure_processor(const base_context *context) {
    static const int most_chunks = 1 << 10;
    base_context local = *context;
    double entries[SAMPLE_ORDER * SAMPLE_ORDER], best = INFINITY;
    const perm_dense_matrix matrix = draw_sample(SAMPLE_ORDER, entries);
    perm_dense dense = {0};
    perm_dense_partial *partial = NULL;
    local.threads = 1;
    local.progress = NULL;
    if (perm_dense_init(&local, &matrix, NULL, &dense) == BASE_OK && dense.chunk_count <= most_chunks)
        partial = base_alloc_zero(&local, dense.chunk_count, sizeof *partial);
    for (int run = 0; partial != NULL && run < SAMPLE_RUNS; run++) {
        const double start = read_clock();
        perm_dense_run(&local, &dense, 0, dense.chunk_count, partial);
        best = fmin(best, read_clock() - start);
    }
    const double calibration = partial != NULL && dense.seconds > 0 ? best / dense.seconds : 0;
    free(partial);
    perm_dense_free(&dense);
    return calibration;
}

/* The less of what was measured now and before; what cannot be true counts as 1 where there is nothing. */
static double remember(base_context *context, const base_device_cache_key *key, const calibration *before,
                       double measured, double count) {
    calibration now = {before->least, count};
    const bool good = measured >= least_calibration && measured <= most_calibration;
    if (now.least == 0 || (good && measured < now.least))
        now.least = good ? measured : 1;
    base_device_cache_write(context, key, &now, sizeof now);
    return now.least;
}

double perm_calibration(base_context *context) {
    char name[256];
    calibration before;
    read_processor_name(name);
    const base_device_cache_key key = make_key(name);
    if (find_remembered(context, &key, &before) && before.count >= PERM_CALIBRATIONS)
        return before.least;
    const double start = read_clock(), measured = measure_processor(context);
    const bool is_short = read_clock() - start < short_seconds;
    return remember(context, &key, &before, measured, is_short ? before.count + 1 : PERM_CALIBRATIONS);
}

/* A few sums of order n for each device, all of which take part: seconds of a sum on its device, the least of
 * some runs, and what it is priced at. */
static base_status time_sums(base_context *context, const base_device_search *search, perm_dense_batch *batch,
                             int n, int runs, double *seconds, double *price) {
    base_status status;
    double entries[LARGEST_SAMPLE * LARGEST_SAMPLE];
    const perm_dense_matrix matrix = draw_sample(n, entries);
    const int count = SAMPLES * base_devices_count(search->found);
    perm_dense dense = {0};
    perm_dense_partial *partial = NULL;
    perm_dense_batch_item *items = base_alloc(context, count, sizeof *items);
    *seconds = INFINITY;
    BASE_TRY(perm_dense_init(context, &matrix, NULL, &dense));
    *price = perm_dense_device_seconds(&dense.problem, perm_devices_rate(search));
    partial = base_alloc_zero(context, count * dense.chunk_count, sizeof *partial);
    if (items == NULL || partial == NULL)
        status = BASE_MACHINE;
    for (int run = 0; run < runs && status == BASE_OK; run++) {
        for (int k = 0; k < count; k++)
            items[k] = (perm_dense_batch_item){&dense, partial + k * dense.chunk_count};
        const double start = base_clock_seconds();
        status = perm_dense_batch_run(context, batch, search->found, items, count);
        *seconds = fmin(*seconds, (base_clock_seconds() - start) / SAMPLES);
    }
done:
    perm_dense_free(&dense);
    free(partial);
    free(items);
    return status;
}

/* Of sums that take long enough. */
static double measure_device(const base_context *context, const base_device_search *search) {
    base_context local = *context;
    perm_dense_batch batch = {.devices = NULL};
    double seconds = 0, price = 0;
    base_status status = BASE_OK;
    int n = SMALLEST_SAMPLE;
    local.progress = NULL;
    for (; n <= LARGEST_SAMPLE && seconds < sample_seconds && status == BASE_OK; n++)
        status = time_sums(&local, search, &batch, n, 1, &seconds, &price);
    if (status == BASE_OK)
        status = time_sums(&local, search, &batch, n - 1, DEVICE_RUNS, &seconds, &price);
    perm_dense_batch_free(&batch);
    return status == BASE_OK ? seconds / price : 0;
}

double perm_device_calibration(base_context *context, const base_device_search *search) {
    calibration before;
    if (search == NULL || search->found == NULL || base_devices_count(search->found) == 0 ||
        !perm_dense_device_is_built())
        return 1;
    const base_device_cache_key key =
        make_key(base_device_get_properties(base_devices_get(search->found, 0))->name);
    return find_remembered(context, &key, &before)
               ? before.least
               : remember(context, &key, &before, measure_device(context, search), PERM_CALIBRATIONS);
}

/* ---- estimates ---- */

double perm_estimate_seconds(const perm_candidate *candidate, perm_calibrations calibrations) {
    const bool is_there = perm_method_has(candidate->method, PERM_METHOD_ON_DEVICE);
    return candidate->start_seconds + (candidate->seconds - candidate->start_seconds) *
                                          (is_there ? calibrations.device : calibrations.processor);
}

/* "3.2 hours" */
static void print_duration(double seconds, char text[40]) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (seconds >= 2 * units[k].seconds) {
            snprintf(text, 40, "%.3g %s", seconds / units[k].seconds, units[k].name);
            return;
        }
    snprintf(text, 40, "%.3g seconds", seconds);
}

base_status perm_estimate_check(base_context *context, int64_t n, const perm_candidate *chosen,
                                perm_calibrations calibrations, double shares, double most_seconds) {
    const double seconds = perm_estimate_seconds(chosen, calibrations) / shares;
    char expected[40], allowed[40];
    if (most_seconds <= 0 || seconds <= most_seconds)
        return BASE_OK;
    print_duration(seconds, expected);
    print_duration(most_seconds, allowed);
    return base_fail(context, BASE_FAILED,
                     "a block of order %lld would take %s about %s, %s are allowed (--max-time)",
                     (long long)n, chosen->name, expected, allowed);
}
