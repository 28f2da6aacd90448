/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "base/core/control.h"
#include "base/core/gmp_memory.h"
#include "base/core/memory.h"
#include "base/run/checkpoint.h"
#include "base/run/parse.h"
#include "base/run/signals.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* What is written whole in the end, or from the start, would destroy an input of the same name. */
static base_status check_written(base_run *run, const char *path, const char *option) {
    struct stat about;
    if (path == NULL || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return BASE_OK;
    for (int i = 0; i < run->operand_count; i++)
        if (strcmp(run->operands[i], "-") != 0 && base_claim_is_same(path, run->operands[i]))
            return base_fail(&run->context, BASE_USAGE, "%s: %s is an input, too; choose another name",
                             option, path);
    return BASE_OK;
}

static base_status check_names(base_run *run) {
    base_status status;
    BASE_TRY(check_written(run, run->output_path, "-o"));
    BASE_TRY(check_written(run, run->phases, "--phases"));
    if (run->phases != NULL && run->output_path != NULL && base_claim_is_same(run->phases, run->output_path))
        BASE_TRY(base_fail(&run->context, BASE_USAGE, "--phases: %s is the output, too; choose another name",
                           run->phases));
done:
    return status;
}

/* The version says which release it is, the build which of the files that were made of it. */
static base_status print_version(base_run *run) {
    char build[BASE_HASH_TEXT];
    if (base_hash_file(&run->context, "/proc/self/exe", build) != BASE_OK)
        strcpy(build, "unknown"); /* no /proc */
    return base_output_print(&run->context, run->output, "%s (mmpipe) %s\nbuild %s\n", run->program->name,
                             PACKAGE_VERSION, build);
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
        BASE_TRY(check_names(run));
    if (run->checkpoint != NULL && !answer_only) {
        BASE_TRY(base_run_claim(run, run->checkpoint, "checkpoint", true));
        if ((program->common & BASE_OWN_CHECKPOINT) == 0)
            run->stop.deadline_seconds = base_run_deadline(run);
        BASE_TRY(base_stop_start(context, &run->stop));
    }
    base_signals_admit_stops();
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

base_status base_run_claim(base_run *run, const char *path, const char *option, bool is_binary) {
    base_status status = BASE_OK;
    base_claim *claim = run->claim;
    int count = 0;
    base_claim_other *others = base_alloc(&run->context, run->operand_count + 8, sizeof *others);
    if (others == NULL)
        return BASE_MACHINE;
    for (int i = 0; i < run->operand_count; i++)
        if (strcmp(run->operands[i], "-") != 0)
            others[count++] = (base_claim_other){run->operands[i], 0, "an input"};
    others[count++] = (base_claim_other){NULL, STDIN_FILENO, "the standard input"};
    others[count++] = (base_claim_other){NULL, STDOUT_FILENO, "the standard output"};
    if (run->output_path != NULL && run->output_path[0] != '\0')
        others[count++] = (base_claim_other){run->output_path, 0, "the output"};
    for (; claim->path != NULL; claim++)
        others[count++] = (base_claim_other){claim->path, 0, "a file of this run"};
    BASE_TRY(base_claim_open(&run->context, path, option, is_binary, others, count, claim));
done:
    free(others);
    return status;
}

base_status base_run_saves(base_run *run, base_saver saver) {
    base_stop_set(&run->stop, &saver);
    return run->claim[0].path != NULL ? base_stop_start(&run->context, &run->stop) : BASE_OK;
}

void base_run_fork(const base_run *run, base_run *other) {
    *other = *run;
    other->failed = false;
}

void base_run_join(base_run *run, const base_run *other) {
    run->failed |= other->failed;
}

double base_run_deadline(const base_run *run) {
    return run->time_limit_seconds > 0 ? base_clock_seconds() + run->time_limit_seconds : 0;
}

/* A record that is finished is never computed again. The first cause of the failure is what counts. */
static void save_finished(base_run *run) {
    const base_error first = run->context.error;
    base_stop_save(&run->context, &run->stop);
    run->context.error = first;
}

static base_status end_output(base_run *run, base_status status) {
    if (run->output != NULL && status == BASE_OK)
        status = base_output_commit(&run->context, run->output);
    else if (run->output != NULL) {
        /* What is complete goes out; a flush that fails too must not hide the first cause. */
        base_error first = run->context.error;
        base_output_flush(&run->context, run->output);
        run->context.error = first;
        base_output_discard(run->output);
    }
    run->output = NULL;
    return status;
}

int base_run_end(base_run *run, base_status status) {
    base_progress_finish(&run->context);
    base_progress_close(&run->progress);
    const bool hangs = base_device_search_close(&run->devices);
    if (status == BASE_OK && run->output != NULL)
        status = base_output_flush(&run->context, run->output);
    if (status == BASE_OK) /* from here on no signal comes between the output and the end of its state */
        base_stop_finish(&run->stop);
    status = end_output(run, status);
    if (status != BASE_OK && status != BASE_STOPPED)
        save_finished(run);
    base_stop_finish(&run->stop);
    if (status == BASE_OK && run->checkpoint != NULL)
        base_checkpoint_remove(run->checkpoint);
    for (int i = 0; i < BASE_RUN_CLAIMS; i++)
        base_claim_close(&run->claim[i]);
    if (run->stop.saver.release != NULL)
        run->stop.saver.release(run->stop.saver.data);
    base_identity_free(&run->by);
    base_identity_free(&run->identity);
    base_signals_allow_exit();
    if (status != BASE_OK)
        base_run_print_error(run);
    else if (run->failed)
        status = BASE_FAILED;
    if (hangs) { /* the driver's own end would wait for it */
        fflush(NULL);
        _exit((int)status);
    }
    return (int)status;
}

void base_run_print_error(const base_run *run) {
    const base_error *error = &run->context.error;
    base_progress_hide(run->context.progress);
    char text[BASE_ERROR_TEXT], escaped[2 * sizeof text];
    base_error_print(error, text);
    base_control_escape(text, escaped, sizeof escaped);
    fprintf(stderr, "%s: %s\n", run->program->name, escaped);
    if (error->status == BASE_USAGE && error->place.file[0] == '\0')
        fprintf(stderr, "Try '%s --help'.\n", run->program->name);
}

static void print_remark(const base_run *run, const char *format, va_list arguments) {
    char text[1024], escaped[2 * sizeof text];
    vsnprintf(text, sizeof text, format, arguments);
    base_control_escape(text, escaped, sizeof escaped);
    base_progress_hide(run->context.progress);
    fprintf(stderr, "%s: %s\n", run->program->name, escaped);
}

void base_run_note_line(void *run, const char *line) {
    base_run_note(run, "%s", line);
}

void base_run_tell(const base_run *run, const char *line) {
    base_progress_hide(run->context.progress);
    if (!run->quiet)
        fprintf(stderr, "%s\n", line);
}

void base_run_note(const base_run *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!run->quiet)
        print_remark(run, format, arguments);
    va_end(arguments);
}

void base_run_detail(const base_run *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (run->verbose)
        print_remark(run, format, arguments);
    va_end(arguments);
}
