/* Generated matrices: what every family promises, and that the same seed gives the same matrix. */
#include "mm/generate/generate.h"
#include "base/core/random.h"
#include "mm/metadata/metadata.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_context context;

static mm_generate_options options_of(const char *family, const char *size) {
    mm_generate_options options;
    mm_generate_options_init(&options);
    options.family = family;
    options.size = size;
    return options;
}

static base_status make(mm_generate_options options, int64_t index, mm_record *record) {
    mm_generator *generator = NULL;
    base_status status = mm_generator_open(&context, &options, &generator);
    if (status == BASE_OK)
        status = mm_generate(&context, generator, index, record);
    mm_generator_close(generator);
    return status;
}

static bool same(const mm_record *a, const mm_record *b) {
    size_t n = (size_t)a->nnz, width = a->field == MM_COMPLEX ? 16 : 8;
    return a->nnz == b->nnz && a->nrow == b->nrow && a->ncol == b->ncol &&
           (a->row == NULL || memcmp(a->row, b->row, 8 * n) == 0) &&
           (a->col == NULL || memcmp(a->col, b->col, 8 * n) == 0) &&
           (a->real == NULL || memcmp(a->real, b->real, width * n) == 0) &&
           (a->integer == NULL || memcmp(a->integer, b->integer, 8 * n) == 0);
}

/* Entries column by column, rows ascending, inside the matrix and what its symmetry stores. */
static bool is_in_order(const mm_record *record) {
    if (record->format == MM_ARRAY)
        return record->nnz == mm_array_length(record->nrow, record->ncol, record->symmetry);
    for (int64_t k = 0; k < record->nnz; k++) {
        int64_t row = record->row[k], col = record->col[k];
        if (row < 0 || row >= record->nrow || col < 0 || col >= record->ncol)
            return false;
        if (record->symmetry != MM_GENERAL && row < col)
            return false;
        if (record->symmetry == MM_SKEW_SYMMETRIC && row == col)
            return false;
        if (k > 0 && (col < record->col[k - 1] || (col == record->col[k - 1] && row <= record->row[k - 1])))
            return false;
    }
    return true;
}

static bool has(const mm_record *record, int64_t row, int64_t col) {
    for (int64_t k = 0; k < record->nnz; k++)
        if (record->row[k] == row && record->col[k] == col)
            return true;
    return false;
}

/* ---- every family, in every field and symmetry it takes */

static mm_generate_options families(int i) {
    mm_generate_options all[] = {
        options_of("er", "30x40"),      options_of("er", "37"),           options_of("band", "25"),
        options_of("block", "23"),      options_of("rmat", "32"),         options_of("dense", "7x5"),
        options_of("dense", "6"),       options_of("vector", "9"),        options_of("points", "20x3"),
        options_of("points", NULL),     options_of("permutation", "9"),   options_of("unitary", "5"),
        options_of("constant", "4"),    options_of("ones", "3x5"),        options_of("identity", "5x4"),
        options_of("tridiagonal", "9"), options_of("stencil", "7"),       options_of("stencil", "4x3"),
        options_of("stencil", "3x2x4"), options_of("derangement", "6"),   options_of("menage", "6"),
        options_of("circulant", "7"),   options_of("scheme", "2x3x4"),    options_of("er", "0"),
        options_of("dense", "0x3"),     options_of("tridiagonal", "1x3"), {0},
    };
    mm_generate_options options = all[i];
    if (options.family == NULL)
        return options;
    if (strcmp(options.family, "er") == 0 || strcmp(options.family, "band") == 0)
        options.p = 0.3;
    if (strcmp(options.family, "band") == 0)
        options.bandwidth = "3:2";
    if (strcmp(options.family, "block") == 0)
        options.blocks = 4;
    if (options.size == NULL)
        options.grid = "4x5";
    if (strcmp(options.family, "constant") == 0)
        options.values = "3";
    if (strcmp(options.family, "circulant") == 0)
        options.offsets = "0,-1,3";
    return options;
}

