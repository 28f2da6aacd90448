/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/binary_stream.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

base_context context;
char path[64];

static base_random rng;
static char folder[] = "/tmp/mmpipe-binary.XXXXXX";

void begin_streams(void) {
    base_context_init(&context);
    context.seed = 20240608;
    tap_note("seed %llu", (unsigned long long)context.seed);
    base_random_init(&rng, context.seed, 3);
    if (mkdtemp(folder) == NULL)
        exit(2);
    snprintf(path, sizeof path, "%s/stream", folder);
}

void end_streams(void) {
    unlink(path);
    rmdir(folder);
}

/* ---- random records ---- */

uint64_t below(uint64_t bound) {
    return base_random_below(&rng, bound);
}

static double random_double(void) {
    static const double edges[] = {0.0, -0.0, 1.0, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, DBL_TRUE_MIN};
    if (below(4) == 0)
        return edges[below(8)];
    uint64_t bits = base_random_bits(&rng);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value == value ? value : 1.5;
}

static void random_digits(mm_record *record) {
    int64_t capacity = 0, used = 0;
    record->digits_start = base_alloc(&context, record->nnz + 1, sizeof *record->digits_start);
    record->digits = base_alloc(&context, 0, 1);
    for (int64_t k = 0; k < record->nnz; k++) {
        int64_t length = 1 + (int64_t)below(60);
        base_reserve(&context, &record->digits, &capacity, used + length + 2, 1);
        record->digits_start[k] = used;
        if (below(2))
            record->digits[used++] = '-';
        for (int64_t i = 0; i < length; i++)
            record->digits[used++] = (char)('0' + below(10));
        record->digits[used++] = 0;
    }
    record->digits_start[record->nnz] = used;
}

static void random_values(mm_record *record, bool digits) {
    int shift = (int)below(64);
    if (record->field == MM_REAL || record->field == MM_COMPLEX) {
        int64_t count = record->nnz * (record->field == MM_COMPLEX ? 2 : 1);
        record->real = base_alloc(&context, count, sizeof *record->real);
        for (int64_t k = 0; k < count; k++)
            record->real[k] = random_double();
    } else if (record->field == MM_INTEGER && digits && record->nnz > 0) {
        random_digits(record);
    } else if (record->field == MM_INTEGER) {
        record->integer = base_alloc(&context, record->nnz, sizeof *record->integer);
        for (int64_t k = 0; k < record->nnz; k++)
            record->integer[k] = (int64_t)base_random_bits(&rng) >> shift;
    }
}

/* Sizes that need indices of every width. */
static int64_t random_size(void) {
    static const int64_t most[] = {4, 128, 129, 32769, INT32_MAX, (int64_t)1 << 40};
    return 1 + (int64_t)below((uint64_t)most[below(6)]);
}

void random_record(mm_record *record, mm_format format, mm_field field, mm_symmetry symmetry, bool digits,
                   int64_t nnz) {
    mm_record_init(record);
    record->kind = field == MM_INTEGER && below(4) == 0 ? MM_SCHEME : MM_MATRIX;
    record->format = format;
    record->field = field;
    record->symmetry = symmetry;
    if (format == MM_ARRAY) {
        record->nrow = (int64_t)below(9);
        record->ncol = symmetry == MM_GENERAL ? (int64_t)below(9) : record->nrow;
        record->nnz = mm_array_length(record->nrow, record->ncol, symmetry);
    } else {
        record->nrow = 1 + random_size();
        record->ncol = symmetry == MM_GENERAL ? random_size() : record->nrow;
        record->nnz = nnz;
        record->row = base_alloc(&context, nnz, sizeof *record->row);
        record->col = base_alloc(&context, nnz, sizeof *record->col);
        for (int64_t k = 0; k < nnz; k++) {
            uint64_t least = symmetry == MM_SKEW_SYMMETRIC;
            record->row[k] = (int64_t)(least + below((uint64_t)record->nrow - least));
            record->col[k] = (int64_t)below(symmetry == MM_GENERAL ? (uint64_t)record->ncol
                                                                   : (uint64_t)record->row[k] + 1 - least);
        }
    }
    random_values(record, digits);
    if (below(2))
        record->comments = base_copy_text(&context, "% name: G/M\n%\n% by: hand\n", 25);
}

