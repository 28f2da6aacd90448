#include "flip/walk.h"
#include "base/cpu.h"
#include <string.h>

const flip_kernel *const flip_kernels[] = {&flip_avx512, &flip_avx2, &flip_portable, &flip_ref, NULL};

base_status flip_choose_kernel(base_context *context, const char *name, const flip_kernel **kernel) {
    int level = base_cpu_has(BASE_CPU_AVX512) ? 2 : base_cpu_has(BASE_CPU_AVX2) ? 1 : 0;
    for (int k = 0; flip_kernels[k] != NULL; k++) {
        *kernel = flip_kernels[k];
        if (name == NULL ? (*kernel)->fits(level) : strcmp(name, (*kernel)->name) == 0)
            return (*kernel)->fits(level)
                       ? BASE_OK
                       : base_fail(context, BASE_USAGE, "kernel %s does not run here", name);
    }
    return base_fail(context, BASE_USAGE, "there is no kernel '%s'", name);
}

void flip_walker_load(const flip_kernel *kernel, flip_walker *walker, int64_t rank, const uint64_t *masks) {
    walker->rank = (int32_t)rank;
    for (int64_t r = 0; r < rank; r++)
        for (int k = 0; k < 3; k++)
            walker->factor[k][r] = masks[3 * r + k];
    kernel->index(walker);
}

void flip_walker_store(const flip_walker *walker, uint64_t *masks) {
    for (int32_t r = 0; r < walker->rank; r++)
        for (int k = 0; k < 3; k++)
            masks[3 * r + k] = walker->factor[k][r];
}

bool flip_walker_plus(const flip_kernel *kernel, flip_walker *walker) {
    enum { TRIES = 64 };
    int32_t rank = walker->rank;
    if (rank < 2 || rank == FLIP_LARGEST_RANK)
        return false;
    for (int t = 0; t < TRIES; t++) {
        uint64_t draw = flip_draw(&walker->random);
        int32_t i = (int32_t)((draw >> 32) * (uint64_t)rank >> 32);
        int32_t j = (int32_t)((draw & UINT32_MAX) * (uint64_t)rank >> 32);
        int first = (int)(draw % 3), second = (first + 1) % 3, third = (first + 2) % 3;
        uint64_t *a = walker->factor[first], *b = walker->factor[second], *c = walker->factor[third];
        if (a[i] == a[j] || b[i] == b[j] || c[i] == c[j])
            continue;
        a[rank] = a[i];
        b[rank] = b[i] ^ b[j];
        c[rank] = c[j];
        c[i] ^= c[j];
        a[j] ^= a[i];
        walker->rank++;
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

/* Removes one of the terms group[0 … count-1], which share the factor at `shared`, if it can be done. */
static bool reduce_group(const flip_kernel *kernel, flip_walker *walker, int shared, const int32_t *group,
                         int count) {
    for (int turn = 1; turn <= 2; turn++) {
        int second = (shared + turn) % 3, third = (shared + 3 - turn) % 3;
        uint64_t vector[64];
        for (int g = 0; g < count; g++)
            vector[g] = walker->factor[second][group[g]];
        uint64_t set = find_dependency(vector, count);
        if (set == 0)
            continue;
        int32_t gone = group[__builtin_ctzll(set)];
        for (uint64_t rest = set & (set - 1); rest != 0; rest &= rest - 1)
            walker->factor[third][group[__builtin_ctzll(rest)]] ^= walker->factor[third][gone];
        walker->factor[third][gone] = 0;
        kernel->index(walker);
        return true;
    }
    return false;
}

/* Rows with the factor of `row` at the position, from `row` on; at most 64 of them. */
static int collect_group(const flip_walker *walker, int position, int32_t row, int32_t group[64]) {
    const uint64_t *factor = walker->factor[position];
    int count = 0;
    for (int word = row / 64; 64 * word < walker->rank; word++)
        for (uint64_t rest = walker->partnered[position][word]; rest != 0; rest &= rest - 1) {
            int32_t other = 64 * word + __builtin_ctzll(rest);
            if (other >= row && factor[other] == factor[row] && count < 64)
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
    for (int word = 0; 64 * word < walker->rank; word++)
        for (uint64_t rest = walker->partnered[position][word]; rest != 0; rest &= rest - 1) {
            uint8_t *bucket = &count[bucket_of(walker->mark[position][64 * word + __builtin_ctzll(rest)])];
            *bucket += *bucket < UINT8_MAX;
        }
}

static bool reduce_once(const flip_kernel *kernel, flip_walker *walker) {
    int32_t group[64];
    uint8_t marks[BUCKETS];
    for (int position = 0; position < 3; position++) {
        count_marks(walker, position, marks);
        for (int word = 0; 64 * word < walker->rank; word++)
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
