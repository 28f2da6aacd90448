/* SPDX-License-Identifier: BSD-3-Clause */
// An island is a warp (gpu.h, lib/flip/search/search.h); part of lane_gpu_body.h.

// The rare moves work on a copy of the walker, so that its sets stay in registers everywhere else.
__device__ __forceinline__ void LANE_NAME(take)(LANE_NAME(walker) * walker, int rows,
                                                const unsigned long long *scheme, int stride) {
    LANE_NAME(walker) aside = *walker;
    LANE_NAME(load)(&aside, rows, scheme, stride);
    LANE_NAME(put_back)(walker, &aside);
}

__device__ __forceinline__ void LANE_NAME(reduce_all)(LANE_NAME(walker) * walker) {
    LANE_NAME(walker) aside = *walker;
    while (LANE_NAME(reduce)(&aside))
        ;
    LANE_NAME(put_back)(walker, &aside);
}

__device__ __forceinline__ bool LANE_NAME(rise)(LANE_NAME(walker) * walker) {
    LANE_NAME(walker) aside = *walker;
    const bool done = LANE_NAME(plus)(&aside);
    LANE_NAME(put_back)(walker, &aside);
    return done;
}

// Saves the scheme of a column, which all lanes copy. Rows that the kernel does not have are zero.
__device__ __noinline__ void LANE_NAME(save)(const LANE_CELL *column, int rows, int lane,
                                             unsigned long long *saved) {
    for (int at = lane; at < 3 * rows; at += 32) {
        const int row = at % rows;
        saved[at] = row / 32 < LANE_SETS && (row & 31) % 16 < LANE_WORDS_OF(row / 32) &&
                            (LANE_PAIRED || (row & 31) < LANE_WORDS_OF(row / 32))
                        ? LANE_NAME(get)(column, at / rows, row)
                        : 0;
    }
}

// Copies the scheme of one walker, the leader, to all others of a warp.
__device__ __forceinline__ void LANE_NAME(follow)(LANE_NAME(walker) * walker, int lane, int leader) {
    const LANE_CELL *column = walker->column + (leader - lane);
    __syncwarp();
    if (lane != leader) // It would write over what the others read.
        for (int w = 0; w < LANE_CELLS; w++)
            walker->column[32 * w] = column[32 * w];
    LANE_UNROLL
    for (int s = 0; s < LANE_SETS; s++) {
        walker->rows[s] = __shfl_sync(~0u, walker->rows[s], leader);
        walker->fixed[s] = __shfl_sync(~0u, walker->fixed[s], leader);
        LANE_UNROLL
        for (int p = 0; p < 3; p++)
            walker->set[p][s] = __shfl_sync(~0u, walker->set[p][s], leader);
    }
#if LANE_REVERSED
    walker->single = __shfl_sync(~0u, walker->single, leader);
#endif
    __syncwarp();
}

// The rules of an island after a chunk, which the walker began at rank `before`: a new least rank is saved
// and all walkers go on from it; a walker that had no drop for long makes a plus; a stuck one starts again.
__device__ __forceinline__ void LANE_NAME(apply_rules)(const flip_gpu_rules *rules, flip_gpu_island *island,
                                                       unsigned long long *saved, LANE_NAME(walker) * walker,
                                                       int lane, int before, bool is_stuck, int *since) {
    const int rank = LANE_NAME(rank)(walker), low = island->rank <= rules->low_rank;
    int least = rank;
    *since = rank < before ? 0 : *since + FLIP_GPU_CHUNK;
    for (int step = 16; step > 0; step /= 2) {
        const int other = __shfl_xor_sync(~0u, least, step);
        least = other < least ? other : least;
    }
    if (least < island->rank && !rules->hold) {
        const int leader = __ffs(__ballot_sync(~0u, rank == least)) - 1;
        LANE_NAME(follow)(walker, lane, leader);
        flip_gpu_set_rank(island, least);
        *since = 0;
        LANE_NAME(save)(walker->column - lane, rules->rows, lane, saved + flip_gpu_place(rules, least));
        __syncwarp();
        return;
    }
    bool restart = rank < island->rank; // with rules->hold the island keeps its rank
    if (is_stuck || *since >= rules->plus_after[low]) {
        const int more = LANE_REVERSED ? 6 : LANE_CYCLIC ? 3 : 1; // terms that it can add
        *since = 0;
        const bool done = rank + more <= island->rank + rules->plus_limit && LANE_NAME(rise)(walker);
        restart |= is_stuck && !done;
    }
    if (restart)
        LANE_NAME(take)(walker, rules->rows, saved + flip_gpu_place(rules, island->rank), 1);
    __syncwarp();
}