static void check_families(void) {
    for (int i = 0; families(i).family != NULL; i++) {
        int made = 0, wrong = 0;
        for (int variant = 0; variant < 4 * 4 + 1; variant++) {
            mm_generate_options options = families(i);
            if (variant > 0) {
                options.field = (variant - 1) / 4;
                options.symmetry = (variant - 1) % 4;
            }
            mm_record a, b;
            mm_record_init(&a);
            mm_record_init(&b);
            base_status status = make(options, 3, &a);
            if (status == BASE_OK) {
                made++;
                make(options, 3, &b);
                wrong += !same(&a, &b) || !is_in_order(&a);
                if (options.symmetry >= 0)
                    wrong += (int)a.field != options.field || (int)a.symmetry != options.symmetry;
            } else
                wrong += status != BASE_USAGE || variant == 0;
            mm_record_free(&a);
            mm_record_free(&b);
        }
        tap_ok(made > 0 && wrong == 0, "%s: %d variants made, %d wrong", families(i).family, made, wrong);
    }
}

/* ---- random structure */

/* The number of entries of er is binomial; six standard deviations. */
static void check_counts(void) {
    static const double probabilities[] = {0, 1e-4, 0.01, 0.3, 0.5, 0.97, 1};
    for (size_t i = 0; i < sizeof probabilities / sizeof *probabilities; i++) {
        double p = probabilities[i], n = 500, mean = n * n * p, deviation = sqrt(n * n * p * (1 - p));
        mm_generate_options options = options_of("er", "500");
        mm_record record;
        mm_record_init(&record);
        options.p = p;
        bool made = make(options, 1, &record) == BASE_OK;
        tap_ok(made && fabs((double)record.nnz - mean) <= 6 * deviation, "er p=%g: %lld entries, %g expected",
               p, (long long)record.nnz, mean);
        options.diagonal = true;
        made = make(options, 1, &record) == BASE_OK;
        int64_t diagonal = 0;
        for (int64_t k = 0; k < record.nnz; k++)
            diagonal += record.row[k] == record.col[k];
        tap_ok(made && diagonal == 500, "er p=%g --diagonal: %lld on it", p, (long long)diagonal);
        mm_record_free(&record);
    }
}

/* Each position, and each pair of neighbours in a column, is hit as often as independence says. */
static void check_independence(void) {
    enum { N = 6, TRIALS = 4000 };
    int hits[N][N] = {{0}}, pairs = 0, wrong = 0;
    double p = 0.2;
    mm_generate_options options = options_of("er", "6");
    mm_generator *generator = NULL;
    mm_record record;
    mm_record_init(&record);
    options.p = p;
    if (mm_generator_open(&context, &options, &generator) != BASE_OK)
        return;
    for (int64_t index = 1; index <= TRIALS; index++) {
        mm_generate(&context, generator, index, &record);
        for (int64_t k = 0; k < record.nnz; k++) {
            hits[record.row[k]][record.col[k]]++;
            pairs += k > 0 && record.col[k] == record.col[k - 1] && record.row[k] == record.row[k - 1] + 1;
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            wrong += fabs(hits[i][j] - TRIALS * p) > 5 * sqrt(TRIALS * p * (1 - p));
    tap_ok(wrong == 0, "er: every position has its probability (%d do not)", wrong);
    double mean = TRIALS * N * (N - 1) * p * p;
    tap_ok(fabs(pairs - mean) < 6 * sqrt(mean), "er: neighbours are independent (%d pairs, %g expected)",
           pairs, mean);
    mm_generator_close(generator);
    mm_record_free(&record);
}

static void check_random_shapes(void) {
    mm_record record;
    mm_record_init(&record);
    mm_generate_options options = options_of("band", "50x60");
    options.bandwidth = "3:7";
    int64_t expected = 0;
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < 60; j++)
            expected += i - j <= 3 && j - i <= 7;
    make(options, 1, &record);
    bool inside = true;
    for (int64_t k = 0; k < record.nnz; k++)
        inside = inside && record.row[k] - record.col[k] <= 3 && record.col[k] - record.row[k] <= 7;
    tap_ok(inside && record.nnz == expected, "band: full band of %lld entries", (long long)record.nnz);

    options = options_of("block", "11");
    options.blocks = 3; /* 4, 4, 3 */
    options.fill = 0.5;
    make(options, 1, &record);
    int64_t block[11] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2}, in_blocks = 0;
    inside = true;
    for (int64_t k = 0; k < record.nnz; k++) {
        in_blocks += block[record.row[k]] == block[record.col[k]];
        inside = inside && block[record.row[k]] <= block[record.col[k]];
    }
    tap_ok(inside && in_blocks == 16 + 16 + 9 && record.nnz > in_blocks && record.nnz < 41 + 40,
           "block: upper block triangular with full blocks");

    options = options_of("permutation", "100");
    make(options, 1, &record);
    int rows[100] = {0}, cols[100] = {0}, once = 0;
    for (int64_t k = 0; k < record.nnz; k++) {
        rows[record.row[k]]++;
        cols[record.col[k]]++;
    }
    for (int i = 0; i < 100; i++)
        once += rows[i] == 1 && cols[i] == 1;
    tap_ok(once == 100 && record.nnz == 100, "permutation: one entry in every row and column");

    options = options_of("rmat", "1024");
    options.probabilities = "1,0,0,0";
    make(options, 1, &record);
    tap_ok(record.nnz == 1 && record.row[0] == 0 && record.col[0] == 0, "rmat: all in the first quadrant");
    options.probabilities = "0,1,0,0";
    make(options, 1, &record);
    tap_ok(record.nnz == 1 && record.row[0] == 0 && record.col[0] == 1023, "rmat: the second is up right");
    options.probabilities = "0,0,1,0";
    make(options, 1, &record);
    tap_ok(record.nnz == 1 && record.row[0] == 1023 && record.col[0] == 0, "rmat: the third is down left");
    options.probabilities = NULL;
    options.edges = 4;
    make(options, 1, &record);
    int64_t upper = 0, left = 0;
    for (int64_t k = 0; k < record.nnz; k++) {
        upper += record.row[k] < 512;
        left += record.col[k] < 512;
    }
    tap_ok(record.nnz > 2000 && record.nnz <= 4096 && upper > record.nnz * 6 / 10 &&
               left > record.nnz * 6 / 10,
           "rmat: skewed to the first rows and columns");
    mm_record_free(&record);
}

