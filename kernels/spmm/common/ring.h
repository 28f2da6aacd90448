/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers in shared memory for copies to it that go on meanwhile, and for warps with different tasks
 * (compute capability 9.0). Barriers pass through phases 0, 1, 0, …; what is waited for is the end of a
 * phase. */
#ifndef SPMM_COMMON_RING_H
#define SPMM_COMMON_RING_H

#include "spmm/common/group.h"

#if defined __CUDACC__ && defined __CUDA_ARCH_FEAT_SM90_ALL
#define SPMM_RING_ASM(...) asm volatile(__VA_ARGS__)
#elif defined __CUDA_ARCH__ /* compiled for others: rather no result than a wrong one */
#define SPMM_RING_ASM(...) __trap()
#else
#define SPMM_RING_ASM(...)
#endif

#ifdef __CUDACC__
#define SPMM_RING_ADDRESS(pointer) ((unsigned)__cvta_generic_to_shared(pointer))
typedef unsigned long long spmm_ring_barrier;
#else
/* 8 bytes, as on a device: shared memory is counted for these. */
typedef struct spmm_ring_barrier {
    short count, left; /* arrivals of a phase, and those that it still lacks */
    int phase;
} spmm_ring_barrier;

static SHIM_UNUSED void spmm_shim_pass(spmm_ring_barrier *barrier) {
    if (barrier->left == 0) {
        barrier->left = barrier->count;
        barrier->phase ^= 1;
    }
}
#endif

/* Opens a barrier for `count` arrivals. One thread does this, before a barrier of the block. */
__device__ __forceinline__ void spmm_ring_open(spmm_ring_barrier *barrier, int count) {
#ifdef __CUDACC__
    SPMM_RING_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SPMM_RING_ADDRESS(barrier)), "r"(count)
                  : "memory");
    SPMM_RING_ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
    barrier->count = barrier->left = (short)count;
    barrier->phase = 0;
#endif
}

/* Arrives, and lets the phase wait for so many bytes of spmm_ring_copy, which follow. */
__device__ __forceinline__ void spmm_ring_expect(spmm_ring_barrier *barrier, int bytes) {
#ifdef __CUDACC__
    SPMM_RING_ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SPMM_RING_ADDRESS(barrier)),
                  "r"(bytes)
                  : "memory");
#else
    (void)bytes;
    barrier->left--;
    spmm_shim_pass(barrier); /* on the CPU the copies are done before any waiting thread runs */
#endif
}

/* Copies multiples of 16 bytes between multiples of 16 bytes, and counts them towards the phase. */
__device__ __forceinline__ void spmm_ring_copy(void *to, const void *from, int bytes,
                                               spmm_ring_barrier *barrier) {
#ifdef __CUDACC__
    SPMM_RING_ASM(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            SPMM_RING_ADDRESS(to)),
        "l"(from), "r"(bytes), "r"(SPMM_RING_ADDRESS(barrier))
        : "memory");
#else
    (void)barrier;
    memcpy(to, from, (size_t)bytes);
#endif
}

/* Arrives when all copies (spmm_copy) that this thread has begun are done. */
__device__ __forceinline__ void spmm_ring_arrive_later(spmm_ring_barrier *barrier) {
#ifdef __CUDACC__
    SPMM_RING_ASM("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(SPMM_RING_ADDRESS(barrier))
                  : "memory");
#else
    barrier->left--;
    spmm_shim_pass(barrier);
#endif
}

__device__ __forceinline__ void spmm_ring_arrive(spmm_ring_barrier *barrier) {
#ifdef __CUDACC__
    SPMM_RING_ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SPMM_RING_ADDRESS(barrier)) : "memory");
#else
    barrier->left--;
    spmm_shim_pass(barrier);
#endif
}

/* Waits until the phase with this parity is over. */
__device__ __forceinline__ void spmm_ring_wait(spmm_ring_barrier *barrier, int parity) {
#ifdef __CUDACC__
    SPMM_RING_ASM("{ .reg .pred done; again%=: "
                  "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; "
                  "@!done bra again%=; }" ::"r"(SPMM_RING_ADDRESS(barrier)),
                  "r"(parity)
                  : "memory");
#else
    while (barrier->phase == parity)
        shim_wait();
#endif
}

#endif
