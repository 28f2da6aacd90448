/* SPDX-License-Identifier: BSD-3-Clause */
/* One option of a program: what it is called, what it takes, and where its value goes. */
#ifndef BASE_RUN_OPTION_H
#define BASE_RUN_OPTION_H

#include "base/core/context.h"

typedef enum base_option_kind {
    BASE_FLAG,    /* bool: no argument, sets true */
    BASE_INTEGER, /* int64_t: a whole number ≥ 0 */
    BASE_BYTES,   /* int64_t: with k, M, G, T (powers of 1024) */
    BASE_SECONDS, /* double: with s, m, h, d */
    BASE_REAL,    /* double */
    BASE_TEXT,    /* const char *: the argument as it is; lives as long as argv or the environment */
    BASE_INPUT,   /* likewise, the name of a file that is read: no output may have it */
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

/* Reads the text into *option->value; `text` is NULL for a flag, which becomes true. Fails with BASE_USAGE,
 * and says what is wanted. */
base_status base_option_set(base_context *context, const base_option *option, const char *text);

#endif
