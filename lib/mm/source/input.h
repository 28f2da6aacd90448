/* SPDX-License-Identifier: BSD-3-Clause */
/* The raw bytes of an input: what is in memory first, then what a descriptor gives. Private to source.c and
 * unpack.c. One thread reads; another may interrupt it. */
#ifndef MM_SOURCE_INPUT_H
#define MM_SOURCE_INPUT_H

#include "mm/coding/bytes.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct mm_input {
    const char *data; /* bytes still to come before those of the descriptor; the caller's */
    size_t size;
    int descriptor; /* -1: none */
    int wake[2];    /* a pipe whose end of file interrupts a waiting read; -1: none */
    bool at_end;
} mm_input;

void mm_input_init(mm_input *input, const void *data, size_t size, int descriptor);

/* Makes waiting reads interruptible; -1 with errno if there is no pipe to be had. */
int mm_input_make_interruptible(mm_input *input);
void mm_input_interrupt(mm_input *input);

/* Closes the pipe, not the descriptor. */
void mm_input_close(mm_input *input);

/* The bytes; an interrupted read fails with ECANCELED. */
mm_bytes mm_input_bytes(mm_input *input);

#endif
