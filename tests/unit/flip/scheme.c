/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of known and of broken schemes, records, masks, measures, the table of known ranks. */
#include "base/core/memory.h"
#include "base/core/random.h"
#include "flip/formats/formats.h"
#include "flip/scheme/known.h"
#include "flip/scheme/measure.h"
#include "flip/scheme/verify.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static base_context context;
static base_random draws;

/* Strassen, Gaussian elimination is not optimal, 1969; Laderman, 1976, with C transposed. */
static const char strassen[] = "(a11+a22)*(b11+b22)*(c11+c22)\n(a21+a22)*(b11)*(c12-c22)\n"
                               "(a11)*(b12-b22)*(c21+c22)\n(a22)*(b21-b11)*(c11+c12)\n"
                               "(a11+a12)*(b22)*(c21-c11)\n(a21-a11)*(b11+b12)*(c22)\n"
                               "(a12-a22)*(b21+b22)*(c11)\n";

/* The same with fractions and in other spellings. */
static const char halves[] = "(a11+a22)*(b11+b22)*(1/2*c11+1/2*c22)*2\n(a21+a22)*(b11)*(c12-c22)\n"
                             "a11*(b12-b22)*(c21+c22)\n2*a22 (b21-b11)*(c11+c12)/2\n"
                             "(a11+a12)(2*b22)*(c21-c11)*1/2\n(-(a11-a21))*(b11+b12)*(c22),\n"
                             "# a comment\n  -(a22-a12)*(b21+b22)*(c11)";

static flip_scheme import(const char *text) {
    flip_scheme scheme;
    bool found;
    if (flip_import(&context, text, strlen(text), 0, &scheme, &found) != BASE_OK) {
        tap_note("%s", context.error.cause);
        memset(&scheme, 0, sizeof scheme);
    }
    return scheme;
}

static bool is_valid(const flip_scheme *scheme, int64_t modulus) {
    bool valid = false;
    return flip_verify(&context, scheme, modulus, &valid, NULL) == BASE_OK && valid;
}

static void check_strassen(void) {
    flip_scheme scheme = import(strassen);
    flip_measures measures;
    tap_ok(scheme.rank == 7 && scheme.field == FLIP_Z && is_valid(&scheme, 0), "Strassen over Z");
    tap_ok(is_valid(&scheme, 2) && is_valid(&scheme, 3) && is_valid(&scheme, (1 << 30) + 3),
           "... modulo 2, 3, 2^30+3");
    tap_ok(flip_measure(&context, &scheme, &measures) == BASE_OK && measures.additions == 18 &&
               measures.nonzeros == 36,
           "... with 18 additions and 36 nonzeros");
    tap_ok(measures.distinct[0] == 7 && measures.distinct[1] == 7 && measures.distinct[2] == 7 &&
               measures.largest == 1 && measures.cyclic,
           "... all factors distinct, cyclic");
    int wrong = 0;
    for (int k = 0; k < 3; k++)
        for (int64_t e = 0; e < 28; e++)
            for (int64_t change = 1; change <= 2; change++) {
                scheme.factor[k][e] += change;
                wrong += is_valid(&scheme, 0) || is_valid(&scheme, 2) == (change == 1);
                scheme.factor[k][e] -= change;
            }
    tap_ok(wrong == 0, "... and wrong when one coefficient is changed; modulo 2 by 1, not by 2");
    flip_fault fault;
    char text[200];
    bool valid;
    scheme.factor[0][0] = 0; /* a11 in the first term */
    flip_verify(&context, &scheme, 0, &valid, &fault);
    flip_fault_print(&fault, text, sizeof text);
    tap_ok(!valid && strcmp(text, "a_1_1 b_1_1 c_1_1 has the coefficient 0 instead of 1") == 0,
           "... says where");
    flip_scheme_free(&scheme);
}

