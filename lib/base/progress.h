/* Progress of a long computation: a bar on a terminal, one line on SIGUSR1, silence otherwise. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/context.h"

/* Starts a task of `total` units of work (0: unknown). `unit` names them: "subsets", "bytes". Both texts are
 * kept by pointer. */
void base_progress_start(base_context *context, const char *task, double total, const char *unit);

/* Adds `amount` finished units; any thread may call it, at most a few thousand times a second. */
void base_progress_add(base_context *context, double amount);

/* Ends the task and clears the bar. */
void base_progress_finish(base_context *context);

#endif
