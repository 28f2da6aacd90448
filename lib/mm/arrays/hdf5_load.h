/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the library HDF5. hdf5.h says what is done with it. */
#ifndef MM_ARRAYS_HDF5_LOAD_H
#define MM_ARRAYS_HDF5_LOAD_H

#include "base/core/context.h"

#include <stdint.h>

typedef int64_t mm_hdf5_id; /* negative: none */

/* Finds the library once, and has it print no errors of the calling thread: HDF5 keeps that for each thread.
 * Called before work that a thread may begin. Fails with BASE_MACHINE. */
base_status mm_hdf5_load(base_context *context);

#endif