static void check_fractions(void) {
    flip_scheme scheme = import(halves);
    tap_ok(scheme.rank == 7 && scheme.denominator == 1 && is_valid(&scheme, 0),
           "fractions that cancel in a term");
    flip_scheme_free(&scheme);
    /* Each factor 3/2, 2/3 of another: the product is whole. */
    scheme = import("(3/2*a11)*(2/3*b11)*c11");
    tap_ok(is_valid(&scheme, 0) && is_valid(&scheme, 2), "denominators that cancel");
    flip_scheme_free(&scheme);
    scheme = import("a11*b11*(1/2*c11)\na11*b11*(1/2*c11)");
    tap_ok(scheme.field == FLIP_Q && scheme.denominator == 2 && is_valid(&scheme, 0),
           "halves: a denominator");
    tap_ok(!is_valid(&scheme, 2) && is_valid(&scheme, 3) && is_valid(&scheme, 9),
           "... wrong mod 2, right mod 3 and 9");
    mm_record record;
    flip_scheme back = {0};
    mm_record_init(&record);
    tap_ok(flip_scheme_to_record(&context, &scheme, &record) == BASE_OK &&
               flip_scheme_from_record(&context, &record, &back) == BASE_OK && back.denominator == 2 &&
               back.field == FLIP_Q && is_valid(&back, 0),
           "... through a record");
    mm_record_free(&record);
    flip_scheme_free(&back);
    flip_scheme_free(&scheme);
    scheme = import("(a11)*(b11)*(3*c11)");
    tap_ok(scheme.field == FLIP_F2 && !is_valid(&scheme, 0), "3 is 1 modulo 2");
    flip_scheme_free(&scheme);
}

static void check_damage(void) {
    static const char *const damaged[] = {
        "(a11)*(b11)",
        "(a11)*(b11)*(a12)",
        "(a11+b11)*(b11)*(c11)",
        "(a11*(b11)*(c11)",
        "(a1)*(b11)*(c11)",
        "(a01)*(b11)*(c11)",
        "(a11)*(b11)*(c11)/0",
        "(99999999999999999999*a11)*(b11)*(c11)",
        "{{{{1}}, {{1}}}}",
        "{{{{1}}, {{1}}, {{1, 2}}}}",
        "{{{{1}}, {{1}}, {{1}}}",
        "{\"n\": [1, 1], \"u\": []}",
        "{\"n\": [1,1,1], \"u\": [[1]], \"v\": [[1]], \"w\": [[0.1]]}",
        "{\"n\": [1,1,1], \"u\": [[1]], \"v\": [[1]], \"w\": [[1, 2]]}",
        "T:=TriadSet([Triad([Matrix(1, 2, [[1]]), Matrix(1, 1, [[1]]), Matrix(1, 1, [[1]])])]):",
        "PK\003\004",
        ""};
    for (size_t k = 0; k < sizeof damaged / sizeof *damaged; k++) {
        flip_scheme scheme;
        bool found;
        base_status status = flip_import(&context, damaged[k], strlen(damaged[k]), 0, &scheme, &found);
        tap_ok(status == BASE_DAMAGED, "damaged: %.60s", damaged[k]);
        if (status == BASE_OK)
            flip_scheme_free(&scheme);
    }
}

