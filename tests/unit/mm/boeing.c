/* SPDX-License-Identifier: BSD-3-Clause */
/* Rutherford-Boeing and .smtx files: small ones with known entries, and what must be refused. */
#include "base/core/memory.h"
#include "mm/coding/detect.h"
#include "mm/formats/formats.h"
#include "mm/metadata/metadata.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_context context;

typedef base_status reader(base_context *context, mm_source *source, mm_record *record);

static base_status read_bytes(reader *read, const char *text, size_t size, mm_record *record) {
    base_status status;
    mm_source *source = NULL;
    const char *name;
    bool found;
    BASE_TRY(mm_source_open_memory(&context, text, size, &source));
    BASE_TRY(mm_source_next_part(&context, source, &name, &found));
    BASE_TRY(read(&context, source, record));
done:
    mm_source_close(source);
    return status;
}

/* "rows x cols field symmetry: row,col,value …" from 1, in file order */
static void describe(const mm_record *record, char *text, size_t size) {
    size_t length =
        (size_t)snprintf(text, size, "%lldx%lld %s %s:", (long long)record->nrow, (long long)record->ncol,
                         mm_field_name(record->field), mm_symmetry_name(record->symmetry));
    for (int64_t k = 0; k < record->nnz && length < size; k++) {
        length += (size_t)snprintf(text + length, size - length, " %lld,%lld", (long long)record->row[k] + 1,
                                   (long long)record->col[k] + 1);
        if (record->field == MM_INTEGER)
            length += (size_t)snprintf(text + length, size - length, ",%lld", (long long)record->integer[k]);
        for (int i = 0; record->real != NULL && i < 1 + (record->field == MM_COMPLEX); i++)
            length += (size_t)snprintf(text + length, size - length, ",%.17g",
                                       record->real[(record->field == MM_COMPLEX ? 2 * k : k) + i]);
    }
}

static void expect(reader *read, const char *what, const char *text, const char *wanted) {
    char got[2000];
    mm_record record;
    mm_record_init(&record);
    base_status status = read_bytes(read, text, strlen(text), &record);
    if (status == BASE_OK)
        describe(&record, got, sizeof got);
    else
        snprintf(got, sizeof got, "%s", context.error.cause);
    tap_ok(strcmp(got, wanted) == 0, "%s: %s", what, got);
    bool detected = read == mm_boeing_read
                        ? mm_boeing_detect(text, strlen(text)) && !mm_smtx_detect(text, strlen(text))
                        : mm_smtx_detect(text, strlen(text)) && !mm_boeing_detect(text, strlen(text));
    tap_ok(detected && !mm_binary_detect(text, strlen(text)), "%s: seen for what it is", what);
    mm_record_free(&record);
}

static void refuse(reader *read, const char *what, const char *text) {
    mm_record record;
    mm_record_init(&record);
    base_status status = read_bytes(read, text, strlen(text), &record);
    tap_ok(status == BASE_DAMAGED && record.row == NULL, "%s is refused: %s", what,
           status != BASE_OK ? context.error.cause : "not seen");
    mm_record_free(&record);
}

#define TITLE "A title; 1992                                                           |key    \n"
#define COUNTS(values) "             3             1             1             " values "\n"
#define REAL_3                                                                                               \
    "rua                        3             3             4             0\n"                               \
    "(4I4)           (5I3)           (2E12.4)\n"                                                             \
    "   1   3   4   5\n"                                                                                     \
    "  1  3  2  1\n"

static const char real_general[] =
    TITLE COUNTS("2") REAL_3 "  1.0000E+00 -2.5000E+00\n  3.0000D-01  4.0000-101\n";

