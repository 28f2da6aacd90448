/* SPDX-License-Identifier: BSD-3-Clause */
/* Powers of ten as 128-bit integers, shared by reading and writing decimal numbers. */
#ifndef MM_DECIMAL_POWERS_H
#define MM_DECIMAL_POWERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { MM_POWER_FIRST = -342, MM_POWER_LAST = 324 };

/* floor(10^q · 2^s) for the s that puts it into [2^127, 2^128). */
typedef struct mm_power {
    uint64_t high, low;
} mm_power;

extern _Atomic(const mm_power *) mm_powers_table; /* NULL until it is made */
const mm_power *mm_powers_make(void);

/* The table, whose element q - MM_POWER_FIRST is the power 10^q. Made at the first call, in about 0.1 ms; any
 * thread may call. */
static inline const mm_power *mm_powers(void) {
    const mm_power *table = atomic_load_explicit(&mm_powers_table, memory_order_acquire);
    return table != NULL ? table : mm_powers_make();
}

#endif
