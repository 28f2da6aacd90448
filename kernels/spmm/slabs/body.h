// A device kernel for SpMM (common/gpu.h) with B in shared memory, included once for each variant. Before it
// are defined
//
//     SLABS_TYPE    half, bfloat, float or double; SLABS_VALUE: what holds one, SLABS_SUM: float or double
//     SLABS_COUNT   numbers in 16 bytes
//     SLABS_SIDE    threads side by side: the columns of a tile, …
//     SLABS_EACH    … with so many times 16 bytes each
//     SLABS_TEAMS   that share the entries of a row, a batch after the other
//
// A block has a tile of B in shared memory and takes units of 32 / (SIDE * TEAMS) rows of a bundle, a warp
// each, the longest first, as warps become free. Eight threads that read together read different banks: four
// rows or teams have columns of different rests, and of those with the same rest one half read the other half
// of their bytes first. The next batches of A are read while one is multiplied. Cost: a batch of a
// bundle takes 4 cycles of the shared memory for each byte that a thread has of a tile. The kernel is
// slabs_TYPE_SIDE_EACH_TEAMS.

#define SLABS_PASTE2(a, b) a##b
#define SLABS_PASTE(a, b) SLABS_PASTE2(a, b)
#define SLABS_JOIN2(type, side, each, teams) slabs_##type##_##side##_##each##_##teams
#define SLABS_JOIN(type, side, each, teams) SLABS_JOIN2(type, side, each, teams)
#define SLABS_NAME SLABS_JOIN(SLABS_TYPE, SLABS_SIDE, SLABS_EACH, SLABS_TEAMS)
#define SLABS_VECTORS (SLABS_SIDE * SLABS_EACH) /* of a row of the tile */
#define SLABS_ROWS (32 / (SLABS_SIDE * SLABS_TEAMS))
#define SLABS_UNITS (SPMM_GPU_SLAB_ROWS / SLABS_ROWS) /* of a bundle */
#define SLABS_SUMS (SLABS_EACH * SLABS_COUNT)
#define SLABS_AHEAD 2 /* batches that are on their way */
#define SLABS_STEP (SLABS_TEAMS * SPMM_GPU_SLAB_ROWS * 4)

// Four entries of A: columns and values.
typedef struct SLABS_PASTE(SLABS_NAME, _entries) {
    unsigned column[2];
    SLABS_VALUE value[4];
} SLABS_PASTE(SLABS_NAME, _entries);

__device__ __forceinline__ void SLABS_PASTE(SLABS_NAME, _read)(const spmm_gpu_slabs *slabs, long long first,
                                                               SLABS_PASTE(SLABS_NAME, _entries) * entries) {
    const char *from = (const char *)slabs->value + first * (long long)sizeof(SLABS_VALUE);
    const spmm_word_pair column = spmm_load_pair(slabs->column + first);
    entries->column[0] = column.word[0];
    entries->column[1] = column.word[1];
#if SLABS_COUNT == 8
    const spmm_word_pair words = spmm_load_pair(from);
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        entries->value[k] = (SLABS_VALUE)(words.word[k / 2] >> k % 2 * 16);
#elif SLABS_COUNT == 4
    const spmm_words words = spmm_load(from);
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        entries->value[k] = spmm_float(words.word[k]);
#else
    const spmm_words low = spmm_load(from), high = spmm_load(from + 16);
    entries->value[0] = spmm_double(low.word[0], low.word[1]);
    entries->value[1] = spmm_double(low.word[2], low.word[3]);
    entries->value[2] = spmm_double(high.word[0], high.word[1]);
    entries->value[3] = spmm_double(high.word[2], high.word[3]);
#endif
}

// The block's tile of B, without waiting for it.
__device__ __forceinline__ void SLABS_PASTE(SLABS_NAME, _copy)(const spmm_gpu_slabs *slabs, spmm_words *b) {
    for (int at = threadIdx.x; at < SLABS_VECTORS * slabs->ncol; at += SPMM_GPU_SLAB_THREADS) {
        const int vector = SLABS_VECTORS * (int)blockIdx.x + at % SLABS_VECTORS,
                  inside = vector < slabs->operands.vectors;
        spmm_copy(b + at,
                  (const char *)slabs->operands.b +
                      (long long)(at / SLABS_VECTORS) * slabs->operands.b_stride + (inside ? vector * 16 : 0),
                  inside);
    }
    spmm_copy_commit();
    spmm_copy_commit();
}

