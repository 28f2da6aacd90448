#include "perm/estimate.h"
#include "base/device_cache.h"
#include "base/memory.h"
#include "base/random.h"
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- calibration ---- */

enum { SAMPLE_ORDER = 23, SAMPLE_RUNS = 5 };

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

static base_device_cache_key make_key(void) {
    char name[256];
    read_processor_name(name);
    return base_device_cache_make_key((const char *const[]){"perm calibration", PACKAGE_VERSION, name}, 3);
}

static bool find_remembered(base_context *context, const base_device_cache_key *key, double *calibration) {
    void *data = NULL;
    int64_t bytes = 0;
    if (!base_device_cache_read(context, key, &data, &bytes))
        return false;
    const bool good = bytes == sizeof *calibration;
    if (good)
        memcpy(calibration, data, sizeof *calibration);
    free(data);
    return good && *calibration >= least_calibration && *calibration <= most_calibration;
}

/* Of this thread's work: others that wait for the processor must not count. */
static double read_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The least of a few times, over the price; 0 when that cannot be done. */
static double measure_calibration(const base_context *context) {
    static const int most_chunks = 1 << 10;
    base_context local = *context;
    double entries[SAMPLE_ORDER * SAMPLE_ORDER], best = INFINITY;
    const perm_dense_matrix matrix = {SAMPLE_ORDER, false, entries, NULL, 0};
    perm_dense dense = {0};
    perm_dense_partial *partial = NULL;
    base_random random;
    local.threads = 1;
    local.progress = NULL;
    base_random_init(&random, 1, 0);
    for (int k = 0; k < SAMPLE_ORDER * SAMPLE_ORDER; k++)
        entries[k] = base_random_uniform(&random) + 0.5;
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

double perm_calibration(base_context *context) {
    const base_device_cache_key key = make_key();
    double calibration;
    if (find_remembered(context, &key, &calibration))
        return calibration;
    calibration = measure_calibration(context);
    if (!(calibration >= least_calibration && calibration <= most_calibration))
        return 1;
    base_device_cache_write(context, &key, &calibration, sizeof calibration);
    return calibration;
}

/* ---- estimates ---- */

double perm_estimate_seconds(const perm_candidate *candidate, double calibration) {
    return candidate->seconds * (perm_plan_is_on_device(candidate->method) ? 1 : calibration);
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
                                double calibration, double shares, double most_seconds) {
    const double seconds = perm_estimate_seconds(chosen, calibration) / shares;
    char expected[40], allowed[40];
    if (most_seconds <= 0 || seconds <= most_seconds)
        return BASE_OK;
    print_duration(seconds, expected);
    print_duration(most_seconds, allowed);
    return base_fail(context, BASE_FAILED,
                     "a block of order %lld would take %s about %s, %s are allowed (--max-time)",
                     (long long)n, chosen->name, expected, allowed);
}
