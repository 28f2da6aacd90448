/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/handover.h"
#include "base/resident/memory.h"
#include "mm/stream/reader.h"
#include "mm/stream/writer.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool handover_good(const base_context *context, base_status status) {
    if (status != BASE_OK)
        tap_note("%s", context->error.cause);
    return status == BASE_OK;
}

bool handover_send(base_context *context, int end, bool hashed, mm_record *record) {
    base_output *output = NULL;
    mm_writer *writer = NULL;
    const bool ok =
        handover_good(context, base_output_open_descriptor(context, end, &output)) &&
        handover_good(context, mm_writer_open(context, output, BASE_FORM_RESIDENT, 0, hashed, &writer)) &&
        handover_good(context, mm_writer_put(context, writer, record)) &&
        handover_good(context, mm_writer_finish(context, writer)) &&
        handover_good(context, base_output_flush(context, output));
    mm_writer_close(writer);
    base_output_discard(output);
    return ok;
}

base_status handover_pass(base_context *context, handover_sender *send, const void *data, unsigned left,
                          mm_record *record) {
    int ends[2], ended = -1;
    char path[32];
    const char *paths[] = {path};
    mm_reader *reader = NULL;
    bool found = false;
    if (pipe(ends) != 0)
        abort();
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    /* The taker of a pipe listens before the giver opens it, so these are two processes. */
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        alarm(600);
        _exit(send(ends[1], data) ? 0 : 1);
    }
    close(ends[1]);
    base_status status = mm_reader_open(context, paths, 1, false, &reader);
    if (status == BASE_OK) {
        mm_reader_leave_on_device(reader, left);
        status = mm_reader_next(context, reader, record, &found);
    }
    if (status == BASE_OK) /* the giver still writes its end mark */
        waitpid(child, &ended, 0);
    mm_reader_close(reader);
    close(ends[0]);
    if (status != BASE_OK)
        waitpid(child, &ended, 0);
    return status == BASE_OK && (ended != 0 || !found) ? BASE_FAILED : status;
}

bool handover_through(base_context *context, handover_sender *send, const void *data, const char *commands,
                      mm_record *record) {
    char line[2400], path[] = "/tmp/mmpipe-handover-XXXXXX";
    int ends[2], status = -1;
    const int file = mkstemp(path);
    mm_reader *reader = NULL;
    const char *paths[] = {path};
    bool found = false;
    if (file < 0 || pipe(ends) != 0)
        abort();
    snprintf(line, sizeof line, "exec <&%d; { %s ; } >%s", ends[0], commands, path);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    bool ok = send(ends[1], data);
    close(ends[1]);
    waitpid(child, &status, 0);
    ok = ok && status == 0 && handover_good(context, mm_reader_open(context, paths, 1, false, &reader)) &&
         handover_good(context, mm_reader_next(context, reader, record, &found)) && found;
    mm_reader_close(reader);
    unlink(path);
    close(file);
    return ok;
}

long handover_huge_kilobytes(void) {
    char line[200];
    long found = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file != NULL && found == 0 && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "ShmemPmdMapped: %ld", &found);
    if (file != NULL)
        fclose(file);
    return found;
}

bool handover_makes_huge_pages(void) {
    enum { HUGE = 2 << 20, TIMES = 8 };
    int made = 0;
    for (int k = 0; k < TIMES; k++) {
        base_context context;
        struct stat about;
        char *memory;
        int descriptor;
        base_context_init(&context);
        if (base_resident_alloc(&context, HUGE, &memory, &descriptor) != BASE_OK)
            return false;
        memory[0] = 1;
        made += madvise(memory, HUGE, 25 /* MADV_COLLAPSE */) == 0 && fstat(descriptor, &about) == 0 &&
                about.st_blocks * 512 == HUGE;
        munmap(memory, HUGE);
        close(descriptor);
    }
    return made == TIMES;
}
