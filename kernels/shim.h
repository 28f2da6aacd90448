/* CUDA device code as plain C or C++: the test suite includes a kernel's source after this header and runs it
 * on the CPU. Under nvcc and NVRTC only SHIM_KERNEL and SHIM_DYNAMIC_SHARED are left of it.
 *
 * The source keeps to these rules: kernels begin with SHIM_KERNEL, dynamic shared memory is declared with
 * SHIM_DYNAMIC_SHARED(type, name), and __device__ stands without static. Generated sources, which NVRTC
 * compiles without include files, define SHIM_KERNEL themselves where __CUDACC__ is defined. What a test
 * needs beyond that is a function `void thread(void *arguments)` that calls the kernel, for shim_launch.
 *
 * Every thread of a block is a coroutine (ucontext) that runs until it meets a barrier, so __syncthreads,
 * shuffles and votes work as on the device (half a microsecond a thread each); atomics need no atomicity.
 * Blocks run one after another. What is undefined on a device stops the program with a message: a barrier
 * that not all threads reach, a shuffle from a lane outside its mask. Reads of shared memory that race show
 * nothing here: threads run in one order.
 */
#ifndef SHIM_H
#define SHIM_H

#ifdef __CUDACC__

#define SHIM_KERNEL extern "C" __global__
#define SHIM_DYNAMIC_SHARED(type, name) extern __shared__ type name[]

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define SHIM_KERNEL
#define SHIM_DYNAMIC_SHARED(type, name) type *name = (type *)shim.shared
#define SHIM_UNUSED __attribute__((unused))

#define __global__
#define __host__
#define __device__ static SHIM_UNUSED
#define __constant__ static SHIM_UNUSED
#define __shared__ static __thread
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

/* ---- threads ---- */

#ifndef SHIM_STACK_BYTES
#define SHIM_STACK_BYTES (256 << 10)
#endif

enum { SHIM_READY, SHIM_AT_BLOCK_BARRIER, SHIM_AT_WARP_BARRIER, SHIM_ENDED };

typedef struct shim_index {
    unsigned x, y, z;
} shim_index;

typedef struct shim_thread {
    ucontext_t context;
    char *stack;
    shim_index index;
    unsigned number, mask; /* in the block; of the barrier it waits at */
    int state;
    unsigned char value[16]; /* what it offers to the lanes of its warp */
} shim_thread;

typedef struct shim_state {
    void (*body)(void *);
    void *arguments, *shared;
    shim_index grid_size, block_size, block;
    unsigned count; /* of threads in a block */
    shim_thread *threads, *thread;
    ucontext_t scheduler;
} shim_state;

static SHIM_UNUSED __thread shim_state shim;

#define gridDim shim.grid_size
#define blockDim shim.block_size
#define blockIdx shim.block
#define threadIdx shim.thread->index
#define warpSize 32

static inline void shim_stop(const char *what) {
    const shim_thread *t = shim.thread;
    fprintf(stderr, "shim: block (%u,%u,%u), thread (%u,%u,%u): %s\n", shim.block.x, shim.block.y,
            shim.block.z, t->index.x, t->index.y, t->index.z, what);
    abort();
}

static inline void shim_wait(void) {
    swapcontext(&shim.thread->context, &shim.scheduler);
}

/* Runs on the stack of a coroutine; uc_link leads back to the scheduler. */
static SHIM_UNUSED void shim_run_thread(void) {
    shim.body(shim.arguments);
    shim.thread->state = SHIM_ENDED;
}

static __attribute__((noinline)) SHIM_UNUSED void shim_prepare(shim_thread *t) {
    t->state = SHIM_READY;
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = t->stack;
    t->context.uc_stack.ss_size = SHIM_STACK_BYTES;
    t->context.uc_link = &shim.scheduler;
    makecontext(&t->context, shim_run_thread, 0);
}

static inline void shim_run_block(void) {
    for (unsigned i = 0; i < shim.count; i++)
        shim_prepare(&shim.threads[i]);
    for (unsigned ended = 0; ended < shim.count;) {
        bool moved = false;
        ended = 0;
        for (unsigned i = 0; i < shim.count; i++) {
            shim.thread = &shim.threads[i];
            if (shim.thread->state == SHIM_READY) {
                swapcontext(&shim.scheduler, &shim.thread->context);
                moved = true;
            }
            ended += shim.thread->state == SHIM_ENDED;
        }
        for (unsigned i = 0; i < shim.count && !moved && ended < shim.count; i++)
            if (shim.threads[i].state != SHIM_ENDED) {
                shim.thread = &shim.threads[i];
                shim_stop("waits at a barrier that not all threads reach");
            }
    }
}

