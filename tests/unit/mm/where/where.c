/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on records: the grammar, its mistakes, and random arithmetic against a direct evaluation. */
#include "mm/where/where.h"
#include "mm/metadata/metadata.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_context context;

/* 1: holds, 0: does not, -1: a mistake in the condition, -2: it fails on this record */
static int test(const char *text, const mm_record *record) {
    mm_where *where = NULL;
    bool holds = false;
    if (mm_where_compile(&context, text, NULL, &where) != BASE_OK)
        return context.error.status == BASE_USAGE && where == NULL ? -1 : -3;
    int result = mm_where_test(&context, where, record, NULL, NULL, &holds) != BASE_OK ? -2 : holds;
    mm_where_free(where);
    return result;
}

static void check_table(const mm_record *square, const mm_record *wide) {
    static const struct {
        const char *text;
        int on_square, on_wide; /* 67×67 real symmetric; 3×4 integer array general */
    } cases[] = {
        {"nrow == 67", 1, 0},
        {"square && n<=67", 1, 0},
        {"square and n<67", 0, 0},
        {"n == 67", 1, 0},
        {"n != 67", 0, 0}, /* no order: a comparison with it is false … */
        {"!(n == 67)", 0, 1},
        {"n + 1 > 0", 1, 0}, /* … also inside of arithmetic */
        {"-n < 0", 1, 0},
        {"nnz == 3", 1, 1}, /* one diagonal entry and one pair; three entries that are not zero */
        {"explicit_zeros == 0", 1, 1},
        {"density == 0.25", 0, 1},
        {"density < 0.0007 && density > 0.0006", 1, 0}, /* 3 / 67^2 = 0.000668 */
        {"nnz_stored == 2", 1, 0},
        {"nnz == 3 && nnz_stored == 12", 0, 1},
        {"real", 1, 0},
        {"not real", 0, 1},
        {"field == real", 1, 0},
        {"real == field", 1, 0},
        {"field != 'real'", 0, 1},
        {"integer or symmetric", 1, 1},
        {"real and not symmetric", 0, 0},
        {"symmetry == skew-symmetric || array", 0, 1},
        {"nrow-ncol == 0", 1, 0},
        {"matrix && !scheme", 1, 1},
        {"kind == scheme", 0, 0},
        {"format == coordinate", 1, 0},
        {"name == west0067", 0, 1},
        {"name == \"HB/bcspwr02\"", 1, 0},
        {"name ~ 'HB/*'", 1, 0},
        {"name !~ 'HB/*'", 0, 1},
        {"square == real", -1, -1},
        {"square == square", 1, 1},
        {"square == (nrow < 10)", 0, 0},
        {"1 + 2 * 3 == 7", 1, 1},
        {"(1 + 2) * 3 == 9", 1, 1},
        {"10 - 4 - 3 == 3", 1, 1},
        {"100 / 10 / 5 == 2", 1, 1},
        {"7 / -2 == -3", 1, 1},
        {"- - 2 == 2", 1, 1},
        {"1k == 1000 && 2M == 2000000 && 1G == 1e9 && 1T == 1e12", 1, 1},
        {"false_word == 1", -1, -1},
        {"1 < 2 || 1 / 0 == 1", 1, 1}, /* what does not decide is not evaluated */
        {"1 > 2 && 1 / 0 == 1", 0, 0},
        {"1 / 0 == 1", -2, -2},
        {"9223372036854775807 * 9223372036854775807 > 1", 1, 1},
        {"9223372036854775807 * 9223372036854775807 * 9 > 1", -2, -2},
        {"!square", 0, 1},
        {"! ! square", 1, 0},
        {"not not square", 1, 0},
        {"square || nrow > 1 && nrow > 100", 1, 0}, /* and binds tighter */
        {"", -1, -1},
        {" ", -1, -1},
        {"nrow", -1, -1},
        {"field", -1, -1},
        {"square square", -1, -1},
        {"square &&", -1, -1},
        {"square & real", -1, -1},
        {"(square", -1, -1},
        {"square)", -1, -1},
        {"1 < 2 < 3", -1, -1},
        {"field == symmetric", -1, -1},
        {"field < real", -1, -1},
        {"nrow == real", -1, -1},
        {"real == real", -1, -1},
        {"nrow ~ 'a'", -1, -1},
        {"1.5 < 2", 1, 1},
        {"2.5e3 == 2500 && 1e-3 > 0.0009", 1, 1},
        {"1.5.2 < 2", -1, -1},
        {"1. < 2", -1, -1},
        {"0.5x < 2", -1, -1},
        {"7 / 2.0 == 3.5", 1, 1},
        {"-0.5 < 0", 1, 1},
        {"2x < 3", -1, -1},
        {"99999999999999999999 > 1", -1, -1},
        {"9223372036854775807k > 1", -1, -1},
        {"name == 'HB", -1, -1},
        {"name == HB/bcspwr02", -1, -1},
        {"-square", -1, -1},
        {"not nrow", -1, -1},
        {"square + 1 == 2", -1, -1},
        {"nrow = 3", -1, -1},
        {"nrow == 3 $", -1, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int on_square = test(cases[i].text, square), on_wide = test(cases[i].text, wide);
        tap_ok(on_square == cases[i].on_square && on_wide == cases[i].on_wide, "%s: %d %d", cases[i].text,
               on_square, on_wide);
    }
}

/* Nesting must end in a message, never in a crash. */
static void check_depth(const mm_record *record) {
    static const char *const pieces[] = {"(", "!", "-", "not ", "1+", "real &&", "1 == 1 || "};
    enum { REPEATS = 100000 };
    char *text = malloc(REPEATS * 16);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t length = strlen(pieces[i]);
        for (size_t k = 0; k < REPEATS; k++)
            memcpy(text + k * length, pieces[i], length + 1);
        tap_ok(test(text, record) == -1, "%d times %s is refused", REPEATS, pieces[i]);
    }
    strcpy(text, "real");
    for (int k = 0; k < 1000; k++)
        strcat(text, " && real");
    tap_ok(test(text, record) == 1, "a chain of 1000 conditions is not");
    strcpy(text, "");
    for (int k = 0; k < 90; k++)
        strcat(text, "(");
    strcat(text, "square");
    for (int k = 0; k < 90; k++)
        strcat(text, ")");
    tap_ok(test(text, record) == 1, "90 parentheses are not");
    free(text);
}

