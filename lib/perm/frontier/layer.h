/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a frontier dynamic program: layers of states in segments of fixed size that go back to a pool
 * when the next layer is done, and the step from one layer to the next for each kind of value. */
#ifndef PERM_FRONTIER_LAYER_H
#define PERM_FRONTIER_LAYER_H

#include "base/core/context.h"
#include "perm/frontier/quad.h"

/* States in ascending order of their masks. */
typedef struct perm_segment {
    int64_t count;
    void *mask;                /* the pool's segment_states of its mask_bytes */
    void *value;               /* the same of its value_bytes */
    struct perm_segment *next; /* in the pool */
} perm_segment;

typedef struct perm_layer {
    perm_segment **segment;
    int64_t count, capacity, states;
} perm_layer;

typedef struct perm_pool {
    base_context *context;
    int64_t mask_bytes, value_bytes, segment_states;
    perm_segment *free;
    int64_t bytes, limit_bytes; /* taken from the machine so far, and at most */
} perm_pool;

/* Appends an empty segment; safe to call from several threads with layers of their own. Fails with
 * BASE_FAILED at the limit. */
base_status perm_layer_extend(perm_pool *pool, perm_layer *layer);
/* Moves the segments of `from` behind those of `to`. */
base_status perm_layer_append(perm_pool *pool, perm_layer *to, perm_layer *from);
void perm_layer_clear(perm_pool *pool, perm_layer *layer); /* gives the segments back to the pool */
void perm_layer_free(perm_layer *layer);                   /* after clear: the list itself */
void perm_pool_free(perm_pool *pool);

/* One step. `value` arrays are in the kernel's own units; a state's value is `stride` of them. */
typedef struct perm_frontier_step {
    perm_pool *pool;
    const perm_layer *from;
    perm_layer *to; /* empty */
    int threads;
    int count;         /* entries of the row */
    const int *bit;    /* of each */
    const void *entry; /* the kernel's: one factor for each */
    int close_count;
    const int *close; /* bits that close, descending */
    int open;         /* columns open afterwards */
    int64_t stride;
    void **sums;         /* one window of sums for each thread, all zero; sums_bytes each */
    bool shows_progress; /* of a task whose progress is shown */
    /* Whether to fail with BASE_STOPPED, asked now and then by any thread; may be NULL. */
    bool (*is_stopping)(const base_context *context, const void *data);
    const void *data;
    /* results */
    int64_t transitions;
    int max_exponent; /* of floating-point values: |value| < 2^max_exponent */
} perm_frontier_step;

/* Bytes of a thread's window of sums for any kernel, in steps with so many columns open at most. */
int64_t perm_frontier_sums_bytes(int64_t value_bytes, int open);

/* The factor of an entry in the kernel for integers of many words: sign and magnitude. */
typedef struct perm_limbs {
    const uint64_t *limb;
    int64_t count;
    bool negative;
} perm_limbs;

/* Units and factors of the kernels, for masks of up to 64 and up to 128 columns:
 *   count    no values
 *   residue  uint64_t, one; factor uint64_t, modulo 2^61 - 1
 *   word     uint64_t, one; factor uint64_t, modulo 2^64
 *   double_word  unsigned __int128, one; the same modulo 2^128
 *   limbs    uint64_t, stride of them, modulo 2^(64·stride); factor perm_limbs
 *   complex_limbs   2·(stride/2) words, real part first; factor two perm_limbs
 *   real     double: value; factor double. Entries ≥ 0
 *   signed   double: value, sum of absolute values; factor two doubles: a, |a|
 *   complex  double: re, im, sum of absolute values; factor three doubles: re, im, |a|
 *   quad_…   the same three in 113 bits */
typedef base_status (*perm_frontier_kernel)(perm_frontier_step *step);
#define PERM_FRONTIER_EACH_KIND(KIND)                                                                        \
    KIND(COUNT, count)                                                                                       \
    KIND(RESIDUE, residue)                                                                                   \
    KIND(WORD, word)                                                                                         \
    KIND(DOUBLE_WORD, double_word)                                                                           \
    KIND(LIMBS, limbs)                                                                                       \
    KIND(COMPLEX_LIMBS, complex_limbs)                                                                       \
    KIND(REAL, real)                                                                                         \
    KIND(SIGNED, signed)                                                                                     \
    KIND(COMPLEX, complex)                                                                                   \
    KIND(QUAD_REAL, quad_real)                                                                               \
    KIND(QUAD_SIGNED, quad_signed)                                                                           \
    KIND(QUAD_COMPLEX, quad_complex)

#define PERM_FRONTIER_NAME_KIND(NAME, name) PERM_FRONTIER_##NAME,
typedef enum perm_frontier_kind {
    PERM_FRONTIER_EACH_KIND(PERM_FRONTIER_NAME_KIND) PERM_FRONTIER_KINDS
} perm_frontier_kind;

extern const perm_frontier_kernel perm_frontier_kernels[PERM_FRONTIER_KINDS][2]; /* [wide masks] */

typedef unsigned __int128 perm_wide;

#endif