/* Calls body(arguments) in every thread of every block. Shared memory starts as junk. */
static SHIM_UNUSED void shim_launch(void (*body)(void *), void *arguments, shim_index grid, shim_index block,
                                    size_t shared_bytes) {
    shim.body = body;
    shim.arguments = arguments;
    shim.grid_size = grid;
    shim.block_size = block;
    shim.count = block.x * block.y * block.z;
    shim.shared = malloc(shared_bytes + 1);
    shim.threads = (shim_thread *)calloc(shim.count, sizeof *shim.threads);
    for (unsigned i = 0; i < shim.count; i++) {
        shim.threads[i].stack = (char *)malloc(SHIM_STACK_BYTES);
        shim.threads[i].number = i;
        shim.threads[i].index.x = i % block.x;
        shim.threads[i].index.y = i / block.x % block.y;
        shim.threads[i].index.z = i / block.x / block.y;
    }
    for (shim.block.z = 0; shim.block.z < grid.z; shim.block.z++)
        for (shim.block.y = 0; shim.block.y < grid.y; shim.block.y++)
            for (shim.block.x = 0; shim.block.x < grid.x; shim.block.x++) {
                memset(shim.shared, 0xa5, shared_bytes);
                shim_run_block();
            }
    for (unsigned i = 0; i < shim.count; i++)
        free(shim.threads[i].stack);
    free(shim.threads);
    free(shim.shared);
}

/* ---- barriers ---- */

static SHIM_UNUSED void __syncthreads(void) {
    shim.thread->state = SHIM_AT_BLOCK_BARRIER;
    for (unsigned i = shim.count; i-- > 0;) /* threads arrive in order: the last ones are missing longest */
        if (shim.threads[i].state != SHIM_AT_BLOCK_BARRIER) {
            shim_wait();
            return;
        }
    for (unsigned i = 0; i < shim.count; i++)
        shim.threads[i].state = SHIM_READY;
}

static inline shim_thread *shim_lane(unsigned lane) {
    unsigned number = (shim.thread->number & ~31u) + lane;
    return number < shim.count ? &shim.threads[number] : NULL;
}

static SHIM_UNUSED void shim_sync_warp(unsigned mask) {
    if ((mask >> (shim.thread->number & 31) & 1) == 0)
        shim_stop("is not in the mask of its own warp operation");
    shim.thread->state = SHIM_AT_WARP_BARRIER;
    shim.thread->mask = mask;
    for (unsigned lane = 0; lane < 32; lane++) {
        const shim_thread *other = shim_lane(lane);
        if ((mask >> lane & 1) != 0 && other != NULL &&
            (other->state != SHIM_AT_WARP_BARRIER || other->mask != mask)) {
            shim_wait();
            return;
        }
    }
    for (unsigned lane = 0; lane < 32; lane++)
        if ((mask >> lane & 1) != 0 && shim_lane(lane) != NULL)
            shim_lane(lane)->state = SHIM_READY;
}

#define SHIM_SYNCWARP(none, mask, ...) shim_sync_warp(mask)
#define __syncwarp(...) SHIM_SYNCWARP(0, ##__VA_ARGS__, 0xffffffffu, 0)
#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)
#define __trap() shim_stop("trap")

/* ---- shuffles and votes ---- */

enum { SHIM_SHUFFLE_INDEX, SHIM_SHUFFLE_UP, SHIM_SHUFFLE_DOWN, SHIM_SHUFFLE_XOR };

/* Lanes read between the two barriers, so that no lane changes its offer before all have read. */
static SHIM_UNUSED void shim_shuffle(int kind, unsigned mask, void *value, size_t size, unsigned operand,
                                     unsigned width) {
    unsigned lane = shim.thread->number & 31, start = lane & ~(width - 1), source;
    memcpy(shim.thread->value, value, size);
    shim_sync_warp(mask);
    switch (kind) {
    case SHIM_SHUFFLE_INDEX: source = start + (operand & (width - 1)); break;
    case SHIM_SHUFFLE_UP: source = lane - start >= operand ? lane - operand : lane; break;
    case SHIM_SHUFFLE_DOWN: source = lane - start + operand < width ? lane + operand : lane; break;
    default: source = (lane ^ operand) < start + width ? lane ^ operand : lane; break;
    }
    if (source > 31 || (mask >> source & 1) == 0 || shim_lane(source) == NULL)
        shim_stop("shuffles from a lane that takes no part");
    memcpy(value, shim_lane(source)->value, size);
    shim_sync_warp(mask);
}

#define SHIM_SHUFFLE(kind, mask, shared_value, operand, width, ...)                                          \
    __extension__({                                                                                          \
        __typeof__((shared_value) + 0) shim_value = (shared_value);                                          \
        shim_shuffle(kind, mask, &shim_value, sizeof shim_value, (unsigned)(operand), (unsigned)(width));    \
        shim_value;                                                                                          \
    })
