#include "spmm/dispatch/mix.h"

#include <math.h>
#include <stdio.h>

/* What another kernel must save, and what it costs to begin with one more. */
static const double least_gain = 1.1, second_seconds = 3e-6;

/* Before the parts are made every band is counted: measured on an H200, for 262144 columns. */
static const double band_seconds = 1.7e-6;

const spmm_device_family spmm_family_mix = {.name = "mix"};

/* ---- parts of a problem ---- */

/* No rows of the problem yet. */
static spmm_problem begin_part(const spmm_problem *problem) {
    spmm_problem part = {.precision = problem->precision,
                         .a = {.ncol = problem->a.ncol},
                         .n = problem->n,
                         .narrow_c = problem->narrow_c};
    return part;
}

/* `times` bands like this one. */
static void add_band(const spmm_problem *problem, const spmm_band *band, double times, spmm_problem *part) {
    spmm_profile *profile = &part->profile;
    part->a.nrow += (int64_t)(times * (double)band->rows);
    part->a.nnz += (int64_t)(times * (double)band->nnz);
    profile->rows_used += (int64_t)(times * (double)band->rows_used);
    if (band->longest_row > profile->longest_row)
        profile->longest_row = band->longest_row;
    for (int h = 0; h < SPMM_HEIGHTS; h++) {
        profile->vectors[h] += times * band->vectors[h];
        profile->heaviest[h] =
            fmax(profile->heaviest[h], band->vectors[h] * spmm_height[h] / (double)band->rows);
    }
    profile->columns_used =
        problem->profile.columns_used * (double)part->a.nnz / fmax(1, (double)problem->a.nnz);
}

/* Seconds of a band beside the start of the kernel; infinite where the family does not fit. */
static double price_part(const base_device_properties *device, const spmm_problem *part,
                         const spmm_device_family *family) {
    spmm_device_variant variant;
    spmm_price price;
    spmm_device_price(family, device, part, &variant, &price);
    return price.seconds == 0 ? INFINITY : price.seconds - price.start_seconds;
}

int spmm_device_mix_choose(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_mix *mix, const spmm_band *band) {
    spmm_problem part = begin_part(problem);
    add_band(problem, band, 1, &part);
    return price_part(device, &part, mix->family[1]) < price_part(device, &part, mix->family[0]);
}

/* ---- the pair ---- */

/* The pair with the least sum over the sample; false where there are not two that fit. */
static bool find_pair(const double seconds[SPMM_FAMILY_COUNT][SPMM_SAMPLE_BANDS], int bands, int pair[2]) {
    double least = INFINITY;
    for (int f = 0; f < SPMM_FAMILY_COUNT; f++)
        for (int g = f + 1; g < SPMM_FAMILY_COUNT; g++) {
            double sum = 0;
            for (int b = 0; b < bands; b++)
                sum += fmin(seconds[f][b], seconds[g][b]);
            if (sum < least && isfinite(seconds[f][0]) && isfinite(seconds[g][0])) {
                least = sum;
                pair[0] = f;
                pair[1] = g;
            }
        }
    return isfinite(least);
}

/* The least of the prices of single kernels, and the most memory that one of them takes. */
static double price_best(const base_device_properties *device, const spmm_problem *problem, int64_t *bytes) {
    double least = INFINITY;
    *bytes = 0;
    for (int f = 0; f < SPMM_FAMILY_COUNT; f++) {
        spmm_device_variant variant;
        spmm_price price;
        if (spmm_device_families[f]->paper != NULL)
            continue;
        spmm_device_price(spmm_device_families[f], device, problem, &variant, &price);
        if (price.seconds > 0) {
            least = fmin(least, price.seconds);
            *bytes = price.bytes > *bytes ? price.bytes : *bytes;
        }
    }
    return least;
}

/* The two parts, with their shapes and prices added up. */
static void price_pair(const base_device_properties *device, const spmm_problem *problem,
                       const double seconds[SPMM_FAMILY_COUNT][SPMM_SAMPLE_BANDS], const int pair[2],
                       spmm_device_mix *mix, spmm_price *price) {
    const spmm_profile *profile = &problem->profile;
    const double times = ceil((double)problem->a.nrow / SPMM_BAND_ROWS) / profile->sample_count;
    spmm_problem part[2] = {begin_part(problem), begin_part(problem)};
    for (int b = 0; b < profile->sample_count; b++)
        add_band(problem, &profile->sample[b], times, &part[seconds[pair[1]][b] < seconds[pair[0]][b]]);
    *price = (spmm_price){0};
    for (int k = 0; k < 2; k++) {
        spmm_price own;
        mix->family[k] = spmm_device_families[pair[k]];
        spmm_device_price(mix->family[k], device, &part[k], &mix->variant[k], &own);
        price->seconds += own.seconds - own.start_seconds;
        price->memory_seconds += own.memory_seconds;
        price->gather_seconds += own.gather_seconds;
        price->math_seconds += own.math_seconds;
        price->prepare_seconds += own.prepare_seconds;
        price->format_bytes += own.format_bytes;
        price->start_seconds = fmax(price->start_seconds, own.start_seconds);
    }
    price->prepare_seconds += ceil((double)problem->a.nrow / SPMM_BAND_ROWS) * band_seconds;
    price->start_seconds += second_seconds;
    price->seconds += price->start_seconds;
}

void spmm_device_mix_price(const base_device_properties *device, const spmm_problem *problem,
                           spmm_device_mix *mix, spmm_price *price) {
    double seconds[SPMM_FAMILY_COUNT][SPMM_SAMPLE_BANDS];
    const spmm_problem *whole = problem->whole != NULL ? problem->whole : problem;
    const spmm_profile *profile = &whole->profile;
    int64_t bytes;
    int pair[2];
    const double best = price_best(device, problem, &bytes);
    for (int b = 0; b < profile->sample_count; b++) {
        spmm_problem part = begin_part(whole);
        add_band(whole, &profile->sample[b], 1, &part);
        for (int f = 0; f < SPMM_FAMILY_COUNT; f++)
            seconds[f][b] = spmm_device_families[f]->mixes
                                ? price_part(device, &part, spmm_device_families[f])
                                : INFINITY;
    }
    if (profile->sample_count > 1 &&
        find_pair((const double(*)[SPMM_SAMPLE_BANDS])seconds, profile->sample_count, pair)) {
        price_pair(device, whole, (const double(*)[SPMM_SAMPLE_BANDS])seconds, pair, mix, price);
        price->bytes = bytes;
        if (price->seconds * least_gain < best || problem != whole)
            return;
    }
    *price = (spmm_price){.bytes = bytes};
    snprintf(price->reason, sizeof price->reason, "one kernel suits all rows");
}

void spmm_device_find_price(const spmm_device_family *family, const base_device_properties *device,
                            const spmm_problem *problem, spmm_device_mix *mix, spmm_price *price) {
    if (family == &spmm_family_mix)
        spmm_device_mix_price(device, problem, mix, price);
    else
        spmm_device_price(family, device, problem, &mix->variant[0], price);
}
