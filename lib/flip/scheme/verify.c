/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/scheme/verify.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

/* The nonzeros of a scheme's factors at one position, term by term. */
typedef struct nonzeros {
    int64_t *start; /* rank + 1 */
    int64_t *index;
    int64_t *value;
    double largest;
} nonzeros;

static base_status collect(base_context *context, const flip_scheme *scheme, int position, int64_t modulus,
                           nonzeros *list) {
    int64_t length = flip_length(scheme->size, position), count = 0;
    const int64_t *factor = scheme->factor[position];
    for (int64_t e = 0; e < scheme->rank * length; e++)
        count += factor[e] != 0;
    list->start = base_alloc(context, scheme->rank + 1, sizeof *list->start);
    list->index = base_alloc(context, count, sizeof *list->index);
    list->value = base_alloc(context, count, sizeof *list->value);
    if (list->start == NULL || list->index == NULL || list->value == NULL)
        return BASE_MACHINE;
    count = 0;
    for (int64_t r = 0; r < scheme->rank; r++) {
        list->start[r] = count;
        for (int64_t e = 0; e < length; e++) {
            int64_t value = factor[r * length + e];
            if (modulus != 0)
                value = value % modulus + (value % modulus < 0 ? modulus : 0);
            if (value == 0)
                continue;
            list->index[count] = e;
            list->value[count++] = value;
            list->largest = fmax(list->largest, fabs((double)value));
        }
    }
    list->start[scheme->rank] = count;
    return BASE_OK;
}

static void discard(nonzeros *list) {
    free(list->start);
    free(list->index);
    free(list->value);
}

/* The coefficients of a_e b c for one e: Σ_r u_re v_r ⊗ w_r, a matrix over the entries of b and c. */
static void expand(const flip_scheme *scheme, const nonzeros list[3], int64_t a, int64_t modulus,
                   wide *slice) {
    int64_t length = flip_length(scheme->size, 2), first = flip_length(scheme->size, 0);
    memset(slice, 0, (size_t)(flip_length(scheme->size, 1) * length) * sizeof *slice);
    for (int64_t r = 0; r < scheme->rank; r++) {
        int64_t u = scheme->factor[0][r * first + a];
        if (modulus != 0)
            u = u % modulus + (u % modulus < 0 ? modulus : 0);
        if (u == 0)
            continue;
        for (int64_t i = list[1].start[r]; i < list[1].start[r + 1]; i++) {
            wide *row = slice + list[1].index[i] * length;
            wide uv = (wide)u * list[1].value[i];
            if (modulus != 0)
                uv %= modulus;
            for (int64_t j = list[2].start[r]; j < list[2].start[r + 1]; j++) {
                wide sum = row[list[2].index[j]] + uv * list[2].value[j];
                row[list[2].index[j]] = modulus != 0 ? sum % modulus : sum;
            }
        }
    }
}

static bool compare(const flip_scheme *scheme, int64_t a, int64_t one, const wide *slice, flip_fault *fault) {
    int64_t m = scheme->size[1], p = scheme->size[2];
    for (int64_t b = 0; b < m * p; b++)
        for (int64_t c = 0; c < scheme->size[0] * p; c++) {
            /* a_ij b_jk contributes to c_ik. */
            bool is_one = a % m == b / p && a / m == c / p && b % p == c % p;
            wide found = slice[b * scheme->size[0] * p + c];
            if (found == (is_one ? one : 0))
                continue;
            if (fault != NULL)
                *fault =
                    (flip_fault){{{a / m + 1, a % m + 1}, {b / p + 1, b % p + 1}, {c / p + 1, c % p + 1}},
                                 (double)found,
                                 is_one ? (double)one : 0};
            return false;
        }
    return true;
}

static bool are_coprime(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

base_status flip_verify(base_context *context, const flip_scheme *scheme, int64_t modulus, bool *valid,
                        flip_fault *fault) {
    base_status status = BASE_OK;
    nonzeros list[3] = {{0}};
    wide *slice = NULL;
    if (fault != NULL)
        *fault = (flip_fault){0};
    *valid = modulus == 0 || are_coprime(scheme->denominator, modulus);
    int64_t one = modulus != 0 ? scheme->denominator % modulus : scheme->denominator;
    int64_t entries = flip_length(scheme->size, 1) * flip_length(scheme->size, 2);
    if (entries > context->memory_bytes / (int64_t)sizeof *slice)
        BASE_TRY(base_fail(context, BASE_MACHINE, "verifying this format exceeds the memory limit"));
    slice = base_alloc(context, entries, sizeof *slice);
    if (slice == NULL)
        BASE_TRY(BASE_MACHINE);
    /* No sum of `rank` products exceeds rank times the largest of them; 2^126 leaves 128 bits room. */
    double bound = 2 * (double)scheme->rank + 2;
    for (int k = 0; k < 3; k++) {
        BASE_TRY(collect(context, scheme, k, modulus, &list[k]));
        bound *= list[k].largest;
    }
    if (modulus == 0 && bound > 0x1p126)
        BASE_TRY(base_fail(context, BASE_FAILED, "the coefficients are too large to be verified"));
    for (int64_t a = 0; *valid && a < flip_length(scheme->size, 0); a++) {
        expand(scheme, list, a, modulus, slice);
        *valid = compare(scheme, a, one, slice, fault);
    }
done:
    for (int k = 0; k < 3; k++)
        discard(&list[k]);
    free(slice);
    return status;
}

bool flip_verify_masks(const int64_t size[3], int64_t rank, const uint64_t *masks) {
    int64_t m = size[1], p = size[2];
    uint64_t slice[FLIP_MASK_BITS];
    for (int64_t a = 0; a < size[0] * m; a++) {
        for (int64_t b = 0; b < m * p; b++)
            slice[b] = a % m == b / p ? UINT64_C(1) << (a / m * p + b % p) : 0;
        for (int64_t r = 0; r < rank; r++)
            if (masks[3 * r] >> a & 1)
                for (uint64_t rest = masks[3 * r + 1]; rest != 0; rest &= rest - 1)
                    slice[__builtin_ctzll(rest)] ^= masks[3 * r + 2];
        for (int64_t b = 0; b < m * p; b++)
            if (slice[b] != 0)
                return false;
    }
    return true;
}

void flip_fault_print(const flip_fault *fault, char *text, size_t size) {
    const int64_t(*place)[2] = fault->place;
    if (place[0][0] == 0)
        snprintf(text, size, "its denominator has no inverse");
    else
        snprintf(text, size, "a_%lld_%lld b_%lld_%lld c_%lld_%lld has the coefficient %.17g instead of %.17g",
                 (long long)place[0][0], (long long)place[0][1], (long long)place[1][0],
                 (long long)place[1][1], (long long)place[2][0], (long long)place[2][1], fault->found,
                 fault->expected);
}
