/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for tests of H2 matrices on devices: random ones, none, and how far they are apart. The arrays are
 * malloc'ed, with room for two more. */
#ifndef TESTS_SUPPORT_H2_NUMBERS_H
#define TESTS_SUPPORT_H2_NUMBERS_H

#include "base/core/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static base_random numbers; /* of draw */

/* Between -1 and 1. */
static inline double *draw(int count) {
    double *value = malloc((size_t)(count + 2) * sizeof *value);
    for (int i = 0; i < count; i++)
        value[i] = 2 * base_random_uniform(&numbers) - 1;
    return value;
}

/* Between 0 and 1. */
static inline double *draw_uniform(base_random *random, int64_t count) {
    double *value = malloc((size_t)(count + 2) * sizeof *value);
    for (int64_t i = 0; i < count; i++)
        value[i] = base_random_uniform(random);
    return value;
}

static inline double *junk(int64_t count) {
    double *value = malloc((size_t)(count + 2) * sizeof *value);
    memset(value, 0xff, (size_t)(count + 2) * sizeof *value);
    return value;
}

/* The largest one, relative to b's largest number. */
static inline double difference(const double *a, const double *b, int count) {
    double most = 0, size = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, isnan(a[i]) ? INFINITY : fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return size > 0 ? most / size : most;
}

/* In the Euclidean norm, relative to b. */
static inline double distance(const double *a, const double *b, int64_t count) {
    double far = 0, whole = 0;
    for (int64_t i = 0; i < count; i++) {
        far += (a[i] - b[i]) * (a[i] - b[i]);
        whole += b[i] * b[i];
    }
    return sqrt(far / whole);
}

#endif
