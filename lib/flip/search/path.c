/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/search/path.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

base_status flip_terms_open(base_context *context, int64_t rank, const uint64_t *masks, flip_terms *terms) {
    *terms = (flip_terms){.count = rank, .capacity = rank, .present = rank, .most_present = rank};
    terms->term = base_alloc(context, rank, sizeof *terms->term);
    if (terms->term == NULL)
        return BASE_MACHINE;
    memcpy(terms->term, masks, (size_t)rank * sizeof *terms->term);
    return BASE_OK;
}

void flip_terms_close(flip_terms *terms) {
    free(terms->term);
    *terms = (flip_terms){0};
}

static bool is_there(const flip_terms *terms, int64_t number) {
    return number >= 1 && number <= terms->count && terms->term[number - 1][0] != 0;
}

static void drop_zero(flip_terms *terms, uint64_t *term) {
    if (term[0] != 0 && term[1] != 0 && term[2] != 0)
        return;
    memset(term, 0, sizeof *terms->term);
    terms->present--;
}

base_status flip_terms_move(base_context *context, flip_terms *terms, const flip_move *move, bool *allowed) {
    base_status status = BASE_OK;
    const int a = move->position, b = (a + 1) % 3, c = (a + 2) % 3;
    *allowed = is_there(terms, move->i) && is_there(terms, move->j) && move->i != move->j;
    if (!*allowed)
        goto done;
    BASE_TRY(base_reserve(context, &terms->term, &terms->capacity, terms->count + 1, sizeof *terms->term));
    uint64_t *i = terms->term[move->i - 1], *j = terms->term[move->j - 1];
    *allowed = move->is_plus ? i[a] != j[a] : i[a] == j[a];
    if (!*allowed)
        goto done;
    if (move->is_plus) {
        uint64_t *fresh = terms->term[terms->count++];
        memcpy(fresh, j, sizeof *terms->term);
        fresh[a] = i[a];
        j[a] ^= i[a];
        terms->pluses++;
        terms->present++;
        if (terms->present > terms->most_present)
            terms->most_present = terms->present;
    } else {
        i[c] ^= j[c];
        j[b] ^= i[b];
        terms->flips++;
        drop_zero(terms, i);
        drop_zero(terms, j);
    }
done:
    return status;
}

static int compare_terms(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(uint64_t));
}

base_status flip_terms_are(base_context *context, const flip_terms *terms, int64_t rank,
                           const uint64_t *masks, bool *equal) {
    base_status status = BASE_OK;
    uint64_t(*left)[3] = NULL, (*right)[3] = NULL;
    *equal = terms->present == rank;
    if (!*equal)
        goto done;
    left = base_alloc(context, rank, sizeof *left);
    right = base_alloc(context, rank, sizeof *right);
    if (left == NULL || right == NULL)
        BASE_TRY(BASE_MACHINE);
    int64_t at = 0;
    for (int64_t k = 0; k < terms->count; k++)
        if (terms->term[k][0] != 0)
            memcpy(left[at++], terms->term[k], sizeof *left);
    memcpy(right, masks, (size_t)rank * sizeof *right);
    qsort(left, (size_t)rank, sizeof *left, compare_terms);
    qsort(right, (size_t)rank, sizeof *right, compare_terms);
    *equal = memcmp(left, right, (size_t)rank * sizeof *left) == 0;
done:
    free(left);
    free(right);
    return status;
}
