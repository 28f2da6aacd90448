/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/parse.h"

#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "base/core/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Buffers that a program has whatever its work is, beside --memory. */
enum { OWN_BYTES = 4 << 20 };

/* ---- the options that programs share ---- */

typedef struct common_option {
    unsigned needs; /* base_common flag, 0: everyone */
    base_option option;
} common_option;

/* Fills the run's table with the common options that its program has. */
static void make_common_options(base_run *run) {
    const common_option all[] = {
        {0,
         {"output", 'o', BASE_TEXT, "FILE", "write to FILE, which appears when it is complete",
          &run->output_path}},
        {0, {"threads", 'j', BASE_INTEGER, "N", "use N threads (default: all processors)", &run->threads}},
        {BASE_HAS_FORM | BASE_HAS_FORM_ALONE,
         {"form", 0, BASE_CHOICE, "text|bin|resident",
          "form of the output stream; resident: left in memory\nfor the next program of the pipe",
          &run->form}},
        {BASE_HAS_FORM,
         {"level", 0, BASE_INTEGER, "N", "zstd level of --form bin; 0 stores (default: 1)", &run->level}},
        {BASE_HAS_SEED, {"seed", 0, BASE_INTEGER, "N", "seed of everything random (default: 1)", &run->seed}},
        {BASE_HAS_PART,
         {"part", 0, BASE_PART, "R/M",
          "do part R of M of the work; rank: this process of mpirun;\narray: this task of a Slurm array",
          &run->part}},
        {BASE_HAS_DEVICE | BASE_HAS_PLACE,
         {"device", 0, BASE_TEXT, "auto|cpu|cuda[:N,...]", "where to compute (default: auto)",
          &run->device_text}},
        {BASE_HAS_DEVICE,
         {"kernel", 0, BASE_TEXT, "NAME|list", "use this kernel, or list them", &run->kernel}},
        {0,
         {"memory", 0, BASE_BYTES, "BYTES",
          "refuse work that needs more, e.g. 8G\n(default: half of the memory)", &run->memory_bytes}},
        {BASE_HAS_CHECKPOINT,
         {"checkpoint", 0, BASE_TEXT, "FILE", "save the state there, and go on from it", &run->checkpoint}},
        {BASE_HAS_CHECKPOINT | BASE_HAS_TIME_LIMIT,
         {"time-limit", 0, BASE_SECONDS, "TIME", "stop with a checkpoint after TIME (s, m, h, d)",
          &run->time_limit_seconds}},
        {BASE_HAS_MAX_TIME,
         {"max-time", 0, BASE_SECONDS, "TIME",
          "refuse work that is expected to take longer,\nand stop what does", &run->max_time_seconds}},
        {BASE_HAS_FORM | BASE_HAS_FORM_ALONE | BASE_HAS_VERIFY,
         {"verify", 0, BASE_FLAG, NULL,
          "check a sample of the work again,\nand what --form resident hands over", &run->verify}},
        {BASE_HAS_VERIFY,
         {"verify-share", 0, BASE_REAL, "SHARE", "recompute this share, 1 for everything",
          &run->verify_share}},
        {BASE_HAS_EXPLAIN, {"explain", 0, BASE_FLAG, NULL, "say what was weighed and chosen", &run->explain}},
        {BASE_HAS_PHASES,
         {"phases", 0, BASE_TEXT, "FILE", "write there what each phase and level took", &run->phases}},
        {BASE_HAS_JSON, {"json", 0, BASE_FLAG, NULL, "one JSON object a line", &run->json}},
        {BASE_HAS_KEEP_GOING,
         {"keep-going", 'k', BASE_FLAG, NULL, "go on after a record that failed; exit 1 in the end",
          &run->keep_going}},
        {BASE_HAS_PROGRESS,
         {"progress", 0, BASE_FLAG, NULL, "show progress even if stderr is no terminal",
          &run->show_progress}},
        {0, {"quiet", 'q', BASE_FLAG, NULL, "no remarks, errors only", &run->quiet}},
        {0, {"verbose", 'v', BASE_FLAG, NULL, "more remarks", &run->verbose}},
        {0, {"help", 'h', BASE_FLAG, NULL, "print this help", &run->show_help}},
        {0, {"version", 'V', BASE_FLAG, NULL, "print the version", &run->show_version}},
    };
    base_option *next = run->common_options;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].needs == 0 || (all[i].needs & run->program->common) != 0)
            *next++ = all[i].option;
    *next = (base_option)BASE_OPTIONS_END;
}

/* ---- the command line ---- */

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
    make_common_options(run);
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
