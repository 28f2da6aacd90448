/* The sources of device kernels, to be read or compiled elsewhere. */
#ifndef PERM_SPARSE_EMIT_H
#define PERM_SPARSE_EMIT_H

#include "perm/matrix/matrix.h"

/* The source that sparse-cuda, the default, register-cuda or hybrid-cuda would compile for a block, behind a
 * comment that says how it is launched and what its numbers mean; the caller frees it. BASE_USAGE for another
 * kernel, BASE_FAILED for a block that it does not take. */
base_status perm_emit_source(base_context *context, const perm_matrix *matrix, const char *kernel,
                             char **source);

#endif
