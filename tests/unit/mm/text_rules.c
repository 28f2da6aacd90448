/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of reading text, strict and lenient, one by one, and the corpus of files from elsewhere. */
#include "tests/support/tap.h"
#include "tests/unit/mm/text_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_context context;

#define REAL "%%MatrixMarket matrix coordinate real general\n"

static const struct {
    const char *text;
    int64_t line; /* 0: accepted */
} rules[] = {
    {REAL "2 2 1\n1 1 1\n", 0},
    {REAL "2 2 1\n1 1 1", 0},
    {"%%matrixmarket MATRIX Coordinate DOUBLE General\r\n2 2 1\r\n1\t1 \t1 \r\n\r\n", 0},
    {REAL "\n% c\n\n  2 2   2 \n\n 1 1 1\n\n2 2 -.5E+1  \n\n\n", 0},
    {REAL "2 2 1\n1 1 1\n" REAL, 0},
    {REAL "2 2 1\n1 1 1\n\n%%End 1\n", 0},
    {REAL "0 0 0\n", 0},
    {REAL "0 7 0", 0},
    {REAL "2 2 1\n1 1 1d0\n", 0},
    {REAL "2 2 1\n1 1 -Inf\n", 0},
    {REAL "2 2 1\n1 1 0000000000000000000000000000001.50000000000000000000000000000\n", 0},
    {REAL "4611686018427387904 1 1\n4611686018427387904 1 1\n", 0},
    {"", 1},
    {"\n", 1},
    {"2 2 1\n1 1 1\n", 1},
    {"\n" REAL "2 2 1\n1 1 1\n", 1},
    {" " REAL "2 2 1\n1 1 1\n", 1},
    {"%%MatrixMarket matrix coordinate real\n2 2 1\n1 1 1\n", 1},
    {"%%MatrixMarket matrix coordinate real general x\n2 2 1\n1 1 1\n", 1},
    {"%%MatrixMarket vector coordinate real general\n2 1\n1 1\n", 1},
    {"%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n1 1 1\n", 1},
    {"%%MatrixMarket matrix array pattern general\n2 2\n", 1},
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", 1},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", 2},
    {REAL, 2},
    {REAL "% c\n", 3},
    {REAL "2 2\n1 1 1\n", 2},
    {REAL "2 2 1 1\n1 1 1\n", 2},
    {REAL "2 2 -1\n1 1 1\n", 2},
    {REAL "+2 2 1\n1 1 1\n", 2},
    {REAL "4611686018427387905 1 1\n1 1 1\n", 2},
    {REAL "99999999999999999999 1 1\n1 1 1\n", 2},
    {REAL " % c\n2 2 1\n1 1 1\n", 2},
    {REAL "2 2 1\n", 3},
    {REAL "2 2 2\n1 1 1\n", 4},
    {REAL "2 2 2\n1 1 1\n\n%%End 1\n", 5},
    {REAL "2 2 1\n1 1 1\n2 2 1\n", 4},
    {REAL "2 2 1\n1 1 1\n\n% c\n", 5},
    {REAL "2 2 2\n1 1 1\n% c\n2 2 1\n", 4},
    {REAL "2 2 1\n1 1\n", 3},
    {REAL "2 2 1\n1 1 1 1\n", 3},
    {REAL "2 2 1\n1 1 1x\n", 3},
    {REAL "2 2 1\n1 1 abc\n", 3},
    {REAL "2 2 1\n1 1 0x1p3\n", 3},
    {REAL "2 2 1\n1 1 nan\n", 3},
    {REAL "2 2 1\n1 1 1e400\n", 3},
    {REAL "2 2 1\n1 1 1,5\n", 3},
    {REAL "2 2 1\n1.7 1 1\n", 3},
    {REAL "2 2 1\n0 1 1\n", 3},
    {REAL "2 2 1\n1 0 1\n", 3},
    {REAL "2 2 1\n3 1 1\n", 3},
    {REAL "2 2 1\n1 3 1\n", 3},
    {REAL "2 2 1\n-1 1 1\n", 3},
    {REAL "2 2 1\n+1 1 1\n", 3},
    {REAL "2 2 1\n18446744073709551617 1 1\n", 3},
    {REAL "2 2 1\n340282366920938463463374607431768211457 1 1\n", 3},
    {REAL "0 0 1\n1 1 1\n", 3},
    {REAL "2 2 1\r1 1 1\r", 2},
    {REAL "2 2 1\n1 1 1\r", 0},
    {REAL "2 2 2\n1 1 1\r2 2 2\n", 3},
    {REAL "2 2 1\n1 1 1\v\n", 3},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 -9223372036854775808\n2 2 "
     "+9223372036854775807\n",
     0},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 9223372036854775808\n", 3},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.0\n", 3},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1e3\n", 3},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 inf\n", 3},
    {"%%MatrixMarket matrix coordinate integer general\n% integers: big\n2 2 1\n1 1 1e3\n", 4},
    {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n", 0},
    {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n1 2\n", 3},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 1\n", 3},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n2 2 0\n", 4},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 1 1\n", 0},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 -0.0\n2 2 1 1e-300\n", 4},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 2 1 1\n", 3},
    {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1\n", 3},
    {"%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n", 0},
    {"%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n\n2 3\n4 5\n", 6},
    {"%%MatrixMarket matrix array complex hermitian\n2 2\n1 1\n2 3\n4 x\n", 3},
    {"%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n", 3},
    {"%%MatrixMarket matrix array real skew-symmetric\n1 1\n", 0},
    {"%%MatrixMarket matrix array real skew-symmetric\n1 1\n0\n", 3},
};