void payload_record(mm_record *record, mm_kind kind, int64_t size) {
    mm_record_init(record);
    record->kind = kind;
    record->nrow = record->ncol = 1000;
    record->payload_bytes = size;
    record->payload = base_alloc(&context, size, 1);
    for (int64_t i = 0; i < size; i++)
        record->payload[i] = (char)base_random_bits(&rng);
}

static bool same_bytes(const void *a, const void *b, int64_t count, size_t size) {
    if ((a == NULL) != (b == NULL))
        return false;
    return a == NULL || count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static bool same_record(const mm_record *a, const mm_record *b) {
    if (a->kind != b->kind || a->format != b->format || a->field != b->field || a->symmetry != b->symmetry ||
        a->nrow != b->nrow || a->ncol != b->ncol || a->nnz != b->nnz || a->payload_bytes != b->payload_bytes)
        return false;
    if (!same_bytes(a->digits_start, b->digits_start, a->nnz + 1, 8))
        return false;
    int64_t digits_bytes = a->digits != NULL ? a->digits_start[a->nnz] : 0;
    return same_bytes(a->row, b->row, a->nnz, 8) && same_bytes(a->col, b->col, a->nnz, 8) &&
           same_bytes(a->real, b->real, a->field == MM_COMPLEX ? 2 * a->nnz : a->nnz, 8) &&
           same_bytes(a->integer, b->integer, a->nnz, 8) &&
           same_bytes(a->digits, b->digits, digits_bytes, 1) &&
           same_bytes(a->payload, b->payload, a->payload_bytes, 1) &&
           strcmp(a->comments != NULL ? a->comments : "", b->comments != NULL ? b->comments : "") == 0;
}

/* ---- streams ---- */

bytes write_stream(const mm_record *records, int count, int level) {
    base_output *output;
    struct stat about;
    bytes made = {0};
    bool good = base_output_open(&context, path, &output) == BASE_OK;
    for (int i = 0; i < count; i++)
        good = good && mm_binary_write(&context, output, &records[i], i + 1, level) == BASE_OK;
    good = good && mm_binary_write_end(&context, output, count) == BASE_OK;
    good = base_output_commit(&context, output) == BASE_OK && good;
    FILE *file = fopen(path, "rb");
    if (!good || file == NULL || fstat(fileno(file), &about) != 0) {
        perror(path);
        exit(2);
    }
    made.data = malloc((size_t)about.st_size + 1);
    made.size = fread(made.data, 1, (size_t)about.st_size, file);
    fclose(file);
    return made;
}

int64_t mapped;

/* Reads a stream as mm_reader does: numbers in order, an end mark, nothing behind it. Without data, from the
 * file. */
base_status read_stream(const void *data, size_t size, const mm_record *expected, bool *equal) {
    base_status status;
    mm_source *source = NULL;
    mm_record record;
    const char *name;
    bool found, end = false;
    int64_t number, count = 0;
    mm_record_init(&record);
    if (equal != NULL)
        *equal = true;
    mapped = 0;
    BASE_TRY(data != NULL ? mm_source_open_memory(&context, data, size, &source)
                          : mm_source_open(&context, path, &source));
    BASE_TRY(mm_source_next_part(&context, source, &name, &found));
    if (!mm_source_is_binary(source))
        BASE_TRY(base_fail(&context, BASE_DAMAGED, "not the binary form"));
    while (!end) {
        BASE_TRY(mm_binary_read(&context, source, &record, &end, &number));
        count += !end;
        mapped += record.payload_mapped;
        if (number != count)
            BASE_TRY(base_fail(&context, BASE_DAMAGED, "number %lld", (long long)number));
        if (!end && equal != NULL)
            *equal = *equal && same_record(&record, &expected[count - 1]);
    }
    BASE_TRY(mm_source_peek(&context, source, 1, &name, &size));
    if (size > 0)
        BASE_TRY(base_fail(&context, BASE_DAMAGED, "more behind the end"));
done:
    mm_source_close(source);
    mm_record_free(&record);
    return status;
}

void free_records(mm_record *records, int count) {
    for (int i = 0; i < count; i++)
        mm_record_free(&records[i]);
}
