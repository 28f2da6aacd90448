/* SPDX-License-Identifier: BSD-3-Clause */
/* What searches for some formats do best with: defaults that were found by measuring. */
#ifndef FLIP_SEARCH_SETTINGS_H
#define FLIP_SEARCH_SETTINGS_H

#include <stdint.h>

/* Of flip_search_options (search.h); 0: what other formats have. */
typedef struct flip_settings {
    int64_t size[3];
    int64_t plus_after, plus_after_low, plus_limit, budget, budget_low, sink_rank;
    int64_t device_plus_after, device_islands; /* plus_after and islands on devices */
} flip_settings;

/* Those for a format, in any order of its sizes; all 0 where nothing is known. Not for searches on schemes
 * with a symmetry. */
const flip_settings *flip_find_settings(const int64_t size[3]);

#endif
