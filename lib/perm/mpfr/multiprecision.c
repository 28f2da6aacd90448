/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/mpfr/multiprecision.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/common/problem.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { LOG2_CHUNK = 10, LOG2_MOST_CHUNKS = 14, MORE_BITS = 64 };

/* A chunk's words: for each part exponent, sign and limbs; then mantissa (a double) and exponent of the sum
 * of |product|. */
static int64_t count_limbs(const perm_multiprecision *multiprecision) {
    return (multiprecision->bits + MORE_BITS + 63) / 64;
}

/* |sum of |product|| <= 2^(n-1) prod_i sum_j (|re a_ij| + |im a_ij|), and as much again for roundings. */
static int64_t bound_exponent(const perm_integers *integers) {
    int64_t bits = integers->n;
    mpz_t size;
    mpz_init(size);
    for (int64_t i = 0; i < integers->n; i++) {
        mpz_set_ui(size, 0);
        for (int64_t j = 0; j < integers->n; j++)
            for (int part = 0; part <= integers->is_complex; part++) {
                mpz_t *entry = &integers->part[part][j * integers->n + i];
                (mpz_sgn(*entry) < 0 ? mpz_sub : mpz_add)(size, size, *entry);
            }
        bits += (int64_t)mpz_sizeinbase(size, 2);
    }
    mpz_clear(size);
    return bits + 1;
}

base_status perm_multiprecision_init(base_context *context, const perm_matrix *matrix, int64_t bits,
                                     perm_multiprecision *multiprecision) {
    memset(multiprecision, 0, sizeof *multiprecision);
    if (matrix->n > PERM_DENSE_LARGEST)
        return base_fail(context, BASE_FAILED, "n is at most %d here, not %lld", PERM_DENSE_LARGEST,
                         (long long)matrix->n);
    if (bits < PERM_MULTIPRECISION_LEAST_BITS || bits > PERM_MULTIPRECISION_MOST_BITS)
        return base_fail(context, BASE_FAILED, "the precision is %d to %d bits",
                         PERM_MULTIPRECISION_LEAST_BITS, PERM_MULTIPRECISION_MOST_BITS);
    base_status status = perm_integers_init(context, matrix, &multiprecision->integers);
    if (status == BASE_OK && !multiprecision->integers.has_zero_row)
        status = perm_integers_balance(context, &multiprecision->integers);
    if (status != BASE_OK) {
        perm_integers_free(&multiprecision->integers);
        return status;
    }
    const int64_t parts = multiprecision->integers.is_complex ? 2 : 1,
                  free_columns = multiprecision->integers.n - 1;
    int64_t log2_chunk = free_columns < LOG2_CHUNK ? free_columns : LOG2_CHUNK;
    if (free_columns - log2_chunk > LOG2_MOST_CHUNKS)
        log2_chunk = free_columns - LOG2_MOST_CHUNKS;
    multiprecision->bits = bits;
    multiprecision->most_exponent = bound_exponent(&multiprecision->integers);
    multiprecision->word_count = parts * (2 + count_limbs(multiprecision)) + 2;
    multiprecision->chunk_count =
        multiprecision->integers.has_zero_row ? 0 : INT64_C(1) << (free_columns - log2_chunk);
    multiprecision->chunk_subsets = ldexp(1, (int)log2_chunk);
    const double limbs = (double)(bits + 63) / 64;
    multiprecision->seconds = ldexp((double)(free_columns + 1), (int)free_columns) * (double)(parts * parts) *
                              (5e-8 + 2e-9 * limbs * limbs);
    return BASE_OK;
}

void perm_multiprecision_free(perm_multiprecision *multiprecision) {
    if (multiprecision == NULL)
        return;
    perm_integers_free(&multiprecision->integers);
    memset(multiprecision, 0, sizeof *multiprecision);
}

/* What a thread works with. */
typedef struct work {
    mpz_t x[2][PERM_DENSE_LARGEST]; /* row sums */
    mpfr_t product[2], term[4];     /* `bits` */
    mpfr_t sum[2];                  /* MORE_BITS more */
    mpfr_t magnitude, size;         /* 53 bits, rounded up */
} work;

static void init_work(const perm_multiprecision *multiprecision, work *work) {
    for (int part = 0; part < 2; part++) {
        for (int64_t i = 0; i < multiprecision->integers.n; i++)
            mpz_init(work->x[part][i]);
        mpfr_init2(work->product[part], (mpfr_prec_t)multiprecision->bits);
        mpfr_init2(work->sum[part], (mpfr_prec_t)(multiprecision->bits + MORE_BITS));
    }
    for (int k = 0; k < 4; k++)
        mpfr_init2(work->term[k], (mpfr_prec_t)multiprecision->bits);
    mpfr_inits2(53, work->magnitude, work->size, (mpfr_ptr)NULL);
}

