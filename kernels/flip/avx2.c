/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks with AVX2: four comparisons for 64 marks. */
#include "flip/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FLIP_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#define FLIP_MATCH(marks, mark) match(marks, mark)
#define FLIP_SELECT(mask, k) (int)_tzcnt_u64(_pdep_u64(UINT64_C(1) << (k), mask))

/* Compares 32 marks. Packing two comparisons to bytes leaves their quarters in the order 0 2 1 3, which 0xd8
 * mends. */
static inline __attribute__((always_inline)) FLIP_TARGET uint32_t match_half(const uint16_t *marks,
                                                                             __m256i wanted) {
    __m256i low = _mm256_cmpeq_epi16(_mm256_load_si256((const __m256i *)marks), wanted);
    __m256i high = _mm256_cmpeq_epi16(_mm256_load_si256((const __m256i *)(marks + 16)), wanted);
    __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

static inline __attribute__((always_inline)) FLIP_TARGET uint64_t match(const uint16_t *marks,
                                                                        uint16_t mark) {
    __m256i wanted = _mm256_set1_epi16((short)mark);
    return match_half(marks, wanted) | (uint64_t)match_half(marks + 32, wanted) << 32;
}

#include "flip/walk_body.h"

static bool fits(unsigned features) {
    return (features & CPU_AVX2) != 0;
}

const flip_kernel flip_avx2 = {"flip-avx2", "cpu", fits, run, build_index};
#else
static bool fits(unsigned features) {
    return (void)features, false;
}

const flip_kernel flip_avx2 = {"flip-avx2", "cpu", fits, 0, 0};
#endif