/* ---- fixed families */

static void check_fixed(void) {
    mm_record record;
    mm_record_init(&record);
    mm_generate_options options = options_of("circulant", "5");
    options.offsets = "0,-1,2";
    make(options, 1, &record);
    int wrong = record.nnz != 15;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            int offset = (j - i + 5) % 5;
            wrong += has(&record, i, j) != (offset == 0 || offset == 4 || offset == 2);
        }
    tap_ok(wrong == 0, "circulant: column - row is an offset");

    make(options_of("menage", "5"), 1, &record);
    wrong = record.nnz != 15;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            wrong += has(&record, i, j) == (j == i || j == (i + 1) % 5);
    tap_ok(wrong == 0, "menage: J - I - P");

    make(options_of("derangement", "5"), 1, &record);
    tap_ok(record.nnz == 20 && !has(&record, 2, 2), "derangement: J - I");

    /* Row sums of the 2-D Laplacian vanish inside; each missing neighbour leaves 1. */
    make(options_of("stencil", "4x3"), 1, &record);
    int64_t sums[12] = {0}, total = 0;
    for (int64_t k = 0; k < record.nnz; k++)
        sums[record.row[k]] += record.integer[k];
    for (int i = 0; i < 12; i++)
        total += sums[i];
    tap_ok(record.nrow == 12 && record.nnz == 12 + 2 * (3 * 3 + 4 * 2) && sums[5] == 0 && sums[0] == 2 &&
               total == 2 * 4 + 2 * 3,
           "stencil: row sums of the 4x3 grid");

    options = options_of("points", NULL);
    options.grid = "2x4";
    make(options, 1, &record);
    static const double grid[] = {
        0.25,  0.75,  0.25,  0.75,  0.25,  0.75,  0.25,  0.75, /* then the second coordinate */
        0.125, 0.125, 0.375, 0.375, 0.625, 0.625, 0.875, 0.875};
    tap_ok(record.nrow == 8 && record.ncol == 2 && memcmp(record.real, grid, sizeof grid) == 0,
           "points: centres of the cells of a grid");
    options.perturb = 1;
    make(options, 1, &record);
    wrong = 0;
    for (int k = 0; k < 16; k++)
        wrong += fabs(record.real[k] - grid[k]) > (k < 8 ? 0.25 : 0.125) || record.real[k] == grid[k];
    tap_ok(wrong == 0, "points: perturbed within their cells");
    mm_record_free(&record);
}

/* ---- values */

