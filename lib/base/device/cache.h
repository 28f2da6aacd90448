/* SPDX-License-Identifier: BSD-3-Clause */
/* Results that are expensive to make again (compiled kernels, calibrations), kept on disk between runs, in
 * $MMPIPE_CACHE, $XDG_CACHE_HOME/mmpipe or ~/.cache/mmpipe; an empty MMPIPE_CACHE means none. The cache never
 * makes a program fail: what cannot be read or does not match its hash is missing, what cannot be written is
 * not kept. Threads and processes may share it. When it outgrows $MMPIPE_CACHE_BYTES (1 GiB), the entries
 * that were not used for longest are removed. */
#ifndef BASE_DEVICE_CACHE_H
#define BASE_DEVICE_CACHE_H

#include "base/core/context.h"

typedef struct base_device_cache_key {
    unsigned char bytes[16];
} base_device_cache_key;

/* The XXH3 128-bit hash of the texts and their lengths. All that decides the result must be among them. */
base_device_cache_key base_device_cache_make_key(const char *const *texts, int count);

/* True if the entry is there and whole: *data (released with free) and *bytes are set. */
bool base_device_cache_read(base_context *context, const base_device_cache_key *key, void **data,
                            int64_t *bytes);

/* Keeps the entry, if it can be kept; one that is there already is replaced. */
void base_device_cache_write(base_context *context, const base_device_cache_key *key, const void *data,
                             int64_t bytes);

#endif
