/* SPDX-License-Identifier: BSD-3-Clause */
/* One table per program gives its parsing, its --help, the check of its man page and its completions. */
#ifndef BASE_RUN_OPTIONS_H
#define BASE_RUN_OPTIONS_H

#include "base/run/output.h"

typedef enum base_option_kind {
    BASE_FLAG,    /* bool: no argument, sets true */
    BASE_INTEGER, /* int64_t: a whole number ≥ 0 */
    BASE_BYTES,   /* int64_t: with k, M, G, T (powers of 1024) */
    BASE_SECONDS, /* double: with s, m, h, d */
    BASE_REAL,    /* double */
    BASE_TEXT,    /* const char *: the argument as it is; lives as long as argv or the environment */
    BASE_CHOICE,  /* int: index of the argument among the words of `argument`, separated by '|' */
    BASE_PART     /* base_part: R/M; `rank`: of an MPI or Slurm process; `array`: task of a Slurm array */
} base_option_kind;

typedef struct base_part {
    int64_t index, count; /* part `index` of `count`, from 1; 0/0: not split */
} base_part;

typedef struct base_option {
    const char *name; /* long name without dashes */
    char letter;      /* short name or 0 */
    base_option_kind kind;
    const char *argument; /* its name in the help ("N", "FILE"), the words of a choice, NULL for a flag */
    const char *help; /* one or two lines of help, without a final dot; NULL: an old name or letter, which is
                       * not shown and has to be written out */
    void *value;      /* where it goes, initialised to its default */
} base_option;

/* Table entries end with one whose name is NULL. */
#define BASE_OPTIONS_END                                                                                     \
    { 0 }

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
