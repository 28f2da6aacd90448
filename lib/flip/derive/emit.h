/* SPDX-License-Identifier: BSD-3-Clause */
/* C source of schemes: straight-line functions with their common sums taken out, and a test of each. */
#ifndef FLIP_DERIVE_EMIT_H
#define FLIP_DERIVE_EMIT_H

#include "base/run/output.h"
#include "flip/scheme/scheme.h"

/* Writes `void name(const type *a, const type *b, type *c)`, matrices row by row, c = a b, and under #ifdef
 * SELF_TEST `static int name_test(void)`, 0 if it multiplies random matrices right. Over F2 the type is
 * uint64_t, each of whose bits is a matrix of its own. The scheme is right over its field. */
base_status flip_emit(base_context *context, const flip_scheme *scheme, const char *name, const char *type,
                      base_output *output);

#endif