static void check_values(void) {
    mm_record record;
    mm_record_init(&record);
    context.seed = 77;
    mm_generate_options options = options_of("vector", "1000");
    make(options, 5, &record);
    base_random random;
    base_random_init(&random, 77, 2 * 5 + 1);
    int wrong = 0;
    for (int64_t k = 0; k < 1000; k++)
        wrong += record.real[k] != 1 - base_random_uniform(&random);
    tap_ok(wrong == 0, "uniform values are 1 - u of the record's second stream");

    options.values = "int:-3:4";
    make(options, 1, &record);
    int seen[8] = {0}, count = 0;
    for (int64_t k = 0; k < record.nnz; k++)
        if (record.integer[k] >= -3 && record.integer[k] <= 4)
            seen[record.integer[k] + 3]++;
    for (int i = 0; i < 8; i++)
        count += seen[i] > 60; /* 125 expected */
    tap_ok(count == 8, "int:-3:4 gives each of the eight");

    options.values = "int:-9223372036854775808:9223372036854775807";
    make(options, 1, &record);
    int negative = 0;
    for (int64_t k = 0; k < record.nnz; k++)
        negative += record.integer[k] < 0;
    tap_ok(negative > 400 && negative < 600, "the whole range of 64 bits");

    options.values = "pm1";
    make(options, 1, &record);
    negative = 0;
    wrong = 0;
    for (int64_t k = 0; k < record.nnz; k++) {
        negative += record.integer[k] == -1;
        wrong += record.integer[k] != 1 && record.integer[k] != -1;
    }
    tap_ok(wrong == 0 && negative > 400 && negative < 600, "pm1 gives both signs");

    options.values = "uniform:-2:3";
    make(options, 1, &record);
    double least = 9, most = -9;
    for (int64_t k = 0; k < record.nnz; k++) {
        least = fmin(least, record.real[k]);
        most = fmax(most, record.real[k]);
    }
    tap_ok(least >= -2 && least < -1.8 && most > 2.8 && most <= 3, "uniform:-2:3 fills its range");

    options.values = "-2.5";
    make(options, 1, &record);
    tap_ok(record.field == MM_REAL && record.real[999] == -2.5, "a constant");
    options.values = "7";
    make(options, 1, &record);
    tap_ok(record.field == MM_INTEGER && record.integer[999] == 7, "a whole constant is an integer");

    mm_record other;
    mm_record_init(&other);
    options = options_of("er", "40");
    options.p = 0.2;
    make(options, 1, &record);
    make(options, 2, &other);
    tap_ok(!same(&record, &other), "another index, another matrix");
    context.seed = 78;
    make(options, 1, &other);
    tap_ok(!same(&record, &other), "another seed, another matrix");
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
    make(options_of("scheme", "2x3x2"), 1, &record);
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
        {"an unknown family", options_of("foo", "3"), BASE_USAGE},
        {"no size", options_of("ones", NULL), BASE_USAGE},
        {"a negative size", options_of("ones", "-3"), BASE_USAGE},
        {"a size of letters", options_of("ones", "x"), BASE_USAGE},
        {"a size with a blank end", options_of("ones", "3x"), BASE_USAGE},
        {"too many sizes", options_of("ones", "3x3x3"), BASE_USAGE},
        {"too few sizes", options_of("scheme", "3x3"), BASE_USAGE},
        {"a rectangular derangement", options_of("derangement", "3x4"), BASE_USAGE},
        {"er without p", options_of("er", "3"), BASE_USAGE},
        {"an rmat that is no power of 2", options_of("rmat", "12"), BASE_USAGE},
        {"circulant without offsets", options_of("circulant", "12"), BASE_USAGE},
        {"constant without value", options_of("constant", "12"), BASE_USAGE},
        {"ones beyond the memory", options_of("ones", "10000000"), BASE_MACHINE},
        {"ones beyond 2^63", options_of("ones", "9000000000000000000"), BASE_MACHINE},
        {"a stencil beyond 2^63", options_of("stencil", "9000000000x9000000000x2"), BASE_USAGE},
        {"a number beyond 2^63", options_of("ones", "99999999999999999999"), BASE_USAGE},
    };
    context.memory_bytes = (int64_t)1 << 33;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_ok(make(cases[i].options, 1, &record) == cases[i].status, "%s is refused: %s", cases[i].what,
               context.error.cause);
    mm_generate_options options = options_of("dense", "3");
    options.p = 0.5;
    tap_ok(make(options, 1, &record) == BASE_USAGE, "an option without meaning is refused: %s",
           context.error.cause);
    options = options_of("circulant", "5");
    options.offsets = "1";
    options.symmetry = MM_SYMMETRIC;
    tap_ok(make(options, 1, &record) == BASE_USAGE, "a symmetry that is not there: %s", context.error.cause);
    mm_record_free(&record);
}

int main(void) {
    base_context_init(&context);
    check_families();
    check_counts();
    check_independence();
    check_random_shapes();
    check_fixed();
    check_values();
    check_scheme();
    check_refusals();
    return tap_done();
}
