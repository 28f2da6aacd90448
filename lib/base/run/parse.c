/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/parse.h"

#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/core/thread.h"
#include "base/run/common_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Buffers that a program has whatever its work is, beside --memory. */
enum { OWN_BYTES = 4 << 20 };

/* Collects what changes results: the program's own options, the seed and the part. */
static base_status remember_option(void *data, const base_option *option, const char *argument) {
    base_run *run = data;
    base_status status = BASE_OK;
    bool common = option >= run->common_options && option < run->common_options + BASE_COMMON_OPTIONS;
    if (common && strcmp(option->name, "seed") != 0 && strcmp(option->name, "part") != 0)
        goto done;
    BASE_TRY(base_identity_add(&run->context, &run->by, option->name, argument));
    if (!common)
        BASE_TRY(base_identity_add(&run->context, &run->identity, option->name, argument));
done:
    return status;
}

/* The same whether they come from the command line or the environment. */
static base_status remember_defaults(base_run *run) {
    base_status status = BASE_OK;
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)run->seed);
    if (run->seed != 1)
        BASE_TRY(base_identity_add(&run->context, &run->identity, "seed", text));
    if (run->kernel != NULL)
        BASE_TRY(base_identity_add(&run->context, &run->identity, "kernel", run->kernel));
done:
    return status;
}

static base_status parse_device(base_run *run) {
    const char *text = run->device_text;
    if (text != NULL && !base_device_search_parse(text, &run->devices))
        return base_fail(&run->context, BASE_USAGE, "--device: '%s' is not auto, cpu, cuda or cuda:N[,N...]",
                         text);
    return BASE_OK;
}

/* run->threads becomes how many are wanted. */
static void choose_threads(base_run *run) {
    if (run->threads <= 0 || run->threads >= 4096)
        run->threads = base_cpu_count();
    run->context.threads = base_threads_probe((int)run->threads);
}

base_status base_run_parse(base_run *run, int argc, char **argv) {
    static const base_option none[] = {BASE_OPTIONS_END};
    const base_option *own = run->program->options != NULL ? run->program->options : none;
    const base_option *tables[] = {own, run->common_options, NULL};
    base_context *context = &run->context;
    base_status status;
    base_common_options_make(run);
    run->form = run->usual_form;
    BASE_TRY(base_options_environment(context, run->common_options));
    const int from_environment = run->form;
    run->form = -1;
    BASE_TRY(base_options_parse(context, tables, argc, argv, &run->operand_count, remember_option, run));
    run->form_is_asked = run->form >= 0;
    if (!run->form_is_asked)
        run->form = from_environment;
    run->operands = (const char *const *)argv + 1;
    BASE_TRY(parse_device(run));
    BASE_TRY(remember_defaults(run));
    choose_threads(run);
    if (run->memory_bytes > 0) {
        context->memory_bytes = run->memory_bytes;
        /* Programs with kernels to choose from heed it where they choose. */
        if ((run->program->common & BASE_HAS_DEVICE) == 0)
            base_memory_set_limit(run->memory_bytes + OWN_BYTES);
    }
    context->seed = (uint64_t)run->seed;
    if (run->level > 19)
        BASE_TRY(base_fail(context, BASE_USAGE, "--level: %lld is beyond 19", (long long)run->level));
    if (run->time_limit_seconds > 0 && run->checkpoint == NULL &&
        (run->program->common & BASE_HAS_TIME_LIMIT) == 0)
        BASE_TRY(base_fail(context, BASE_USAGE, "--time-limit needs --checkpoint to leave the state in"));
    if (!(run->verify_share >= 0 && run->verify_share <= 1))
        BASE_TRY(
            base_fail(context, BASE_USAGE, "--verify-share: %g is no share from 0 to 1", run->verify_share));
    run->verify = run->verify || run->verify_share > 0;
done:
    return status;
}
