/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is to say about a scheme, as a line of a report. */
#ifndef FLIP_SCHEME_VERDICT_H
#define FLIP_SCHEME_VERDICT_H

#include "flip/scheme/scheme.h"
#include "mm/stream/report.h"

/* Adds the scheme's columns to the report's line: format, rank, field, valid, over (all of Z or Q, F2, and
 * the given modulus, if not 0, that it is right over), nonzeros, additions, distinct factors, largest
 * coefficient, cyclic, the least known rank over its field and how this one compares. *valid: right over its
 * own field; if not, `fault` (`size` bytes) says why. */
base_status flip_report_verdict(base_context *context, const flip_scheme *scheme, int64_t modulus,
                                mm_report *report, bool *valid, char *fault, size_t size);

#endif
