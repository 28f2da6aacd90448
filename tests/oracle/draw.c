/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracle/draw.h"

#include "mm/metadata/metadata.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int below(base_random *random, int bound) {
    return (int)base_random_below(random, (uint64_t)bound);
}

static double between(base_random *random, double low, double high) {
    return low + (high - low) * base_random_uniform(random);
}

/* ---- numbers ---- */

static void put_double(double number, char *text) {
    snprintf(text, ORACLE_TEXT, "%.17g", number);
}

static void put_ones(base_random *random, mm_field field, int row, char *text) {
    (void)field, (void)row;
    snprintf(text, ORACLE_TEXT, "%d", below(random, 4) == 0 ? -1 : 1);
}

static void put_small(base_random *random, mm_field field, int row, char *text) {
    (void)field, (void)row;
    snprintf(text, ORACLE_TEXT, "%d", below(random, 11) - 5);
}

/* Integers of up to 40 digits, or doubles that are integers of up to 53 bits. */
static void put_large(base_random *random, mm_field field, int row, char *text) {
    (void)row;
    const int digits = 1 + below(random, field == MM_INTEGER ? 40 : 15);
    char *to = text;
    if (below(random, 2))
        *to++ = '-';
    *to++ = (char)('1' + below(random, 9));
    for (int k = 1; k < digits; k++)
        *to++ = (char)('0' + below(random, 10));
    *to = '\0';
}

static void put_positive(base_random *random, mm_field field, int row, char *text) {
    (void)field, (void)row;
    put_double(base_random_uniform(random), text);
}

static void put_signed(base_random *random, mm_field field, int row, char *text) {
    (void)field, (void)row;
    put_double(between(random, -1, 1), text);
}

static void put_decimal(base_random *random, mm_field field, int row, char *text) {
    (void)field, (void)row;
    const int number = below(random, 200001) - 100000, places = below(random, 9);
    if (below(random, 3) == 0)
        snprintf(text, ORACLE_TEXT, "%de%d", number / 100, below(random, 9) - 6);
    else
        snprintf(text, ORACLE_TEXT, "%.*f", places, number / pow(10, places));
}

/* Any double, of every magnitude alike. */
static void put_wild(base_random *random, mm_field field, int row, char *text) {
    (void)field, (void)row;
    put_double(ldexp(between(random, -1, 1), below(random, 2090) - 1065), text);
}

static void put_tiny(base_random *random, mm_field field, int row, char *text) {
    (void)field, (void)row;
    put_double(ldexp(between(random, -1, 1), -1000 - below(random, 70)), text);
}

static void put_huge(base_random *random, mm_field field, int row, char *text) {
    (void)field, (void)row;
    put_double(ldexp(between(random, -1, 1), 1024 - below(random, 20)), text);
}

/* Each row of its own magnitude. */
static void put_scaled(base_random *random, mm_field field, int row, char *text) {
    (void)field;
    put_double(ldexp(between(random, -1, 1), (row * 911 % 14 - 7) * 40), text);
}

static void put_half(base_random *random, mm_field field, int row, char *text) {
    (void)random, (void)field, (void)row;
    snprintf(text, ORACLE_TEXT, "0.3");
}

