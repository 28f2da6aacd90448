/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of libmmpipe begin with, and of its errors. */
#ifndef TESTS_UNIT_API_CONTEXT_H
#define TESTS_UNIT_API_CONTEXT_H

#include <mmpipe/mmpipe.h>
#include <stddef.h>

#include "tests/support/tap.h"

/* Two threads and no device; NULL: there is no memory. */
static inline mmpipe_context *open_context(void) {
    mmpipe_context *context = mmpipe_context_new();
    if (context == NULL)
        return NULL;
    mmpipe_set_threads(context, 2);
    mmpipe_set_device(context, "cpu");
    return context;
}

/* The message is asked for after the call. */
static inline void tap_refused(const mmpipe_context *context, bool refused, const char *what) {
    tap_ok(refused && mmpipe_error(context)[0] != '\0', "%s: %s", what, mmpipe_error(context));
}

#endif
