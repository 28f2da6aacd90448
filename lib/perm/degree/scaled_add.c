/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds scaled matrices that differ in one row or column only (scaled.h). */
#include "perm/degree/scaled.h"
#include "perm/value/divisor.h"

#include <string.h>
#include <xxhash.h>

/* A row whose entries would have more bits costs more than the matrix that is saved. */
enum { MOST_MERGED_BITS = 1024 };

static uint64_t hash_integer(mpz_srcptr integer, uint64_t seed) {
    return XXH3_64bits_withSeed(mpz_limbs_read(integer), mpz_size(integer) * sizeof(mp_limb_t),
                                seed + (uint64_t)(mpz_sgn(integer) + 1));
}

static uint64_t hash_entry(const perm_value *value, int64_t row, int64_t column) {
    const int64_t place[3] = {row, column, value->exponent};
    uint64_t hash = hash_integer(value->re, XXH3_64bits(place, sizeof place));
    return mpz_sgn(value->im) == 0 ? hash : hash_integer(value->im, hash);
}

void perm_scaled_hash(const perm_scaled *scaled, uint64_t *hash) {
    const perm_matrix *matrix = &scaled->matrix;
    const int64_t n = matrix->n;
    uint64_t all = (uint64_t)n;
    memset(hash, 0, (size_t)(2 * n) * sizeof *hash);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            /* A hash is the sum over all entries less those of the line: O(nnz) for all lines together. Equal
             * hashes of different matrices cost a comparison only (is_compatible). */
            uint64_t one = hash_entry(&matrix->entry[e], i, matrix->index[e]);
            all += one;
            hash[i] -= one;
            hash[n + matrix->index[e]] -= one;
        }
    for (int64_t i = 0; i < 2 * n; i++)
        hash[i] = (hash[i] + all) ^ ((uint64_t)(i + 1) * 0x9e3779b97f4a7c15u);
}

static bool is_equal(const perm_value *a, const perm_value *b) {
    return a->exponent == b->exponent && mpz_cmp(a->re, b->re) == 0 && mpz_cmp(a->im, b->im) == 0;
}

/* Whether an entry of row `row` lies in line `at`: n + j is column j. */
static bool lies_in(const perm_matrix *matrix, int64_t at, int64_t row, int64_t e) {
    return at < matrix->n ? row == at : matrix->index[e] == at - matrix->n;
}

/* The entries of a row of two matrices, in ascending places. */
typedef struct pair {
    const perm_matrix *a, *b;
    int64_t e, f, e_end, f_end;
    bool in_a, in_b; /* which have an entry at the current place */
} pair;

static bool pair_next(pair *p) {
    p->e += p->in_a;
    p->f += p->in_b;
    bool more_a = p->e < p->e_end, more_b = p->f < p->f_end;
    p->in_a = more_a && (!more_b || p->a->index[p->e] <= p->b->index[p->f]);
    p->in_b = more_b && (!more_a || p->b->index[p->f] <= p->a->index[p->e]);
    return p->in_a || p->in_b;
}

static pair pair_begin(const perm_matrix *a, const perm_matrix *b, int64_t row) {
    return (pair){a, b, a->start[row], b->start[row], a->start[row + 1], b->start[row + 1], false, false};
}

/* Whether the matrices differ in line `at` only, and one of them, `wider`, has an entry there wherever the
 * other one has. */
static bool is_compatible(const perm_matrix *a, const perm_matrix *b, int64_t at, const perm_matrix **wider) {
    int64_t only_a = 0, only_b = 0;
    if (a->n != b->n)
        return false;
    for (int64_t i = 0; i < a->n; i++)
        for (pair p = pair_begin(a, b, i); pair_next(&p);) {
            if (p.in_a ? lies_in(a, at, i, p.e) : lies_in(b, at, i, p.f)) {
                only_a += !p.in_b;
                only_b += !p.in_a;
            } else if (!p.in_a || !p.in_b || !is_equal(&a->entry[p.e], &b->entry[p.f])) {
                return false;
            }
        }
    *wider = only_b == 0 ? a : b;
    return only_a == 0 || only_b == 0;
}

static size_t bits_of(const perm_value *value) {
    return mpz_sizeinbase(value->re, 2) + mpz_sizeinbase(value->im, 2);
}

static size_t most_bits(const perm_matrix *matrix, int64_t at) {
    size_t most = 0;
    for (int64_t i = 0; i < matrix->n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            if (lies_in(matrix, at, i, e) && bits_of(&matrix->entry[e]) > most)
                most = bits_of(&matrix->entry[e]);
    return most;
}

/* Multiplies line `at` of both by their factors and adds that of `from`, which has entries in places of `to`
 * only. */
static void add_line(perm_scaled *to, perm_scaled *from, int64_t at) {
    perm_matrix *matrix = &to->matrix;
    for (int64_t i = 0; i < matrix->n; i++)
        for (pair p = pair_begin(matrix, &from->matrix, i); pair_next(&p);) {
            if (!lies_in(matrix, at, i, p.e))
                continue;
            perm_value_multiply(&matrix->entry[p.e], &to->factor);
            if (!p.in_b)
                continue;
            perm_value *entry = &from->matrix.entry[p.f];
            perm_value_multiply(entry, &from->factor);
            perm_value_add(&matrix->entry[p.e], entry);
        }
}

static bool is_small(const perm_scaled *scaled, int64_t at) {
    return bits_of(&scaled->factor) + most_bits(&scaled->matrix, at) <= MOST_MERGED_BITS;
}

base_status perm_scaled_add(base_context *context, perm_scaled *to, perm_scaled *other, int64_t at,
                            bool *added) {
    base_status status = BASE_OK;
    const perm_matrix *wider;
    perm_divisor d;
    *added = false;
    if (!is_compatible(&to->matrix, &other->matrix, at, &wider))
        return BASE_OK;
    perm_divisor_init(&d);
    /* perm is linear in the line: f perm(A) + g perm(B) = d perm(C), where the line of C is f/d times that of
     * A plus g/d times that of B, and d the greatest common divisor of f and g. */
    perm_value_take_twos(&to->factor);
    perm_value_take_twos(&other->factor);
    perm_divisor_join(&d, &to->factor);
    perm_divisor_join(&d, &other->factor);
    perm_divisor_divide(&d, &to->factor);
    perm_divisor_divide(&d, &other->factor);
    *added = is_small(to, at) && is_small(other, at);
    if (!*added) {
        perm_divisor_multiply(&d, &to->factor);
        perm_divisor_multiply(&d, &other->factor);
        goto done;
    }
    if (wider == &other->matrix) {
        perm_scaled narrow = *to;
        *to = *other;
        *other = narrow;
    }
    add_line(to, other, at);
    perm_value_set_integer(&to->factor, 1);
    perm_divisor_multiply(&d, &to->factor);
    if (perm_matrix_squeeze(&to->matrix) > 0)
        to->blocks = 0;
    to->share += other->share;
    perm_scaled_free(other);
    BASE_TRY(perm_scaled_normalise(context, to));
done:
    perm_divisor_free(&d);
    return status;
}
