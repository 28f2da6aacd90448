/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a block as coroutines, the launch of a grid, and barriers: a part of shim.h, which says how
 * they behave. Included by it alone. */
#ifndef SHIM_THREADS_H
#define SHIM_THREADS_H

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

#endif
