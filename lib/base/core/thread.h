/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: started with injectable faults (fault.h), and counted before they are needed. */
#ifndef BASE_CORE_THREAD_H
#define BASE_CORE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* pthread_create: 0, or the number of the error. */
int base_thread_start(pthread_t *thread, void *(*work)(void *), void *data);

/* The same for a thread that does next to nothing: with a stack of 128 KiB, and no signal ever comes to it.
 */
int base_thread_start_small(pthread_t *thread, void *(*work)(void *), void *data);

/* A thread that does the same thing again and again beside its owner, who does not touch what it works with
 * between base_worker_begin and base_worker_wait. */
typedef struct base_worker base_worker;

/* `work` is called with `data` for each base_worker_begin. NULL where no thread starts. */
base_worker *base_worker_start(void (*work)(void *data), void *data);
void base_worker_begin(base_worker *worker); /* once it has been waited for */
void base_worker_wait(base_worker *worker);
bool base_worker_is_busy(base_worker *worker);
void base_worker_end(base_worker *worker); /* waits for what it does; NULL is allowed */

/* How many threads, `wanted` at most and 1 at least, this process can have at once. Where no limit of
 * processes or addresses is near, nothing is tried; otherwise that many are started, which leaves at least
 * half of the addresses to the work, and OpenMP gets its threads here, because it ends the process where it
 * cannot start one. */
int base_threads_probe(int wanted);

/* Ends the OpenMP threads of the caller (libgomp) or lets them sleep (libomp). After a loop they would spin
 * for milliseconds and take the processors from other programs. The next loop starts new ones, in about
 * 0.5 ms for 16. Does nothing where a limit is near now, or was for base_threads_probe. True if they have
 * ended. */
bool base_threads_rest(void);

/* Whether base_threads_probe has seen such a limit: nobody should start more threads than it has counted. */
bool base_threads_are_scarce(void);

#endif
