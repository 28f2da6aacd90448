/* SPDX-License-Identifier: BSD-3-Clause */
/* Injected faults: the environment variable MMPIPE_FAULT=KIND:N makes the N-th operation of that kind fail,
 * KIND:N+ the N-th and all after it, so that tests reach every error path. Without the variable a check is
 * one load and a compare. */
#ifndef BASE_CORE_FAULT_H
#define BASE_CORE_FAULT_H

#include <stdbool.h>

typedef enum base_fault_kind {
    BASE_FAULT_ALLOC,
    BASE_FAULT_READ,
    BASE_FAULT_WRITE,
    BASE_FAULT_SYNC,
    BASE_FAULT_RENAME,
    BASE_FAULT_THREAD, /* the start of a thread */
    BASE_FAULT_MAP,    /* of a file or of addresses */
    BASE_FAULT_CHUNK,  /* a bit of a finished chunk's numbers flips in memory */
    BASE_FAULT_KERNEL, /* a kernel computes one bit of a chunk wrongly */
    BASE_FAULT_KINDS
} base_fault_kind;

/* True when this operation is the one that must fail. Counts atomically over all threads. */
bool base_fault(base_fault_kind kind);

#endif