static void test_boeing(void) {
    expect(mm_boeing_read, "real", real_general,
           "3x3 real general: 1,1,1 3,1,-2.5 2,2,0.29999999999999999 1,3,4.0000000000000002e-101");
    expect(mm_boeing_read, "pattern, symmetric, upper case, CRLF",
           "t\r\n 3 1 1 0\r\nPSA 3 3 3 0\r\n(4I4) (16I3)\r\n   1   3   4   4\r\n  1  3  2\r\n",
           "3x3 pattern symmetric: 1,1 3,1 2,2");
    expect(mm_boeing_read, "complex, Hermitian",
           "t\n 3 1 1 1\ncha 2 2 2 0\n(4I4)           (5I3)           (1P,4E10.2)\n   1   3   3\n  1  2\n"
           "  1.00E+00  0.00E+00  2.00E+00 -3.00E+00\n",
           "2x2 complex hermitian: 1,1,1,0 2,1,2,-3");
    expect(mm_boeing_read, "a scale factor without a comma behind it, which Fortran allows before E",
           "t\n 3 1 1 1\ncha 2 2 2 0\n(4I4)           (5I3)           (1P4E10.2)\n   1   3   3\n  1  2\n"
           "  1.00E+00  0.00E+00  2.00E+00 -3.00E+00\n",
           "2x2 complex hermitian: 1,1,1,0 2,1,2,-3");
    expect(mm_boeing_read, "integer, rectangular",
           "t\n 3 1 1 1\nira 2 3 2 0\n(4I4) (5I3) (3I20)\n   1   1   2   3\n  2  1\n"
           "-9223372036854775808                   7\n",
           "2x3 integer general: 2,2,-9223372036854775808 1,3,7");
    expect(mm_boeing_read, "skew-symmetric",
           "t\n 3 1 1 1\nrza 2 2 1 0\n(4I4) (5I3) (3F8.2)\n   1   2   2\n  2\n    1.25\n",
           "2x2 real skew-symmetric: 2,1,1.25");
    expect(mm_boeing_read, "no entries", "t\n 1 1 0 0\npua 1 2 0 0\n(4I4) (5I3)\n   1   1   1\n",
           "1x2 pattern general:");
    expect(mm_boeing_read, "Harwell-Boeing with a right-hand side",
           "t\n 4 1 1 1 1\nRUA 2 2 1 0\n(4I4) (5I3) (3F8.2) (3F8.2)\nF 1 0\n   1   2   2\n  2\n    1.25\n"
           "    1.00    2.00\n",
           "2x2 real general: 2,1,1.25");

    mm_record record;
    char title[100] = "", key[100] = "";
    mm_record_init(&record);
    read_bytes(mm_boeing_read, real_general, strlen(real_general), &record);
    mm_metadata_get(&record, "title", title, sizeof title);
    mm_metadata_get(&record, "key", key, sizeof key);
    tap_ok(strcmp(title, "A title; 1992") == 0 && strcmp(key, "|key") == 0, "title '%s' and key '%s'", title,
           key);
    mm_record_free(&record);

    size_t unseen = 0, size = strlen(real_general);
    for (size_t cut = 0; cut + 1 < size; cut++)
        unseen += read_bytes(mm_boeing_read, real_general, cut, &record) != BASE_DAMAGED;
    tap_ok(unseen == 0, "cut at any of %zu bytes is refused", size);
    mm_record_free(&record);

    refuse(mm_boeing_read, "a row beyond the size",
           "t\n 1 1 1 0\npua 2 2 1 0\n(4I4) (5I3)\n   1   2   2\n  3\n");
    refuse(mm_boeing_read, "row 0", "t\n 1 1 1 0\npua 2 2 1 0\n(4I4) (5I3)\n   1   2   2\n  0\n");
    refuse(mm_boeing_read, "a pointer that goes back",
           "t\n 1 1 1 0\npua 2 2 1 0\n(4I4) (5I3)\n   1   3   2\n  1\n");
    refuse(mm_boeing_read, "pointers that do not reach the entries",
           "t\n 1 1 1 0\npua 2 2 2 0\n(4I4) (5I3)\n   1   2   2\n  1  2\n");
    refuse(mm_boeing_read, "a huge size without data",
           "t\n 1 1 1 0\npua 4611686018427387904 4611686018427387904 4611686018427387904 0\n(4I4) (5I3)\n   "
           "1\n");
    refuse(mm_boeing_read, "an upper entry of a symmetric matrix",
           "t\n 1 1 1 0\npsa 2 2 1 0\n(4I4) (5I3)\n   1   1   2\n  1\n");
    refuse(mm_boeing_read, "symmetric but not square",
           "t\n 1 1 1 0\npsa 2 3 1 0\n(4I4) (5I3)\n   1   1   2   2\n  1\n");
    refuse(mm_boeing_read, "more indices than entries",
           "t\n 1 1 1 0\npua 2 2 1 0\n(4I4) (5I3)\n   1   2   2\n  1  2\n");
    refuse(mm_boeing_read, "more lines", "t\n 1 1 1 0\npua 2 2 1 0\n(4I4) (5I3)\n   1   2   2\n  1\n  2\n");
    refuse(mm_boeing_read, "elements", "t\n 1 1 1 0\npse 2 2 1 0\n(4I4) (5I3)\n   1   2   2\n  1\n");
    refuse(mm_boeing_read, "an unknown format",
           "t\n 1 1 1 0\npua 2 2 1 0\n(4I4) (2(5I3))\n   1   2   2\n  1\n");
    refuse(mm_boeing_read, "a word for a number",
           "t\n 1 1 1 1\nrua 2 2 1 0\n(4I4) (5I3) (3F8.2)\n   1   2   2\n  2\n    1.x5\n");
    refuse(mm_boeing_read, "NaN",
           "t\n 1 1 1 1\nrua 2 2 1 0\n(4I4) (5I3) (3F8.2)\n   1   2   2\n  2\n     NaN\n");
    refuse(mm_boeing_read, "an implied point",
           "t\n 1 1 1 1\nrua 2 2 1 0\n(4I4) (5I3) (3F8.2)\n   1   2   2\n  2\n     125\n");
}

