/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary form: what goes in comes out, and is a .zst file. */
#include "base/core/memory.h"
#include "mm/text/text.h"
#include "tests/support/binary_stream.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every format, field and symmetry that Matrix Market has, and big integers; and the other kinds. */
enum { MOST_RECORDS = 64 };
static int all_records(mm_record *records, int64_t nnz) {
    int count = 0;
    for (int format = 0; format < 2; format++)
        for (int field = 0; field < 4; field++)
            for (int symmetry = 0; symmetry < 4; symmetry++)
                for (int digits = 0; digits < 1 + (field == MM_INTEGER); digits++)
                    if (!(field == MM_PATTERN && (format == MM_ARRAY || symmetry > MM_SYMMETRIC)) &&
                        !(symmetry == MM_HERMITIAN && field != MM_COMPLEX))
                        random_record(&records[count++], (mm_format)format, (mm_field)field,
                                      (mm_symmetry)symmetry, digits, nnz);
    payload_record(&records[count++], MM_H2, nnz + 1);
    payload_record(&records[count++], MM_STATE, nnz + 1);
    return count;
}

static void test_round_trip(void) {
    mm_record records[MOST_RECORDS];
    bool equal;
    for (int round = 0; round < 40; round++) {
        int count = all_records(records, round < 3 ? round : (int64_t)below(round < 38 ? 300 : 40000));
        int level = (int)below(4);
        bytes stream = write_stream(records, count, level);
        base_status status = read_stream(stream.data, stream.size, records, &equal);
        if (status != BASE_OK || !equal || round == 39)
            tap_ok(status == BASE_OK && equal, "%d records of every kind, level %d, round %d: %s", count,
                   level, round, status == BASE_OK ? "equal" : context.error.cause);
        free(stream.data);
        free_records(records, count);
    }
}

/* Records of several blocks, by one thread and by four. */
static void test_large(void) {
    mm_record records[2];
    bool equal;
    random_record(&records[0], MM_COORDINATE, MM_REAL, MM_GENERAL, false, 600000);
    random_record(&records[1], MM_COORDINATE, MM_INTEGER, MM_GENERAL, true, 150000);
    bytes one = write_stream(records, 2, 1);
    context.threads = 4;
    bytes four = write_stream(records, 2, 1);
    tap_ok(one.size == four.size && memcmp(one.data, four.data, one.size) == 0,
           "4 threads write the same %zu bytes as one", one.size);
    base_status status = read_stream(four.data, four.size, records, &equal);
    tap_ok(status == BASE_OK && equal, "and read the same");
    context.threads = 1;
    free(one.data);
    free(four.data);
    free_records(records, 2);
}

/* A stream is a .zst file: zstd finds it sound, and unpacks the bytes of the arrays. */
static void test_zstd(void) {
    if (system("zstd --version >/dev/null 2>&1") != 0) {
        tap_skip(6, "zstd is not there");
        return;
    }
    mm_record record;
    char command[200];
    random_record(&record, MM_COORDINATE, MM_REAL, MM_GENERAL, false, 300000);
    record.nrow = record.ncol = 1000000;
    for (int64_t k = 0; k < record.nnz; k++) {
        record.row[k] = (int64_t)below(1000000);
        record.col[k] = (int64_t)below(1000000);
    }
    for (int level = 0; level < 3; level++) {
        bytes stream = write_stream(&record, 1, level);
        snprintf(command, sizeof command, "zstd -q -t <%s", path);
        tap_ok(system(command) == 0, "level %d: zstd -t finds it sound", level);
        snprintf(command, sizeof command, "test $(zstd -q -dc <%s | wc -c) = %d", path, 300000 * 16);
        tap_ok(system(command) == 0, "level %d: zstd -dc gives 16 bytes an entry", level);
        free(stream.data);
    }
    mm_record_free(&record);
}

/* The example of mm-stream(5), byte by byte. */
static void test_example(void) {
    const char *source = getenv("srcdir");
    char page[500], line[300];
    snprintf(page, sizeof page, "%s/man/mm-stream.5", source != NULL ? source : ".");
    FILE *file = fopen(page, "r");
    if (file == NULL) {
        tap_ok(false, "%s is there", page);
        return;
    }
    unsigned char printed[2000];
    size_t count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned offset = 0, byte;
        int at = 0, step;
        if (sscanf(line, "%4x:%n", &offset, &at) != 1 || at != 5 || offset != count)
            continue;
        while (count < sizeof printed && sscanf(line + at, " %2x%n", &byte, &step) == 1) {
            printed[count++] = (unsigned char)byte;
            at += step;
        }
    }
    fclose(file);
    /* 3 x 200: 1,1,1.5 and 3,200,-2 */
    mm_record record;
    mm_record_init(&record);
    record.nrow = 3;
    record.ncol = 200;
    record.nnz = 2;
    mm_record_alloc(&context, &record);
    record.row[0] = record.col[0] = 0;
    record.row[1] = 2;
    record.col[1] = 199;
    record.real[0] = 1.5;
    record.real[1] = -2;
    record.comments = base_copy_text(&context, "% name: tiny\n", 13);
    bytes stream = write_stream(&record, 1, 0);
    tap_ok(stream.size == count && memcmp(stream.data, printed, count) == 0,
           "the %zu bytes that mm-stream(5) prints are those that are written", count);
    bool equal = false;
    tap_ok(read_stream(printed, count, &record, &equal) == BASE_OK && equal, "and are read");
    free(stream.data);
    mm_record_free(&record);
}

int main(void) {
    begin_streams();
    test_round_trip();
    test_large();
    test_zstd();
    test_example();
    end_streams();
    return tap_done();
}
