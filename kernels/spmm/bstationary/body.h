/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) with B in shared memory, included once for each variant. Before it
// are defined
//
//     BSTATIONARY_TYPE       half, bfloat, float or double
//     BSTATIONARY_VALUE      what holds one
//     BSTATIONARY_SUM        float or double
//     BSTATIONARY_COUNT      numbers in 16 bytes
//     BSTATIONARY_SIDE       threads side by side: the columns of a tile, …
//     BSTATIONARY_EACH       … with so many times 16 bytes each
//     BSTATIONARY_SUBWARPS   that share the entries of a row, a batch after the other
//
// A block has a tile of a chunk of B in shared memory and takes units of 32 / (SIDE * SUBWARPS) rows of a
// bundle, a warp each, the longest first, as warps become free. Eight threads that read together read
// different banks: four rows or subwarps have columns with different remainders modulo 4, and of those with
// the same remainder one half reads the upper half of its bytes first. The next batches of A are read while
// one is multiplied. Cost: a batch of a bundle takes 4 cycles of the shared memory for each byte that a
// thread has of a tile. The kernel is bstationary_TYPE_SIDE_EACH_SUBWARPS.

#define BSTATIONARY_PASTE2(a, b) a##b
#define BSTATIONARY_PASTE(a, b) BSTATIONARY_PASTE2(a, b)
#define BSTATIONARY_JOIN2(type, side, each, subwarps) bstationary_##type##_##side##_##each##_##subwarps
#define BSTATIONARY_JOIN(type, side, each, subwarps) BSTATIONARY_JOIN2(type, side, each, subwarps)
#define BSTATIONARY_NAME                                                                                     \
    BSTATIONARY_JOIN(BSTATIONARY_TYPE, BSTATIONARY_SIDE, BSTATIONARY_EACH, BSTATIONARY_SUBWARPS)
#define BSTATIONARY_READ BSTATIONARY_PASTE(BSTATIONARY_NAME, _read)
#define BSTATIONARY_ADD BSTATIONARY_PASTE(spmm_add_, BSTATIONARY_TYPE)
#define BSTATIONARY_STORE BSTATIONARY_PASTE(spmm_store_, BSTATIONARY_TYPE)
#define BSTATIONARY_STORE_ONE BSTATIONARY_PASTE(spmm_store_one_, BSTATIONARY_TYPE)
#define BSTATIONARY_VECTORS (BSTATIONARY_SIDE * BSTATIONARY_EACH) /* of a row of the tile */
#define BSTATIONARY_ROWS (32 / (BSTATIONARY_SIDE * BSTATIONARY_SUBWARPS))
#define BSTATIONARY_UNITS (SPMM_GPU_BSTATIONARY_ROWS / BSTATIONARY_ROWS) /* of a bundle */
#define BSTATIONARY_SUMS (BSTATIONARY_EACH * BSTATIONARY_COUNT)
#define BSTATIONARY_AHEAD 2 /* batches that are read ahead */
#define BSTATIONARY_STEP (BSTATIONARY_SUBWARPS * SPMM_GPU_BSTATIONARY_ROWS * 4)

// Four entries of A: columns and values.
typedef struct BSTATIONARY_PASTE(BSTATIONARY_NAME, _entries) {
    unsigned column[2];
    BSTATIONARY_VALUE value[4];
} BSTATIONARY_PASTE(BSTATIONARY_NAME, _entries);

// Reads four entries from number `first` on.
__device__ __forceinline__ void BSTATIONARY_READ(const spmm_gpu_bstationary *bstationary, long long first,
                                                 BSTATIONARY_PASTE(BSTATIONARY_NAME, _entries) * entries) {
    // Doubles stand in two halves of a batch: pack/place.h.
    const long long inside = (unsigned)first % (SPMM_GPU_BSTATIONARY_ROWS * 4),
                    at = BSTATIONARY_COUNT == 2 ? first - inside / 2 : first;
    const char *from = (const char *)bstationary->value + at * (long long)sizeof(BSTATIONARY_VALUE);
    const spmm_word_pair column = spmm_load_pair(bstationary->column + first);
    entries->column[0] = column.word[0];
    entries->column[1] = column.word[1];
#if BSTATIONARY_COUNT == 8
    const spmm_word_pair words = spmm_load_pair(from);
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        entries->value[k] = (BSTATIONARY_VALUE)(words.word[k / 2] >> k % 2 * 16);
#elif BSTATIONARY_COUNT == 4
    const spmm_words words = spmm_load(from);
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        entries->value[k] = spmm_float(words.word[k]);
#else
    const spmm_words low = spmm_load(from), high = spmm_load(from + SPMM_GPU_BSTATIONARY_ROWS * 16);
    entries->value[0] = spmm_double(low.word[0], low.word[1]);
    entries->value[1] = spmm_double(low.word[2], low.word[3]);
    entries->value[2] = spmm_double(high.word[0], high.word[1]);
    entries->value[3] = spmm_double(high.word[2], high.word[3]);
#endif
}

