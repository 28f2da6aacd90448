/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form: every kind of record written and read back, truncation at every byte, headers that lie, and
 * several threads against one. */
#include "base/core/memory.h"
#include "base/core/random.h"
#include "tests/support/tap.h"
#include "tests/unit/mm/text_memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define REAL "%%MatrixMarket matrix coordinate real general\n"

static base_context context;
static base_random stream;

static bool same_bytes(const void *a, const void *b, int64_t count, size_t size) {
    if (a == NULL || b == NULL)
        return a == b;
    return memcmp(a, b, (size_t)count * size) == 0;
}

static bool same_record(const mm_record *a, const mm_record *b) {
    int64_t values = a->field == MM_COMPLEX ? 2 * a->nnz : a->nnz;
    if (a->kind != b->kind || a->format != b->format || a->field != b->field || a->symmetry != b->symmetry ||
        a->nrow != b->nrow || a->ncol != b->ncol || a->nnz != b->nnz)
        return false;
    if (strcmp(a->comments != NULL ? a->comments : "", b->comments != NULL ? b->comments : "") != 0)
        return false;
    if (a->format == MM_COORDINATE && (!same_bytes(a->row, b->row, a->nnz, sizeof *a->row) ||
                                       !same_bytes(a->col, b->col, a->nnz, sizeof *a->col)))
        return false;
    if (a->digits != NULL &&
        (b->digits == NULL || !same_bytes(a->digits_start, b->digits_start, a->nnz + 1, sizeof(int64_t)) ||
         !same_bytes(a->digits, b->digits, a->digits_start[a->nnz], 1)))
        return false;
    return same_bytes(a->integer, b->integer, a->nnz, sizeof *a->integer) &&
           same_bytes(a->real, b->real, values, sizeof *a->real);
}

/* ---- random records ---- */

static double random_value(void) {
    uint64_t bits = base_random_bits(&stream);
    double value;
    if (bits % 3 == 0)
        return (double)(int64_t)(bits >> 40) / 64;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.1;
}

static void fill_digits(mm_record *record) {
    enum { LONGEST = 60 };
    record->digits = malloc((size_t)record->nnz * LONGEST + 1);
    record->digits_start = malloc((size_t)(record->nnz + 1) * sizeof(int64_t));
    int64_t used = 0;
    for (int64_t k = 0; k <= record->nnz; k++) {
        record->digits_start[k] = used;
        if (k == record->nnz)
            break;
        int64_t length = k == 0 ? 25 : (int64_t)base_random_below(&stream, 50) + 1;
        if (base_random_below(&stream, 2))
            record->digits[used++] = '-';
        record->digits[used++] = (char)('1' + base_random_below(&stream, 9));
        for (int64_t i = 1; i < length; i++)
            record->digits[used++] = (char)('0' + base_random_below(&stream, 10));
        record->digits[used++] = '\0';
    }
}

static void make_record(mm_record *record, mm_format format, mm_field field, mm_symmetry symmetry, bool big,
                        int64_t largest) {
    mm_record_init(record);
    record->format = format;
    record->field = field;
    record->symmetry = symmetry;
    record->nrow = (int64_t)base_random_below(&stream, (uint64_t)largest) + 2;
    record->ncol =
        symmetry == MM_GENERAL ? (int64_t)base_random_below(&stream, (uint64_t)largest) + 2 : record->nrow;
    record->nnz = 3 * largest;
    if (format == MM_ARRAY)
        record->nnz = mm_array_length(record->nrow, record->ncol, symmetry);
    if (mm_record_alloc(&context, record) != BASE_OK)
        abort();
    int64_t row = 0, col = 0;
    mm_array_first(record, &row, &col);
    for (int64_t k = 0; k < record->nnz; k++) {
        if (format == MM_COORDINATE) {
            col = (int64_t)base_random_below(&stream, (uint64_t)record->ncol - 1);
            int64_t first = symmetry == MM_GENERAL ? 0 : symmetry == MM_SKEW_SYMMETRIC ? col + 1 : col;
            row = first + (int64_t)base_random_below(&stream, (uint64_t)(record->nrow - first));
            record->row[k] = row;
            record->col[k] = col;
        }
        if (field == MM_REAL)
            record->real[k] = random_value();
        if (field == MM_COMPLEX) {
            record->real[2 * k] = random_value();
            record->real[2 * k + 1] = symmetry == MM_HERMITIAN && row == col ? 0 : random_value();
        }
        if (field == MM_INTEGER)
            record->integer[k] = (int64_t)base_random_bits(&stream) >> base_random_below(&stream, 64);
        if (format == MM_ARRAY)
            mm_array_next(record, &row, &col);
    }
    if (big) {
        free(record->integer);
        record->integer = NULL;
        fill_digits(record);
    }
    static const char comments[] = "%-----\n% name: a/b\n%%GraphBLAS type double\n%\n";
    if (base_random_below(&stream, 2))
        record->comments = base_copy_text(&context, comments, sizeof comments - 1);
}

