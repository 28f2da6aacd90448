/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory files that can be handed over. */
#ifndef BASE_RESIDENT_MEMORY_H
#define BASE_RESIDENT_MEMORY_H

#include "base/core/context.h"

/* A new one of `bytes` zeros, which take no memory until they are written. */
base_status base_resident_create(base_context *context, int64_t bytes, int *descriptor);

/* Copies bytes to it, at about 2.5 GB/s. BASE_MACHINE where memory is short. */
base_status base_resident_write(base_context *context, int descriptor, int64_t offset, const void *from,
                                int64_t bytes);

/* From now on nobody can write to it, shorten or lengthen it. */
base_status base_resident_seal(base_context *context, int descriptor);

/* Maps a sealed one, which must have `bytes` bytes (BASE_DAMAGED). The caller may write to the memory, which
 * changes neither the file nor what others see. munmap(2) ends it. */
base_status base_resident_map(base_context *context, int descriptor, int64_t bytes, char **memory);

#endif