/* A random sum of products with its value. */
static long long random_sum(unsigned *state, char *text) {
    long long sum = 0;
    char *at = text;
    for (int term = 0; term < 6; term++) {
        long long product = 1;
        bool minus = term > 0 && rand_r(state) % 2;
        at += sprintf(at, "%s", term == 0 ? "" : minus ? " - " : "+");
        for (int factor = 0; factor < 3; factor++) {
            int number = rand_r(state) % 1000;
            at += sprintf(at, "%s%d", factor == 0 ? "" : "*", number);
            product *= number;
        }
        sum += minus ? -product : product;
    }
    return sum;
}

static void check_random(const mm_record *record) {
    unsigned state = 20240607;
    int wrong = 0;
    tap_note("seed %u", state);
    for (int i = 0; i < 2000; i++) {
        char sum[256], text[400];
        long long value = random_sum(&state, sum);
        sprintf(text, "(%s) %s %lld", sum, i % 2 ? "==" : "<", i % 2 ? value : value + 1);
        wrong += test(text, record) != 1;
        sprintf(text, "(%s) %s %lld", sum, i % 2 ? "==" : "<", i % 2 ? value + 1 : value);
        wrong += test(text, record) != 0;
    }
    tap_ok(wrong == 0, "2000 random sums compare right (%d wrong)", wrong);
}

