/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that a filter has a thread write: the caller goes on while the reader of a pipe does not read, the
 * bytes are those of a writer alone, and a failure comes once, with the place of its record. */
#include "mm/stream/filter.h"
#include "tests/support/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 5, ORDER = 200 }; /* of 320,000 bytes, more than a pipe takes */

static void make_record(base_context *context, int number, mm_record *record) {
    mm_record_init(record);
    record->format = MM_ARRAY;
    record->nrow = record->ncol = ORDER;
    if (mm_record_alloc(context, record) != BASE_OK)
        abort();
    for (int64_t k = 0; k < record->nnz; k++)
        record->real[k] = (double)(1000000 * number + k) / 7;
}

static const mm_filter program = {.writes_records = true};

/* A filter behind its first record. */
static void open_filter(int descriptor, base_form form, mm_filter_run *it) {
    base_context *context = &it->run.context;
    *it = (mm_filter_run){.filter = &program, .records = 2, .run = {.form = form}};
    base_context_init(context);
    context->threads = 2;
    if (base_output_open_descriptor(context, descriptor, &it->run.output) != BASE_OK ||
        mm_writer_open(context, it->run.output, form, 0, false, &it->writer) != BASE_OK)
        abort();
}

static void close_filter(mm_filter_run *it) {
    mm_filter_end_later(it);
    mm_writer_close(it->writer);
    base_output_discard(it->run.output);
}

/* What is in the file of a stream that has ended. */
static char *take_file(mm_filter_run *it, FILE *file, long *bytes) {
    if (mm_writer_finish(&it->run.context, it->writer) != BASE_OK ||
        base_output_flush(&it->run.context, it->run.output) != BASE_OK)
        abort();
    *bytes = (long)lseek(fileno(file), 0, SEEK_END);
    char *all = malloc((size_t)*bytes + 1);
    if (all == NULL || pread(fileno(file), all, (size_t)*bytes, 0) != *bytes)
        abort();
    return all;
}

static void test_bytes(base_form form, const char *name) {
    FILE *file[2] = {tmpfile(), tmpfile()};
    char *text[2];
    long bytes[2];
    for (int later = 0; later < 2; later++) {
        mm_filter_run it;
        open_filter(fileno(file[later]), form, &it);
        bool good = true;
        for (int k = 0; k < RECORDS; k++) {
            mm_record record;
            make_record(&it.run.context, k, &record);
            good &=
                (later ? mm_filter_put_later : mm_filter_put)(&it, &record) == BASE_OK && record.real == NULL;
        }
        good &= mm_filter_settle(&it) == BASE_OK && !mm_filter_is_writing(&it) && (it.later != NULL) == later;
        tap_ok(good, "%s: %d records are written%s", name, RECORDS, later ? " by a thread" : "");
        text[later] = take_file(&it, file[later], &bytes[later]);
        close_filter(&it);
    }
    tap_ok(bytes[0] > RECORDS * ORDER * ORDER && bytes[0] == bytes[1] &&
               memcmp(text[0], text[1], (size_t)bytes[0]) == 0,
           "... as the same bytes (%ld, %ld)", bytes[0], bytes[1]);
    for (int k = 0; k < 2; k++) {
        free(text[k]);
        fclose(file[k]);
    }
}

/* This thread reads what the other one writes: it would wait for ever if it wrote itself. */
static void test_overlap(void) {
    int ends[2];
    char some[4096];
    int64_t bytes = 0;
    mm_record record;
    mm_filter_run it;
    if (pipe2(ends, O_CLOEXEC) != 0)
        abort();
    open_filter(ends[1], BASE_FORM_BINARY, &it);
    make_record(&it.run.context, 1, &record);
    const base_status put = mm_filter_put_later(&it, &record);
    tap_ok(put == BASE_OK && mm_filter_is_writing(&it), "the caller goes on while nobody reads the pipe");
    for (ssize_t got; bytes < 8 * ORDER * ORDER && (got = read(ends[0], some, sizeof some)) > 0;)
        bytes += got;
    const base_status status = mm_filter_settle(&it); /* the pipe has room for the rest */
    close(ends[1]);
    bytes += read(ends[0], some, sizeof some);
    tap_ok(status == BASE_OK && bytes > 8 * ORDER * ORDER, "... and reads it (%lld bytes)", (long long)bytes);
    close_filter(&it);
    close(ends[0]);
}

static void test_failure(void) {
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    mm_record record;
    mm_filter_run it;
    if (full < 0) {
        tap_skip(4, "no /dev/full");
        return;
    }
    open_filter(full, BASE_FORM_BINARY, &it);
    base_context *context = &it.run.context;
    it.run.keep_going = true; /* which does not pass over it */
    make_record(context, 1, &record);
    tap_ok(mm_filter_put_later(&it, &record) == BASE_OK, "a record for a full device is taken");
    snprintf(context->place.file, sizeof context->place.file, "next.mtx");
    make_record(context, 2, &record);
    tap_ok(mm_filter_put_later(&it, &record) == BASE_MACHINE, "... which fails with the next one");
    tap_ok(strstr(context->error.cause, strerror(ENOSPC)) != NULL && context->error.place.file[0] == '\0',
           "... and says why, not at the place of that one: %s", context->error.cause);
    tap_ok(mm_filter_settle(&it) == BASE_OK, "... once");
    mm_record_free(&record);
    close_filter(&it);
    close(full);
}

/* More comments than the binary form takes: a failure of the record, at its place. */
static void test_place(bool keeps_going) {
    static const base_program unnamed = {.name = "filter"};
    FILE *file = tmpfile();
    mm_record record;
    mm_filter_run it;
    const size_t bytes = (65 << 20) + 1;
    open_filter(fileno(file), BASE_FORM_BINARY, &it);
    base_context *context = &it.run.context;
    it.run.program = &unnamed;
    it.run.keep_going = keeps_going;
    make_record(context, 1, &record);
    record.comments = malloc(bytes);
    if (record.comments == NULL)
        abort();
    memset(record.comments, 'x', bytes - 2);
    memcpy(record.comments + bytes - 2, "\n", 2);
    context->place.record = 7;
    if (mm_filter_put_later(&it, &record) != BASE_OK)
        abort();
    context->place.record = 8;
    make_record(context, 2, &record);
    const base_status status = mm_filter_put_later(&it, &record);
    tap_ok(status == (keeps_going ? BASE_OK : BASE_FAILED) && context->error.place.record == 7 &&
               it.run.failed == keeps_going,
           "a record that cannot be written is told with its own place: record %lld, %s",
           (long long)context->error.place.record, context->error.cause);
    tap_ok(mm_filter_settle(&it) == BASE_OK && (lseek(fileno(file), 0, SEEK_END) > 0) == keeps_going,
           "... and the next one is %s", keeps_going ? "written, with --keep-going" : "not written");
    mm_record_free(&record);
    close_filter(&it);
    fclose(file);
}

int main(void) {
    test_bytes(BASE_FORM_TEXT, "text");
    test_bytes(BASE_FORM_BINARY, "binary form");
    test_overlap();
    test_failure();
    test_place(false);
    test_place(true);
    return tap_done();
}
