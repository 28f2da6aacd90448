/* SPDX-License-Identifier: BSD-3-Clause */
// What the device kernels for flip graphs share.
#ifndef FLIP_COMMON_GPU_H
#define FLIP_COMMON_GPU_H

// The name of a variant's function or type.
#define FLIP_JOIN2(word, variant) word##_##variant
#define FLIP_JOIN(word, variant) FLIP_JOIN2(word, variant)

// PCG32 (O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random
// number generation, 2014), XSH RS 64/32, one sequence: walkers start at different places of it.
__device__ __forceinline__ unsigned flip_gpu_draw(unsigned long long *random) {
    const unsigned long long old = *random;
    *random = old * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((old ^ old >> 22) >> (22 + (old >> 61)));
}

// Where the saved scheme of a rank begins, in words; ranks below rules->lowest share its place.
__device__ __forceinline__ long long flip_gpu_place(const flip_gpu_rules *rules, int rank) {
    return 3LL * rules->rows * (rules->start - (rank > rules->lowest ? rank : rules->lowest));
}

// The rank of the saved scheme that an island steps back to, at least that rank: reductions can pass over
// ranks. Where this launch has no room for it, the island goes on from its own.
__device__ int flip_gpu_find_saved(const flip_gpu_rules *rules, int rank, int at_least,
                                   const unsigned long long *saved) {
    int found = at_least < rules->start ? at_least : rules->start;
    for (; found < rules->start; found++) {
        unsigned long long any = 0;
        for (int r = 0; r < rules->rows; r++)
            any |= saved[flip_gpu_place(rules, found) + r];
        if (any != 0)
            break;
    }
    return found <= rules->most ? found : rank;
}

// An island has come to a lower rank than its own, or begins at one.
__device__ __forceinline__ void flip_gpu_set_rank(flip_gpu_island *island, int rank) {
    if (island->rank == 0 || rank < island->best) {
        island->best = rank;
        island->steps = 0;
    }
    island->rank = rank;
    island->spent = 0;
}

// Says after a chunk whether the walkers of an island, which had made `spent` flips at its rank before, take
// up its saved scheme. The island may have another rank then.
__device__ bool flip_gpu_go_back(const flip_gpu_rules *rules, flip_gpu_island *island, long long spent,
                                 const unsigned long long *saved) {
    if (rules->hold)
        return false;
    // First the budget of its rank, after which the island goes on from a higher rank; then the length of a
    // walk, after which it goes on from the saved scheme of its own.
    const bool in_sink = island->rank <= rules->sink_rank;
    if (island->spent >= (in_sink ? rules->sink_budget : rules->budget[island->rank <= rules->low_rank])) {
        // What a saved scheme leads to can be the same again and again.
        const bool is_anew = !in_sink && island->steps == rules->most_steps;
        const int back = in_sink ? rules->sink_back : rules->step_back;
        island->rank =
            flip_gpu_find_saved(rules, island->rank, is_anew ? rules->start : island->rank + back, saved);
        island->steps = in_sink || is_anew ? 0 : island->steps + 1;
        island->spent = 0;
        return true;
    }
    return island->spent > spent && island->spent / rules->walk != spent / rules->walk;
}

#endif
