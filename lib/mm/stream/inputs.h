/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of inputs by their names. Private to reader.c. */
#ifndef MM_STREAM_INPUTS_H
#define MM_STREAM_INPUTS_H

#include "base/core/context.h"

/* Tells the progress how many bytes there are to read, where all inputs are files. */
void mm_inputs_tell(base_context *context, const char *const *paths, int count);

/* Whether a member of an archive goes with a matrix: "bcspwr01/bcspwr01_coord.mtx" with
 * "bcspwr01/bcspwr01.mtx". NULL: no member. */
bool mm_member_is_secondary(const char *member);

#endif