static void free_work(const perm_multiprecision *multiprecision, work *work) {
    for (int part = 0; part < 2; part++)
        for (int64_t i = 0; i < multiprecision->integers.n; i++)
            mpz_clear(work->x[part][i]);
    mpfr_clears(work->product[0], work->product[1], work->sum[0], work->sum[1], work->magnitude, work->size,
                work->term[0], work->term[1], work->term[2], work->term[3], (mpfr_ptr)NULL);
}

/* x gains times · column j. */
static void add_column(const perm_integers *integers, int64_t j, int times, work *work) {
    for (int part = 0; part <= integers->is_complex; part++)
        for (int64_t i = 0; i < integers->n; i++) {
            mpz_t *x = &work->x[part][i], *entry = &integers->part[part][j * integers->n + i];
            if (times >= 0)
                mpz_addmul_ui(*x, *entry, (unsigned long)times);
            else
                mpz_submul_ui(*x, *entry, (unsigned long)-times);
        }
}

static void start_sums(const perm_integers *integers, uint64_t subset, work *work) {
    const uint64_t gray = subset ^ subset >> 1;
    for (int part = 0; part < 2; part++)
        for (int64_t i = 0; i < integers->n; i++)
            mpz_set_ui(work->x[part][i], 0);
    for (int64_t j = 0; j < integers->n; j++)
        add_column(integers, j, j == integers->n - 1 || (gray >> j & 1) ? 1 : -1, work);
}

static void multiply_rows(const perm_integers *integers, work *work) {
    mpfr_set_z(work->product[0], work->x[0][0], MPFR_RNDN);
    if (integers->is_complex)
        mpfr_set_z(work->product[1], work->x[1][0], MPFR_RNDN);
    for (int64_t i = 1; i < integers->n; i++) {
        if (!integers->is_complex) {
            mpfr_mul_z(work->product[0], work->product[0], work->x[0][i], MPFR_RNDN);
            continue;
        }
        for (int k = 0; k < 4; k++)
            mpfr_mul_z(work->term[k], work->product[k / 2], work->x[k % 2][i], MPFR_RNDN);
        mpfr_sub(work->product[0], work->term[0], work->term[3], MPFR_RNDN);
        mpfr_add(work->product[1], work->term[1], work->term[2], MPFR_RNDN);
    }
}

static void add_product(const perm_integers *integers, bool negative, work *work) {
    for (int part = 0; part <= integers->is_complex; part++) {
        (negative ? mpfr_sub : mpfr_add)(work->sum[part], work->sum[part], work->product[part], MPFR_RNDN);
        mpfr_abs(work->size, work->product[part], MPFR_RNDU);
        mpfr_add(work->magnitude, work->magnitude, work->size, MPFR_RNDU);
    }
}

static void store(const perm_multiprecision *multiprecision, work *work, int64_t *word) {
    mpz_t integer;
    long exponent;
    mpz_init(integer);
    memset(word, 0, (size_t)multiprecision->word_count * sizeof *word);
    for (int part = 0; part <= multiprecision->integers.is_complex;
         part++, word += 2 + count_limbs(multiprecision)) {
        word[0] = mpfr_get_z_2exp(integer, work->sum[part]);
        word[1] = mpz_sgn(integer);
        word[0] = word[1] == 0 ? 0 : word[0];
        mpz_export(word + 2, NULL, -1, sizeof *word, 0, 0, integer);
    }
    const double mantissa = mpfr_get_d_2exp(&exponent, work->magnitude, MPFR_RNDU);
    memcpy(word, &mantissa, sizeof mantissa);
    word[1] = exponent;
    mpz_clear(integer);
}

static void run_chunk(const perm_multiprecision *multiprecision, int64_t chunk, work *work, int64_t *word) {
    const perm_integers *integers = &multiprecision->integers;
    const uint64_t count = (uint64_t)multiprecision->chunk_subsets, first = (uint64_t)chunk * count;
    for (int part = 0; part < 2; part++)
        mpfr_set_zero(work->sum[part], 1);
    mpfr_set_zero(work->magnitude, 1);
    start_sums(integers, first, work);
    for (uint64_t subset = first; subset < first + count; subset++) {
        if (subset > first) {
            const int64_t j = __builtin_ctzll(subset);
            add_column(integers, j, (subset ^ subset >> 1) >> j & 1 ? 2 : -2, work);
        }
        multiply_rows(integers, work);
        /* Gray code: one sign more or less each time; (-1)^(n-1) in front of the sum. */
        add_product(integers, (subset ^ (uint64_t)(integers->n - 1)) & 1, work);
    }
    store(multiprecision, work, word);
}

