/* SPDX-License-Identifier: BSD-3-Clause */
/* The side that takes memory over. */
#ifndef BASE_RESIDENT_TAKER_H
#define BASE_RESIDENT_TAKER_H

#include "base/resident/resident.h"

typedef struct base_taker base_taker;

/* Listens for the giver of a pipe, before anything is read from it. NULL where that is not possible: the
 * descriptor is no pipe, another program takes from it already, there are no sockets. Streams without memory
 * do not need it, so nothing is said. */
base_taker *base_taker_open(int pipe);
void base_taker_close(base_taker *taker); /* NULL is allowed */

/* Takes what a stream says of its giver. BASE_DAMAGED: it is that of another pipe. */
base_status base_taker_meet(base_context *context, base_taker *taker, const base_resident_name *name);

/* The descriptors of a record's memory, which the giver has sent before the record's frame; the caller's.
 * `gift` says what is due; its descriptors are set, to -1 on failure. BASE_DAMAGED: it was not sent, or by
 * another user. Does not wait. */
base_status base_taker_take(base_context *context, base_taker *taker, base_resident_gift *gift);

/* Tells the giver that the memory is the taker's now. A giver that has ended need not know. */
void base_taker_thank(base_taker *taker, int64_t number);

#endif