typedef void put_number(base_random *random, mm_field field, int row, char *text);
static const struct {
    const char *name;
    put_number *put;
    bool whole;  /* fits integers */
    int largest; /* order: numbers of all magnitudes take long */
} numbers[] = {
    {"plus and minus one", put_ones, true, ORACLE_ORDER},
    {"small integers", put_small, true, ORACLE_ORDER},
    {"large integers", put_large, true, ORACLE_ORDER},
    {"positive", put_positive, false, ORACLE_ORDER},
    {"signed", put_signed, false, ORACLE_ORDER},
    {"decimals", put_decimal, false, ORACLE_ORDER},
    {"all magnitudes", put_wild, false, 7},
    {"tiny", put_tiny, false, ORACLE_ORDER},
    {"huge", put_huge, false, ORACLE_ORDER},
    {"rows of different magnitudes", put_scaled, false, 10},
    {"equal", put_half, false, ORACLE_ORDER},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* ---- positions ---- */

typedef bool places[ORACLE_ORDER][ORACLE_ORDER];

static void fill(base_random *random, double density, int nrow, int ncol, places is_there) {
    for (int i = 0; i < nrow; i++)
        for (int j = 0; j < ncol; j++)
            is_there[i][j] = base_random_uniform(random) < density;
}

static void place_dense(base_random *random, int nrow, int ncol, places is_there) {
    fill(random, 1, nrow, ncol, is_there);
}

static void place_sparse(base_random *random, int nrow, int ncol, places is_there) {
    fill(random, between(random, 0.15, 0.8), nrow, ncol, is_there);
    for (int i = 0; i < nrow && i < ncol && below(random, 2); i++)
        is_there[i][i] = true;
}

/* Zeros of so many rows and columns together that no perfect matching is left. */
static void place_singular(base_random *random, int nrow, int ncol, places is_there) {
    fill(random, between(random, 0.5, 1), nrow, ncol, is_there);
    const int rows = 1 + below(random, nrow), cols = ncol + 1 - rows;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            is_there[i][j] = false;
}

/* Block upper triangular; lines are permuted later. */
static void place_blocks(base_random *random, int nrow, int ncol, places is_there) {
    const double inside = between(random, 0.5, 1), above = between(random, 0, 0.5);
    int block[ORACLE_ORDER] = {0};
    for (int j = 1; j < ORACLE_ORDER; j++)
        block[j] = block[j - 1] + (below(random, 3) == 0);
    for (int i = 0; i < nrow; i++)
        for (int j = 0; j < ncol; j++)
            is_there[i][j] = i == j || (block[i] <= block[j] && base_random_uniform(random) <
                                                                    (block[i] == block[j] ? inside : above));
}

static void place_band(base_random *random, int nrow, int ncol, places is_there) {
    const int low = below(random, 3), high = 1 + below(random, 2);
    for (int i = 0; i < nrow; i++)
        for (int j = 0; j < ncol; j++)
            is_there[i][j] = j - i <= high && i - j <= low;
}

static const struct {
    const char *name;
    void (*place)(base_random *random, int nrow, int ncol, places is_there);
} structures[] = {{"dense", place_dense},   {"sparse", place_sparse},    {"singular", place_singular},
                  {"blocks", place_blocks}, {"band", place_band},        {"equal lines", place_dense},
                  {"zero", place_blocks},   {"cancelling", place_blocks}};
enum { STRUCTURES = sizeof structures / sizeof *structures, EQUAL_LINES = 5, ZERO = 6, CANCELLING = 7 };

/* ---- matrices ---- */

enum { LARGE_SHARE = 200 /* one in so many is large, and takes longer than the others together */ };

static void shuffle(base_random *random, int *order, int n) {
    for (int k = 0; k < n; k++)
        order[k] = k;
    for (int k = n - 1; k > 0; k--) {
        const int other = below(random, k + 1), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
}

/* The first two rows and columns become a block [a b; c d] of its own with ad = -bc, or nearly so. */
static void cancel(base_random *random, bool exactly, oracle_matrix *matrix, places is_there,
                   char text[ORACLE_ORDER][ORACLE_ORDER][2][ORACLE_TEXT]) {
    if (matrix->nrow != matrix->ncol || matrix->nrow < 2 || matrix->field == MM_PATTERN)
        return;
    for (int i = 0; i < matrix->nrow; i++)
        for (int j = 0; j < 2; j++)
            is_there[i][j] = i < 2;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const int number = 3 + 2 * i;
            snprintf(text[i][j][0], ORACLE_TEXT, "%s%d", i + j == 2 ? "-" : "", number);
            snprintf(text[i][j][1], ORACLE_TEXT, "0");
        }
    if (!exactly && matrix->field != MM_INTEGER)
        put_double(5 + ldexp(1, -below(random, 51)), text[1][0][0]);
}

static void draw_counts(base_random *random, oracle_matrix *matrix) {
    int *const count[] = {matrix->row_count, matrix->col_count}, n[] = {matrix->nrow, matrix->ncol};
    matrix->is_counted = below(random, 6) == 0;
    for (int side = 0; side < 2; side++) {
        int left = 10;
        for (int k = 0; k < n[side]; k++) {
            const int many = matrix->is_counted ? below(random, 4) : 1;
            count[side][k] = many < left || !matrix->is_counted ? many : 0;
            left -= count[side][k];
        }
    }
}

static int draw_order(base_random *random, int largest) {
    const int kind = below(random, 100), n = kind < 70   ? below(random, 8)
                                             : kind < 97 ? 5 + below(random, 6)
                                                         : 11 + below(random, 4);
    return n < largest ? n : largest;
}

static void draw_shape(base_random *random, int structure, int largest, oracle_matrix *matrix) {
    matrix->nrow = matrix->ncol = draw_order(random, largest);
    if (structure < ZERO && below(random, 5) == 0)
        matrix->ncol = draw_order(random, largest);
    if (structures[structure].place == place_singular && (matrix->nrow == 0 || matrix->ncol == 0))
        matrix->nrow = matrix->ncol = 1;
}

/* All entries but what fields cannot hold; `equal` copies earlier rows and columns. */
static void draw_texts(base_random *random, put_number *put, bool equal, const oracle_matrix *matrix,
                       char text[ORACLE_ORDER][ORACLE_ORDER][2][ORACLE_TEXT]) {
    const int rows = equal ? 1 + below(random, 3) : ORACLE_ORDER,
              cols = equal ? 1 + below(random, 3) : ORACLE_ORDER;
    for (int i = 0; i < matrix->nrow; i++)
        for (int j = 0; j < matrix->ncol; j++) {
            for (int part = 0; part < 2; part++)
                if (i >= rows || j >= cols)
                    strcpy(text[i][j][part], text[i % rows][j % cols][part]);
                else
                    put(random, matrix->field, i, text[i][j][part]);
            if (matrix->field == MM_COMPLEX && below(random, 5) == 0 && !equal)
                strcpy(text[i][j][below(random, 2)], "0");
        }
}

void oracle_draw(base_random *random, oracle_matrix *matrix) {
    static char text[ORACLE_ORDER][ORACLE_ORDER][2][ORACLE_TEXT];
    places is_there = {{false}};
    int row[ORACLE_ORDER], col[ORACLE_ORDER];
    if (below(random, LARGE_SHARE) == 0) {
        oracle_draw_products(random, matrix);
        return;
    }
    const int structure = below(random, STRUCTURES), kind = below(random, NUMBERS);
    *matrix = (oracle_matrix){.structure = structures[structure].name, .numbers = numbers[kind].name};
    matrix->field = (mm_field)(numbers[kind].whole ? below(random, 4) : MM_REAL + below(random, 2));
    draw_shape(random, structure, numbers[kind].largest, matrix);
    draw_counts(random, matrix);
    structures[structure].place(random, matrix->nrow, matrix->ncol, is_there);
    draw_texts(random, numbers[kind].put, structure == EQUAL_LINES, matrix, text);
    if (structure == ZERO || structure == CANCELLING)
        cancel(random, structure == ZERO, matrix, is_there, text);
    shuffle(random, row, matrix->nrow);
    shuffle(random, col, matrix->ncol);
    for (int j = 0; j < matrix->ncol; j++)
        for (int i = 0; i < matrix->nrow; i++) {
            if (!is_there[row[i]][col[j]])
                continue;
            oracle_entry *entry = &matrix->entry[matrix->count++];
            *entry = (oracle_entry){.row = i, .col = j};
            for (int part = 0; part < (matrix->field == MM_PATTERN   ? 0
                                       : matrix->field == MM_COMPLEX ? 2
                                                                     : 1);
                 part++)
                strcpy(entry->text[part], text[row[i]][col[j]][part]);
        }
}
