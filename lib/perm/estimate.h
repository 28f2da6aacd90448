/* What is said of prices (plan.h): prices are those of the processor that they were measured on, an estimate
 * is a price times the calibration of this one. Methods are chosen by prices, so that results never depend on
 * a clock. */
#ifndef PERM_ESTIMATE_H
#define PERM_ESTIMATE_H

#include "perm/plan.h"

/* How many times as long as priced this processor takes, from a short dense sum on one core. Measured once,
 * which takes a few milliseconds with AVX-512 and up to 0.3 s with portable C, and remembered in the cache
 * (base/device_cache.h) under the name of the processor. 1 where the measurement cannot be true. */
double perm_calibration(base_context *context);

/* The seconds of a candidate on this processor; devices are not calibrated. */
double perm_estimate_seconds(const perm_candidate *candidate, double calibration);

/* BASE_FAILED, naming the estimate, when the chosen method would take longer than `most_seconds` (0: no
 * limit) for a block of order n. `shares`: cores, or devices, and parts that its work divides among. */
base_status perm_estimate_check(base_context *context, int64_t n, const perm_candidate *chosen,
                                double calibration, double shares, double most_seconds);

#endif