// Takes up the walker's scheme of the last launch, or of a new island one of the first schemes, which it
// saves.
__device__ __forceinline__ void LANE_NAME(open)(const flip_gpu_rules *rules, const flip_gpu_state *state,
                                                flip_gpu_island *island, LANE_NAME(walker) * walker,
                                                const unsigned long long *factors, unsigned long long *saved,
                                                int lane) {
    const long long scheme = 3LL * rules->rows;
    if (island->rank != 0) {
        LANE_NAME(take)(walker, rules->rows, factors, FLIP_GPU_LANES);
        return;
    }
    const unsigned long long *first =
        state->first + (state->begin + (int)blockIdx.x) % state->first_count * scheme;
    LANE_NAME(take)(walker, rules->rows, first, 1);
    flip_gpu_set_rank(island, LANE_NAME(rank)(walker));
    for (int at = lane; at < scheme; at += 32)
        saved[flip_gpu_place(rules, island->rank) + at] = first[at];
    __syncwarp();
}

SHIM_KERNEL void __launch_bounds__(32, LANE_RESIDENT)
    LANE_NAME(flip_gpu)(flip_gpu_rules rules, flip_gpu_state state) {
    SHIM_DYNAMIC_SHARED(unsigned long long, shared);
    const int lane = (int)threadIdx.x, number = (int)blockIdx.x;
    const long long scheme = 3LL * rules.rows, at = 32LL * number + lane;
    unsigned long long *factors = state.factors + 32 * scheme * number + lane;
    unsigned long long *saved = state.saved + (rules.start - rules.lowest + 1) * scheme * number;
    flip_gpu_island island = state.islands[number];
    LANE_NAME(walker) walker;
    int since = state.since[at];
    walker.column = (LANE_CELL *)shared + lane;
#if LANE_REVERSED
    walker.unused = 64 - rules.bits;
#endif
    walker.random = state.random[at];
    LANE_NAME(open)(&rules, &state, &island, &walker, factors, saved, lane);
    for (int chunk = 0; chunk < rules.chunks && island.best > rules.target; chunk++) {
        const int before = LANE_NAME(rank)(&walker);
        const int low = island.rank <= rules.low_rank;
        const long long spent = island.spent;
        walker.flips = 0;
        LANE_NO_UNROLL
        for (int step = 0; step < FLIP_GPU_CHUNK; step++)
            LANE_NAME(step)(&walker);
        island.chunks++;
        if (island.chunks * FLIP_GPU_CHUNK % rules.reduce_after[low] == 0)
            LANE_NAME(reduce_all)(&walker);
        __syncwarp();
        int flips = (int)walker.flips;
        for (int step = 16; step > 0; step /= 2)
            flips += __shfl_xor_sync(~0u, flips, step);
        island.flips += flips;
        island.spent += flips;
        LANE_NAME(apply_rules)(&rules, &island, saved, &walker, lane, before, walker.flips == 0, &since);
        if (flip_gpu_go_back(&rules, &island, spent, saved)) {
            LANE_NAME(take)(&walker, rules.rows, saved + flip_gpu_place(&rules, island.rank), 1);
            since = 0;
            __syncwarp();
        }
    }
    for (int p = 0; p < 3; p++)
        for (int row = 0; row < rules.rows; row++)
            factors[32LL * (p * rules.rows + row)] = 0;
    for (int p = 0; p < 3; p++)
        for (int k = 0; k < LANE_ROWS; k++)
            factors[32LL * (p * rules.rows + LANE_NAME(row)(k))] =
                LANE_NAME(get)(walker.column, p, LANE_NAME(row)(k));
    state.random[at] = walker.random;
    state.since[at] = since;
    if (lane == 0)
        state.islands[number] = island;
}
