/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that programs share. */
#ifndef BASE_RUN_COMMON_OPTIONS_H
#define BASE_RUN_COMMON_OPTIONS_H

#include "base/run/run.h"

/* Fills the run's table with the common options that its program has. */
void base_common_options_make(base_run *run);

#endif
