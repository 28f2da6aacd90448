#include "config.h"

#include "base/core/cpu.h"
#include "base/core/gmp_memory.h"
#include "base/run/checkpoint.h"
#include "base/run/common_options.h"
#include "base/run/run.h"
#include "base/run/signals.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static base_status parse_options(base_run *run, int argc, char **argv) {
    static const base_option none[] = {BASE_OPTIONS_END};
    const base_option *own = run->program->options != NULL ? run->program->options : none;
    const base_option *tables[] = {own, run->common_options, NULL};
    base_context *context = &run->context;
    base_status status;
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
    context->threads = run->threads > 0 && run->threads < 4096 ? (int)run->threads : base_cpu_count();
    context->seed = (uint64_t)run->seed;
    if (run->level > 19)
        BASE_TRY(base_fail(context, BASE_USAGE, "--level: %lld is beyond 19", (long long)run->level));
    if (run->time_limit_seconds > 0 && run->checkpoint == NULL &&
        (run->program->common & BASE_HAS_TIME_LIMIT) == 0)
        BASE_TRY(base_fail(context, BASE_USAGE, "--time-limit needs --checkpoint to leave the state in"));
    if (run->checkpoint != NULL)
        BASE_TRY(base_checkpoint_check(context, run->checkpoint));
    if (!(run->verify_share >= 0 && run->verify_share <= 1))
        BASE_TRY(
            base_fail(context, BASE_USAGE, "--verify-share: %g is no share from 0 to 1", run->verify_share));
    run->verify = run->verify || run->verify_share > 0;
done:
    return status;
}

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
    base_output_remove_unfinished();
    fprintf(stderr, "%s: no memory for big integers\n", program_name);
    _exit(BASE_MACHINE);
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
    base_common_options_make(run);
    base_status status;
    BASE_TRY(base_identity_start(context, &run->by, program->name, PACKAGE_VERSION));
    BASE_TRY(base_identity_copy(context, &run->identity, &run->by));
    BASE_TRY(parse_options(run, argc, argv));
    if (program->common & BASE_HAS_DEVICE)
        limit_device_queues();
    start_progress(run);
    bool answer_only = run->show_help || run->show_version;
    BASE_TRY(base_output_open(context, answer_only ? NULL : run->output_path, &run->output));
    /* The environment speaks for a whole script, also for programs of it that write to a file. */
    if (run->form == BASE_FORM_RESIDENT && !run->form_is_asked && !base_output_is_pipe(run->output))
        run->form = run->usual_form;
    if (run->show_help)
        BASE_TRY(print_help(run));
    else if (run->show_version)
        BASE_TRY(base_output_print(context, run->output, "%s (mmpipe) %s\n", program->name, PACKAGE_VERSION));
    return !answer_only;
done:
    return false;
}

int base_run_end(base_run *run, base_status status) {
    base_progress_finish(&run->context);
    base_progress_close(&run->progress);
    base_device_search_close(&run->devices);
    base_identity_free(&run->by);
    base_identity_free(&run->identity);
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
    if (status == BASE_OK && run->checkpoint != NULL)
        base_checkpoint_remove(run->checkpoint);
    if (status == BASE_OK)
        return run->failed ? BASE_FAILED : BASE_OK;
    base_run_print_error(run);
    if (run->progress.stop_signal != 0)
        base_signals_die(run->progress.stop_signal);
    return (int)status;
}

void base_run_print_error(const base_run *run) {
    const base_error *error = &run->context.error;
    base_progress_hide(run->context.progress);
    char text[BASE_ERROR_TEXT];
    base_error_print(error, text);
    fprintf(stderr, "%s: %s\n", run->program->name, text);
    if (error->status == BASE_USAGE && error->place.file[0] == '\0')
        fprintf(stderr, "Try '%s --help'.\n", run->program->name);
}

static void print_remark(const base_run *run, const char *format, va_list arguments) {
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    base_progress_hide(run->context.progress);
    fprintf(stderr, "%s: %s\n", run->program->name, text);
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