// Begins to copy the block's tile of its chunk of B.
__device__ __forceinline__ void
BSTATIONARY_PASTE(BSTATIONARY_NAME, _copy)(const spmm_gpu_bstationary *bstationary, spmm_words *b) {
    const int first = (int)blockIdx.z * bstationary->chunk, left = bstationary->ncol - first,
              rows = left < bstationary->chunk ? left : bstationary->chunk;
    const char *from =
        (const char *)bstationary->operands.b + (long long)first * bstationary->operands.b_stride;
    for (int at = threadIdx.x; at < BSTATIONARY_VECTORS * rows; at += SPMM_GPU_BSTATIONARY_THREADS) {
        const int vector = BSTATIONARY_VECTORS * (int)blockIdx.x + at % BSTATIONARY_VECTORS,
                  inside = vector < bstationary->operands.vectors;
        spmm_copy(b + at,
                  from + (long long)(at / BSTATIONARY_VECTORS) * bstationary->operands.b_stride +
                      (inside ? vector * 16 : 0),
                  inside);
    }
    // spmm_copy_wait leaves out the last commit: an empty one makes it wait for the tile.
    spmm_copy_commit();
    spmm_copy_commit();
}

// What a warp works on: a place of a bundle, with some batches read before they are wanted.
typedef struct BSTATIONARY_PASTE(BSTATIONARY_NAME, _unit) {
    int there, place, batches;
    long long from; /* the entry to read next */
    BSTATIONARY_PASTE(BSTATIONARY_NAME, _entries) coming[BSTATIONARY_AHEAD];
} BSTATIONARY_PASTE(BSTATIONARY_NAME, _unit);

// Begins unit `number` of the block. Shares take bundles in turns, forwards and backwards, as the first
// bundles have longer rows.
__device__ __forceinline__ void BSTATIONARY_PASTE(BSTATIONARY_NAME,
                                                  _begin)(const spmm_gpu_bstationary *bstationary, int number,
                                                          BSTATIONARY_PASTE(BSTATIONARY_NAME, _unit) * unit) {
    const int stream = threadIdx.x % 32 / BSTATIONARY_SIDE, turn = number / BSTATIONARY_UNITS,
              share = (int)blockIdx.y;
    const int bundle = turn * bstationary->shares + (turn % 2 ? bstationary->shares - 1 - share : share);
    unit->there = turn * bstationary->shares < bstationary->bundles && bundle < bstationary->bundles;
    if (!unit->there)
        return;
    int place = number % BSTATIONARY_UNITS * BSTATIONARY_ROWS + stream / BSTATIONARY_SUBWARPS;
    if (BSTATIONARY_SUBWARPS == 2) // In the order 0, 2, 1, 3 the remainders of neighbours differ by two.
        place = (place & ~3) | (place & 1) << 1 | (place >> 1 & 1);
    const int *start = bstationary->start + (int)blockIdx.z * bstationary->bundles + bundle,
              first = __ldg(start);
    unit->batches = __ldg(start + 1) - first;
    unit->place = bundle * SPMM_GPU_BSTATIONARY_ROWS + place;
    unit->from = ((long long)(first + stream % BSTATIONARY_SUBWARPS) * SPMM_GPU_BSTATIONARY_ROWS + place) * 4;
    SPMM_UNROLL
    for (int k = 0; k < BSTATIONARY_AHEAD; k++) {
        BSTATIONARY_READ(bstationary, unit->from, &unit->coming[k]);
        unit->from += BSTATIONARY_STEP;
    }
}