// What a warp works on: a place of a bundle, with some batches read before they are wanted.
typedef struct SLABS_PASTE(SLABS_NAME, _unit) {
    int there, place, batches;
    long long from; /* the entry to read next */
    SLABS_PASTE(SLABS_NAME, _entries) coming[SLABS_AHEAD];
} SLABS_PASTE(SLABS_NAME, _unit);

// Unit `number` of the block: shares take turns there and back, for the first bundles have longer rows.
__device__ __forceinline__ void SLABS_PASTE(SLABS_NAME, _begin)(const spmm_gpu_slabs *slabs, int number,
                                                                SLABS_PASTE(SLABS_NAME, _unit) * unit) {
    const int stream = threadIdx.x % 32 / SLABS_SIDE, turn = number / SLABS_UNITS, share = (int)blockIdx.y;
    const int bundle = turn * slabs->shares + (turn % 2 ? slabs->shares - 1 - share : share);
    unit->there = turn * slabs->shares < slabs->bundles && bundle < slabs->bundles;
    if (!unit->there)
        return;
    int place = number % SLABS_UNITS * SLABS_ROWS + stream / SLABS_TEAMS;
    if (SLABS_TEAMS == 2) /* 0, 2, 1, 3: rests two apart beside each other */
        place = (place & ~3) | (place & 1) << 1 | (place >> 1 & 1);
    const int first = __ldg(slabs->start + bundle);
    unit->batches = __ldg(slabs->start + bundle + 1) - first;
    unit->place = bundle * SPMM_GPU_SLAB_ROWS + place;
    unit->from = ((long long)(first + stream % SLABS_TEAMS) * SPMM_GPU_SLAB_ROWS + place) * 4;
    SPMM_UNROLL
    for (int k = 0; k < SLABS_AHEAD; k++) {
        SLABS_PASTE(SLABS_NAME, _read)(slabs, unit->from, &unit->coming[k]);
        unit->from += SLABS_STEP;
    }
}

__device__ __forceinline__ void SLABS_PASTE(SLABS_NAME, _multiply)(const spmm_gpu_slabs *slabs,
                                                                   const spmm_words *b, int other,
                                                                   SLABS_PASTE(SLABS_NAME, _unit) * unit,
                                                                   SLABS_SUM *sum) {
    const int side = threadIdx.x % SLABS_SIDE, team = threadIdx.x % 32 / SLABS_SIDE % SLABS_TEAMS;
    SPMM_NO_UNROLL
    for (int batch = team; batch < unit->batches; batch += SLABS_TEAMS) {
        const SLABS_PASTE(SLABS_NAME, _entries) now = unit->coming[0];
        spmm_words words[4][SLABS_EACH];
        SPMM_UNROLL
        for (int k = 0; k + 1 < SLABS_AHEAD; k++)
            unit->coming[k] = unit->coming[k + 1];
        SLABS_PASTE(SLABS_NAME, _read)(slabs, unit->from, &unit->coming[SLABS_AHEAD - 1]);
        unit->from += SLABS_STEP;
        SPMM_UNROLL
        for (int k = 0; k < 4; k++) {
            const spmm_words *row =
                b + (now.column[k / 2] >> k % 2 * 16 & 0xffff) * SLABS_VECTORS + side * SLABS_EACH;
            SPMM_UNROLL
            for (int h = 0; h < SLABS_EACH; h++)
                words[k][h] = row[h ^ other];
        }
        SPMM_UNROLL
        for (int k = 0; k < 4; k++) {
            SPMM_UNROLL
            for (int h = 0; h < SLABS_EACH; h++)
                SLABS_PASTE(spmm_add_, SLABS_TYPE)
            (sum + h * SLABS_COUNT, SLABS_PASTE(spmm_widen_, SLABS_TYPE)(now.value[k]), words[k][h]);
        }
    }
    SPMM_UNROLL
    for (int k = 0; k < SLABS_COUNT && SLABS_EACH == 2; k++) { /* halves in order, as teams differ */
        const SLABS_SUM lower = sum[k], upper = sum[SLABS_SUMS - SLABS_COUNT + k];
        sum[k] = other ? upper : lower;
        sum[SLABS_SUMS - SLABS_COUNT + k] = other ? lower : upper;
    }
}

