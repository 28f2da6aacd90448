/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/search/walk.h"
#include "base/core/cpu.h"

#include <string.h>

const flip_kernel *const flip_kernels[] = {&flip_avx512, &flip_avx2, &flip_portable, &flip_ref, NULL};

base_status flip_choose_kernel(base_context *context, const char *name, const flip_kernel **kernel) {
    const unsigned features = base_cpu_features();
    for (int k = 0; flip_kernels[k] != NULL; k++) {
        *kernel = flip_kernels[k];
        if (name == NULL ? (*kernel)->fits(features) : strcmp(name, (*kernel)->name) == 0)
            return (*kernel)->fits(features)
                       ? BASE_OK
                       : base_fail(context, BASE_USAGE, "kernel %s does not run here", name);
    }
    return base_fail(context, BASE_USAGE, "there is no kernel '%s'; --kernel list prints their names", name);
}

/* Factor `position` (mod 3) of term r. */
static uint64_t *factor_at(flip_walker *walker, int position, int64_t r) {
    return walker->symmetry == FLIP_PLAIN ? &walker->factor[position % 3][r]
                                          : &walker->factor[0][3 * r + position % 3];
}

void flip_walker_load(const flip_kernel *kernel, flip_walker *walker, int64_t rank, const uint64_t *masks) {
    walker->rank = walker->fixed_count = 0;
    for (int64_t r = 0; r < rank; r++) {
        const uint64_t *term = masks + 3 * r;
        if (walker->symmetry != FLIP_PLAIN && term[0] == term[1] && term[1] == term[2] &&
            walker->fixed_count < FLIP_MOST_FIXED) {
            flip_walker_toggle_fixed(walker, term[0]);
            continue;
        }
        for (int k = 0; k < 3; k++)
            *factor_at(walker, k, walker->rank) = term[k];
        walker->rank++;
    }
    kernel->index(walker);
}

int64_t flip_walker_store(const flip_walker *walker, uint64_t *masks) {
    for (int32_t r = 0; r < walker->rank; r++)
        for (int k = 0; k < 3; k++)
            masks[3 * r + k] =
                walker->symmetry == FLIP_PLAIN ? walker->factor[k][r] : walker->factor[0][3 * r + k];
    for (int32_t f = 0; f < walker->fixed_count; f++)
        for (int k = 0; k < 3; k++)
            masks[3 * (walker->rank + f) + k] = walker->fixed[f];
    return walker->rank + walker->fixed_count;
}

/* The plus of terms i and j, from these positions on; a new term goes to `fresh`. */
static bool add_term(flip_walker *walker, int32_t i, int32_t j, int32_t fresh, const int at[2]) {
    uint64_t *of_i[3], *of_j[3], *of_fresh[3];
    for (int k = 0; k < 3; k++) {
        of_i[k] = factor_at(walker, at[0] + k, i);
        of_j[k] = factor_at(walker, at[1] + k, j);
        of_fresh[k] = factor_at(walker, at[0] + k, fresh);
    }
    if (*of_i[0] == *of_j[0] || *of_i[1] == *of_j[1] || *of_i[2] == *of_j[2])
        return false;
    *of_fresh[0] = *of_i[0];
    *of_fresh[1] = *of_i[1] ^ *of_j[1];
    *of_fresh[2] = *of_j[2];
    *of_i[2] ^= *of_j[2];
    *of_j[0] ^= *of_i[0];
    return true;
}

bool flip_walker_plus(const flip_kernel *kernel, flip_walker *walker) {
    enum { TRIES = 64 };
    const bool is_plain = walker->symmetry == FLIP_PLAIN;
    const int32_t rank = walker->rank, copies = flip_walker_copies(walker);
    if (rank < 2 * copies || rank + copies > FLIP_LARGEST_RANK / (is_plain ? 1 : 3))
        return false;
    for (int t = 0; t < TRIES; t++) {
        uint64_t draw = flip_draw(&walker->random);
        int32_t i = (int32_t)((draw >> 32) * (uint64_t)rank >> 32);
        int32_t j = (int32_t)((draw & UINT32_MAX) * (uint64_t)rank >> 32);
        const int at[2] = {(int)(draw % 3), (int)((is_plain ? draw : draw / 3) % 3)};
        if (i / copies == j / copies || !add_term(walker, i, j, rank, at))
            continue;
        if (copies == 2)
            add_term(walker, i ^ 1, j ^ 1, rank + 1, at);
        walker->rank += copies;
        kernel->index(walker);
        return true;
    }
    return false;
}

/* A linear dependency among `count` ≤ 64 vectors: the set of those that add up to zero, or 0. By elimination,
 * with the combinations carried along. */
static uint64_t find_dependency(const uint64_t *vector, int count) {
    uint64_t basis[64], combination[64];
    int size = 0;
    for (int v = 0; v < count; v++) {
        uint64_t rest = vector[v], set = UINT64_C(1) << v;
        for (int b = 0; b < size; b++)
            if ((rest ^ basis[b]) < rest) { /* its leading bit is set in rest */
                rest ^= basis[b];
                set ^= combination[b];
            }
        if (rest == 0)
            return set;
        basis[size] = rest;
        combination[size++] = set;
    }
    return 0;
}

/* The factor `turn` positions after an entry of a position, of the same term. */
static uint64_t *factor_after(flip_walker *walker, int position, int32_t entry, int turn) {
    return walker->symmetry == FLIP_PLAIN ? &walker->factor[(position + turn) % 3][entry]
                                          : factor_at(walker, entry % 3 + turn, entry / 3);
}