/* Calls for every format, field and symmetry that exists, and for big integers. */
static void for_each_type(void (*call)(mm_format, mm_field, mm_symmetry, bool)) {
    for (int format = 0; format < 2; format++)
        for (int field = 0; field < 5; field++)
            for (int symmetry = 0; symmetry < 4; symmetry++) {
                bool big = field == 4;
                if ((format == MM_ARRAY && field == MM_PATTERN) ||
                    (symmetry == MM_HERMITIAN && field != MM_COMPLEX) ||
                    (symmetry == MM_SKEW_SYMMETRIC && field == MM_PATTERN))
                    continue;
                call((mm_format)format, big ? MM_INTEGER : (mm_field)field, (mm_symmetry)symmetry, big);
            }
}

static void name_type(char *name, size_t size, const mm_record *record, bool big) {
    snprintf(name, size, "%s %s%s %s", mm_format_name(record->format), big ? "big " : "",
             mm_field_name(record->field), mm_symmetry_name(record->symmetry));
}

/* Written and read back: equal, with one thread and four, large enough for several pieces. */
static void test_round_trip(mm_format format, mm_field field, mm_symmetry symmetry, bool big) {
    mm_record record, back;
    mm_read_options options = {0};
    char name[80];
    mm_record_init(&back);
    for (int large = 0; large < 2; large++) {
        int64_t largest = !large ? 8 : format == MM_ARRAY ? 300 : 20000;
        size_t size, other_size;
        make_record(&record, format, field, symmetry, big, largest);
        name_type(name, sizeof name, &record, big);
        char *text = write_text(&record, large ? 7 : 0, 1, &size);
        char *other = write_text(&record, large ? 7 : 0, 4, &other_size);
        tap_ok(size == other_size && memcmp(text, other, size) == 0, "%s: same text with four threads", name);
        for (int threads = 1; threads <= 4; threads += 3) {
            base_status status = read_text(&context, text, size, threads, &options, &back);
            tap_ok(status == BASE_OK && same_record(&record, &back),
                   "%s, %lld entries: reads back, %d threads%s%s", name, (long long)record.nnz, threads,
                   status ? ": " : "", status ? context.error.cause : "");
            tap_ok(options.record_number == (large ? 7 : 0), "its number");
        }
        options.lenient = true;
        base_status status = read_text(&context, text, size, 2, &options, &back);
        options.lenient = false;
        if (format == MM_ARRAY)
            tap_ok(status == BASE_OK && same_record(&record, &back) && options.repairs == 0,
                   "%s: nothing to repair", name);
        else if (!big) /* random positions repeat, and sums of 64-bit integers may not fit */
            tap_ok(status == BASE_OK || strstr(context.error.cause, "beyond") != NULL,
                   "%s: nothing to repair but duplicates", name);
        free(text);
        free(other);
        mm_record_free(&record);
    }
    mm_record_free(&back);
}

/* Cut at any byte a record is refused, but for the end of its last number or of its last line. */
static void test_truncation(mm_format format, mm_field field, mm_symmetry symmetry, bool big) {
    mm_record record, back;
    mm_read_options options = {0};
    char name[80];
    size_t size;
    make_record(&record, format, field, symmetry, big, 3);
    name_type(name, sizeof name, &record, big);
    char *text = write_text(&record, 0, 1, &size);
    size_t last_line = size - 1;
    while (text[last_line - 1] != '\n')
        last_line--;
    int accepted = 0, unexplained = 0;
    mm_record_init(&back);
    for (size_t cut = 0; cut < size; cut++) {
        char *part = malloc(cut > 0 ? cut : 1);
        memcpy(part, text, cut);
        base_status status = read_text(&context, part, cut, 1, &options, &back);
        accepted += status == BASE_OK && cut <= last_line;
        unexplained += status != BASE_OK && (status != BASE_DAMAGED || context.error.place.line == 0);
        free(part);
    }
    tap_ok(accepted == 0 && unexplained == 0, "%s: refused wherever it is cut", name);
    free(text);
    mm_record_free(&record);
    mm_record_free(&back);
}

