/* SPDX-License-Identifier: BSD-3-Clause */
/* The side that hands memory over. */
#ifndef BASE_RESIDENT_GIVER_H
#define BASE_RESIDENT_GIVER_H

#include "base/resident/resident.h"

/* Records that were handed over and not yet taken: at most so many, and beyond one at most a quarter of
 * context->memory_bytes. The giver waits before it makes more. */
enum { BASE_GIVER_PENDING = 8 };

typedef struct base_giver base_giver;

/* Makes a token. BASE_FAILED: the descriptor is no pipe. */
base_status base_giver_open(base_context *context, int pipe, base_giver **giver);
void base_giver_close(base_giver *giver); /* NULL is allowed; what was handed over stays with the taker */

const base_resident_name *base_giver_name(const base_giver *giver);

/* Connects, once bytes are in the pipe that only a taker can read. Waits for them to be read if need be.
 * BASE_FAILED: whoever read them is no taker, or another user's. *gone: nobody reads the pipe any more, which
 * the next write to it tells in its own way. */
base_status base_giver_connect(base_context *context, base_giver *giver, bool *gone);

bool base_giver_is_connected(const base_giver *giver);

/* Waits until so many bytes more may be handed over. BASE_FAILED: the taker takes no more. */
base_status base_giver_wait(base_context *context, base_giver *giver, int64_t bytes);

/* Hands over a sealed memory file, and memory of a device; the descriptors stay open. */
base_status base_giver_give(base_context *context, base_giver *giver, const base_resident_gift *gift);

#endif