#define __shfl_sync(mask, value, ...) SHIM_SHUFFLE(SHIM_SHUFFLE_INDEX, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, value, ...) SHIM_SHUFFLE(SHIM_SHUFFLE_UP, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, value, ...) SHIM_SHUFFLE(SHIM_SHUFFLE_DOWN, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, value, ...) SHIM_SHUFFLE(SHIM_SHUFFLE_XOR, mask, value, __VA_ARGS__, 32, 0)

/* The lanes of the mask that offer the same bytes. */
static SHIM_UNUSED unsigned shim_match(unsigned mask, const void *value, size_t size) {
    unsigned same = 0;
    memcpy(shim.thread->value, value, size);
    shim_sync_warp(mask);
    for (unsigned lane = 0; lane < 32; lane++)
        if ((mask >> lane & 1) != 0 && shim_lane(lane) != NULL &&
            memcmp(shim_lane(lane)->value, value, size) == 0)
            same |= 1u << lane;
    shim_sync_warp(mask);
    return same;
}

static SHIM_UNUSED unsigned shim_ballot(unsigned mask, int vote) {
    unsigned char voted = vote != 0;
    unsigned same = shim_match(mask, &voted, 1);
    unsigned taking_part = shim.count - (shim.thread->number & ~31u);
    unsigned lanes = taking_part < 32 ? mask & ((1u << taking_part) - 1) : mask;
    return voted ? same : lanes & ~same;
}

#define __match_any_sync(mask, offered)                                                                      \
    __extension__({                                                                                          \
        __typeof__((offered) + 0) shim_value = (offered);                                                    \
        shim_match(mask, &shim_value, sizeof shim_value);                                                    \
    })
#define __ballot_sync(mask, vote) shim_ballot(mask, (vote) != 0)
#define __any_sync(mask, vote) (shim_ballot(mask, (vote) != 0) != 0)
#define __all_sync(mask, vote) (shim_ballot(mask, (vote) == 0) == 0)

/* ---- atomics ---- */

#define SHIM_ATOMIC(pointer, change)                                                                         \
    __extension__({                                                                                          \
        __typeof__(&*(pointer)) shim_pointer = (pointer);                                                    \
        __typeof__(*(pointer) + 0) old = *shim_pointer;                                                      \
        *shim_pointer = (change);                                                                            \
        old;                                                                                                 \
    })
#define atomicAdd(pointer, value) SHIM_ATOMIC(pointer, old + (value))
#define atomicSub(pointer, value) SHIM_ATOMIC(pointer, old - (value))
#define atomicExch(pointer, value) SHIM_ATOMIC(pointer, value)
#define atomicMin(pointer, value) SHIM_ATOMIC(pointer, old < (value) ? old : (value))
#define atomicMax(pointer, value) SHIM_ATOMIC(pointer, old > (value) ? old : (value))
#define atomicAnd(pointer, value) SHIM_ATOMIC(pointer, old &(value))
#define atomicOr(pointer, value) SHIM_ATOMIC(pointer, old | (value))
#define atomicXor(pointer, value) SHIM_ATOMIC(pointer, old ^ (value))
#define atomicCAS(pointer, compare, value) SHIM_ATOMIC(pointer, old == (compare) ? (value) : old)

/* ---- arithmetic ---- */

#define __ldg(pointer) (*(pointer))
#define __popc(x) __builtin_popcount(x)
#define __popcll(x) __builtin_popcountll((unsigned long long)(x))
#define __ffs(x) __builtin_ffs((int)(x))
#define __ffsll(x) __builtin_ffsll((long long)(x))
#define __fma_rn(a, b, c) fma(a, b, c)
#define __fmaf_rn(a, b, c) fmaf(a, b, c)
#define __dadd_rn(a, b) ((double)(a) + (double)(b))
#define __dsub_rn(a, b) ((double)(a) - (double)(b))
#define __dmul_rn(a, b) ((double)(a) * (double)(b))
#define __ddiv_rn(a, b) ((double)(a) / (double)(b))

static SHIM_UNUSED int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}

static SHIM_UNUSED int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}

static SHIM_UNUSED unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

static SHIM_UNUSED unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}

static SHIM_UNUSED long long __double_as_longlong(double x) {
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static SHIM_UNUSED double __longlong_as_double(long long bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define SHIM_VECTOR(name, type)                                                                              \
    typedef struct name {                                                                                    \
        type x, y;                                                                                           \
    } name;                                                                                                  \
    static SHIM_UNUSED name make_##name(type x, type y) {                                                    \
        name pair;                                                                                           \
        pair.x = x;                                                                                          \
        pair.y = y;                                                                                          \
        return pair;                                                                                         \
    }
SHIM_VECTOR(double2, double)
SHIM_VECTOR(float2, float)
SHIM_VECTOR(int2, int)
SHIM_VECTOR(uint2, unsigned)
SHIM_VECTOR(ulonglong2, unsigned long long)

#endif
#endif