static void test_rules(void) {
    mm_record record;
    mm_read_options options = {0};
    mm_record_init(&record);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t size = strlen(rules[i].text);
        char *text = malloc(size + 1), shown[70];
        memcpy(text, rules[i].text, size);
        snprintf(shown, sizeof shown, "%s", size > 20 ? rules[i].text + 15 : rules[i].text);
        for (char *p = shown; *p != '\0'; p++)
            if ((unsigned char)*p < ' ')
                *p = '|';
        base_status status = read_text(&context, text, size, 1, &options, &record);
        if (rules[i].line == 0)
            tap_ok(status == BASE_OK, "accepted: %s", shown);
        else
            tap_ok(status == BASE_DAMAGED && context.error.place.line == rules[i].line,
                   "refused in line %lld (%lld: %s): %s", (long long)rules[i].line,
                   (long long)context.error.place.line, context.error.cause, shown);
        free(text);
    }
    mm_record_free(&record);
}

/* What lenient reading makes of a text, as text again. */
static const struct {
    const char *text, *repaired;
} repairs[] = {
    {"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 2 5\n3 3 1\n1 3 2\n",
     "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 5\n3 3 1\n3 1 2\n"},
    {"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n1 2 5\n",
     "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -5\n"},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 2 5 1\n1 1 1 0\n2 1 5 -1\n",
     "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 5 -1\n"},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n2 1 5 1\n1 1 1 3\n",
     "%%MatrixMarket matrix coordinate complex general\n2 2 3\n2 1 5 1\n1 2 5 -1\n1 1 1 3\n"},
    {"%%MatrixMarket matrix array complex hermitian\n2 2\n1 1\n2 3\n4 0\n",
     "%%MatrixMarket matrix array complex general\n2 2\n1 1\n2 3\n2 -3\n4 0\n"},
    {"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 2\n2 2 3\n2 1 5\n",
     "%%MatrixMarket matrix coordinate integer general\n2 2 3\n2 2 3\n2 1 5\n1 2 -5\n"},
    {REAL "2 2 4\n2 2 1\n1 1 2\n2 2 4\n2 2 8\n", REAL "2 2 2\n2 2 13\n1 1 2\n"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 2 7 x\n2 2\n",
     "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 2\n"},
    {"% c\n3 3 1\n0 2 1.5\n", REAL "% c\n3 3 1\n1 3 1.5\n"},
    {"2 2 1\n1 2\n", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"},
    {"2 2\n1\n% c\n2\n3\n4\n% d\n", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"},
    {"%%MatrixMarket vector array integer general\n2\n1\n2\n",
     "%%MatrixMarket matrix array integer general\n2 1\n1\n2\n"},
    {"%%MatrixMarket vector coordinate integer general\n3 2\n0 1\n2 -2\n",
     "%%MatrixMarket matrix coordinate integer general\n3 1 2\n1 1 1\n3 1 -2\n"},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3.00\n2 2 18446744073709551616\n",
     "%%MatrixMarket matrix coordinate integer general\n% integers: big\n2 2 2\n1 1 3\n2 2 "
     "18446744073709551616\n"},
    {"%%MatrixMarket matrix coordinate integer symmetric\n% integers: big\n2 2 2\n1 2 "
     "18446744073709551616\n2 1 "
     "18446744073709551616\n",
     "%%MatrixMarket matrix coordinate integer symmetric\n% integers: big\n2 2 1\n2 1 "
     "18446744073709551616\n"},
    {"%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 1\n",
     "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n"},
    /* not to be repaired */
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 5\n2 1 6\n", NULL},
    {REAL "2 2 2\n0 1 1\n2 2 1\n", NULL},
    {REAL "2 2 1\n1 1 nan\n", NULL},
    {REAL "2 2 1\n3 1 1\n", NULL},
    {REAL "2 2 2\n1 1 1\n", NULL},
    {REAL "2 2 1\n1 1 1\n2 2 1\n", NULL},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", NULL},
    /* without a banner nothing says which of the numbers count */
    {"1 2\n2 3\n3 1\n", NULL},
    {"2 2\n1\n2 5\n3\n4\n", NULL},
    {"2 2\n1 2\n3 4\n", NULL},
    {"2 2 2\n1 1\n2 2 7\n", NULL},
    {"2 2 2\n1 1 5\n2 2 7 8\n", NULL},
    {"2 2 1 1\n1 1 5\n", NULL},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 9223372036854775807\n1 1 1\n", NULL},
};

