/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary form: damage is seen wherever it is, and what cannot be is refused. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "tests/support/binary_stream.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The same from a file, whose blocks are mapped or read by threads. */
static base_status read_file(const bytes *stream, size_t size, const mm_record *expected, bool *equal) {
    FILE *file = fopen(path, "wb");
    const bool good = file != NULL && fwrite(stream->data, 1, size, file) == size;
    if (file == NULL || fclose(file) != 0 || !good) {
        perror(path);
        exit(2);
    }
    return read_stream(NULL, 0, expected, equal);
}

/* ---- small streams ---- */

static void test_damage_small(void) {
    mm_record records[8];
    int count = 0;
    random_record(&records[count++], MM_COORDINATE, MM_REAL, MM_GENERAL, false, 7);
    random_record(&records[count++], MM_COORDINATE, MM_PATTERN, MM_SYMMETRIC, false, 3);
    random_record(&records[count++], MM_ARRAY, MM_COMPLEX, MM_HERMITIAN, false, 0);
    random_record(&records[count++], MM_COORDINATE, MM_INTEGER, MM_GENERAL, true, 4);
    payload_record(&records[count++], MM_STATE, 50);
    for (int level = 0; level < 2; level++) {
        bytes stream = write_stream(records, count, level);
        size_t unseen = 0, other = 0;
        for (size_t size = 0; size < stream.size; size++) {
            base_status status = read_stream(stream.data, size, NULL, NULL);
            unseen += status == BASE_OK;
            other += status != BASE_OK && status != BASE_DAMAGED;
        }
        tap_ok(unseen == 0 && other == 0, "level %d: cut at any of %zu bytes is damaged", level, stream.size);
        unseen = other = 0;
        for (size_t bit = 0; bit < 8 * stream.size; bit++) {
            stream.data[bit / 8] ^= (char)(1 << bit % 8);
            base_status status = read_stream(stream.data, stream.size, NULL, NULL);
            stream.data[bit / 8] ^= (char)(1 << bit % 8);
            unseen += status == BASE_OK;
            other += status != BASE_OK && status != BASE_DAMAGED;
        }
        tap_ok(unseen == 0 && other == 0, "level %d: any of %zu bits flipped is damaged", level,
               8 * stream.size);
        free(stream.data);
    }
    free_records(records, count);
}

/* ---- streams of several blocks ---- */

static size_t frame_size(const bytes *stream, size_t at) {
    uint32_t size;
    memcpy(&size, stream->data + at + 4, sizeof size);
    return 8 + (size_t)size;
}

static size_t block_size(const bytes *stream, size_t at) {
    uint32_t size;
    memcpy(&size, stream->data + at + 20, sizeof size);
    return MM_BINARY_HEAD_BYTES + (size_t)size;
}

static bytes splice(const bytes *stream, size_t from, size_t to, size_t at, bool keep) {
    /* Bytes from … to once more at `at`; unless `keep`, taken away where they were (at ≥ to or at ≤ from). */
    bytes made = {malloc(stream->size + (to - from)), 0};
    for (size_t i = 0; i <= stream->size; i++) {
        if (i == at) {
            memcpy(made.data + made.size, stream->data + from, to - from);
            made.size += to - from;
        }
        if (i < stream->size && (keep || i < from || i >= to))
            made.data[made.size++] = stream->data[i];
    }
    return made;
}

static void expect_damage(bytes changed, const char *what) {
    base_status status = read_stream(changed.data, changed.size, NULL, NULL);
    tap_ok(status == BASE_DAMAGED, "%s: %s", what, status != BASE_OK ? context.error.cause : "not seen");
    status = read_file(&changed, changed.size, NULL, NULL);
    tap_ok(status == BASE_DAMAGED, "... in a file: %s", status != BASE_OK ? context.error.cause : "not seen");
    free(changed.data);
}

/* Threads, bits here and there, blocks and records moved about. */
static void flip_and_cut(bytes four) {
    size_t unseen = 0;
    for (int i = 0; i < 60; i++) {
        size_t bit = below(8 * four.size);
        context.threads = 1 + i % 4;
        four.data[bit / 8] ^= (char)(1 << bit % 8);
        unseen += read_stream(four.data, four.size, NULL, NULL) != BASE_DAMAGED;
        if (i < 20)
            unseen += read_file(&four, four.size, NULL, NULL) != BASE_DAMAGED;
        four.data[bit / 8] ^= (char)(1 << bit % 8);
        unseen += read_stream(four.data, below(four.size), NULL, NULL) != BASE_DAMAGED;
        if (i < 20)
            unseen += read_file(&four, below(four.size), NULL, NULL) != BASE_DAMAGED;
    }
    tap_ok(unseen == 0, "bits flipped and cuts here and there are seen");
}

