/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: settings, errors, interrupts. */
#include "mmpipe/context.h"
#include "api/internal.h"
#include "base/core/cpu.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)MMPIPE_FAILED == BASE_FAILED && (int)MMPIPE_USAGE == BASE_USAGE &&
                   (int)MMPIPE_DAMAGED == BASE_DAMAGED && (int)MMPIPE_MACHINE == BASE_MACHINE &&
                   (int)MMPIPE_STOPPED == BASE_STOPPED,
               "statuses are the same");

const char *mmpipe_version(void) {
    return MMPIPE_VERSION;
}

mmpipe_context *mmpipe_context_new(void) {
    mmpipe_context *context = base_alloc_silent(1, sizeof *context);
    if (context == NULL)
        return NULL;
    memset(context, 0, sizeof *context);
    base_context_init(&context->base);
    context->base.threads = base_cpu_count();
    context->base.progress = &context->progress;
    context->base.copies_files = true;
    return context;
}

void mmpipe_context_free(mmpipe_context *context) {
    if (context == NULL)
        return;
    base_device_search_close(&context->devices);
    free(context);
}

/* ---- settings ---- */

mmpipe_status mmpipe_set_threads(mmpipe_context *context, int threads) {
    if (threads < 0 || threads > 4096)
        return api_status(base_fail(&context->base, BASE_USAGE, "%d threads (0 to 4096)", threads));
    context->base.threads = threads > 0 ? threads : base_cpu_count();
    return MMPIPE_OK;
}

mmpipe_status mmpipe_set_memory(mmpipe_context *context, int64_t bytes) {
    if (bytes <= 0)
        return api_status(base_fail(&context->base, BASE_USAGE, "%lld bytes of memory", (long long)bytes));
    context->base.memory_bytes = bytes;
    return MMPIPE_OK;
}

mmpipe_status mmpipe_set_seed(mmpipe_context *context, uint64_t seed) {
    context->base.seed = seed;
    return MMPIPE_OK;
}

mmpipe_status mmpipe_set_device(mmpipe_context *context, const char *device) {
    base_device_search wanted = {.count = 0};
    if (device == NULL || !base_device_search_parse(device, &wanted))
        return api_status(base_fail(&context->base, BASE_USAGE,
                                    "device '%s' is not auto, cpu, cuda or cuda:N[,N...]",
                                    device != NULL ? device : ""));
    base_device_search_close(&context->devices);
    context->devices = wanted;
    return MMPIPE_OK;
}

void mmpipe_set_log(mmpipe_context *context, void (*line)(void *data, const char *text), void *data) {
    context->log = line;
    context->log_data = data;
}

void api_log(mmpipe_context *context, const char *text) {
    if (context->log != NULL && text[0] != '\0')
        context->log(context->log_data, text);
}

/* ---- errors ---- */

const char *mmpipe_error(const mmpipe_context *context) {
    /* The text is a view of the error, made when it is asked for. */
    mmpipe_context *own = (mmpipe_context *)(uintptr_t)context;
    base_error_print(&context->base.error, own->message);
    return context->message;
}

mmpipe_status mmpipe_error_status(const mmpipe_context *context) {
    return api_status(context->base.error.status);
}

void mmpipe_error_place(const mmpipe_context *context, const char **file, int64_t *record, int64_t *line) {
    *file = context->base.error.place.file;
    *record = context->base.error.place.record;
    *line = context->base.error.place.line;
}

/* ---- calls ---- */

base_status api_begin(mmpipe_context *context) {
    context->base.place = (base_place){.record = 0};
    return base_stop_check(&context->base);
}

void mmpipe_interrupt(mmpipe_context *context) {
    context->progress.stop_signal = 1;
}

void mmpipe_resume(mmpipe_context *context) {
    context->progress.stop_signal = 0;
}

void mmpipe_free(void *memory) {
    free(memory);
}

base_status api_options(base_context *context, const void *given, void *options, size_t size) {
    size_t known;
    memset(options, 0, size);
    if (given == NULL)
        return BASE_OK;
    memcpy(&known, given, sizeof known);
    if (known < sizeof known || known > 4096)
        return base_fail(context, BASE_USAGE, "options of %zu bytes: their member size is not set", known);
    memcpy(options, given, known < size ? known : size);
    return BASE_OK;
}
