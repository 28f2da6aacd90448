/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/derive/lift.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "flip/derive/linear.h"
#include "flip/scheme/entries.h"
#include "flip/scheme/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BITS = 56, ATTEMPTS = 200 };

/* The scheme modulo 2^bits; entries wrap at 2^64. */
typedef struct lift {
    int64_t size[3], length[3], rank;
    uint64_t *factor[3]; /* as in flip_scheme */
    int bits;
    flip_linear system;
    uint64_t *tensor; /* nm × mp × np: what is missing */
    uint64_t *rhs, *change;
    int64_t *unknown[3]; /* of each entry: those of odd ones come first */
    int64_t odd;         /* how many these are */
    uint64_t *negative;  /* bit set: of the odd ones, if free, these become -1 */
} lift;

static int64_t place_of(const lift *lift, int64_t a, int64_t b, int64_t c) {
    return (a * lift->length[1] + b) * lift->length[2] + c;
}

static void set_bit(flip_linear *system, int64_t equation, int64_t unknown) {
    system->row[equation * system->words + unknown / 64] ^= UINT64_C(1) << unknown % 64;
}

/* The equations' matrix: (u + 2^k x) ⊗ (v + 2^k y) ⊗ (w + 2^k z) is u ⊗ v ⊗ w + 2^k (x ⊗ v ⊗ w + u ⊗ y ⊗ w +
 * u ⊗ v ⊗ z) modulo 2^(k+1). It depends on the scheme modulo 2 alone, so that it is the same in every step.
 */
static void fill_system(lift *lift) {
    for (int64_t r = 0; r < lift->rank; r++)
        for (int64_t a = 0; a < lift->length[0]; a++)
            for (int64_t b = 0; b < lift->length[1]; b++)
                for (int64_t c = 0; c < lift->length[2]; c++) {
                    bool u = lift->factor[0][r * lift->length[0] + a] & 1;
                    bool v = lift->factor[1][r * lift->length[1] + b] & 1;
                    bool w = lift->factor[2][r * lift->length[2] + c] & 1;
                    int64_t equation = place_of(lift, a, b, c);
                    if (v && w)
                        set_bit(&lift->system, equation, lift->unknown[0][r * lift->length[0] + a]);
                    if (u && w)
                        set_bit(&lift->system, equation, lift->unknown[1][r * lift->length[1] + b]);
                    if (u && v)
                        set_bit(&lift->system, equation, lift->unknown[2][r * lift->length[2] + c]);
                }
}

/* tensor = that of matrix multiplication less the scheme's, modulo 2^64. */
static void find_residue(lift *lift) {
    int64_t m = lift->size[1], p = lift->size[2];
    memset(lift->tensor, 0,
           (size_t)(lift->length[0] * lift->length[1] * lift->length[2]) * sizeof *lift->tensor);
    for (int64_t i = 0; i < lift->size[0]; i++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t k = 0; k < p; k++)
                lift->tensor[place_of(lift, i * m + j, j * p + k, i * p + k)] = 1;
    for (int64_t r = 0; r < lift->rank; r++)
        for (int64_t a = 0; a < lift->length[0]; a++)
            for (int64_t b = 0; b < lift->length[1]; b++) {
                uint64_t uv =
                    lift->factor[0][r * lift->length[0] + a] * lift->factor[1][r * lift->length[1] + b];
                const uint64_t *w = lift->factor[2] + r * lift->length[2];
                uint64_t *row = lift->tensor + place_of(lift, a, b, 0);
                for (int64_t c = 0; uv != 0 && c < lift->length[2]; c++)
                    row[c] -= uv * w[c];
            }
}

/* One step of Hensel's lifting, from 2^bits to 2^(bits+1): the residue is a multiple of 2^bits, and its next
 * bit is the right side. */