static void test_smtx(void) {
    expect(mm_smtx_read, "smtx", "3, 4, 5\n0 2 2 5\n0 3 1 2 3\n", "3x4 pattern general: 1,1 1,4 3,2 3,3 3,4");
    expect(mm_smtx_read, "smtx without a newline at its end", "1,2,1\n0 1 \n1", "1x2 pattern general: 1,2");
    expect(mm_smtx_read, "smtx with a comment and blanks", "% a .smtx file\n3 4 5\n0 2 2 5\n0 3 1 2 3\n",
           "3x4 pattern general: 1,1 1,4 3,2 3,3 3,4");
    refuse(mm_smtx_read, "a column beyond the size", "3, 4, 5\n0 2 2 5\n0 4 1 2 3\n");
    refuse(mm_smtx_read, "an offset that goes back", "3, 4, 5\n0 2 1 5\n0 3 1 2 3\n");
    refuse(mm_smtx_read, "offsets that do not reach the end", "3, 4, 5\n0 2 2 4\n0 3 1 2 3\n");
    refuse(mm_smtx_read, "too few columns", "3, 4, 5\n0 2 2 5\n0 3 1 2\n");
    refuse(mm_smtx_read, "too many columns", "3, 4, 5\n0 2 2 5\n0 3 1 2 3 3\n");
    refuse(mm_smtx_read, "a word", "3, 4, 5\n0 2 2 5\n0 3 1 2 x\n");
    refuse(mm_smtx_read, "a huge size without data",
           "999999999999999999, 999999999999999999, 999999999999999999\n0\n");

    /* Numbers across the windows of the scanner. */
    char *text = malloc(2000000);
    int64_t n = 100000, bad = 0;
    size_t length =
        (size_t)sprintf(text, "1, %lld, %lld\n0 %lld\n", (long long)n, (long long)n, (long long)n);
    for (int64_t k = 0; k < n; k++)
        length += (size_t)sprintf(text + length, "%lld ", (long long)(n - 1 - k));
    mm_record record;
    mm_record_init(&record);
    base_status status = read_bytes(mm_smtx_read, text, length, &record);
    for (int64_t k = 0; status == BASE_OK && k < n; k++)
        bad += record.row[k] != 0 || record.col[k] != n - 1 - k;
    tap_ok(status == BASE_OK && record.nnz == n && bad == 0, "a long .smtx file");
    mm_record_free(&record);
    free(text);
}

/* Broken Matrix Market files stay Matrix Market files. */
static void test_detection(void) {
    static const char *const others[] = {"",
                                         "3 3 4\n1 1 2\n",
                                         "3 3\n1 2 3\n",
                                         "%%MatrixMarket matrix coordinate real general\n1, 1, 1\n",
                                         "3, 3\n",
                                         "3, 3, x\n",
                                         "a\nb\nrua 1 1 1\n",
                                         "a\nb\nruax 1 1 1\n(\n",
                                         "%\n%\n%\n%\n",
                                         "% a matrix\n3 3 1\n0 1 1\n",
                                         "1, 2, 3"};
    int wrong = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        wrong +=
            mm_boeing_detect(others[i], strlen(others[i])) || mm_smtx_detect(others[i], strlen(others[i]));
    tap_ok(wrong == 0, "other texts are not taken for either");
    const char *shared = getenv("MMPIPE_SHARED");
    if (shared == NULL) {
        tap_skip(1, "MMPIPE_SHARED is not set");
        return;
    }
    char path[1000];
    snprintf(path, sizeof path, "%s/data/mm-corpus/wild__Tina_DisCog_rb.tar.gz", shared);
    mm_source *source = NULL;
    mm_record record;
    const char *name, *data;
    size_t size;
    bool found = false, good = false;
    mm_record_init(&record);
    base_status status = mm_source_open(&context, path, &source);
    while (status == BASE_OK && (status = mm_source_next_part(&context, source, &name, &found)) == BASE_OK &&
           found) {
        status = mm_source_peek(&context, source, 4096, &data, &size);
        if (status == BASE_OK && mm_boeing_detect(data, size)) {
            status = mm_boeing_read(&context, source, &record);
            good = status == BASE_OK && strcmp(name, "Tina_DisCog/Tina_DisCog.rb") == 0 &&
                   record.nrow == 11 && record.ncol == 11 && record.nnz == 48 && record.row[0] == 2 &&
                   record.col[47] == 10;
        }
    }
    tap_ok(status == BASE_OK && good, "Pajek/Tina_DisCog from its archive: %s", context.error.cause);
    mm_source_close(source);
    mm_record_free(&record);
}

int main(void) {
    base_context_init(&context);
    test_boeing();
    test_smtx();
    test_detection();
    return tap_done();
}