static void test_repairs(void) {
    mm_record record;
    mm_read_options options = {.lenient = true};
    mm_record_init(&record);
    for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++) {
        base_status status =
            read_text(&context, repairs[i].text, strlen(repairs[i].text), 1, &options, &record);
        if (repairs[i].repaired == NULL) {
            tap_ok(status == BASE_DAMAGED, "not repaired: %s", context.error.cause);
            continue;
        }
        size_t size = 0, want = strlen(repairs[i].repaired);
        char *text = status == BASE_OK ? write_text(&record, 0, 1, &size) : NULL;
        tap_ok(text != NULL && size == want && memcmp(text, repairs[i].repaired, size) == 0 &&
                   options.repairs > 0 && options.repair[0] != '\0',
               "repaired: %s", status == BASE_OK ? options.repair : context.error.cause);
        free(text);
    }
    mm_record_free(&record);
}

static void test_metadata(void) {
    static const char scheme[] = "%%MatrixMarket matrix coordinate integer general\n"
                                 "% record: 12\n% scheme: 1x1x1\r\n% integers: big\n%x\n3 1 1\n1 1 +007\n";
    mm_record record;
    mm_read_options options = {0};
    mm_record_init(&record);
    base_status status = read_text(&context, scheme, sizeof scheme - 1, 1, &options, &record);
    tap_ok(status == BASE_OK && record.kind == MM_SCHEME, "a scheme is recognised");
    tap_ok(options.record_number == 12, "its number is handed over");
    tap_ok(status == BASE_OK && strcmp(record.comments, "% scheme: 1x1x1\n%x\n") == 0,
           "other comments are kept");
    tap_ok(status == BASE_OK && record.integer != NULL && record.integer[0] == 7,
           "digits that fit are integers");
    tap_ok(context.place.line == 8, "the line behind the record is known");
    mm_record_free(&record);
}

/* ---- files from elsewhere ---- */

static base_status read_file(const char *path, bool lenient, mm_read_options *options, mm_record *record) {
    mm_source *source = NULL;
    const char *name;
    bool found;
    base_context_init(&context);
    memset(options, 0, sizeof *options);
    options->lenient = lenient;
    base_status status = mm_source_open(&context, path, &source);
    if (status == BASE_OK)
        status = mm_source_next_part(&context, source, &name, &found);
    if (status == BASE_OK)
        status = mm_text_read(&context, source, options, record);
    mm_source_close(source);
    return status;
}

/* "accept", "reject", or "lenient": refused strictly, and accepted leniently with a word about it. */
static void check_file(const char *folder, const char *file, const char *rule) {
    char path[1024];
    mm_record record;
    mm_read_options options;
    mm_record_init(&record);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    base_status status = read_file(path, false, &options, &record);
    if (strcmp(rule, "accept") == 0) {
        tap_ok(status == BASE_OK, "%s is accepted%s%s", file, status ? ": " : "",
               status ? context.error.cause : "");
        return mm_record_free(&record);
    }
    tap_ok(status == BASE_DAMAGED, "%s is refused: %s", file, context.error.cause);
    if (strcmp(rule, "lenient") == 0) {
        status = read_file(path, true, &options, &record);
        tap_ok(status == BASE_OK && options.repairs > 0, "%s is repaired: %s", file,
               status == BASE_OK ? options.repair : context.error.cause);
    }
    mm_record_free(&record);
}

/* Lines of a table whose first column is a file and whose column `rule_column` is a rule. */
static int check_table(const char *table, const char *folder, int rule_column) {
    char line[8192];
    int checked = 0;
    FILE *file = fopen(table, "r");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *rest = line, *name = strsep(&rest, "\t"), *rule = NULL;
        for (int i = 1; i <= rule_column; i++)
            rule = strsep(&rest, "\t");
        bool text = strstr(name, ".mtx") != NULL && strstr(name, ".tar") == NULL;
        bool known = rule != NULL && (strcmp(rule, "accept") == 0 || strcmp(rule, "reject") == 0 ||
                                      strcmp(rule, "lenient") == 0);
        if (text && known && (rule_column == 1 || strcmp(rule, "lenient") != 0)) {
            check_file(folder, name, rule);
            checked++;
        }
    }
    fclose(file);
    return checked;
}

static void test_corpus(void) {
    const char *shared = getenv("MMPIPE_SHARED"), *source = getenv("srcdir");
    char folder[1024], table[1100];
    if (shared == NULL) {
        tap_skip(1, "no corpus: MMPIPE_SHARED is not set");
        return;
    }
    snprintf(folder, sizeof folder, "%s/data/mm-corpus", shared);
    snprintf(table, sizeof table, "%s/MANIFEST.tsv", folder);
    int manifest = check_table(table, folder, 2);
    snprintf(table, sizeof table, "%s/tests/data/corpus-rules.tsv", source != NULL ? source : ".");
    int ours = check_table(table, folder, 1);
    tap_ok(manifest > 0 && ours > 0, "%d files of the corpus and %d with a rule of our own", manifest, ours);
}

int main(void) {
    test_rules();
    test_repairs();
    test_metadata();
    test_corpus();
    return tap_done();
}
