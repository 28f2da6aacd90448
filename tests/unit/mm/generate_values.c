/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of generated matrices, schemes, and what the generator refuses. */
#include "base/core/random.h"
#include "mm/metadata/metadata.h"
#include "tests/support/generated.h"
#include "tests/support/tap.h"

#include <math.h>
#include <string.h>

static base_context context;

/* ---- values */

static void check_values(void) {
    mm_record record;
    mm_record_init(&record);
    context.seed = 77;
    mm_generate_options options = generated_options("vector", "1000");
    generated_make(&context, options, 5, &record);
    base_random random;
    base_random_init(&random, 77, 2 * 5 + 1);
    int wrong = 0;
    for (int64_t k = 0; k < 1000; k++)
        wrong += record.real[k] != 1 - base_random_uniform(&random);
    tap_ok(wrong == 0, "uniform values are 1 - u of the record's second stream");

    options.values = "int:-3:4";
    generated_make(&context, options, 1, &record);
    int seen[8] = {0}, count = 0;
    for (int64_t k = 0; k < record.nnz; k++)
        if (record.integer[k] >= -3 && record.integer[k] <= 4)
            seen[record.integer[k] + 3]++;
    for (int i = 0; i < 8; i++)
        count += seen[i] > 60; /* 125 expected */
    tap_ok(count == 8, "int:-3:4 gives each of the eight");

    options.values = "int:-9223372036854775808:9223372036854775807";
    generated_make(&context, options, 1, &record);
    int negative = 0;
    for (int64_t k = 0; k < record.nnz; k++)
        negative += record.integer[k] < 0;
    tap_ok(negative > 400 && negative < 600, "the whole range of 64 bits");

    options.values = "pm1";
    generated_make(&context, options, 1, &record);
    negative = 0;
    wrong = 0;
    for (int64_t k = 0; k < record.nnz; k++) {
        negative += record.integer[k] == -1;
        wrong += record.integer[k] != 1 && record.integer[k] != -1;
    }
    tap_ok(wrong == 0 && negative > 400 && negative < 600, "pm1 gives both signs");

    options.values = "uniform:-2:3";
    generated_make(&context, options, 1, &record);
    double least = 9, most = -9;
    for (int64_t k = 0; k < record.nnz; k++) {
        least = fmin(least, record.real[k]);
        most = fmax(most, record.real[k]);
    }
    tap_ok(least >= -2 && least < -1.8 && most > 2.8 && most <= 3, "uniform:-2:3 fills its range");

    options.values = "-2.5";
    generated_make(&context, options, 1, &record);
    tap_ok(record.field == MM_REAL && record.real[999] == -2.5, "a constant");
    options.values = "7";
    generated_make(&context, options, 1, &record);
    tap_ok(record.field == MM_INTEGER && record.integer[999] == 7, "a whole constant is an integer");

    mm_record other;
    mm_record_init(&other);
    options = generated_options("er", "40");
    options.p = 0.2;
    generated_make(&context, options, 1, &record);
    generated_make(&context, options, 2, &other);
    tap_ok(!generated_same(&record, &other), "another index, another matrix");
    context.seed = 78;
    generated_make(&context, options, 1, &other);
    tap_ok(!generated_same(&record, &other), "another seed, another matrix");
    context.seed = 1;
    mm_record_free(&record);
    mm_record_free(&other);
}

/* ---- schemes */

static int64_t at(const mm_record *record, int64_t row, int64_t col) {
    int64_t sum = 0;
    for (int64_t k = 0; k < record->nnz; k++)
        if (record->row[k] == row && record->col[k] == col)
            sum += record->integer[k];
    return sum;
}

static void check_scheme(void) {
    enum { N = 2, M = 3, P = 2 };
    mm_record record;
    char value[32];
    mm_record_init(&record);
    generated_make(&context, generated_options("scheme", "2x3x2"), 1, &record);
    int wrong = record.nrow != N * M + M * P + N * P || record.ncol != N * M * P;
    for (int a = 0; a < N * M && wrong == 0; a++)
        for (int b = 0; b < M * P; b++)
            for (int c = 0; c < N * P; c++) {
                int64_t sum = 0;
                for (int64_t r = 0; r < record.ncol; r++)
                    sum += at(&record, a, r) * at(&record, N * M + b, r) * at(&record, N * M + M * P + c, r);
                wrong += sum != (a / M == c / P && a % M == b / P && b % P == c % P);
            }
    tap_ok(wrong == 0, "scheme: expands to the matrix product");
    tap_ok(record.kind == MM_SCHEME && mm_metadata_get(&record, "scheme", value, sizeof value) &&
               strcmp(value, "2x3x2") == 0,
           "scheme: says its format");
    mm_record_free(&record);
}

/* ---- refusals */

static void check_refusals(void) {
    mm_record record;
    mm_record_init(&record);
    struct {
        const char *what;
        mm_generate_options options;
        base_status status;
    } cases[] = {
        {"an unknown family", generated_options("foo", "3"), BASE_USAGE},
        {"no size", generated_options("ones", NULL), BASE_USAGE},
        {"a negative size", generated_options("ones", "-3"), BASE_USAGE},
        {"a size of letters", generated_options("ones", "x"), BASE_USAGE},
        {"a size with a blank end", generated_options("ones", "3x"), BASE_USAGE},
        {"too many sizes", generated_options("ones", "3x3x3"), BASE_USAGE},
        {"too few sizes", generated_options("scheme", "3x3"), BASE_USAGE},
        {"a rectangular derangement", generated_options("derangement", "3x4"), BASE_USAGE},
        {"er without p", generated_options("er", "3"), BASE_USAGE},
        {"an rmat that is no power of 2", generated_options("rmat", "12"), BASE_USAGE},
        {"circulant without offsets", generated_options("circulant", "12"), BASE_USAGE},
        {"constant without value", generated_options("constant", "12"), BASE_USAGE},
        {"ones beyond the memory", generated_options("ones", "10000000"), BASE_MACHINE},
        {"ones beyond 2^63", generated_options("ones", "9000000000000000000"), BASE_MACHINE},
        {"a stencil beyond 2^63", generated_options("stencil", "9000000000x9000000000x2"), BASE_USAGE},
        {"a number beyond 2^63", generated_options("ones", "99999999999999999999"), BASE_USAGE},
    };
    context.memory_bytes = (int64_t)1 << 33;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_ok(generated_make(&context, cases[i].options, 1, &record) == cases[i].status, "%s is refused: %s",
               cases[i].what, context.error.cause);
    mm_generate_options options = generated_options("dense", "3");
    options.p = 0.5;
    tap_ok(generated_make(&context, options, 1, &record) == BASE_USAGE,
           "an option without meaning is refused: %s", context.error.cause);
    options = generated_options("circulant", "5");
    options.offsets = "1";
    options.symmetry = MM_SYMMETRIC;
    tap_ok(generated_make(&context, options, 1, &record) == BASE_USAGE, "a symmetry that is not there: %s",
           context.error.cause);
    mm_record_free(&record);
}

int main(void) {
    base_context_init(&context);
    check_values();
    check_scheme();
    check_refusals();
    return tap_done();
}