// Adds the products of a unit's batches. Where `other` is 1 the upper half of a row of the tile is read
// first.
__device__ __forceinline__ void
BSTATIONARY_PASTE(BSTATIONARY_NAME, _multiply)(const spmm_gpu_bstationary *bstationary, const spmm_words *b,
                                               int other, BSTATIONARY_PASTE(BSTATIONARY_NAME, _unit) * unit,
                                               BSTATIONARY_SUM *sum) {
    const int side = threadIdx.x % BSTATIONARY_SIDE,
              subwarp = threadIdx.x % 32 / BSTATIONARY_SIDE % BSTATIONARY_SUBWARPS;
    SPMM_NO_UNROLL
    for (int batch = subwarp; batch < unit->batches; batch += BSTATIONARY_SUBWARPS) {
        const BSTATIONARY_PASTE(BSTATIONARY_NAME, _entries) now = unit->coming[0];
        spmm_words words[4][BSTATIONARY_EACH];
        SPMM_UNROLL
        for (int k = 0; k + 1 < BSTATIONARY_AHEAD; k++)
            unit->coming[k] = unit->coming[k + 1];
        BSTATIONARY_READ(bstationary, unit->from, &unit->coming[BSTATIONARY_AHEAD - 1]);
        unit->from += BSTATIONARY_STEP;
        SPMM_UNROLL
        for (int k = 0; k < 4; k++) {
            const spmm_words *row = b + (now.column[k / 2] >> k % 2 * 16 & 0xffff) * BSTATIONARY_VECTORS +
                                    side * BSTATIONARY_EACH;
            SPMM_UNROLL
            for (int h = 0; h < BSTATIONARY_EACH; h++)
                words[k][h] = row[h ^ other];
        }
        SPMM_UNROLL
        for (int k = 0; k < 4; k++) {
            SPMM_UNROLL
            for (int h = 0; h < BSTATIONARY_EACH; h++)
                BSTATIONARY_ADD(sum + h * BSTATIONARY_COUNT,
                                BSTATIONARY_PASTE(spmm_widen_, BSTATIONARY_TYPE)(now.value[k]), words[k][h]);
        }
    }
    SPMM_UNROLL
    for (int k = 0; k < BSTATIONARY_COUNT && BSTATIONARY_EACH == 2;
         k++) { // Subwarps differ in the order of halves: all get the same one.
        const BSTATIONARY_SUM lower = sum[k], upper = sum[BSTATIONARY_SUMS - BSTATIONARY_COUNT + k];
        sum[k] = other ? upper : lower;
        sum[BSTATIONARY_SUMS - BSTATIONARY_COUNT + k] = other ? lower : upper;
    }
}

// Adds the sums of the subwarps (recursive halving). In each step a subwarp keeps half of its sums and gives
// the other half away, as long as it has several. Returns the number of the first sum that it still has.
__device__ __forceinline__ int BSTATIONARY_PASTE(BSTATIONARY_NAME, _add_subwarps)(BSTATIONARY_SUM *sum) {
    const int subwarp = threadIdx.x % 32 / BSTATIONARY_SIDE % BSTATIONARY_SUBWARPS;
    int first = 0;
    SPMM_UNROLL
    for (int step = 1; step < BSTATIONARY_SUBWARPS; step *= 2) {
        const int half = BSTATIONARY_SUMS / step / 2, upper = (subwarp & step) != 0;
        if (half == 0) {
            sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], step * BSTATIONARY_SIDE);
            continue;
        }
        SPMM_UNROLL
        for (int k = 0; k < BSTATIONARY_SUMS / 2; k++)
            if (k < half) {
                const BSTATIONARY_SUM keep = upper ? sum[half + k] : sum[k],
                                      give = upper ? sum[k] : sum[half + k];
                sum[k] = keep + __shfl_xor_sync(0xffffffffu, give, step * BSTATIONARY_SIDE);
            }
        first += upper * half;
    }
    return first;
}

// Writes the sums that are left in a subwarp, from number `first` on, to a row of C, or of the chunk's sums.
__device__ __forceinline__ void BSTATIONARY_PASTE(BSTATIONARY_NAME,
                                                  _store)(const spmm_gpu_bstationary *bstationary, int row,
                                                          int first, const BSTATIONARY_SUM *sum) {
    enum { LEFT = BSTATIONARY_SUMS > BSTATIONARY_SUBWARPS ? BSTATIONARY_SUMS / BSTATIONARY_SUBWARPS : 1 };
    const spmm_gpu_operands *operands = &bstationary->operands;
    const int vector =
                  ((int)blockIdx.x * BSTATIONARY_SIDE + threadIdx.x % BSTATIONARY_SIDE) * BSTATIONARY_EACH,
              is_part = bstationary->chunks > 1, wide = is_part || operands->wide,
              part_bytes = operands->vectors * BSTATIONARY_COUNT * (int)sizeof(BSTATIONARY_SUM);
    const double alpha = is_part ? 1 : operands->alpha, beta = is_part ? 0 : operands->beta;
    char *c =
        is_part ? (char *)operands->partial + ((long long)row * bstationary->chunks + blockIdx.z) * part_bytes
                : (char *)operands->c + (long long)row * operands->c_stride;
    SPMM_UNROLL
    for (int k = 0; k < LEFT; k++) {
        const int at = vector + (first + k) / BSTATIONARY_COUNT;
        if (at < operands->vectors && LEFT < BSTATIONARY_COUNT)
            BSTATIONARY_STORE_ONE(c, vector * BSTATIONARY_COUNT + first + k, sum[k], alpha, beta, wide);
        if (at < operands->vectors && LEFT >= BSTATIONARY_COUNT && k % BSTATIONARY_COUNT == 0)
            BSTATIONARY_STORE(c, at, sum + k, alpha, beta, wide);
    }
}

