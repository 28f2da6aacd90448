/* SPDX-License-Identifier: BSD-3-Clause */
/* The moves of a path, phase by phase as the proof makes them. */
#include "base/core/memory.h"
#include "flip/search/path.h"

#include <stdlib.h>
#include <string.h>

/* Terms that stay to the end of a phase, as donors of factors: `name` their numbers, which change when a plus
 * passes their value to a new term. */
typedef struct finder {
    base_context *context;
    int64_t size[3];
    flip_terms terms;
    flip_path_put *put;
    void *data;
    base_status status; /* of the first move that failed; the others are not made */

    int64_t *kept, kept_count;
    /* A basis of the factors of the kept ones at each position, the first term's first: which terms, and its
     * vectors in echelon form with the set of members that add up to each. */
    int64_t member[3][64];
    int members[3];
    uint64_t vector[3][64], combination[3][64];

    int64_t anchor[3][64];       /* numbers of terms with a basis matrix; 0: kept[donor] has it */
    int64_t anchor_kept[3][64];  /* index in kept */
    int64_t anchor_pair[192][2]; /* terms that were added for that, to be removed */
    int anchor_pairs;
    int64_t *triple; /* number of the term of basis matrices, or 0 */
} finder;

static const uint64_t *value(const finder *find, int64_t name) {
    return find->terms.term[name - 1];
}

/* Makes a move; returns the number of the new term of a plus. */
static int64_t make(finder *find, bool is_plus, int position, int64_t i, int64_t j) {
    const flip_move move = {is_plus, position, i, j};
    bool allowed = true;
    if (find->status == BASE_OK)
        find->status = flip_terms_move(find->context, &find->terms, &move, &allowed);
    if (find->status == BASE_OK && !allowed)
        find->status = base_fail(find->context, BASE_FAILED, "no such move: this is an error of the program");
    if (find->status == BASE_OK)
        find->status = find->put(find->context, find->data, &move);
    return find->terms.count;
}

/* Removes two equal terms. */
static void annihilate(finder *find, int64_t first, int64_t second) {
    make(find, false, 0, first, second);
}

/* The members whose factors add up to `rest`. */
static uint64_t express(const finder *find, int position, uint64_t rest) {
    uint64_t set = 0;
    for (int b = 0; b < find->members[position]; b++)
        if ((rest ^ find->vector[position][b]) < rest) {
            rest ^= find->vector[position][b];
            set ^= find->combination[position][b];
        }
    return set;
}

/* Lemma 6 says that the factors span everything. */
static void choose_basis(finder *find) {
    for (int position = 0; position < 3; position++) {
        int *count = &find->members[position];
        *count = 0;
        for (int64_t k = 0; k < find->kept_count; k++) {
            uint64_t rest = value(find, find->kept[k])[position], set = UINT64_C(1) << (*count & 63);
            for (int b = 0; b < *count; b++)
                if ((rest ^ find->vector[position][b]) < rest) {
                    rest ^= find->vector[position][b];
                    set ^= find->combination[position][b];
                }
            if (rest == 0)
                continue;
            find->member[position][*count] = k;
            find->vector[position][*count] = rest;
            find->combination[position][(*count)++] = set;
        }
    }
}

/* Lemma 7 by two pluses: with P = p ⊗ b ⊗ c the term `name` and d the donor's factor there, two terms
 * (p + d) ⊗ b ⊗ c more. P becomes another number, which is returned. */
static int64_t double_sum(finder *find, int position, int64_t donor, int64_t name, int64_t pair[2]) {
    int64_t rest = make(find, true, position, donor, name); /* name: p + d, rest: d */
    pair[0] = name;
    pair[1] = make(find, true, position, name, rest); /* rest: p */
    return rest;
}

/* Lemma 8: two terms with these factors more. From the first kept term on, a donor after the other changes
 * the factor of a pair; the pair before is removed. The base itself, whose factor may be needed too, comes
 * last: so no sum on the way is zero. */
static void add_pair(finder *find, const uint64_t target[3], int64_t pair[2]) {
    const uint64_t *base = value(find, find->kept[0]);
    uint64_t wanted[3], all = 0;
    int64_t current = find->kept[0], other = 0;
    for (int k = 0; k < 3; k++)
        all |= wanted[k] = express(find, k, target[k] ^ base[k]);
    for (int k = 0; k < 3; k++) {
        int donors[65], count = 0;
        for (uint64_t rest = wanted[k] & ~UINT64_C(1); rest != 0; rest &= rest - 1)
            donors[count++] = __builtin_ctzll(rest);
        if (wanted[k] & 1)
            donors[count++] = 0;
        if (all == 0 && find->members[k] > 1) { /* the base once more: there and back */
            donors[0] = donors[1] = 1;
            count = 2;
            all = 1;
        }
        for (int d = 0; d < count; d++) {
            int64_t next[2];
            int64_t old = double_sum(find, k, find->kept[find->member[k][donors[d]]], current, next);
            if (other == 0)
                find->kept[0] = old;
            else
                annihilate(find, old, other);
            current = next[0];
            other = next[1];
        }
    }
    pair[0] = current;
    pair[1] = other;
}