/* Adds a factor of the first entry in the set to those of the others, and makes it zero; `turn` positions
 * after the entries or their reversals. */
static void merge_terms(flip_walker *walker, int shared, const int32_t *group, uint64_t set, int turn,
                        bool is_reversed) {
    uint64_t *gone = NULL;
    for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
        const int32_t entry = group[__builtin_ctzll(rest)];
        uint64_t *factor =
            factor_after(walker, shared, is_reversed ? flip_reversed_entry(entry) : entry, turn);
        if (gone == NULL)
            gone = factor;
        else
            *factor ^= *gone;
    }
    *gone = 0;
}

/* Removes one of the terms of the entries group[0 … count-1], which share the factor at `shared`, if it can
 * be done. */
static bool reduce_group(const flip_kernel *kernel, flip_walker *walker, int shared, const int32_t *group,
                         int count) {
    for (int turn = 1; turn <= 2; turn++) {
        uint64_t vector[64];
        for (int g = 0; g < count; g++)
            vector[g] = *factor_after(walker, shared, group[g], turn);
        uint64_t set = find_dependency(vector, count);
        if (set == 0)
            continue;
        merge_terms(walker, shared, group, set, 3 - turn, false);
        if (walker->symmetry == FLIP_REVERSED)
            merge_terms(walker, shared, group, set, 3 - turn, true);
        kernel->index(walker);
        return true;
    }
    return false;
}

/* Entries with the factor of `row` at the position, from `row` on, one of each orbit; at most 64 of them. */
static int collect_group(const flip_walker *walker, int position, int32_t row, int32_t group[64]) {
    const uint64_t *factor = walker->factor[position];
    const int32_t orbit = walker->symmetry == FLIP_PLAIN ? 1 : 3 * flip_walker_copies(walker);
    int count = 0;
    for (int word = row / 64; 64 * word < flip_walker_entries(walker); word++)
        for (uint64_t rest = walker->partnered[position][word]; rest != 0; rest &= rest - 1) {
            int32_t other = 64 * word + __builtin_ctzll(rest);
            bool known = count > 0 && group[count - 1] / orbit == other / orbit;
            if (other >= row && factor[other] == factor[row] && count < 64 && !known)
                group[count++] = other;
        }
    return count;
}

enum { BUCKETS = 1024 };

static int bucket_of(uint16_t mark) {
    return (uint16_t)(mark * 40503u) >> 6;
}

/* How many rows with a partner fall into each bucket of marks. Few are in one with two others. */
static void count_marks(const flip_walker *walker, int position, uint8_t count[BUCKETS]) {
    memset(count, 0, BUCKETS);
    for (int word = 0; 64 * word < flip_walker_entries(walker); word++)
        for (uint64_t rest = walker->partnered[position][word]; rest != 0; rest &= rest - 1) {
            uint8_t *bucket = &count[bucket_of(walker->mark[position][64 * word + __builtin_ctzll(rest)])];
            *bucket += *bucket < UINT8_MAX;
        }
}

static bool reduce_once(const flip_kernel *kernel, flip_walker *walker) {
    int32_t group[64];
    uint8_t marks[BUCKETS];
    for (int position = 0; position < flip_walker_positions(walker); position++) {
        count_marks(walker, position, marks);
        for (int word = 0; 64 * word < flip_walker_entries(walker); word++)
            for (uint64_t rest = walker->partnered[position][word]; rest != 0; rest &= rest - 1) {
                int32_t row = 64 * word + __builtin_ctzll(rest);
                /* Two terms depend on each other only when they are equal, which a flip finds by itself. */
                if (marks[bucket_of(walker->mark[position][row])] < 3)
                    continue;
                int count = collect_group(walker, position, row, group);
                if (count > 2 && reduce_group(kernel, walker, position, group, count))
                    return true;
            }
    }
    return false;
}

bool flip_walker_reduce(const flip_kernel *kernel, flip_walker *walker) {
    bool any = false;
    while (reduce_once(kernel, walker))
        any = true;
    return any;
}

/* The flip of two terms of a set: b of the one gains that of the other, whose c gains that of the first. */
static void flip_in_set(flip_walker *walker, int position, int32_t from, int32_t to) {
    *factor_after(walker, position, to, 1) ^= *factor_after(walker, position, from, 1);
    *factor_after(walker, position, from, 2) ^= *factor_after(walker, position, to, 2);
}

bool flip_walker_generalize(const flip_kernel *kernel, flip_walker *walker) {
    int32_t group[64];
    if (walker->symmetry != FLIP_PLAIN || walker->rank == 0)
        return false;
    const uint64_t draw = flip_draw(&walker->random);
    const int position = (int)(draw % 3);
    const uint64_t *factor = walker->factor[position];
    int32_t row = (int32_t)((draw >> 32) * (uint64_t)walker->rank >> 32);
    for (int32_t r = row - 1; r >= 0; r--)
        row = factor[r] == factor[row] ? r : row;
    const int count = collect_group(walker, position, row, group);
    if (count < 2)
        return false;
    for (int upper = 0; upper < 2; upper++)
        for (int i = 1; i < count; i++) {
            const uint64_t entries = flip_draw(&walker->random);
            for (int j = 0; j < i; j++)
                if (entries >> j & 1)
                    flip_in_set(walker, position, group[upper ? i : j], group[upper ? j : i]);
        }
    walker->flips++;
    kernel->index(walker);
    return true;
}
