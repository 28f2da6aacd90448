/* SPDX-License-Identifier: BSD-3-Clause */
/* Small random records of every format, field and symmetry, and the dense matrices that they stand for. */
#ifndef TESTS_SUPPORT_DENSE_RECORD_H
#define TESTS_SUPPORT_DENSE_RECORD_H

#include "base/core/random.h"
#include "mm/record/record.h"

#include <complex.h>

enum { DENSE_RECORD_LARGEST = 9 };

typedef struct dense_record {
    double complex entry[DENSE_RECORD_LARGEST][DENSE_RECORD_LARGEST]; /* by rows, then columns; else 0 */
} dense_record;

/* Draws a record: sizes up to the largest, no position twice, coordinates in any order, whole
 * numbers from -4 to 4, a quarter of them or more explicit zeros; half of the records of integers hold
 * decimal numbers. The caller frees it. */
void dense_record_draw(base_context *context, base_random *random, mm_record *record, dense_record *dense);

bool dense_record_equal(const dense_record *a, const dense_record *b);

#endif