static bool raise(lift *lift) {
    int64_t count = lift->system.equations;
    find_residue(lift);
    memset(lift->rhs, 0, (size_t)lift->system.rhs_words * sizeof *lift->rhs);
    for (int64_t e = 0; e < count; e++)
        lift->rhs[e / 64] |= (lift->tensor[e] >> lift->bits & 1) << e % 64;
    memcpy(lift->change, lift->negative,
           (size_t)lift->system.words * sizeof *lift->change); /* -1 = 1 + 2 + 4 … */
    if (!flip_linear_solve(&lift->system, lift->rhs, lift->change))
        return false;
    for (int k = 0; k < 3; k++)
        for (int64_t e = 0; e < lift->rank * lift->length[k]; e++) {
            int64_t unknown = lift->unknown[k][e];
            lift->factor[k][e] += (lift->change[unknown / 64] >> unknown % 64 & 1) << lift->bits;
        }
    lift->bits++;
    return true;
}

bool flip_reconstruct(uint64_t value, int bits, int64_t *numerator, int64_t *denominator) {
    int64_t modulus = INT64_C(1) << bits, most = (int64_t)sqrt((double)(modulus / 2));
    int64_t before = modulus, rest = (int64_t)(value & (uint64_t)(modulus - 1));
    int64_t factor_before = 0, factor = 1;
    /* The extended Euclidean algorithm on modulus and value stops halfway: factor · value = rest modulo the
     * modulus throughout, and a fraction with both parts below √(modulus / 2) is found there if there is one
     * (Wang, A p-adic algorithm for univariate partial fractions, SYMSAC 1981). */
    while (rest > most) {
        int64_t quotient = before / rest, next = before % rest,
                factor_next = factor_before - quotient * factor;
        before = rest, rest = next;
        factor_before = factor, factor = factor_next;
    }
    *numerator = factor < 0 ? -rest : rest;
    *denominator = factor < 0 ? -factor : factor;
    return *denominator <= most && *denominator % 2 == 1 && flip_gcd(*numerator, *denominator) == 1;
}

/* Fractions for all coefficients, and whether they make a right scheme. */
static base_status reconstruct(base_context *context, const lift *lift, flip_scheme *lifted, bool *found) {
    base_status status = BASE_OK;
    flip_entries entries = {.terms = lift->rank, .size = {lift->size[0], lift->size[1], lift->size[2]}};
    *found = true;
    for (int k = 0; k < 3 && *found; k++)
        for (int64_t e = 0; e < lift->rank * lift->length[k] && *found; e++) {
            int64_t ncol = lift->size[k == 0 ? 1 : 2], place = e % lift->length[k];
            flip_entry entry = {e / lift->length[k], k, place / ncol, place % ncol, 0, 1};
            if (k == 2) {
                entry.row = place % ncol;
                entry.col = place / ncol;
            }
            *found = flip_reconstruct(lift->factor[k][e], lift->bits, &entry.numerator, &entry.denominator);
            if (*found && entry.numerator != 0)
                BASE_TRY(flip_entries_add(context, &entries, entry));
        }
    if (!*found)
        goto done;
    status = flip_entries_finish(context, &entries, lifted);
    if (status == BASE_FAILED) { /* the fractions do not fit 64 bits: they are not the right ones */
        status = BASE_OK;
        *found = false;
    }
    BASE_TRY(status);
    if (*found)
        BASE_TRY(flip_verify(context, lifted, 0, found, NULL));
    if (!*found)
        flip_scheme_free(lifted);
done:
    flip_entries_free(&entries);
    return status;
}

/* Numbers the unknowns. */
static void number(lift *lift) {
    int64_t next = 0;
    for (int parity = 1; parity >= 0; parity--) {
        for (int k = 0; k < 3; k++)
            for (int64_t e = 0; e < lift->rank * lift->length[k]; e++)
                if ((int)(lift->factor[k][e] & 1) == parity)
                    lift->unknown[k][e] = next++;
        if (parity == 1)
            lift->odd = next;
    }
}