// Adds the sums of the teams. A step that halves the number of teams halves the number of sums in each as
// long as there are several; returns the first that is left in this one.
__device__ __forceinline__ int SLABS_PASTE(SLABS_NAME, _add_teams)(SLABS_SUM *sum) {
    const int team = threadIdx.x % 32 / SLABS_SIDE % SLABS_TEAMS;
    int first = 0;
    SPMM_UNROLL
    for (int step = 1; step < SLABS_TEAMS; step *= 2) {
        const int half = SLABS_SUMS / step / 2, upper = (team & step) != 0;
        if (half == 0) {
            sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], step * SLABS_SIDE);
            continue;
        }
        SPMM_UNROLL
        for (int k = 0; k < SLABS_SUMS / 2; k++)
            if (k < half) {
                const SLABS_SUM keep = upper ? sum[half + k] : sum[k], give = upper ? sum[k] : sum[half + k];
                sum[k] = keep + __shfl_xor_sync(0xffffffffu, give, step * SLABS_SIDE);
            }
        first += upper * half;
    }
    return first;
}

// Sums `first`, … of the threads side by side in a team, to C.
__device__ __forceinline__ void SLABS_PASTE(SLABS_NAME, _store)(const spmm_gpu_slabs *slabs, int row,
                                                                int first, const SLABS_SUM *sum) {
    enum { LEFT = SLABS_SUMS > SLABS_TEAMS ? SLABS_SUMS / SLABS_TEAMS : 1 };
    const int vector = ((int)blockIdx.x * SLABS_SIDE + threadIdx.x % SLABS_SIDE) * SLABS_EACH;
    char *c = (char *)slabs->operands.c + (long long)row * slabs->operands.c_stride;
    SPMM_UNROLL
    for (int k = 0; k < LEFT; k++) {
        const int at = vector + (first + k) / SLABS_COUNT;
        if (at < slabs->operands.vectors && LEFT < SLABS_COUNT)
            SLABS_PASTE(spmm_store_one_, SLABS_TYPE)
        (c, vector * SLABS_COUNT + first + k, sum[k], slabs->operands.alpha, slabs->operands.beta,
         slabs->operands.wide);
        if (at < slabs->operands.vectors && LEFT >= SLABS_COUNT && k % SLABS_COUNT == 0)
            SLABS_PASTE(spmm_store_, SLABS_TYPE)
        (c, at, sum + k, slabs->operands.alpha, slabs->operands.beta, slabs->operands.wide);
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_SLAB_THREADS)
    SLABS_NAME(const __grid_constant__ spmm_gpu_slabs slabs) {
    SHIM_DYNAMIC_SHARED(spmm_words, b);
    __shared__ int next;
    const int lane = threadIdx.x % 32, stream = lane / SLABS_SIDE;
    const int other = SLABS_EACH == 1 ? 0 : stream % (8 / SLABS_SIDE) / (4 / SLABS_SIDE);
    SLABS_PASTE(SLABS_NAME, _unit) unit;
    if (threadIdx.x == 0)
        next = SPMM_GPU_SLAB_THREADS / 32;
    SLABS_PASTE(SLABS_NAME, _copy)(&slabs, b);
    SLABS_PASTE(SLABS_NAME, _begin)(&slabs, threadIdx.x / 32, &unit);
    spmm_copy_wait();
    __syncthreads();
    while (unit.there) {
        const int row = unit.place < slabs.nrow ? __ldg(slabs.row + unit.place) : -1;
        SLABS_SUM sum[SLABS_SUMS];
        int number = 0;
        SPMM_UNROLL
        for (int k = 0; k < SLABS_SUMS; k++)
            sum[k] = 0;
        SLABS_PASTE(SLABS_NAME, _multiply)(&slabs, b, other, &unit, sum);
        if (lane == 0)
            number = atomicAdd(&next, 1);
        number = __shfl_sync(0xffffffffu, number, 0);
        SLABS_PASTE(SLABS_NAME, _begin)(&slabs, number, &unit);
        const int first = SLABS_PASTE(SLABS_NAME, _add_teams)(sum);
        if (row >= 0 && stream % SLABS_TEAMS < SLABS_SUMS)
            SLABS_PASTE(SLABS_NAME, _store)(&slabs, row, first, sum);
    }
}

#undef SLABS_PASTE
#undef SLABS_PASTE2
#undef SLABS_JOIN
#undef SLABS_JOIN2
#undef SLABS_NAME
#undef SLABS_VECTORS
#undef SLABS_ROWS
#undef SLABS_UNITS
#undef SLABS_SUMS
#undef SLABS_AHEAD
#undef SLABS_STEP
#undef SLABS_TEAMS
