/* SPDX-License-Identifier: BSD-3-Clause */
/* One table per program gives its parsing, its --help, the check of its man page and its completions. */
#ifndef BASE_RUN_OPTIONS_H
#define BASE_RUN_OPTIONS_H

#include "base/run/option.h"
#include "base/run/output.h"

/* Told of every option of the command line that was accepted; `argument` is NULL for flags. A failure ends
 * the parsing. */
typedef base_status base_option_seen(void *data, const base_option *option, const char *argument);

/* Parses argv against the tables (NULL-terminated list); operands are moved to the front of argv+1 and
 * counted in *operands. "--" ends options; "-" is an operand; `--name=value`, `--name value`, `-jN`, `-j N`
 * and unambiguous prefixes of long names work. `seen` may be NULL. Fails with BASE_USAGE,
 * or as `seen` does. */
base_status base_options_parse(base_context *context, const base_option *const *tables, int argc, char **argv,
                               int *operands, base_option_seen *seen, void *data);

/* Sets values from the environment: MMPIPE_FORM for --form, MMPIPE_TIME_LIMIT for --time-limit. */
base_status base_options_environment(base_context *context, const base_option *table);

/* Writes the lines of a help text for a table, aligned as GNU programs do. */
base_status base_options_help(base_context *context, base_output *output, const base_option *table);

#endif