/* Back to the scheme modulo 2, with other signs. */
static void restart(lift *lift, base_random *random) {
    for (int k = 0; k < 3; k++)
        for (int64_t e = 0; e < lift->rank * lift->length[k]; e++)
            lift->factor[k][e] &= 1;
    for (int64_t w = 0; 64 * w < lift->odd; w++) {
        int64_t left = lift->odd - 64 * w;
        lift->negative[w] = base_random_bits(random) & (left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX);
    }
    lift->bits = 1;
}

static base_status open_lift(base_context *context, const flip_scheme *scheme, lift *lift) {
    base_status status = BASE_OK;
    int64_t unknowns = 0;
    memcpy(lift->size, scheme->size, sizeof lift->size);
    lift->rank = scheme->rank;
    lift->bits = 1;
    for (int k = 0; k < 3; k++) {
        lift->length[k] = flip_length(scheme->size, k);
        unknowns += lift->rank * lift->length[k];
        lift->factor[k] = base_alloc(context, lift->rank * lift->length[k], sizeof *lift->factor[k]);
        lift->unknown[k] = base_alloc(context, lift->rank * lift->length[k], sizeof *lift->unknown[k]);
        if (lift->factor[k] == NULL || lift->unknown[k] == NULL)
            BASE_TRY(BASE_MACHINE);
        for (int64_t e = 0; e < lift->rank * lift->length[k]; e++)
            lift->factor[k][e] = (uint64_t)scheme->factor[k][e] & 1;
    }
    int64_t equations = lift->length[0] * lift->length[1] * lift->length[2];
    BASE_TRY(flip_linear_open(context, equations, unknowns, &lift->system));
    lift->tensor = base_alloc(context, equations, sizeof *lift->tensor);
    lift->rhs = base_alloc(context, lift->system.rhs_words, sizeof *lift->rhs);
    lift->negative = base_alloc_zero(context, lift->system.words, sizeof *lift->negative);
    lift->change = base_alloc(context, lift->system.words, sizeof *lift->change);
    if (lift->tensor == NULL || lift->rhs == NULL || lift->change == NULL || lift->negative == NULL)
        BASE_TRY(BASE_MACHINE);
    number(lift);
done:
    return status;
}

/* From modulo 2 as far as it goes. */
static base_status attempt(base_context *context, lift *lift, flip_scheme *lifted, bool *found) {
    base_status status = BASE_OK;
    while (!*found && lift->bits < MOST_BITS && raise(lift))
        if (lift->bits % 8 == 0)
            BASE_TRY(reconstruct(context, lift, lifted, found));
done:
    return status;
}

base_status flip_lift(base_context *context, const flip_scheme *scheme, flip_scheme *lifted, bool *found,
                      char *reason, size_t size) {
    base_status status = BASE_OK;
    lift lift = {0};
    base_random random;
    bool valid;
    *lifted = (flip_scheme){0};
    *found = false;
    reason[0] = '\0';
    BASE_TRY(flip_verify(context, scheme, 2, &valid, NULL));
    if (!valid)
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme is wrong over F2"));
    BASE_TRY(open_lift(context, scheme, &lift));
    fill_system(&lift);
    BASE_TRY(flip_linear_eliminate(context, &lift.system));
    base_random_init(&random, 1, 0);
    int furthest = 0;
    for (int number = 0; number < ATTEMPTS && !*found; number++) {
        if (number > 0)
            restart(&lift, &random);
        BASE_TRY(attempt(context, &lift, lifted, found));
        furthest = lift.bits > furthest ? lift.bits : furthest;
        if (furthest == 1)
            break;
    }
    if (!*found)
        snprintf(reason, size,
                 furthest == 1 ? "it has no lift modulo 4, so none over the integers or odd denominators"
                 : furthest == MOST_BITS ? "it is lifted modulo 2^%d, but to no small fractions"
                                         : "no lift beyond modulo 2^%d was found in %d attempts",
                 furthest, ATTEMPTS);
done:
    for (int k = 0; k < 3; k++) {
        free(lift.factor[k]);
        free(lift.unknown[k]);
    }
    free(lift.negative);
    flip_linear_close(&lift.system);
    free(lift.tensor);
    free(lift.rhs);
    free(lift.change);
    return status;
}
