/* What the chunks of sparse.h have in common on processors and devices. Private to chunks.c and
 * device_chunks.c. */
#ifndef PERM_SPARSE_CHUNKS_H
#define PERM_SPARSE_CHUNKS_H

#include "perm/chunks/chunks.h"

/* Members of perm_chunked whose method begins with the perm_sparse. */
bool perm_chunks_sparse_is_possible(const void *self, const void *partial);
void perm_chunks_sparse_prepare(const void *self, perm_sum *sum);
base_status perm_chunks_sparse_add(base_context *context, const void *self, int64_t chunk,
                                   const void *partial, perm_sum *sum);

#endif