/* Random schemes, right or wrong, with fractions or without, through every format. */
static void check_round_trips(void) {
    static const flip_format formats[] = {FLIP_EXP, FLIP_MATHEMATICA, FLIP_JSON, FLIP_MAPLE, FLIP_NPZ};
    for (int trial = 0; trial < 40; trial++) {
        flip_format format = formats[trial % 5];
        int64_t size[3], rank = 1 + (int64_t)base_random_below(&draws, 6);
        for (int k = 0; k < 3; k++)
            size[k] = format == FLIP_NPZ && k > 0
                          ? size[0]
                          : 1 + (int64_t)base_random_below(&draws, trial < 5 ? 12 : 4);
        flip_scheme scheme, back = {0};
        if (flip_scheme_alloc(&context, size, rank, &scheme) != BASE_OK)
            exit(1);
        for (int k = 0; k < 3; k++)
            for (int64_t e = 0; e < rank * flip_length(size, k); e++)
                scheme.factor[k][e] = (int64_t)base_random_below(&draws, 7) - 3;
        for (int k = 0; k < 3;
             k++) /* an exp file shows the sizes by their last entries, and no factor is zero */
            for (int64_t r = 0; r < rank; r++)
                scheme.factor[k][(r + 1) * flip_length(size, k) - 1] = 1 + (int64_t)(r & 1);
        char path[] = "/tmp/flip-scheme-XXXXXX";
        int descriptor = mkstemp(path);
        base_output *output = NULL;
        bool good = descriptor >= 0 && base_output_open(&context, path, &output) == BASE_OK &&
                    flip_export(&context, format, &scheme, output) == BASE_OK &&
                    base_output_commit(&context, output) == BASE_OK;
        FILE *file = fopen(path, "rb");
        static char data[1 << 20];
        size_t bytes = file != NULL ? fread(data, 1, sizeof data, file) : 0;
        bool found;
        good = good && flip_format_detect(data, bytes < 4096 ? bytes : 4096) == format &&
               flip_import(&context, data, bytes, 0, &back, &found) == BASE_OK && found &&
               back.rank == rank && memcmp(back.size, size, sizeof size) == 0;
        for (int k = 0; k < 3 && good; k++)
            good = memcmp(back.factor[k], scheme.factor[k], (size_t)(rank * flip_length(size, k)) * 8) == 0;
        tap_ok(good, "format %d, %dx%dx%d: written and read again", (int)format, (int)size[0], (int)size[1],
               (int)size[2]);
        if (!good)
            tap_note("%s", context.error.cause);
        fclose(file);
        remove(path);
        close(descriptor);
        flip_scheme_free(&scheme);
        flip_scheme_free(&back);
    }
}

static void check_masks(void) {
    flip_scheme scheme = import(strassen), back = {0};
    uint64_t masks[21];
    int64_t rank = flip_scheme_get_masks(&scheme, masks);
    tap_ok(rank == 7 && flip_verify_masks(scheme.size, 7, masks), "Strassen as masks");
    tap_ok(flip_scheme_from_masks(&context, scheme.size, 7, masks, &back) == BASE_OK && is_valid(&back, 2) &&
               !is_valid(&back, 0),
           "... and back: right over F2 alone");
    int wrong = 0;
    for (int f = 0; f < 21; f++)
        for (int bit = 0; bit < 4; bit++) {
            masks[f] ^= UINT64_C(1) << bit;
            wrong += flip_verify_masks(scheme.size, 7, masks);
            masks[f] ^= UINT64_C(1) << bit;
        }
    tap_ok(wrong == 0 && !flip_verify_masks(scheme.size, 6, masks),
           "... wrong with one bit changed or a term less");
    flip_scheme_free(&scheme);
    flip_scheme_free(&back);
}

int main(void) {
    const char *source;
    base_context_init(&context);
    base_random_init(&draws, tap_seed(), 0);
    check_strassen();
    check_fractions();
    check_masks();
    check_round_trips();
    check_damage();
    tap_ok(flip_known_rank((int64_t[]){4, 4, 4}, FLIP_F2, &source) == 47 &&
               strncmp(source, "AlphaTensor", 11) == 0,
           "4x4x4 over F2: 47, AlphaTensor");
    tap_ok(flip_known_rank((int64_t[]){6, 3, 3}, FLIP_Q, NULL) == 40, "6x3x3 over Q: 40");
    tap_ok(flip_known_rank((int64_t[]){9, 9, 9}, FLIP_Q, NULL) == 0, "9x9x9 is not in the table");
    return tap_done();
}
