/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line and the environment of a run. */
#ifndef BASE_RUN_PARSE_H
#define BASE_RUN_PARSE_H

#include "base/run/run.h"

/* Fills the run's table of options with those that its program has, and sets what the environment and the
 * command line say. */
base_status base_run_parse(base_run *run, int argc, char **argv);

#endif
