/* SPDX-License-Identifier: BSD-3-Clause */
/* Work in a child process, for libraries that catch signals of the process that calls them, or jump out of
 * handlers: METIS does so with SIGTERM, on whichever thread the signal comes to. */
#ifndef ORDER_CHILD_H
#define ORDER_CHILD_H

#include "base/core/context.h"

#include <stddef.h>

/* Calls work(data) in a copy of this process and takes over `bytes` bytes at `result` as they are there then;
 * nothing else that it does is seen here. It must not start threads or write to files. No signal that can be
 * put off reaches it; it ends where this process does. Fails with BASE_MACHINE where there is no process to
 * be had, where the work says false and where it ends otherwise; `what` is for the message. */
base_status order_in_child(base_context *context, const char *what, bool (*work)(void *data), void *data,
                           void *result, size_t bytes);

#endif
