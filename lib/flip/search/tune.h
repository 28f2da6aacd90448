/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of a search that are for experiments, by name: `plus-after=300,budget=1000000`. */
#ifndef FLIP_SEARCH_TUNE_H
#define FLIP_SEARCH_TUNE_H

#include "flip/search/search.h"

/* The numbers: KEY(name, member of flip_search_options) for each; those of FLIP_TUNE_OLD were options. */
#define FLIP_TUNE_OLD(KEY)                                                                                   \
    KEY("low-rank", low_rank)                                                                                \
    KEY("plus-after", plus_after)                                                                            \
    KEY("plus-after-low", plus_after_low)                                                                    \
    KEY("plus-limit", plus_limit)                                                                            \
    KEY("budget", budget)                                                                                    \
    KEY("budget-low", budget_low)                                                                            \
    KEY("sink-rank", sink_rank)                                                                              \
    KEY("sink-budget", sink_budget)                                                                          \
    KEY("sink-back", sink_back)                                                                              \
    KEY("walk", walk)                                                                                        \
    KEY("step-back", step_back)                                                                              \
    KEY("reduce-after", reduce_after)
#define FLIP_TUNE_KEYS(KEY)                                                                                  \
    FLIP_TUNE_OLD(KEY) KEY("general-after", general_after) KEY("match-rounds", match_rounds)

/* Sets those of a list KEY=N,… ; a key is a row above. Fails with BASE_USAGE, and names the
 * keys there are, on another key or what is no number. */
base_status flip_tune(base_context *context, const char *text, flip_search_options *options);

#endif
