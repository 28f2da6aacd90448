/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated matrices: what every family promises, and that the same seed gives the same matrix. */
#include "tests/support/generated.h"
#include "tests/support/tap.h"

#include <math.h>
#include <string.h>

static base_context context;

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
        generated_options("er", "30x40"),
        generated_options("er", "37"),
        generated_options("band", "25"),
        generated_options("block", "23"),
        generated_options("rmat", "32"),
        generated_options("dense", "7x5"),
        generated_options("dense", "6"),
        generated_options("vector", "9"),
        generated_options("points", "20x3"),
        generated_options("points", NULL),
        generated_options("permutation", "9"),
        generated_options("unitary", "5"),
        generated_options("constant", "4"),
        generated_options("ones", "3x5"),
        generated_options("identity", "5x4"),
        generated_options("tridiagonal", "9"),
        generated_options("stencil", "7"),
        generated_options("stencil", "4x3"),
        generated_options("stencil", "3x2x4"),
        generated_options("derangement", "6"),
        generated_options("menage", "6"),
        generated_options("circulant", "7"),
        generated_options("scheme", "2x3x4"),
        generated_options("er", "0"),
        generated_options("dense", "0x3"),
        generated_options("tridiagonal", "1x3"),
        {0},
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
            base_status status = generated_make(&context, options, 3, &a);
            if (status == BASE_OK) {
                made++;
                generated_make(&context, options, 3, &b);
                wrong += !generated_same(&a, &b) || !is_in_order(&a);
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
        mm_generate_options options = generated_options("er", "500");
        mm_record record;
        mm_record_init(&record);
        options.p = p;
        bool made = generated_make(&context, options, 1, &record) == BASE_OK;
        tap_ok(made && fabs((double)record.nnz - mean) <= 6 * deviation, "er p=%g: %lld entries, %g expected",
               p, (long long)record.nnz, mean);
        options.diagonal = true;
        made = generated_make(&context, options, 1, &record) == BASE_OK;
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
    mm_generate_options options = generated_options("er", "6");
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
    mm_generate_options options = generated_options("band", "50x60");
    options.bandwidth = "3:7";
    int64_t expected = 0;
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < 60; j++)
            expected += i - j <= 3 && j - i <= 7;
    generated_make(&context, options, 1, &record);
    bool inside = true;
    for (int64_t k = 0; k < record.nnz; k++)
        inside = inside && record.row[k] - record.col[k] <= 3 && record.col[k] - record.row[k] <= 7;
    tap_ok(inside && record.nnz == expected, "band: full band of %lld entries", (long long)record.nnz);

    options = generated_options("block", "11");
    options.blocks = 3; /* 4, 4, 3 */
    options.fill = 0.5;
    generated_make(&context, options, 1, &record);
    int64_t block[11] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2}, in_blocks = 0;
    inside = true;
    for (int64_t k = 0; k < record.nnz; k++) {
        in_blocks += block[record.row[k]] == block[record.col[k]];
        inside = inside && block[record.row[k]] <= block[record.col[k]];
    }
    tap_ok(inside && in_blocks == 16 + 16 + 9 && record.nnz > in_blocks && record.nnz < 41 + 40,
           "block: upper block triangular with full blocks");

    options = generated_options("permutation", "100");
    generated_make(&context, options, 1, &record);
    int rows[100] = {0}, cols[100] = {0}, once = 0;
    for (int64_t k = 0; k < record.nnz; k++) {
        rows[record.row[k]]++;
        cols[record.col[k]]++;
    }
    for (int i = 0; i < 100; i++)
        once += rows[i] == 1 && cols[i] == 1;
    tap_ok(once == 100 && record.nnz == 100, "permutation: one entry in every row and column");

    options = generated_options("rmat", "1024");
    options.probabilities = "1,0,0,0";
    generated_make(&context, options, 1, &record);
    tap_ok(record.nnz == 1 && record.row[0] == 0 && record.col[0] == 0, "rmat: all in the first quadrant");
    options.probabilities = "0,1,0,0";
    generated_make(&context, options, 1, &record);
    tap_ok(record.nnz == 1 && record.row[0] == 0 && record.col[0] == 1023, "rmat: the second is up right");
    options.probabilities = "0,0,1,0";
    generated_make(&context, options, 1, &record);
    tap_ok(record.nnz == 1 && record.row[0] == 1023 && record.col[0] == 0, "rmat: the third is down left");
    options.probabilities = NULL;
    options.edges = 4;
    generated_make(&context, options, 1, &record);
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
    mm_generate_options options = generated_options("circulant", "5");
    options.offsets = "0,-1,2";
    generated_make(&context, options, 1, &record);
    int wrong = record.nnz != 15;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            int offset = (j - i + 5) % 5;
            wrong += has(&record, i, j) != (offset == 0 || offset == 4 || offset == 2);
        }
    tap_ok(wrong == 0, "circulant: column - row is an offset");

    generated_make(&context, generated_options("menage", "5"), 1, &record);
    wrong = record.nnz != 15;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            wrong += has(&record, i, j) == (j == i || j == (i + 1) % 5);
    tap_ok(wrong == 0, "menage: J - I - P");

    generated_make(&context, generated_options("derangement", "5"), 1, &record);
    tap_ok(record.nnz == 20 && !has(&record, 2, 2), "derangement: J - I");

    /* Row sums of the 2-D Laplacian vanish inside; each missing neighbour leaves 1. */
    generated_make(&context, generated_options("stencil", "4x3"), 1, &record);
    int64_t sums[12] = {0}, total = 0;
    for (int64_t k = 0; k < record.nnz; k++)
        sums[record.row[k]] += record.integer[k];
    for (int i = 0; i < 12; i++)
        total += sums[i];
    tap_ok(record.nrow == 12 && record.nnz == 12 + 2 * (3 * 3 + 4 * 2) && sums[5] == 0 && sums[0] == 2 &&
               total == 2 * 4 + 2 * 3,
           "stencil: row sums of the 4x3 grid");

    options = generated_options("points", NULL);
    options.grid = "2x4";
    generated_make(&context, options, 1, &record);
    static const double grid[] = {
        0.25,  0.75,  0.25,  0.75,  0.25,  0.75,  0.25,  0.75, /* then the second coordinate */
        0.125, 0.125, 0.375, 0.375, 0.625, 0.625, 0.875, 0.875};
    tap_ok(record.nrow == 8 && record.ncol == 2 && memcmp(record.real, grid, sizeof grid) == 0,
           "points: centres of the cells of a grid");
    options.perturb = 1;
    generated_make(&context, options, 1, &record);
    wrong = 0;
    for (int k = 0; k < 16; k++)
        wrong += fabs(record.real[k] - grid[k]) > (k < 8 ? 0.25 : 0.125) || record.real[k] == grid[k];
    tap_ok(wrong == 0, "points: perturbed within their cells");
    mm_record_free(&record);
}

int main(void) {
    base_context_init(&context);
    check_families();
    check_counts();
    check_independence();
    check_random_shapes();
    check_fixed();
    return tap_done();
}
