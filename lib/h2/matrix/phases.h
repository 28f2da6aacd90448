/* SPDX-License-Identifier: BSD-3-Clause */
/* What the phases of a step took, level by level. */
#ifndef H2_MATRIX_PHASES_H
#define H2_MATRIX_PHASES_H

#include "h2/matrix/matrix.h"

/* A phase of one level, or of all (-1). Bytes are those of the matrix's numbers that it reads and writes,
 * flop its floating-point operations; 0: not known. */
typedef struct h2_phase {
    const char *name; /* not owned */
    int64_t level;
    double seconds, bytes, flop;
} h2_phase;

typedef struct h2_phases {
    int count;
    double since; /* on the clock: when the phase at hand began */
    h2_phase phase[4 * H2_MOST_LEVELS + 8];
} h2_phases;

/* `phases` may be NULL in all of these: then nothing is noted. From one thread at a time. */

/* What comes now belongs to the next phase. */
void h2_phases_begin(h2_phases *phases);

/* A phase ends, and the next one begins; one of the same name and level that was there takes longer. */
void h2_phases_end(h2_phases *phases, const char *name, int64_t level);

/* Notes a phase that took so long. */
void h2_phases_add(h2_phases *phases, const char *name, int64_t level, double seconds);

/* Adds to the bytes and flop of a phase. */
void h2_phases_count(h2_phases *phases, const char *name, int64_t level, double bytes, double flop);

/* The sum of all phases; bytes and flop are not known if those of a phase of all levels are not. */
h2_phase h2_phases_sum(const h2_phases *phases);

#endif
