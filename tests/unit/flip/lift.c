/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear systems over F2 against products, and reconstruction of fractions. */
#include "flip/derive/lift.h"
#include "base/core/random.h"
#include "flip/derive/linear.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

static base_context context;
static base_random draws;

static bool get(const uint64_t *set, int64_t bit) {
    return set[bit / 64] >> bit % 64 & 1;
}

/* The system times a vector. */
static void multiply(int64_t equations, int64_t words, const uint64_t *row, const uint64_t *x,
                     uint64_t *product) {
    memset(product, 0, (size_t)((equations + 63) / 64) * 8);
    for (int64_t e = 0; e < equations; e++)
        for (int64_t w = 0; w < words; w++)
            product[e / 64] ^= (uint64_t)__builtin_parityll(row[e * words + w] & x[w]) << e % 64;
}

static void check_system(int64_t equations, int64_t unknowns, int density) {
    flip_linear system;
    uint64_t x[4], rhs[4], product[4], *copy;
    if (flip_linear_open(&context, equations, unknowns, &system) != BASE_OK)
        exit(1);
    for (int64_t e = 0; e < equations; e++)
        for (int64_t u = 0; u < unknowns; u++)
            if (base_random_below(&draws, 100) < (uint64_t)density)
                system.row[e * system.words + u / 64] |= UINT64_C(1) << u % 64;
    copy = malloc((size_t)(equations * system.words) * 8 + 1);
    memcpy(copy, system.row, (size_t)(equations * system.words) * 8);
    flip_linear_eliminate(&context, &system);
    bool solved = true, kept = true, honest = true;
    for (int trial = 0; trial < 20; trial++) {
        uint64_t start[4];
        for (int w = 0; w < 4; w++)
            start[w] = x[w] = base_random_bits(&draws);
        if (unknowns % 64 != 0)
            x[system.words - 1] &= (UINT64_C(1) << unknowns % 64) - 1;
        multiply(equations, system.words, copy, x, rhs);
        memcpy(product, rhs, sizeof product);
        for (int w = 0; w < system.words; w++)
            x[w] = start[w] ^= base_random_bits(&draws);
        if (unknowns % 64 != 0)
            start[system.words - 1] &= (UINT64_C(1) << unknowns % 64) - 1;
        memcpy(x, start, sizeof x);
        uint64_t again[4];
        solved &= flip_linear_solve(&system, rhs, x);
        multiply(equations, system.words, copy, x, again);
        solved &= memcmp(again, product, (size_t)system.rhs_words * 8) == 0;
        for (int64_t u = 0; u < unknowns; u++)
            kept &= !get(system.free, u) || get(x, u) == get(start, u);
        /* Any right-hand side: a solution, or none because the rank of the augmented system is larger. */
        for (int64_t w = 0; w < system.rhs_words; w++)
            product[w] = rhs[w] = base_random_bits(&draws) &
                                  (w == equations / 64 ? (UINT64_C(1) << equations % 64) - 1 : UINT64_MAX);
        if (flip_linear_solve(&system, rhs, x)) {
            multiply(equations, system.words, copy, x, again);
            honest &= memcmp(again, product, (size_t)system.rhs_words * 8) == 0;
        } else {
            honest &= system.rank < equations;
        }
    }
    tap_ok(solved, "%d equations, %d unknowns, rank %d: solved", (int)equations, (int)unknowns,
           (int)system.rank);
    tap_ok(kept, "... free unknowns stay");
    tap_ok(honest, "... other right-hand sides");
    flip_linear_close(&system);
    free(copy);
}

static void check_fractions(void) {
    bool good = true;
    for (int trial = 0; trial < 2000; trial++) {
        int64_t n = (int64_t)base_random_below(&draws, 60001) - 30000,
                d = 2 * (int64_t)base_random_below(&draws, 15000) + 1;
        int64_t a = llabs(n), b = d;
        while (b != 0) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        n /= a;
        d /= a;
        uint64_t inverse = 1;
        for (int k = 0; k < 6; k++)
            inverse *= 2 - (uint64_t)d * inverse;
        int64_t numerator, denominator;
        good &= flip_reconstruct((uint64_t)n * inverse, 40, &numerator, &denominator) && numerator == n &&
                denominator == d;
    }
    tap_ok(good, "fractions from their remainders modulo 2^40");
}

int main(void) {
    base_context_init(&context);
    base_random_init(&draws, tap_seed(), 0);
    static const int64_t sizes[][2] = {{1, 1}, {5, 9}, {63, 70}, {70, 63}, {100, 100}, {129, 40}, {40, 129}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        check_system(sizes[k][0], sizes[k][1], 50);
        check_system(sizes[k][0], sizes[k][1], 3);
    }
    check_fractions();
    return tap_done();
}