/* A term with the basis matrix e at that position for every e. */
static void set_anchors(finder *find) {
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < flip_length(find->size, k) && find->status == BASE_OK; e++) {
            uint64_t target[3];
            find->anchor[k][e] = 0;
            int64_t at = 0;
            while (at < find->kept_count && value(find, find->kept[at])[k] != UINT64_C(1) << e)
                at++;
            find->anchor_kept[k][e] = at;
            if (at < find->kept_count)
                continue;
            memcpy(target, value(find, find->kept[0]), sizeof target);
            target[k] = UINT64_C(1) << e;
            add_pair(find, target, find->anchor_pair[find->anchor_pairs]);
            find->anchor[k][e] = find->anchor_pair[find->anchor_pairs++][0];
        }
}

/* Lemma 9: takes a term apart into basis matrices, and removes those that are there already. */
static void take_apart(finder *find, int64_t name) {
    for (int k = 0; k < 3; k++)
        while (find->status == BASE_OK && (value(find, name)[k] & (value(find, name)[k] - 1)) != 0) {
            int e = __builtin_ctzll(value(find, name)[k]);
            int64_t donor =
                find->anchor[k][e] != 0 ? find->anchor[k][e] : find->kept[find->anchor_kept[k][e]];
            take_apart(find, make(find, true, k, donor, name));
        }
    if (find->status != BASE_OK)
        return;
    const uint64_t *term = value(find, name);
    int64_t place = (__builtin_ctzll(term[0]) * flip_length(find->size, 1) + __builtin_ctzll(term[1])) *
                        flip_length(find->size, 2) +
                    __builtin_ctzll(term[2]);
    if (find->triple[place] == 0) {
        find->triple[place] = name;
        return;
    }
    annihilate(find, find->triple[place], name);
    find->triple[place] = 0;
}

static void find_path(finder *find, int64_t first, int64_t second, const uint64_t *target, int64_t *surplus,
                      int64_t *fresh) {
    for (int64_t r = 0; r < first; r++)
        find->kept[r] = r + 1;
    find->kept_count = first;
    choose_basis(find);
    for (int64_t r = 0; r < second && find->status == BASE_OK; r++) {
        int64_t pair[2];
        add_pair(find, target + 3 * r, pair);
        surplus[first + r] = pair[0];
        fresh[r] = pair[1];
    }
    memcpy(surplus, find->kept, (size_t)first * sizeof *surplus);
    memcpy(find->kept, fresh, (size_t)second * sizeof *fresh);
    find->kept_count = second;
    if (find->status != BASE_OK)
        return;
    choose_basis(find);
    set_anchors(find);
    for (int64_t r = 0; r < first + second && find->status == BASE_OK; r++)
        take_apart(find, surplus[r]);
    for (int k = 0; k < find->anchor_pairs && find->status == BASE_OK; k++)
        annihilate(find, find->anchor_pair[k][0], find->anchor_pair[k][1]);
}

base_status flip_path_find(base_context *context, const int64_t size[3], const int64_t rank[2],
                           const uint64_t *const masks[2], flip_path_put *put, void *data) {
    base_status status = BASE_OK;
    int64_t *surplus = NULL, *fresh = NULL;
    int64_t most = rank[0] > rank[1] ? rank[0] : rank[1];
    finder *find = base_alloc_zero(context, 1, sizeof *find);
    if (find == NULL)
        return BASE_MACHINE;
    find->context = context;
    find->put = put;
    find->data = data;
    memcpy(find->size, size, sizeof find->size);
    if (size[0] * size[1] * size[2] == 1)
        BASE_TRY(base_fail(context, BASE_FAILED, "there are no paths for 1x1x1"));
    BASE_TRY(flip_terms_open(context, rank[0], masks[0], &find->terms));
    find->kept = base_alloc(context, most, sizeof *find->kept);
    surplus = base_alloc(context, rank[0] + rank[1], sizeof *surplus);
    fresh = base_alloc(context, rank[1], sizeof *fresh);
    find->triple = base_alloc_zero(
        context, flip_length(size, 0) * flip_length(size, 1) * flip_length(size, 2), sizeof *find->triple);
    if (find->kept == NULL || surplus == NULL || fresh == NULL || find->triple == NULL)
        BASE_TRY(BASE_MACHINE);
    find_path(find, rank[0], rank[1], masks[1], surplus, fresh);
    status = find->status;
done:
    flip_terms_close(&find->terms);
    free(find->kept);
    free(find->triple);
    free(find);
    free(surplus);
    free(fresh);
    return status;
}