// Adds the sums of the chunks, when all are there: each block those of some rows.
__device__ __forceinline__ void
BSTATIONARY_PASTE(BSTATIONARY_NAME, _add_chunks)(const spmm_gpu_bstationary *bstationary, unsigned *shared) {
    const spmm_gpu_operands *operands = &bstationary->operands;
    const int blocks = bstationary->shares * bstationary->chunks,
              sharers = spmm_meet_blocks(operands->arrived + 2 * blockIdx.x, blocks, shared),
              own = sharers == blocks ? (int)(blockIdx.z * bstationary->shares + blockIdx.y) : 0;
    if (sharers == 0)
        return;
    const long long vectors = (long long)bstationary->nrow * BSTATIONARY_VECTORS;
    const long long end = vectors * (own + 1) / sharers;
    for (long long at = vectors * own / sharers + threadIdx.x; at < end; at += SPMM_GPU_BSTATIONARY_THREADS) {
        const int row = (int)(at / BSTATIONARY_VECTORS),
                  vector = (int)blockIdx.x * BSTATIONARY_VECTORS + (int)(at % BSTATIONARY_VECTORS);
        const spmm_gpu_part part = {row, row * bstationary->chunks, bstationary->chunks, 0};
        BSTATIONARY_SUM sum[BSTATIONARY_COUNT];
        if (vector >= operands->vectors)
            continue;
        BSTATIONARY_PASTE(spmm_reduction_, BSTATIONARY_TYPE)(operands, part, vector, 0, 1, sum);
        BSTATIONARY_STORE((char *)operands->c + (long long)row * operands->c_stride, vector, sum,
                          operands->alpha, operands->beta, operands->wide);
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_BSTATIONARY_THREADS)
    BSTATIONARY_NAME(const __grid_constant__ spmm_gpu_bstationary bstationary) {
    SHIM_DYNAMIC_SHARED(spmm_words, b);
    __shared__ unsigned next;
    const int lane = threadIdx.x % 32, stream = lane / BSTATIONARY_SIDE;
    const int other = BSTATIONARY_EACH == 1 ? 0 : stream % (8 / BSTATIONARY_SIDE) / (4 / BSTATIONARY_SIDE);
    BSTATIONARY_PASTE(BSTATIONARY_NAME, _unit) unit;
    if (threadIdx.x == 0)
        next = SPMM_GPU_BSTATIONARY_THREADS / 32;
    BSTATIONARY_PASTE(BSTATIONARY_NAME, _copy)(&bstationary, b);
    BSTATIONARY_PASTE(BSTATIONARY_NAME, _begin)(&bstationary, threadIdx.x / 32, &unit);
    spmm_copy_wait();
    __syncthreads();
    while (unit.there) {
        const int row = unit.place < bstationary.nrow
                            ? __ldg(bstationary.row + (long long)blockIdx.z * bstationary.nrow + unit.place)
                            : -1;
        BSTATIONARY_SUM sum[BSTATIONARY_SUMS];
        unsigned number = 0;
        SPMM_UNROLL
        for (int k = 0; k < BSTATIONARY_SUMS; k++)
            sum[k] = 0;
        BSTATIONARY_PASTE(BSTATIONARY_NAME, _multiply)(&bstationary, b, other, &unit, sum);
        // The next unit is read while the sums of this one are added.
        if (lane == 0)
            number = atomicAdd(&next, 1u);
        number = __shfl_sync(0xffffffffu, number, 0);
        BSTATIONARY_PASTE(BSTATIONARY_NAME, _begin)(&bstationary, (int)number, &unit);
        const int first = BSTATIONARY_PASTE(BSTATIONARY_NAME, _add_subwarps)(sum);
        if (row >= 0 && stream % BSTATIONARY_SUBWARPS < BSTATIONARY_SUMS)
            BSTATIONARY_PASTE(BSTATIONARY_NAME, _store)(&bstationary, row, first, sum);
    }
    if (bstationary.chunks > 1)
        BSTATIONARY_PASTE(BSTATIONARY_NAME, _add_chunks)(&bstationary, &next);
}

#undef BSTATIONARY_PASTE
#undef BSTATIONARY_PASTE2
#undef BSTATIONARY_JOIN
#undef BSTATIONARY_JOIN2
#undef BSTATIONARY_NAME
#undef BSTATIONARY_READ
#undef BSTATIONARY_ADD
#undef BSTATIONARY_STORE
#undef BSTATIONARY_STORE_ONE
#undef BSTATIONARY_VECTORS
#undef BSTATIONARY_ROWS
#undef BSTATIONARY_UNITS
#undef BSTATIONARY_SUMS
#undef BSTATIONARY_AHEAD
#undef BSTATIONARY_STEP
#undef BSTATIONARY_SUBWARPS
