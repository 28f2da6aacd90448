/* SPDX-License-Identifier: BSD-3-Clause */
/* Records whose memory is not what their frames say, which only a giver with a fault can send. */
#include "base/core/memory.h"
#include "base/resident/memory.h"
#include "mm/binary/internal.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { ENTRIES = 8192 };

static base_context context;

/* A symmetric matrix of ENTRIES entries on its diagonal. */
static void make_record(mm_record *record) {
    mm_record_init(record);
    record->symmetry = MM_SYMMETRIC;
    record->nrow = record->ncol = record->nnz = ENTRIES;
    if (mm_record_alloc(&context, record) != BASE_OK)
        abort();
    for (int64_t k = 0; k < ENTRIES; k++) {
        record->row[k] = record->col[k] = k;
        record->real[k] = 1.0 / (double)(k + 1);
    }
}

typedef enum damage {
    NONE,
    VALUE, /* one is another than that of the hash */
    ROW,   /* one is out of range */
    UPPER, /* an entry above the diagonal */
    NAN_VALUE,
    SIZE,  /* of the memory, in the frame */
    OTHER, /* the frame is that of another record */
    UNHASHED_VALUE
} damage;

/* Sends a record with a fault in what is handed over. */
static void send_record(damage fault, int write_end, base_giver **giver) {
    enum { BYTES = 3 * 8 * ENTRIES };
    base_output *output = NULL;
    mm_record record;
    mm_binary_header header;
    char *frame = NULL, small[MM_BINARY_RESIDENT_BYTES];
    bool gone;
    int memory;
    make_record(&record);
    if (base_giver_open(&context, write_end, giver) != BASE_OK ||
        base_output_open_descriptor(&context, write_end, &output) != BASE_OK)
        abort();
    base_output_write(&context, output, small, mm_binary_put_giver(small, base_giver_name(*giver)));
    base_output_flush(&context, output);
    if (base_giver_connect(&context, *giver, &gone) != BASE_OK || gone)
        abort();
    mm_binary_plan(&record, 1, &header);
    mm_binary_make_record_frame(&context, &record, &header, &frame);
    mm_binary_memory about = {.bytes = BYTES, .is_hashed = fault == NONE || fault == VALUE};
    if (about.is_hashed) {
        char *content = malloc(BYTES);
        memcpy(content, record.row, 8 * ENTRIES);
        memcpy(content + 8 * ENTRIES, record.col, 8 * ENTRIES);
        memcpy(content + 16 * ENTRIES, record.real, 8 * ENTRIES);
        about.hash = XXH3_64bits(content, BYTES);
        free(content);
    }
    if (fault == VALUE || fault == UNHASHED_VALUE)
        record.real[77] = 3;
    if (fault == ROW)
        record.row[ENTRIES - 1] = ENTRIES;
    if (fault == UPPER)
        record.row[5] = 4;
    if (fault == NAN_VALUE)
        record.real[ENTRIES - 1] = NAN;
    if (fault == SIZE)
        about.bytes -= 8;
    base_resident_create(&context, BYTES, &memory);
    base_resident_write(&context, memory, 0, record.row, 8 * ENTRIES);
    base_resident_write(&context, memory, 8 * ENTRIES, record.col, 8 * ENTRIES);
    base_resident_write(&context, memory, 16 * ENTRIES, record.real, 8 * ENTRIES);
    base_resident_seal(&context, memory, BASE_RESIDENT_FIXED);
    base_giver_give(&context, *giver, &(base_resident_gift){1, BYTES, 0, memory, -1});
    base_output_write(&context, output, frame, (size_t)(MM_BINARY_RECORD_BYTES + header.comments_bytes));
    header.hash ^= fault == OTHER;
    base_output_write(&context, output, small, mm_binary_put_resident(small, &header, &about));
    base_output_flush(&context, output);
    base_output_discard(output);
    mm_record_free(&record);
    free(frame);
    close(memory);
}

static base_status receive(damage fault, mm_record *record) {
    int ends[2];
    char path[32];
    mm_source *source = NULL;
    base_giver *giver = NULL;
    const char *name;
    bool found, end = true;
    int64_t number = 0;
    if (pipe(ends) != 0)
        abort();
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    if (mm_source_open(&context, path, &source) != BASE_OK)
        abort();
    send_record(fault, ends[1], &giver);
    if (mm_source_next_part(&context, source, &name, &found) != BASE_OK || !found)
        abort();
    const base_status status = mm_binary_read(&context, source, record, &end, &number);
    mm_source_close(source);
    base_giver_close(giver);
    close(ends[0]);
    close(ends[1]);
    return status;
}

int main(void) {
    static const struct {
        damage fault;
        const char *cause;
    } cases[] = {{VALUE, "does not have its hash"}, {ROW, "an index is out of range"},
                 {UPPER, "lower triangle"},         {NAN_VALUE, "not a number"},
                 {SIZE, "says what cannot be"},     {OTHER, "memory of another record"}};
    mm_record record;
    base_context_init(&context);
    mm_record_init(&record);
    tap_ok(receive(NONE, &record) == BASE_OK && record.nnz == ENTRIES && record.real[99] == 0.01,
           "a record that is as its frames say");
    tap_ok(record.descriptor > 0 && record.memory != NULL && (char *)record.row == record.memory,
           "... lies where it was handed over");
    mm_record_free(&record);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tap_ok(receive(cases[k].fault, &record) == BASE_DAMAGED, "fault %d is damage", (int)cases[k].fault);
        tap_ok(strstr(context.error.cause, cases[k].cause) != NULL, "... %s", context.error.cause);
    }
    tap_ok(receive(UNHASHED_VALUE, &record) == BASE_OK, "without a hash another value is not seen");
    mm_record_free(&record);
    return tap_done();
}
