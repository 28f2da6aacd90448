/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a run: what it reads, writes and claims must be different ones. names.c has base_run_claim,
 * too. */
#ifndef BASE_RUN_NAMES_H
#define BASE_RUN_NAMES_H

#include "base/run/run.h"

/* What is written whole in the end, or from the start, would destroy an input of the same name: fails with
 * BASE_USAGE where -o or --phases names one, or both the same file. */
base_status base_run_check_names(base_run *run);

#endif
