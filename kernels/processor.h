/* SPDX-License-Identifier: BSD-3-Clause */
/* What a processor can do beyond plain C, as a set: what kernels need (their `fits`, or a field of their
 * table) and what lib/base/core/cpu.h finds. The one header besides their contract that kernels and drivers
 * share. */
#ifndef PROCESSOR_H
#define PROCESSOR_H

enum {
    CPU_AVX2 = 1 << 0,   /* AVX2, FMA and F16C */
    CPU_AVX512 = 1 << 1, /* AVX-512 F, BW, DQ, VL, and CPU_AVX2 */
    CPU_NEON = 1 << 2    /* Advanced SIMD of 64-bit Arm */
};

/* The `fits` of a kernel whose instructions the compiler does not know: 0 seconds, it does not run here. */
#define PROCESSOR_NEVER_FITS(problem_type)                                                                   \
    static double fits(const problem_type *problem, unsigned features) {                                     \
        (void)problem, (void)features;                                                                       \
        return 0;                                                                                            \
    }

#endif
