/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/run.h"
#include "base/core/control.h"
#include "base/run/checkpoint.h"
#include "base/run/signals.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    base_devices_watch(NULL, NULL);
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

void base_run_tell_of_terminal(const base_run *run) {
    bool reads_it = run->operand_count == 0;
    for (int i = 0; i < run->operand_count; i++)
        reads_it = reads_it || strcmp(run->operands[i], "-") == 0;
    if (reads_it && isatty(STDIN_FILENO))
        base_run_note(run, "reading from the terminal; Ctrl-D ends the input, --help shows the options");
}