static void move_about(bytes four) {
    size_t block0 = frame_size(&four, 0), block1 = block0 + block_size(&four, block0);
    size_t block2 = block1 + block_size(&four, block1);
    expect_damage(splice(&four, block0, block1, block2, false), "two blocks swapped");
    expect_damage(splice(&four, block0, block1, block1, true), "a block twice");
    expect_damage(splice(&four, block1, block2, four.size + 1, false), "a block removed");
    size_t record1 = block0;
    while (four.data[record1 + 13] == MM_FRAME_BLOCK)
        record1 += block_size(&four, record1);
    size_t end = four.size - MM_BINARY_END_BYTES;
    expect_damage(splice(&four, record1, end, 0, false), "two records swapped");
    expect_damage(splice(&four, record1, end, end, true), "a record twice");
    expect_damage(splice(&four, record1, end, four.size + 1, false), "the last record removed");
    expect_damage(splice(&four, 0, record1, four.size + 1, false), "the first record removed");
    expect_damage(splice(&four, end, four.size, four.size, true), "two end marks");
}

static void test_damage_large(void) {
    mm_record records[2];
    random_record(&records[0], MM_COORDINATE, MM_REAL, MM_GENERAL, false, 600000);
    random_record(&records[1], MM_COORDINATE, MM_INTEGER, MM_GENERAL, true, 150000);
    context.threads = 4;
    bytes four = write_stream(records, 2, 1);
    bool equal = false;
    for (int threads = 1; threads < 4; threads++) {
        context.threads = threads;
        base_status status = read_file(&four, four.size, records, &equal);
        tap_ok(status == BASE_OK && equal, "blocks of a file, %d threads: equal", threads);
    }
    flip_and_cut(four);
    context.threads = 2;
    move_about(four);
    context.threads = 1;
    free(four.data);
    free_records(records, 2);
}

/* ---- what cannot be ---- */

/* Headers that promise more than there is, with the right hash: refused before memory is spent. */
static void test_forged(void) {
    static const struct {
        const char *what;
        mm_format format;
        mm_field field;
        int64_t nrow, ncol, nnz, tail_bytes;
        int row_bytes, col_bytes, value_bytes;
    } forged[] = {
        {"2^60 entries", MM_COORDINATE, MM_REAL, 10, 10, (int64_t)1 << 60, 0, 1, 1, 8},
        {"2^62 entries", MM_COORDINATE, MM_COMPLEX, 10, 10, (int64_t)1 << 62, 0, 1, 1, 16},
        {"an array of 2^60 values", MM_ARRAY, MM_REAL, 1 << 30, 1 << 30, (int64_t)1 << 60, 0, 0, 0, 8},
        {"an array of another length", MM_ARRAY, MM_REAL, 3, 3, 8, 0, 0, 0, 8},
        {"2^60 bytes of digits", MM_COORDINATE, MM_INTEGER, 10, 10, 1 << 20, (int64_t)1 << 60, 1, 1, 0},
        {"fewer digits than numbers", MM_COORDINATE, MM_INTEGER, 10, 10, 100, 150, 1, 1, 0},
        {"indices too wide", MM_COORDINATE, MM_REAL, 10, 10, 5, 0, 4, 1, 8},
        {"values of 3 bytes", MM_COORDINATE, MM_INTEGER, 10, 10, 5, 0, 1, 1, 3},
        {"a pattern with values", MM_COORDINATE, MM_PATTERN, 10, 10, 5, 0, 1, 1, 8},
        {"an array of a pattern", MM_ARRAY, MM_PATTERN, 3, 3, 9, 0, 0, 0, 0},
        {"negative sizes", MM_COORDINATE, MM_REAL, -1, 10, 5, 0, 1, 1, 8},
        {"negative entries", MM_COORDINATE, MM_REAL, 10, 10, -5, 0, 1, 1, 8}};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        char stream[4096] = {0};
        mm_binary_header header = {.record_number = 1,
                                   .format = forged[i].format,
                                   .field = forged[i].field,
                                   .nrow = forged[i].nrow,
                                   .ncol = forged[i].ncol,
                                   .nnz = forged[i].nnz,
                                   .tail_bytes = forged[i].tail_bytes,
                                   .row_bytes = forged[i].row_bytes,
                                   .col_bytes = forged[i].col_bytes,
                                   .value_bytes = forged[i].value_bytes};
        size_t size = mm_binary_put_record(stream, &header, NULL);
        size += mm_binary_put_end(stream + size, 1);
        base_status status = read_stream(stream, size, NULL, NULL);
        tap_ok(status == BASE_DAMAGED, "%s: %s", forged[i].what,
               status != BASE_OK ? context.error.cause : "not seen");
    }
    getrusage(RUSAGE_SELF, &after);
    tap_ok(after.ru_maxrss - before.ru_maxrss < 2000, "in %ld KiB of memory",
           after.ru_maxrss - before.ru_maxrss);
}

