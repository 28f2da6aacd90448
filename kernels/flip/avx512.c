/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks with AVX-512: two comparisons for 64 marks. */
#include "flip/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FLIP_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt,lzcnt")))
#define FLIP_MATCH(marks, mark) match(marks, mark)
#define FLIP_SELECT(mask, k) (int)_tzcnt_u64(_pdep_u64(UINT64_C(1) << (k), mask))

static inline __attribute__((always_inline)) FLIP_TARGET uint64_t match(const uint16_t *marks,
                                                                        uint16_t mark) {
    __m512i wanted = _mm512_set1_epi16((short)mark);
    __mmask32 low = _mm512_cmpeq_epi16_mask(_mm512_load_si512(marks), wanted);
    __mmask32 high = _mm512_cmpeq_epi16_mask(_mm512_load_si512(marks + 32), wanted);
    return _mm512_kunpackd(high, low);
}

#include "flip/walk_body.h"

static bool fits(unsigned features) {
    return (features & CPU_AVX512) != 0;
}

const flip_kernel flip_avx512 = {"flip-avx512", "cpu", fits, run, build_index};
#else
static bool fits(unsigned features) {
    return (void)features, false;
}

const flip_kernel flip_avx512 = {"flip-avx512", "cpu", fits, 0, 0};
#endif