/* ---- headers that lie ---- */

static void test_bombs(void) {
    static const char *const bombs[] = {
        REAL "4000000000 4000000000 4000000000\n1 1 1\n",
        "%%MatrixMarket matrix array real general\n4000000000 1000000000\n1\n",
        "%%MatrixMarket matrix array complex hermitian\n2147483647 2147483647\n1 0\n",
        "%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n",
        REAL "4611686018427387904 4611686018427387904 4611686018427387904\n1 1 1\n",
        "%%MatrixMarket matrix coordinate integer general\n% integers: big\n9 9 4000000000\n1 1 1\n",
    };
    mm_record record;
    mm_record_init(&record);
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++)
        for (int lenient = 0; lenient < 2; lenient++) {
            struct rusage before, after;
            mm_read_options options = {.lenient = lenient};
            getrusage(RUSAGE_SELF, &before);
            base_status status = read_text(&context, bombs[i], strlen(bombs[i]), 1, &options, &record);
            getrusage(RUSAGE_SELF, &after);
            tap_ok(status == BASE_DAMAGED && after.ru_maxrss - before.ru_maxrss < 4096,
                   "%zu bytes refused with %ld KiB more: %s", strlen(bombs[i]),
                   after.ru_maxrss - before.ru_maxrss, context.error.cause);
        }
    mm_record_free(&record);
}

/* ---- threads ---- */

/* A large text with blank lines, and bad lines at some places: the first is reported, by any number. */
static void test_threads(void) {
    enum { ENTRIES = 60000 };
    size_t capacity = ENTRIES * 32, size;
    char *text = malloc(capacity);
    mm_record one, other;
    mm_read_options options = {0};
    mm_record_init(&one);
    mm_record_init(&other);
    for (int bad = 0; bad < 8; bad++) {
        int64_t line = 2, first_bad = 0;
        size = (size_t)sprintf(text, "%s70000 70000 %d\n", REAL, ENTRIES);
        for (int k = 0; k < ENTRIES; k++) {
            for (; base_random_below(&stream, 50) == 0 && size + 64 < capacity; line++)
                size += (size_t)sprintf(text + size, base_random_below(&stream, 2) ? "\n" : " \r\n");
            line++;
            bool spoil = bad > 0 && base_random_below(&stream, ENTRIES / 4) == 0;
            first_bad = spoil && first_bad == 0 ? line : first_bad;
            size += (size_t)sprintf(text + size, "%d %d %s\n", k + 1, k % 100 + 1, spoil ? "1.5.2" : "1.5");
        }
        base_status status = read_text(&context, text, size, 1, &options, &one);
        base_error error = context.error;
        tap_ok(first_bad == 0 ? status == BASE_OK : error.place.line == first_bad,
               "bad line %lld found (%lld)", (long long)first_bad, (long long)error.place.line);
        for (int threads = 2; threads <= 5; threads++) {
            base_status again = read_text(&context, text, size, threads, &options, &other);
            if (first_bad == 0)
                tap_ok(again == BASE_OK && same_record(&one, &other), "%d threads: the same record", threads);
            else
                tap_ok(again == status && context.error.place.line == error.place.line &&
                           strcmp(context.error.cause, error.cause) == 0,
                       "%d threads: the same error", threads);
        }
    }
    free(text);
    mm_record_free(&one);
    mm_record_free(&other);
}

int main(void) {
    const char *given = getenv("MMPIPE_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : 1;
    tap_note("MMPIPE_SEED=%llu", (unsigned long long)seed);
    base_random_init(&stream, seed, 0);
    base_context_init(&context);
    test_bombs();
    for_each_type(test_round_trip);
    for_each_type(test_truncation);
    test_threads();
    return tap_done();
}
