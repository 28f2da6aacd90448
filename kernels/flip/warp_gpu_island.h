/* SPDX-License-Identifier: BSD-3-Clause */
// An island is a block of at most FLIP_GPU_WARPS warps (gpu.h, lib/flip/search/search.h); part of
// warp_gpu_body.h.

typedef struct WARP_NAME(shared) {
    int rank[FLIP_GPU_WARPS], flips[FLIP_GPU_WARPS];
    WARP_FACTOR factor[FLIP_GPU_WARPS][3 * WARP_ROWS];
} WARP_NAME(shared);

// Copies the scheme of one walker to all, and saves it.
__device__ __forceinline__ void WARP_NAME(follow)(WARP_NAME(walker) * walker, WARP_NAME(shared) * shared,
                                                  int number, int leader, int rows,
                                                  unsigned long long *saved) {
    const WARP_FACTOR *factor = shared->factor[leader];
    __syncthreads();
    for (int at = walker->lane; at < 3 * WARP_ROWS && number != leader; at += 32)
        walker->factor[at] = factor[at];
    for (int at = (int)threadIdx.x; at < 3 * rows; at += (int)blockDim.x)
        saved[at] = at % rows < WARP_ROWS ? factor[at / rows * WARP_ROWS + at % rows] : 0;
    walker->rank = shared->rank[leader];
    walker->is_indexed = false;
    __syncthreads();
}

// The rules of an island after a chunk, which the walker began at rank `before`: a new least rank is saved
// and all walkers go on from it; a walker that had no drop for long makes a plus; a stuck one starts again.
__device__ __forceinline__ void WARP_NAME(apply_rules)(const flip_gpu_rules *rules, flip_gpu_island *island,
                                                       unsigned long long *saved, WARP_NAME(walker) * walker,
                                                       WARP_NAME(shared) * shared, int number, int before,
                                                       int *since) {
    const int low = island->rank <= rules->low_rank;
    int leader = 0;
    *since = walker->rank < before ? 0 : *since + FLIP_GPU_CHUNK;
    shared->rank[number] = walker->rank;
    shared->flips[number] = (int)walker->flips;
    __syncthreads();
    for (int w = 0; w < (int)blockDim.x / 32; w++) {
        leader = shared->rank[w] < shared->rank[leader] ? w : leader;
        island->flips += shared->flips[w];
        island->spent += shared->flips[w];
    }
    const int least = shared->rank[leader];
    if (least < island->rank && !rules->hold) {
        WARP_NAME(follow)(walker, shared, number, leader, rules->rows, saved + flip_gpu_place(rules, least));
        flip_gpu_set_rank(island, least);
        *since = 0;
        return;
    }
    bool restart = walker->rank < island->rank; // with rules->hold the island keeps its rank
    if (walker->flips == 0 || *since >= rules->plus_after[low]) {
        *since = 0;
        const bool done = walker->rank < island->rank + rules->plus_limit && WARP_NAME(plus)(walker);
        restart |= walker->flips == 0 && !done;
    }
    if (restart)
        WARP_NAME(load)(walker, rules->rows, saved + flip_gpu_place(rules, island->rank), 1);
    __syncthreads();
}

// Takes up the walker's scheme of the last launch, or of a new island one of the first schemes, which it
// saves.
__device__ __forceinline__ void WARP_NAME(open)(const flip_gpu_rules *rules, const flip_gpu_state *state,
                                                flip_gpu_island *island, WARP_NAME(walker) * walker,
                                                const unsigned long long *factors,
                                                unsigned long long *saved) {
    const long long scheme = 3LL * rules->rows;
    if (island->rank != 0) {
        WARP_NAME(load)(walker, rules->rows, factors, (int)blockDim.x / 32);
        return;
    }
    const unsigned long long *first =
        state->first + (state->begin + (int)blockIdx.x) % state->first_count * scheme;
    WARP_NAME(load)(walker, rules->rows, first, 1);
    flip_gpu_set_rank(island, walker->rank);
    for (int at = (int)threadIdx.x; at < scheme; at += (int)blockDim.x)
        saved[flip_gpu_place(rules, island->rank) + at] = first[at];
    __syncthreads();
}

// Makes a chunk of steps, from the list or by matching.
__device__ __forceinline__ void WARP_NAME(walk)(WARP_NAME(walker) * walker, bool from_list, int rounds) {
    if (from_list) {
        if (!walker->is_indexed)
            WARP_NAME(index)(walker);
        WARP_NO_UNROLL
        for (int step = 0; step < FLIP_GPU_CHUNK; step++)
            WARP_NAME(list_step)(walker);
        return;
    }
    walker->is_indexed = false;
    WARP_NO_UNROLL
    for (int step = 0; step < FLIP_GPU_CHUNK; step++) {
        if (step % 16 == 0)
            WARP_NAME(mix)(walker);
        WARP_NAME(match_step)(walker, rounds);
    }
}

SHIM_KERNEL void __launch_bounds__(32 * FLIP_GPU_WARPS, WARP_RESIDENT)
    WARP_NAME(flip_gpu)(flip_gpu_rules rules, flip_gpu_state state) {
    SHIM_DYNAMIC_SHARED(unsigned long long, memory);
    WARP_NAME(shared) *shared = (WARP_NAME(shared) *)memory;
    const int number = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, warps = (int)blockDim.x / 32;
    const long long scheme = 3LL * rules.rows, at = (long long)warps * blockIdx.x + number;
    unsigned long long *factors = state.factors + warps * scheme * blockIdx.x + number;
    unsigned long long *saved = state.saved + (rules.start - rules.lowest + 1) * scheme * blockIdx.x;
    flip_gpu_island island = state.islands[blockIdx.x];
    WARP_NAME(walker) walker;
    int since = state.since[at];
    walker.factor = shared->factor[number];
    walker.lane = lane;
    walker.random = (state.random[at] ^ (unsigned long long)lane) * 0x9e3779b97f4a7c15ull;
    WARP_NAME(open)(&rules, &state, &island, &walker, factors, saved);
    for (int chunk = 0; chunk < rules.chunks && island.best > rules.target; chunk++) {
        const int before = walker.rank, low = island.rank <= rules.low_rank;
        const long long spent = island.spent;
        walker.flips = 0;
        WARP_NAME(walk)(&walker, island.rank <= rules.list_rank, rules.match_rounds);
        island.chunks++;
        if (island.chunks * FLIP_GPU_CHUNK % rules.reduce_after[low] == 0)
            while (WARP_NAME(reduce)(&walker))
                ;
        WARP_NAME(apply_rules)(&rules, &island, saved, &walker, shared, number, before, &since);
        if (flip_gpu_go_back(&rules, &island, spent, saved)) {
            WARP_NAME(load)(&walker, rules.rows, saved + flip_gpu_place(&rules, island.rank), 1);
            since = 0;
        }
    }
    for (int r = lane; r < 3 * rules.rows; r += 32) {
        const int row = r % rules.rows;
        factors[(long long)warps * r] = row < WARP_ROWS ? WARP_NAME(get)(&walker, r / rules.rows, row) : 0;
    }
    if (lane == 0) {
        state.random[at] = walker.random;
        state.since[at] = since;
    }
    if (threadIdx.x == 0)
        state.islands[blockIdx.x] = island;
}