/* Right hashes around indices and values that must not be. */
static void expect_refused(const char *what, mm_symmetry symmetry, int64_t row, int64_t col, double value) {
    mm_record record;
    mm_record_init(&record);
    record.nrow = record.ncol = 5;
    record.symmetry = symmetry;
    record.nnz = 1;
    mm_record_alloc(&context, &record);
    record.row[0] = row;
    record.col[0] = col;
    record.real[0] = value;
    bytes stream = write_stream(&record, 1, 0);
    expect_damage(stream, what);
    mm_record_free(&record);
}

static void test_refused(void) {
    expect_refused("a row beyond the size", MM_GENERAL, 5, 0, 1);
    expect_refused("a column beyond the size", MM_GENERAL, 0, 5, 1);
    expect_refused("a negative row", MM_GENERAL, -1, 0, 1);
    expect_refused("above the diagonal of a symmetric matrix", MM_SYMMETRIC, 1, 2, 1);
    expect_refused("on the diagonal of a skew-symmetric matrix", MM_SKEW_SYMMETRIC, 2, 2, 1);
    expect_refused("NaN", MM_GENERAL, 0, 0, NAN);
}

/* ---- plain blocks ---- */

/* Cuts and flipped bits in the first frames, the last ones and anywhere. */
static void damage_plain(bytes stream) {
    base_status status;
    size_t unseen = 0, other = 0;
    for (int k = 0; k < 300; k++) {
        const size_t near = below(70 << 10), at = k % 3 == 0   ? near
                                                  : k % 3 == 1 ? stream.size - 1 - near % 9000
                                                               : (size_t)below((int64_t)stream.size);
        const bool is_file = k % 10 == 9;
        status = is_file ? read_file(&stream, at, NULL, NULL) : read_stream(stream.data, at, NULL, NULL);
        unseen += status == BASE_OK;
        other += status != BASE_OK && status != BASE_DAMAGED;
        stream.data[at] ^= (char)(1 << k % 8);
        status = is_file ? read_file(&stream, stream.size, NULL, NULL)
                         : read_stream(stream.data, stream.size, NULL, NULL);
        stream.data[at] ^= (char)(1 << k % 8);
        unseen += status == BASE_OK;
        other += status != BASE_OK && status != BASE_DAMAGED;
    }
    tap_ok(unseen == 0 && other == 0, "... cuts and flipped bits are damage: %zu unseen, %zu other", unseen,
           other);
}

/* Plain blocks of payloads, from memory and mapped from a file: equal, and any damage is seen. */
static void test_plain(void) {
    enum { COUNT = 4 };
    mm_record records[COUNT];
    bool equal, from_file;
    payload_record(&records[0], MM_H2, MM_BINARY_PLAIN_BYTES - 1);
    payload_record(&records[1], MM_H2, MM_BINARY_PLAIN_BYTES);
    payload_record(&records[2], MM_H2, 2 * MM_BINARY_BLOCK_BYTES + 5);
    random_record(&records[3], MM_COORDINATE, MM_REAL, MM_GENERAL, false, 10);
    for (int threads = 1; threads < 4; threads += 2) {
        context.threads = threads;
        bytes stream = write_stream(records, COUNT, 0);
        base_status status = read_stream(stream.data, stream.size, records, &equal);
        const bool is_copied = mapped == 0;
        base_status mapping = read_file(&stream, stream.size, records, &from_file);
        tap_ok(status == BASE_OK && equal && is_copied && mapping == BASE_OK && from_file &&
                   mapped == records[1].payload_bytes + records[2].payload_bytes,
               "plain blocks, %d threads: copied and mapped, %lld bytes", threads, (long long)mapped);
        damage_plain(stream);
        free(stream.data);
    }
    context.threads = 1;
    free_records(records, COUNT);
}

/* ---- progress ---- */

/* Of a record whose last block is damaged, the blocks before it have been told of when that is found. */
static void test_progress(void) {
    base_progress progress = {.program = "test"};
    mm_record record;
    random_record(&record, MM_COORDINATE, MM_REAL, MM_GENERAL, false, 1500000);
    bytes stream = write_stream(&record, 1, 0);
    stream.data[stream.size - MM_BINARY_END_BYTES - 100] ^= 1;
    for (int threads = 1; threads < 3; threads++) {
        context.threads = threads;
        context.progress = &progress;
        progress.input_bytes = 0;
        const base_status status = read_file(&stream, stream.size, NULL, NULL);
        context.progress = NULL;
        const int64_t told = progress.input_bytes;
        tap_ok(status == BASE_DAMAGED && told > (int64_t)stream.size / 2 && told < (int64_t)stream.size,
               "%d threads: %lld of %zu bytes told before the last block", threads, (long long)told,
               stream.size);
    }
    context.threads = 1;
    free(stream.data);
    mm_record_free(&record);
}

int main(void) {
    begin_streams();
    test_damage_small();
    test_damage_large();
    test_forged();
    test_refused();
    test_plain();
    test_progress();
    end_streams();
    return tap_done();
}
