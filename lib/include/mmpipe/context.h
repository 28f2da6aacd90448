/* SPDX-License-Identifier: BSD-3-Clause */
/* libmmpipe: streams of matrices, their permanents, block forms, orderings, sparse products, H2 matrices and
 * matrix multiplication schemes. libmmpipe(3) is the manual; the programs of mmpipe are made of the same
 * code.
 *
 * A context holds what calls share (threads, memory, seed, device) and the error of the last call that
 * failed. A thread uses a context of its own; contexts know nothing of each other. Objects (records, readers,
 * results) belong to no context, but one thread at a time works with an object.
 *
 * A call that can fail returns a status. Results come through the last parameter, which is NULL after a
 * failure. The library prints nothing, ends no process and installs no signal handlers. */
#ifndef MMPIPE_CONTEXT_H
#define MMPIPE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MMPIPE_VERSION "0.1"

#if defined(__GNUC__)
#define MMPIPE_API __attribute__((visibility("default")))
#else
#define MMPIPE_API
#endif

#ifdef __cplusplus
#define MMPIPE_BEGIN extern "C" {
#define MMPIPE_END }
#else
#define MMPIPE_BEGIN
#define MMPIPE_END
#endif

MMPIPE_BEGIN

typedef enum mmpipe_status {
    MMPIPE_OK = 0,
    MMPIPE_FAILED = 1,  /* the input is sound, but this cannot be done with it */
    MMPIPE_USAGE = 2,   /* a wrong argument */
    MMPIPE_DAMAGED = 3, /* the input is damaged or truncated */
    MMPIPE_MACHINE = 4, /* memory, disk or device */
    MMPIPE_STOPPED = 5  /* mmpipe_interrupt was called */
} mmpipe_status;

typedef struct mmpipe_context mmpipe_context;

/* The version of the library that runs: "0.1". */
MMPIPE_API const char *mmpipe_version(void);

/* All processors, half of the memory, seed 1, a device where that is faster. NULL without memory. */
MMPIPE_API mmpipe_context *mmpipe_context_new(void);
/* NULL is allowed, as in every _free and _close. Sparse products, and H2 matrices that were multiplied on a
 * device, are closed before their context, or its device, changes. */
MMPIPE_API void mmpipe_context_free(mmpipe_context *context);

/* Threads of a call, 0 for one on each processor. Results do not depend on their number. */
MMPIPE_API mmpipe_status mmpipe_set_threads(mmpipe_context *context, int threads);
/* Limit of a call's large workspaces. */
MMPIPE_API mmpipe_status mmpipe_set_memory(mmpipe_context *context, int64_t bytes);
/* Of everything random: the same seed gives the same results. */
MMPIPE_API mmpipe_status mmpipe_set_seed(mmpipe_context *context, uint64_t seed);
/* "auto", "cpu", "cuda", "cuda:1" or "cuda:0,2,3". Devices are opened when a call first wants one. */
MMPIPE_API mmpipe_status mmpipe_set_device(mmpipe_context *context, const char *device);
/* `line` gets remarks, such as why a processor did what a device was asked for; NULL: nobody does. */
MMPIPE_API void mmpipe_set_log(mmpipe_context *context, void (*line)(void *data, const char *text),
                               void *data);

/* The last failure for people: "west0067.mtx: record 3, line 812: row 70 exceeds 67". Empty before the first.
 * Valid until the context's next call. */
MMPIPE_API const char *mmpipe_error(const mmpipe_context *context);
MMPIPE_API mmpipe_status mmpipe_error_status(const mmpipe_context *context);
/* Where the input was wrong; "" and 0 where that is not known. Counted from 1. */
MMPIPE_API void mmpipe_error_place(const mmpipe_context *context, const char **file, int64_t *record,
                                   int64_t *line);

/* Asks the context's call to end soon with MMPIPE_STOPPED; safe in a signal handler and on any thread. Heeded
 * by permanents, by mmpipe_h2_build and between the records of a reader; other calls finish. Calls fail until
 * mmpipe_resume. */
MMPIPE_API void mmpipe_interrupt(mmpipe_context *context);
MMPIPE_API void mmpipe_resume(mmpipe_context *context);

/* Releases a text or an array that a call has given to its caller. */
MMPIPE_API void mmpipe_free(void *memory);

MMPIPE_END

#endif
