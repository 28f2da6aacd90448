/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches that come to a format by way of smaller ones, as in adaptive flip graphs (Arai, Ichikawa and
 * Hukushima, 2023): schemes of small rank for n×m×p, extended by the standard algorithm for what is missing,
 * are far below the standard algorithm for the next format and still can be flipped. */
#ifndef FLIP_JOB_GROW_H
#define FLIP_JOB_GROW_H

#include "flip/job/dispatch.h"

typedef struct flip_growth {
    int64_t steps; /* of all walkers, for each smaller format; 0: default */
    int64_t keep;  /* schemes of a smaller format to go on with; 0: default */
} flip_growth;

/* Adds to `starts` schemes of its format: from 1×1×1 on, the format grows by one along an axis, the axes that
 * are largest in the end last; for each smaller format a search from the extended schemes of the one before,
 * to the least known rank or for so many steps. The searches are jobs of `work`, without its pool. Fails with
 * BASE_USAGE where schemes with a symmetry are asked for. */
base_status flip_grow(base_context *context, const flip_dispatch *dispatch, flip_work *work,
                      const flip_growth *growth, const flip_search_options *options, flip_starts *starts);

#endif
