/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of prices (plan.h): prices are those of the processor and devices that they were measured on,
 * an estimate is a price times the calibration of these. Methods are chosen by prices, so that results never
 * depend on a clock. */
#ifndef PERM_PLAN_ESTIMATE_H
#define PERM_PLAN_ESTIMATE_H

#include "perm/plan/plan.h"

/* A processor is measured by so many calls, if a measurement is short. */
enum { PERM_CALIBRATIONS = 8 };

/* How many times as long as priced this processor takes, from a short dense sum on one core. Measured by the
 * first PERM_CALIBRATIONS calls, in processes that run at different times, each of which takes a few
 * milliseconds with AVX-512; by the first alone where that takes longer, up to 0.3 s with portable C. The
 * least is remembered in the cache (base/device/cache.h) under the name of the processor: whatever disturbs a
 * measurement makes it longer. 1 where the measurement cannot be true. */
double perm_calibration(base_context *context);

/* The same for the first of the devices that were found, from a dense sum of a few milliseconds on it.
 * 1 where there is none. */
double perm_device_calibration(base_context *context, const base_device_search *devices);

typedef struct perm_calibrations {
    double processor, device;
} perm_calibrations;

/* The seconds of a candidate here. */
double perm_estimate_seconds(const perm_candidate *candidate, perm_calibrations calibrations);

/* BASE_FAILED, naming the estimate, when the chosen method would take longer than `most_seconds` (0: no
 * limit) for a block of order n. `shares`: cores, or devices, and parts that its work divides among. */
base_status perm_estimate_check(base_context *context, int64_t n, const perm_candidate *chosen,
                                perm_calibrations calibrations, double shares, double most_seconds);

#endif
