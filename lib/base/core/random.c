/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/random.h"

#include <string.h>

void base_random_init(base_random *random, uint64_t seed, uint64_t stream) {
    random->seed = seed;
    random->stream = stream;
    random->counter = 0;
}

void base_random_block(uint64_t seed, uint64_t stream, uint64_t counter, uint32_t block[4]) {
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    uint32_t x0 = (uint32_t)counter, x1 = (uint32_t)(counter >> 32);
    uint32_t x2 = (uint32_t)stream, x3 = (uint32_t)(stream >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53u * x0;
        uint64_t product1 = (uint64_t)0xCD9E8D57u * x2;
        x0 = (uint32_t)(product1 >> 32) ^ x1 ^ key0;
        x1 = (uint32_t)product1;
        x2 = (uint32_t)(product0 >> 32) ^ x3 ^ key1;
        x3 = (uint32_t)product0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    block[0] = x0;
    block[1] = x1;
    block[2] = x2;
    block[3] = x3;
}

uint64_t base_random_bits(base_random *random) {
    uint32_t block[4];
    base_random_block(random->seed, random->stream, random->counter++, block);
    return (uint64_t)block[1] << 32 | block[0];
}

double base_random_uniform(base_random *random) {
    return (double)(base_random_bits(random) >> 11) * 0x1p-53;
}

/* Lemire, Fast random integer generation in an interval (2019). */
uint64_t base_random_below(base_random *random, uint64_t bound) {
    unsigned __int128 product = (unsigned __int128)base_random_bits(random) * bound;
    if ((uint64_t)product < bound) {
        uint64_t rejected = -bound % bound;
        while ((uint64_t)product < rejected)
            product = (unsigned __int128)base_random_bits(random) * bound;
    }
    return (uint64_t)(product >> 64);
}
