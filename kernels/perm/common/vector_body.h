/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of doubles in C, for the kernels that have lanes of subsets; DENSE_TARGET and DENSE_WIDTH are
 * defined before (walk_body.h). */
#define DENSE_INLINE static inline __attribute__((always_inline)) DENSE_TARGET
#if defined(__clang__)
#define DENSE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define DENSE_UNROLL _Pragma("GCC unroll 16")
#endif

typedef double vector __attribute__((vector_size(8 * DENSE_WIDTH)));
typedef int64_t vector_bits __attribute__((vector_size(8 * DENSE_WIDTH)));
