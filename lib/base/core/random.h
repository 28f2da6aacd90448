/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy
 * as 1, 2, 3; SC 2011). The number at a counter depends on nothing but seed, stream and counter, so any
 * thread or machine can draw any part of a sequence. Integer arithmetic only: the same bits everywhere. */
#ifndef BASE_CORE_RANDOM_H
#define BASE_CORE_RANDOM_H

#include <stdint.h>

typedef struct base_random {
    uint64_t seed, stream, counter;
} base_random;

void base_random_init(base_random *random, uint64_t seed, uint64_t stream);

/* The block of four words at a counter. */
void base_random_block(uint64_t seed, uint64_t stream, uint64_t counter, uint32_t block[4]);

/* The next 64 bits; one block per call. */
uint64_t base_random_bits(base_random *random);

/* Uniform on [0, 1), a multiple of 2^-53. */
double base_random_uniform(base_random *random);

/* Uniform on 0 … bound-1 without bias; bound ≥ 1. */
uint64_t base_random_below(base_random *random, uint64_t bound);

#endif
