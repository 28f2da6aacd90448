/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the fake driver share: calls that are counted and may fail, contexts, and all that was
 * created. driver.c has these, cuda.c the functions of the driver, memory.c memory with descriptors, code.c
 * images and kernels, nvrtc.c the compiler, cublas.c products of dense matrices. */
#ifndef TESTS_FAKE_DRIVER_H
#define TESTS_FAKE_DRIVER_H

#include "base/device/cuda_driver.h"

#include <pthread.h>
#include <stdbool.h>

enum { FAKE_DEVICES = 8, FAKE_OBJECTS = 4096, FAKE_FUNCTIONS = 32 };

struct CUctx_st {
    int device, uses;
    size_t used_bytes;
};
struct CUfunc_st {
    const char *name;
    char copied[56]; /* the caller's text need not stay */
    void (*run)(unsigned grid, unsigned block, unsigned shared_bytes, void **arguments);
};
struct CUmod_st {
    struct CUfunc_st function;               /* of compiled code */
    struct CUfunc_st kernel[FAKE_FUNCTIONS]; /* of a fatbin, as they were asked for */
    void *library;
    char image[];
};
struct CUstream_st {
    int device;
    bool apart; /* the default stream does not wait for it: its copy to the host … */
    void *to;   /* … waits until somebody waits for the stream; NULL: there is none */
    cuda_pointer from;
    size_t bytes;
};
struct CUevent_st {
    float milliseconds;
};

struct fake_object {
    void *pointer;
    size_t bytes; /* of device memory; 0: another kind of object */
    int device;
};

extern struct CUctx_st fake_contexts[FAKE_DEVICES];
extern __thread cuda_context fake_current;
extern pthread_mutex_t fake_lock;
extern long fake_sticky, fake_pending; /* a fault that all calls return; one that shows when somebody waits */

/* A number of the environment. */
long fake_environment(const char *name, long otherwise);

/* Waits so long. */
void fake_rest(double seconds);

/* Begins to count calls: cuInit. */
void fake_begin(void);

/* Counts a call; the result it must return at once, or CUDA_OK. */
cuda_result fake_enter(bool needs_context);

/* "DEVICE:N" of a variable: whether the current device has come to its N-th call. */
bool fake_has_come(const char *variable);

/* "FUNCTION:RESULT" of MMPIPE_FAKE_REFUSE: what that function returns. */
cuda_result fake_refuse(const char *function);

#define ENTER(needs_context)                                                                                 \
    do {                                                                                                     \
        cuda_result entered = fake_enter(needs_context);                                                     \
        if (entered != CUDA_OK)                                                                              \
            return entered;                                                                                  \
    } while (0)

/* For what a driver may not know or a container may refuse. */
#define ENTER_UNLESS_REFUSED(needs_context)                                                                  \
    do {                                                                                                     \
        ENTER(needs_context);                                                                                \
        if (fake_refuse(__func__) != CUDA_OK)                                                                \
            return fake_refuse(__func__);                                                                    \
    } while (0)

/* Objects; device memory counts in its context. */
struct fake_object *fake_find_object(const void *pointer);
void *fake_add_object(size_t size, size_t device_bytes);
cuda_result fake_remove_object(void *pointer);

/* Whether the bytes lie in one allocation of the current device; in a mapped range of it (memory.c). */
bool fake_is_inside(cuda_pointer address, size_t bytes);
bool fake_is_in_range(cuda_pointer address, size_t bytes);

/* How many pieces of memory with descriptors, and ranges, are alive. */
int fake_count_memories(void);

/* Device memory is host memory. */
static inline void *fake_host(cuda_pointer address) {
    return (void *)(uintptr_t)address;
}

#endif
