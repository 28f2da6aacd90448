/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run begins (run.h): options and environment, help and version, signals, names, the output. */
#include "config.h"

#include "base/core/gmp_memory.h"
#include "base/run/names.h"
#include "base/run/parse.h"
#include "base/run/signals.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static base_status print_help(base_run *run) {
    base_context *context = &run->context;
    const base_program *program = run->program;
    base_status status;
    BASE_TRY(base_output_print(context, run->output, "Usage: %s [OPTION...] %s\n%s\n\n", program->name,
                               program->operands, program->summary));
    if (program->options != NULL) {
        BASE_TRY(base_options_help(context, run->output, program->options));
        BASE_TRY(base_output_print(context, run->output, "\n"));
    }
    BASE_TRY(base_options_help(context, run->output, run->common_options));
done:
    return status;
}

/* A descriptor that is closed would be taken by the next file opened, and messages would go into that file.
 */
static void keep_standard_descriptors(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) == -1)
            open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

static void start_progress(base_run *run) {
    run->progress.limit_seconds = run->time_limit_seconds; /* before the thread starts, which reads it */
    base_progress_open(&run->progress, run->program->name,
                       run->show_progress || (isatty(STDERR_FILENO) && !run->quiet));
    run->context.progress = &run->progress;
}

/* A device's start makes as many queues for kernels, eight if nobody says how many, and takes a twentieth of
 * a second less for two; no program has more than two kernels to run side by side. Before the first thread.
 */
static void limit_device_queues(void) {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0);
}

static const char *program_name;

/* Where GMP has no memory there is no way back through the library. */
static void die_without_memory(void) {
    base_signals_clean_up();
    fprintf(stderr, "%s: no memory for big integers\n", program_name);
    _exit(BASE_MACHINE);
}

/* The version says which release it is, the build which of the files that were made of it. */
static base_status print_version(base_run *run) {
    char build[BASE_HASH_TEXT];
    if (base_hash_file(&run->context, "/proc/self/exe", build) != BASE_OK)
        strcpy(build, "unknown"); /* no /proc */
    return base_output_print(&run->context, run->output, "%s (mmpipe) %s\nbuild %s\n", run->program->name,
                             PACKAGE_VERSION, build);
}

static void give_up(void *data, const char *what) {
    base_run *run = data;
    base_stop_give_up(&run->stop, &run->progress, what);
}

bool base_run_begin(base_run *run, const base_program *program, int argc, char **argv) {
    memset(run, 0, sizeof *run);
    run->program = program;
    run->level = 1;
    run->seed = 1;
    run->usual_form = (program->common & BASE_HAS_FORM_ALONE) != 0 ? BASE_FORM_BINARY : BASE_FORM_TEXT;
    base_context *context = &run->context;
    base_context_init(context);
    keep_standard_descriptors();
    base_signals_install(&run->progress);
    program_name = program->name;
    base_gmp_memory_install(die_without_memory);
    base_status status;
    BASE_TRY(base_identity_start(context, &run->by, program->name, PACKAGE_VERSION));
    BASE_TRY(base_identity_copy(context, &run->identity, &run->by));
    BASE_TRY(base_run_parse(run, argc, argv));
    if (context->threads < run->threads)
        base_run_note(run, "only %d of %lld threads can start here", context->threads,
                      (long long)run->threads);
    if (program->common & BASE_HAS_DEVICE)
        limit_device_queues();
    start_progress(run);
    bool answer_only = run->show_help || run->show_version;
    if (!answer_only)
        BASE_TRY(base_run_check_names(run));
    if (run->checkpoint != NULL && !answer_only) {
        BASE_TRY(base_run_claim(run, run->checkpoint, "checkpoint", true));
        if ((program->common & BASE_OWN_CHECKPOINT) == 0)
            run->stop.deadline_seconds = base_run_deadline(run);
        BASE_TRY(base_stop_start(context, &run->stop));
    }
    base_signals_admit_stops();
    base_devices_watch(give_up, run);
    BASE_TRY(base_output_open(context, answer_only ? NULL : run->output_path, &run->output));
    /* The environment speaks for a whole script, also for programs of it that write to a file. */
    if (run->form == BASE_FORM_RESIDENT && !run->form_is_asked && !base_output_is_pipe(run->output))
        run->form = run->usual_form;
    if (run->show_help)
        BASE_TRY(print_help(run));
    else if (run->show_version)
        BASE_TRY(print_version(run));
    return !answer_only;
done:
    base_signals_admit_stops();
    return false;
}