/* What is asked for and not known is named, beside what is. */
static void check_unknown(const mm_record *record) {
    static const mm_where_column columns[] = {{"rank", false}, {"file", true}, {0}};
    static const struct {
        const char *text;
        int column;
        const char *name;
    } cases[] = {{"n < 3 && dens < 0.1", 10, "dens"},
                 {"wide", 1, "wide"},
                 {"2 * sizes > 4", 5, "sizes"},
                 {"field == rael", 0, NULL},
                 {"square && n <= forty", 16, "forty"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mm_where *where = NULL;
        char want[80];
        const base_status status = mm_where_compile(&context, cases[i].text, columns, &where);
        snprintf(want, sizeof want, "--where, column %d: unknown name '%s'. Known names: nrow, ",
                 cases[i].column, cases[i].name != NULL ? cases[i].name : "");
        const bool told = strncmp(context.error.cause, want, strlen(want)) == 0 &&
                          strstr(context.error.cause, ", rank, file") != NULL;
        tap_ok(status == BASE_USAGE && where == NULL && told == (cases[i].name != NULL), "%s: %s",
               cases[i].text, context.error.cause);
        mm_where_free(where);
    }
    (void)record;
}

/* Columns of the caller's line go before the names of records; what the line lacks has no value. */
static void check_columns(const mm_record *record) {
    static const mm_where_column columns[] = {{"rank", false},  {"nrow", false}, {"file", true},
                                              {"share", false}, {"big", false},  {0}};
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {{"rank == 5 && nrow == 4 && ncol == 67", true},
                 {"file == 'a/b' && file ~ 'a*'", true},
                 {"share == 0.25", true},
                 {"share * 4 == 1", true},
                 {"big > 1e18", true},
                 {"rank != 5", false},
                 {"nrow == 67", false}};
    mm_report *line = NULL;
    mm_where *where = NULL;
    bool holds, good = mm_report_open(&context, true, false, &line) == BASE_OK;
    for (size_t i = 0; good && i < sizeof cases / sizeof *cases; i++) {
        mm_report_integer(line, "rank", 5);
        mm_report_integer(line, "nrow", 4);
        mm_report_text(line, "file", "a/b");
        mm_report_real(line, "share", 0.25);
        mm_report_text(line, "big", "123456789012345678901234567890");
        good = mm_where_compile(&context, cases[i].text, columns, &where) == BASE_OK &&
               mm_where_test(&context, where, record, NULL, line, &holds) == BASE_OK;
        tap_ok(good && holds == cases[i].holds, "a line: %s", cases[i].text);
        mm_where_free(where);
        mm_report_drop(line);
    }
    good = good && mm_where_compile(&context, "rank == 5 || rank != 5", columns, &where) == BASE_OK &&
           mm_where_test(&context, where, record, NULL, line, &holds) == BASE_OK;
    tap_ok(good && !holds, "a value that the line lacks compares with nothing");
    mm_where_free(where);
    mm_report_close(line);
}

static void check_names(void) {
    tap_ok(mm_name_matches("HB/bcspwr02", "HB/bcspwr02"), "the whole name");
    tap_ok(mm_name_matches("bcspwr02", "HB/bcspwr02"), "the name without its group");
    tap_ok(mm_name_matches("bcspwr0?", "HB/bcspwr02"), "a glob without group");
    tap_ok(mm_name_matches("HB/*", "HB/bcspwr02"), "a glob with group");
    tap_ok(mm_name_matches("a[1]", "a[1]"), "a name that looks like a glob, literally");
    tap_ok(!mm_name_matches("HB", "HB/bcspwr02"), "not the group alone");
    tap_ok(!mm_name_matches("Pajek/bcspwr02", "HB/bcspwr02"), "not another group");
    tap_ok(!mm_name_matches("bcspwr", "HB/bcspwr02"), "not a part of it");
}

int main(void) {
    base_context_init(&context);
    mm_record square, wide;
    mm_record_init(&square);
    mm_record_init(&wide);
    square.nrow = square.ncol = 67;
    square.nnz = 2;
    square.symmetry = MM_SYMMETRIC;
    bool made = mm_record_alloc(&context, &square) == BASE_OK;
    wide.nrow = 3;
    wide.ncol = 4;
    wide.format = MM_ARRAY;
    wide.field = MM_INTEGER;
    made = made && mm_record_alloc(&context, &wide) == BASE_OK;
    made = made && mm_metadata_set(&context, &square, "name", "HB/bcspwr02") == BASE_OK;
    made = made && mm_metadata_set(&context, &wide, "name", "west0067") == BASE_OK;
    if (!made)
        return 1;
    square.real[0] = 2, square.real[1] = -1;
    for (int k = 0; k < 12; k++)
        wide.integer[k] = k % 4 == 0 ? 7 : 0; /* three of twelve */
    square.row[0] = square.col[0] = 0;
    square.row[1] = 1;
    square.col[1] = 0;
    check_table(&square, &wide);
    check_depth(&square);
    check_random(&square);
    check_unknown(&square);
    check_columns(&square);
    check_names();
    mm_record_free(&square);
    mm_record_free(&wide);
    return tap_done();
}
