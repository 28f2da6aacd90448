/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries that are zero and that are not, as conditions count them, against the places of the whole matrix.
 */
#include "mm/where/where.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

enum { ORDER = 6, STORED = ORDER * ORDER };
typedef enum mark { ABSENT, ZERO, NONZERO } mark;

static base_context context;
static unsigned state = 20251123;

/* Half of a complex zero is none. */
static void set_complex(double *value, bool is_zero) {
    const int half = rand_r(&state) % 2;
    value[half] = is_zero ? 0 : -3;
    value[1 - half] = 0;
}

/* Numbers of whatever kind; of big integers each takes two bytes. */
static void set_value(mm_record *record, int64_t k, bool is_zero) {
    if (record->digits != NULL)
        memcpy(record->digits + 2 * k, is_zero ? "0" : "7", 2);
    else if (record->integer != NULL)
        record->integer[k] = is_zero ? 0 : -5;
    else if (record->field == MM_COMPLEX)
        set_complex(record->real + 2 * k, is_zero);
    else if (record->real != NULL)
        record->real[k] = is_zero ? -0.0 : 1e-300;
}

static bool make_big(mm_record *record) {
    free(record->integer);
    record->integer = NULL;
    record->digits = malloc(2 * STORED);
    record->digits_start = malloc((STORED + 1) * sizeof *record->digits_start);
    for (int64_t k = 0; record->digits_start != NULL && k <= STORED; k++)
        record->digits_start[k] = 2 * k;
    return record->digits != NULL && record->digits_start != NULL;
}

/* A random matrix, and what stands in each of its places. */
static bool make(mm_record *record, bool is_big, mark place[ORDER][ORDER]) {
    int64_t stored = 0;
    const bool is_array = record->format == MM_ARRAY, is_half = record->symmetry != MM_GENERAL;
    record->nrow = record->ncol = ORDER;
    record->nnz = is_array ? mm_array_length(ORDER, ORDER, record->symmetry) : STORED;
    if (mm_record_alloc(&context, record) != BASE_OK || (is_big && !make_big(record)))
        return false;
    memset(place, 0, sizeof(mark[ORDER][ORDER]));
    for (int j = 0; j < ORDER; j++)
        for (int i = is_half ? j + (record->symmetry == MM_SKEW_SYMMETRIC) : 0; i < ORDER; i++) {
            const bool is_zero = record->field != MM_PATTERN && rand_r(&state) % 3 == 0;
            if (!is_array && rand_r(&state) % 2)
                continue;
            if (!is_array)
                record->row[stored] = i, record->col[stored] = j;
            set_value(record, stored++, is_zero);
            place[i][j] = is_zero ? ZERO : NONZERO;
            if (is_half)
                place[j][i] = place[i][j];
        }
    record->nnz = stored;
    return true;
}

static bool is_right(mm_field field, bool is_big, mm_symmetry symmetry, mm_format format) {
    mm_record record;
    mark place[ORDER][ORDER];
    int64_t count[3] = {0};
    mm_record_init(&record);
    record.field = field;
    record.symmetry = symmetry;
    record.format = format;
    if (!make(&record, is_big, place))
        abort();
    for (int k = 0; k < STORED; k++)
        count[place[k / ORDER][k % ORDER]]++;
    const mm_where_counts got = mm_where_count(&record);
    mm_record_free(&record);
    return got.nonzeros == count[NONZERO] && got.zeros == (format == MM_ARRAY ? 0 : count[ZERO]);
}

int main(void) {
    static const struct {
        const char *what;
        mm_field field;
        bool is_big;
        mm_symmetry symmetry;
    } kinds[] = {{"real", MM_REAL, false, MM_SYMMETRIC},
                 {"complex", MM_COMPLEX, false, MM_HERMITIAN},
                 {"integer", MM_INTEGER, false, MM_SKEW_SYMMETRIC},
                 {"integer beyond 64 bits", MM_INTEGER, true, MM_SYMMETRIC},
                 {"pattern", MM_PATTERN, false, MM_SYMMETRIC}};
    base_context_init(&context);
    tap_note("seed %u", state);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const bool has_array = kinds[i].field != MM_PATTERN;
        int wrong[2][2] = {{0}};
        for (int round = 0; round < 200; round++)
            for (int half = 0; half < 2; half++)
                for (int array = 0; array <= has_array; array++)
                    wrong[half][array] +=
                        !is_right(kinds[i].field, kinds[i].is_big, half ? kinds[i].symmetry : MM_GENERAL,
                                  array ? MM_ARRAY : MM_COORDINATE);
        for (int half = 0; half < 2; half++)
            for (int array = 0; array <= has_array; array++)
                tap_ok(wrong[half][array] == 0, "%s, %s, %s: zeros and others are counted (%d wrong)",
                       kinds[i].what, half ? mm_symmetry_name(kinds[i].symmetry) : "general",
                       array ? "array" : "coordinate", wrong[half][array]);
    }
    return tap_done();
}
