/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracle/reference.h"

#include "tests/oracle/number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- entries ---- */

/* integer times base^exponent */
typedef struct scaled {
    fmpz_t integer;
    slong exponent;
} scaled;

static void read_double(const char *text, scaled *to) {
    int exponent;
    const double fraction = frexp(strtod(text, NULL), &exponent);
    fmpz_set_d(to->integer, ldexp(fraction, 53));
    to->exponent = exponent - 53;
}

static void read_entry(const char *text, bool exactly, scaled *to) {
    if (*text == '\0')
        fmpz_zero(to->integer);
    else if (exactly)
        oracle_read_decimal(text, to->integer, &to->exponent);
    else
        read_double(text, to);
}

/* ---- the sum over sets of columns ---- */

/* Rows and columns as often as they stand, rows not more than columns; integers after each row was multiplied
 * by a power of the base. */
typedef struct square {
    int rows, cols;
    bool is_complex;
    slong exponent; /* the permanent is that of the integers times base^exponent */
    fmpz entry[ORACLE_ORDER][ORACLE_ORDER][2];
} square;

static int repeat(const int *count, int n, int *line) {
    int length = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < count[k]; i++)
            line[length++] = k;
    return length;
}

/* Integers for row `i` of the square, which is row or column `line` of the matrix. */
static void set_row(const oracle_matrix *matrix, bool is_transposed, bool exactly, int i, int line,
                    const int *cross, square *to) {
    const ulong base = exactly ? 10 : 2;
    scaled number[ORACLE_ORDER][2];
    slong least = WORD_MAX;
    fmpz_t power;
    fmpz_init(power);
    for (int j = 0; j < to->cols; j++)
        for (int part = 0; part < 2; part++) {
            fmpz_init(number[j][part].integer);
            number[j][part].exponent = 0;
            for (int k = 0; k < matrix->count; k++) {
                const oracle_entry *entry = &matrix->entry[k];
                if ((is_transposed ? entry->col : entry->row) != line ||
                    (is_transposed ? entry->row : entry->col) != cross[j])
                    continue;
                if (matrix->field == MM_PATTERN)
                    fmpz_set_si(number[j][part].integer, part == 0);
                else
                    read_entry(entry->text[part], exactly, &number[j][part]);
            }
            if (!fmpz_is_zero(number[j][part].integer) && number[j][part].exponent < least)
                least = number[j][part].exponent;
        }
    for (int j = 0; j < to->cols; j++)
        for (int part = 0; part < 2; part++) {
            scaled *from = &number[j][part];
            fmpz_set_ui(power, base);
            fmpz_pow_ui(power, power, fmpz_is_zero(from->integer) ? 0 : (ulong)(from->exponent - least));
            fmpz_mul(&to->entry[i][j][part], from->integer, power);
            to->is_complex = to->is_complex || (part == 1 && !fmpz_is_zero(from->integer));
            fmpz_clear(from->integer);
        }
    to->exponent += least == WORD_MAX ? 0 : least;
    fmpz_clear(power);
}

static void make_square(const oracle_matrix *matrix, bool exactly, square *to) {
    int row[ORACLE_ORDER], col[ORACLE_ORDER];
    const int nrow = repeat(matrix->row_count, matrix->nrow, row),
              ncol = repeat(matrix->col_count, matrix->ncol, col);
    const bool is_transposed = nrow > ncol;
    *to = (square){.rows = is_transposed ? ncol : nrow, .cols = is_transposed ? nrow : ncol};
    for (int i = 0; i < to->rows; i++)
        set_row(matrix, is_transposed, exactly, i, is_transposed ? col[i] : row[i], is_transposed ? row : col,
                to);
}

/* to += a b */
static void add_product(const square *from, fmpz *to, const fmpz *a, const fmpz *b) {
    fmpz_addmul(&to[0], &a[0], &b[0]);
    if (!from->is_complex)
        return;
    fmpz_submul(&to[0], &a[1], &b[1]);
    fmpz_addmul(&to[1], &a[0], &b[1]);
    fmpz_addmul(&to[1], &a[1], &b[0]);
}

static void sum_sets(const square *from, fmpz *re, fmpz *im) {
    static fmpz table[1 << ORACLE_ORDER][2]; /* zeros of fmpz are zeros of memory */
    fmpz sum[2] = {0, 0};
    fmpz_one(&table[0][0]);
    fmpz_zero(&table[0][1]);
    for (unsigned set = 0; set < 1u << from->cols; set++) {
        const int size = __builtin_popcount(set);
        if (size > from->rows)
            continue;
        for (int part = 0; part < 2 && size > 0; part++)
            fmpz_zero(&table[set][part]);
        for (int j = 0; j < from->cols; j++) {
            const fmpz *entry = size > 0 ? from->entry[size - 1][j] : NULL;
            if (set >> j & 1 && !(fmpz_is_zero(&entry[0]) && fmpz_is_zero(&entry[1])))
                add_product(from, table[set], entry, table[set ^ 1u << j]);
        }
        if (size == from->rows)
            for (int part = 0; part < 2; part++)
                fmpz_add(&sum[part], &sum[part], &table[set][part]);
    }
    fmpz_swap(re, &sum[0]);
    fmpz_swap(im, &sum[1]);
    fmpz_clear(&sum[0]);
    fmpz_clear(&sum[1]);
}

void oracle_permanent(const oracle_matrix *matrix, bool decimal, oracle_number *permanent) {
    const bool exactly = decimal || matrix->field == MM_INTEGER;
    static square from;
    fmpz_t part[2];
    if (matrix->has_factors) {
        oracle_permanent_of_products(matrix, permanent);
        return;
    }
    make_square(matrix, exactly, &from);
    for (int k = 0; k < 2; k++)
        fmpz_init(part[k]);
    sum_sets(&from, part[0], part[1]);
    for (int k = 0; k < 2; k++) {
        oracle_set_scaled(permanent->part[k], part[k], exactly ? 10 : 2, from.exponent);
        fmpz_clear(part[k]);
    }
    for (int i = 0; i < from.rows; i++)
        for (int j = 0; j < from.cols; j++)
            for (int k = 0; k < 2; k++)
                fmpz_clear(&from.entry[i][j][k]);
}
