/* The binary form: what goes in comes out, damage is seen wherever it is. */
#include "base/core/memory.h"
#include "base/core/random.h"
#include "mm/binary/internal.h"
#include "mm/text/text.h"
#include "tests/support/tap.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static base_context context;
static base_random rng;
static char folder[] = "/tmp/mmpipe-binary.XXXXXX";
static char path[sizeof folder + 16];

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

/* ---- random records ---- */

static uint64_t below(uint64_t bound) {
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

static void random_record(mm_record *record, mm_format format, mm_field field, mm_symmetry symmetry,
                          bool digits, int64_t nnz) {
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

static void payload_record(mm_record *record, mm_kind kind, int64_t size) {
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

static bytes write_stream(const mm_record *records, int count, int level) {
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

static int64_t mapped; /* bytes that the last stream's records had mapped */

/* Reads a stream as mm_reader does: numbers in order, an end mark, nothing behind it. Without data, from the
 * file. */
static base_status read_stream(const void *data, size_t size, const mm_record *expected, bool *equal) {
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

static void free_records(mm_record *records, int count) {
    for (int i = 0; i < count; i++)
        mm_record_free(&records[i]);
}

/* ---- the tests ---- */

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

/* A record of several blocks: threads, bits here and there, blocks and records moved about. */
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
    free(changed.data);
}

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
    size_t unseen = 0;
    for (int i = 0; i < 60; i++) {
        size_t bit = below(8 * four.size);
        context.threads = 1 + i % 4;
        four.data[bit / 8] ^= (char)(1 << bit % 8);
        unseen += read_stream(four.data, four.size, NULL, NULL) != BASE_DAMAGED;
        four.data[bit / 8] ^= (char)(1 << bit % 8);
        unseen += read_stream(four.data, below(four.size), NULL, NULL) != BASE_DAMAGED;
    }
    tap_ok(unseen == 0, "bits flipped and cuts here and there are seen");
    context.threads = 2;
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
    context.threads = 1;
    free(one.data);
    free(four.data);
    free_records(records, 2);
}

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

/* Plain blocks of payloads, from memory and mapped from a file: equal, and any damage is seen. */
static base_status read_file(const bytes *stream, size_t size, const mm_record *expected, bool *equal) {
    FILE *file = fopen(path, "wb");
    const bool good = file != NULL && fwrite(stream->data, 1, size, file) == size;
    if (file == NULL || fclose(file) != 0 || !good) {
        perror(path);
        exit(2);
    }
    return read_stream(NULL, 0, expected, equal);
}

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
        size_t unseen = 0, other = 0;
        for (int k = 0; k < 300; k++) {
            /* the first frames, the last ones, anywhere */
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
        tap_ok(unseen == 0 && other == 0, "... cuts and flipped bits are damage: %zu unseen, %zu other",
               unseen, other);
        free(stream.data);
    }
    context.threads = 1;
    free_records(records, COUNT);
}

int main(void) {
    base_context_init(&context);
    context.seed = 20240608;
    tap_note("seed %llu", (unsigned long long)context.seed);
    base_random_init(&rng, context.seed, 3);
    if (mkdtemp(folder) == NULL)
        return 2;
    snprintf(path, sizeof path, "%s/stream", folder);
    test_round_trip();
    test_damage_small();
    test_large();
    test_forged();
    test_refused();
    test_zstd();
    test_example();
    test_plain();
    unlink(path);
    rmdir(folder);
    return tap_done();
}