void perm_multiprecision_run(base_context *context, const perm_multiprecision *multiprecision, int64_t first,
                             int64_t count, int64_t *word) {
#pragma omp parallel num_threads(context->threads) if (count > 1)
    {
        work work;
        init_work(multiprecision, &work);
#pragma omp for schedule(dynamic)
        for (int64_t chunk = 0; chunk < count; chunk++) {
            run_chunk(multiprecision, first + chunk, &work, word + chunk * multiprecision->word_count);
            base_progress_add(context, (int64_t)multiprecision->chunk_subsets);
        }
        free_work(multiprecision, &work);
        mpfr_free_cache();
    }
}

/* Adds the number in the words, times i for part 1. */
static void add_words(const perm_multiprecision *multiprecision, const int64_t *word, int part,
                      perm_value *value) {
    perm_value term;
    perm_value_init(&term);
    mpz_t *integer = part == 0 ? &term.re : &term.im;
    mpz_import(*integer, (size_t)count_limbs(multiprecision), -1, sizeof *word, 0, 0, word + 2);
    if (word[1] < 0)
        mpz_neg(*integer, *integer);
    perm_value_scale(&term, word[0]);
    perm_value_add(value, &term);
    perm_value_free(&term);
}

/* All products are integers, and the sum of them has the precision of store(). */
bool perm_multiprecision_is_possible(const perm_multiprecision *multiprecision, const int64_t *word) {
    const int64_t precision = multiprecision->bits + MORE_BITS;
    const int64_t *last = word + multiprecision->word_count - 2;
    double mantissa;
    memcpy(&mantissa, last, sizeof mantissa);
    bool possible = mantissa >= 0 && mantissa <= 1 && last[1] >= (mantissa > 0 ? 0 : -1) &&
                    last[1] <= multiprecision->most_exponent;
    for (; word < last; word += 2 + count_limbs(multiprecision))
        possible = possible && word[1] >= -1 && word[1] <= 1 && word[0] >= -precision &&
                   word[0] <= multiprecision->most_exponent;
    return possible;
}

void perm_multiprecision_chunk(const perm_multiprecision *multiprecision, const int64_t *word,
                               perm_value *value, perm_value *magnitude) {
    const perm_integers *integers = &multiprecision->integers;
    const int64_t exponent = integers->exponent + 1 - integers->n;
    double mantissa;
    perm_value factor;
    perm_value_init(&factor);
    perm_value_set_integer(value, 0);
    for (int part = 0; part <= integers->is_complex; part++, word += 2 + count_limbs(multiprecision))
        add_words(multiprecision, word, part, value);
    mpz_set(factor.re, integers->factor);
    perm_value_multiply(value, &factor);
    perm_value_scale(value, exponent);
    memcpy(&mantissa, word, sizeof mantissa);
    perm_value_set_complex(magnitude, mantissa, 0);
    mpz_abs(factor.re, factor.re);
    perm_value_multiply(magnitude, &factor);
    /* Of 2^-bits of |product|, a double need not hold the 2^-bits. */
    perm_value_scale(magnitude, exponent + word[1] - multiprecision->bits);
    perm_value_free(&factor);
}

double perm_multiprecision_relative_error(const perm_multiprecision *multiprecision) {
    /* sqrt(5) < 2.25; one more and 1 % hold the sums, the terms of second order, and the sizes' roundings. */
    return 1 + 1.01 * (double)multiprecision->integers.n * (multiprecision->integers.is_complex ? 2.25 : 1);
}

/* Adds up the words of all chunks, without an error. */
static void fold(const perm_multiprecision *multiprecision, const int64_t *word, perm_value *value) {
    perm_value term, magnitude, sum;
    perm_value_init(&term);
    perm_value_init(&magnitude);
    perm_value_init(&sum);
    perm_value_set_integer(value, 0);
    for (int64_t chunk = 0; chunk < multiprecision->chunk_count; chunk++) {
        perm_multiprecision_chunk(multiprecision, word + chunk * multiprecision->word_count, &term,
                                  &magnitude);
        perm_value_add(value, &term);
        perm_value_add(&sum, &magnitude);
    }
    value->error = perm_bound_multiply(
        perm_bound_from_double(perm_multiprecision_relative_error(multiprecision)), perm_bound_of(&sum));
    perm_value_round(value);
    perm_value_free(&term);
    perm_value_free(&magnitude);
    perm_value_free(&sum);
}

base_status perm_multiprecision_permanent(base_context *context, const perm_matrix *matrix, int64_t bits,
                                          perm_value *value) {
    base_status status;
    perm_multiprecision multiprecision = {0};
    int64_t *word = NULL;
    BASE_TRY(perm_multiprecision_init(context, matrix, bits, &multiprecision));
    word = base_alloc(context, multiprecision.chunk_count * multiprecision.word_count, sizeof *word);
    if (word == NULL)
        BASE_TRY(BASE_MACHINE);
    perm_multiprecision_run(context, &multiprecision, 0, multiprecision.chunk_count, word);
    fold(&multiprecision, word, value);
done:
    free(word);
    perm_multiprecision_free(&multiprecision);
    return status;
}
