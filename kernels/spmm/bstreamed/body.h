/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) with B streamed through shared memory, included once for each
// variant. Before it are defined
//
//     BSTREAMED_TYPE    float or double; BSTREAMED_VALUE: unsigned or double, BSTREAMED_SUM: as the type
//     BSTREAMED_COUNT   numbers in 16 bytes
//     BSTREAMED_LANES   threads side by side, 16 bytes each: the columns of a tile
//     BSTREAMED_ROWS    rows of A that they have
//
// A block has a tile of C of THREADS / LANES * ROWS rows. It copies the tile's part of one chunk of B while
// it multiplies with the chunk before. Threads side by side put their row's next entries, one each, into
// shared memory, from where all of them take one after the other. All loops of a warp are of the same length,
// so that its rows go on together.
//
// Cost: B comes once from the second-level cache for each block, and each entry takes a row of the tile from
// shared memory. The kernel is bstreamed_TYPE_LANES_ROWS.

#define BSTREAMED_PASTE2(a, b) a##b
#define BSTREAMED_PASTE(a, b) BSTREAMED_PASTE2(a, b)
#define BSTREAMED_JOIN2(type, lanes, rows) bstreamed_##type##_##lanes##_##rows
#define BSTREAMED_JOIN(type, lanes, rows) BSTREAMED_JOIN2(type, lanes, rows)
#define BSTREAMED_NAME BSTREAMED_JOIN(BSTREAMED_TYPE, BSTREAMED_LANES, BSTREAMED_ROWS)
#define BSTREAMED_CURSOR BSTREAMED_PASTE(BSTREAMED_NAME, _cursor)
#define BSTREAMED_COPY BSTREAMED_PASTE(BSTREAMED_NAME, _copy)
#define BSTREAMED_FIND BSTREAMED_PASTE(BSTREAMED_NAME, _find)
#define BSTREAMED_READ_NEXT BSTREAMED_PASTE(BSTREAMED_NAME, _read)
#define BSTREAMED_ADD_SOME BSTREAMED_PASTE(BSTREAMED_NAME, _add)
#define BSTREAMED_MULTIPLY BSTREAMED_PASTE(BSTREAMED_NAME, _multiply)
#define BSTREAMED_REDUCE BSTREAMED_PASTE(BSTREAMED_NAME, _reduce)
#define BSTREAMED_LEAVE BSTREAMED_PASTE(spmm_store_partial_, BSTREAMED_TYPE)
#define BSTREAMED_SUM_UP BSTREAMED_PASTE(spmm_reduction_, BSTREAMED_TYPE)
#define BSTREAMED_READ BSTREAMED_PASTE(spmm_read_, BSTREAMED_TYPE)
#define BSTREAMED_FACTOR BSTREAMED_PASTE(spmm_factor_, BSTREAMED_TYPE)
#define BSTREAMED_TAKE BSTREAMED_PASTE(spmm_load_shared_, BSTREAMED_TYPE)
#define BSTREAMED_ADD BSTREAMED_PASTE(spmm_add_, BSTREAMED_TYPE)
#define BSTREAMED_STORE BSTREAMED_PASTE(spmm_store_, BSTREAMED_TYPE)
#define BSTREAMED_CHUNK SPMM_GPU_BSTREAMED_CHUNK(BSTREAMED_LANES)
#define BSTREAMED_SUBWARPS (SPMM_GPU_BSTREAMED_THREADS / BSTREAMED_LANES)
#define BSTREAMED_EACH 4 /* entries for which a thread reads B at a time */

// A row of A on its way through the chunks, with the thread's entry of those to come. Entries are counted
// from the block's first one on.
typedef struct BSTREAMED_CURSOR {
    int first, end; /* entries to come of the chunk to come */
    int column;
    BSTREAMED_VALUE value;
} BSTREAMED_CURSOR;

// Begins to copy the tile's part of a chunk.
__device__ __forceinline__ void BSTREAMED_COPY(const spmm_gpu_bstreamed *bstreamed, int tile, int chunk,
                                               spmm_words *to) {
    const int lane = threadIdx.x % BSTREAMED_LANES, vector = tile * BSTREAMED_LANES + lane,
              inside = vector < bstreamed->operands.vectors, first = chunk * BSTREAMED_CHUNK,
              left = bstreamed->ncol - first, rows = left < BSTREAMED_CHUNK ? left : BSTREAMED_CHUNK;
    const char *b = (const char *)bstreamed->operands.b + (inside ? vector * 16 : 0);
    SPMM_UNROLL
    for (int k = 0; k < BSTREAMED_CHUNK / BSTREAMED_SUBWARPS; k++) {
        const int row = k * BSTREAMED_SUBWARPS + threadIdx.x / BSTREAMED_LANES;
        if (row < rows)
            spmm_copy(to + row * BSTREAMED_LANES + lane,
                      b + (long long)(first + row) * bstreamed->operands.b_stride, inside);
    }
    spmm_copy_commit();
}

// The row's first entry behind a chunk, -1 being before all; 0 where there is no such row.
__device__ __forceinline__ int BSTREAMED_FIND(const spmm_gpu_bstreamed *bstreamed, long long base, int row,
                                              int chunk) {
    if (row >= bstreamed->nrow)
        return 0;
    const int before = chunk < 0 ? 0 : __ldg(bstreamed->before + (long long)chunk * bstreamed->nrow + row);
    return (int)(bstreamed->start[row] - base) + before;
}

// Reads the thread's entry of those to come, or what stands behind them.
__device__ __forceinline__ void BSTREAMED_READ_NEXT(const spmm_gpu_bstreamed *bstreamed, long long base,
                                                    BSTREAMED_CURSOR *row) {
    row->column = BSTREAMED_READ(bstreamed->column, bstreamed->entry,
                                 base + row->first + threadIdx.x % BSTREAMED_LANES, &row->value);
}

// Adds the products of EACH entries, or of `many` of them. `whole`, a constant for the compiler, says that
// all subwarps have so many.
__device__ __forceinline__ void BSTREAMED_ADD_SOME(const char *b, const unsigned *places,
                                                   const BSTREAMED_VALUE *values, int many, int whole,
                                                   BSTREAMED_SUM *sum) {
    unsigned place[BSTREAMED_EACH];
    BSTREAMED_VALUE value[BSTREAMED_EACH];
    spmm_words words[BSTREAMED_EACH];
    spmm_load_shared_float(places, BSTREAMED_EACH, place);
    SPMM_UNROLL
    for (int k = 0; k < BSTREAMED_EACH; k++)
        if (whole || k < many)
            words[k] = *(const spmm_words *)(b + place[k]);
    BSTREAMED_TAKE(values, BSTREAMED_EACH, value);
    SPMM_UNROLL
    for (int k = 0; k < BSTREAMED_EACH; k++)
        if (whole || k < many)
            BSTREAMED_ADD(sum, BSTREAMED_FACTOR(value[k]), words[k]);
}

// Adds the products of the row's entries in a chunk, which begins at column `column` and lies at `b`, the
// thread's vectors.
__device__ __forceinline__ void BSTREAMED_MULTIPLY(const spmm_gpu_bstreamed *bstreamed, long long base,
                                                   const char *b, int column, unsigned *places,
                                                   BSTREAMED_VALUE *values, BSTREAMED_CURSOR *row,
                                                   BSTREAMED_SUM *sum) {
    const int lane = threadIdx.x % BSTREAMED_LANES;
    int left = row->end - row->first, most = left, least = left; // of the warp's rows
    SPMM_UNROLL
    for (int far = BSTREAMED_LANES; far < 32; far *= 2) {
        const int other = __shfl_xor_sync(0xffffffffu, most, far),
                  another = __shfl_xor_sync(0xffffffffu, least, far);
        most = other > most ? other : most;
        least = another < least ? another : least;
    }
    SPMM_NO_UNROLL
    for (; most > 0; most -= BSTREAMED_LANES, least -= BSTREAMED_LANES, left -= BSTREAMED_LANES) {
        const int many = left < BSTREAMED_LANES ? left : BSTREAMED_LANES,
                  steps = most < BSTREAMED_LANES ? most : BSTREAMED_LANES,
                  whole = least < BSTREAMED_LANES ? least : BSTREAMED_LANES;
        __syncwarp(); // All threads have taken the entries before.
        places[lane] = (unsigned)(row->column - column) * (BSTREAMED_LANES * 16);
        values[lane] = row->value;
        __syncwarp();
        if (many > 0) {
            row->first += many;
            BSTREAMED_READ_NEXT(bstreamed, base, row);
        }
        int k = 0;
        SPMM_NO_UNROLL
        for (; k + BSTREAMED_EACH <= whole; k += BSTREAMED_EACH)
            BSTREAMED_ADD_SOME(b, places + k, values + k, BSTREAMED_EACH, 1, sum);
        SPMM_NO_UNROLL
        for (; k < steps; k += BSTREAMED_EACH)
            BSTREAMED_ADD_SOME(b, places + k, values + k, many - k, 0, sum);
    }
}

// Leaves the sums of a part. In the block of the part that comes last they become those of all parts, and the
// result is true.
__device__ __forceinline__ int BSTREAMED_REDUCE(const spmm_gpu_bstreamed *bstreamed, int block, int part,
                                                int tile, int row, int vector, int stores,
                                                BSTREAMED_SUM *sum) {
    __shared__ unsigned before;
    const int parts = bstreamed->parts;
    SPMM_UNROLL
    for (int k = 0; k < BSTREAMED_ROWS; k++)
        if (stores && row + k * BSTREAMED_SUBWARPS < bstreamed->nrow)
            BSTREAMED_LEAVE(&bstreamed->operands, (row + k * BSTREAMED_SUBWARPS) * parts + part, vector,
                            sum + k * BSTREAMED_COUNT);
    if (!spmm_reduction_blocks(bstreamed->operands.arrived + (long long)block * bstreamed->operands.tiles +
                                   tile,
                               parts, &before))
        return 0;
    SPMM_UNROLL
    for (int k = 0; k < BSTREAMED_ROWS; k++)
        if (stores && row + k * BSTREAMED_SUBWARPS < bstreamed->nrow) {
            const spmm_gpu_part all = {0, (row + k * BSTREAMED_SUBWARPS) * parts, parts, 0};
            BSTREAMED_SUM_UP(&bstreamed->operands, all, vector, 0, 1, sum + k * BSTREAMED_COUNT);
        }
    return 1;
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_BSTREAMED_THREADS, 1)
    BSTREAMED_NAME(const __grid_constant__ spmm_gpu_bstreamed bstreamed) {
    enum { VECTORS = SPMM_GPU_BSTREAMED_CHUNK_BYTES / 16 };
    SHIM_DYNAMIC_SHARED(spmm_words, b);
    __shared__ __align__(16) unsigned places[SPMM_GPU_BSTREAMED_THREADS];
    __shared__ __align__(16) BSTREAMED_VALUE values[SPMM_GPU_BSTREAMED_THREADS];
    const int lane = threadIdx.x % BSTREAMED_LANES, subwarp = threadIdx.x / BSTREAMED_LANES;
    const int tile = (int)(blockIdx.x % bstreamed.operands.tiles),
              part = (int)(blockIdx.x / bstreamed.operands.tiles % bstreamed.parts),
              block = (int)(blockIdx.x / bstreamed.operands.tiles / bstreamed.parts);
    const int first_row = block * (BSTREAMED_SUBWARPS * BSTREAMED_ROWS) + subwarp;
    const int first = (int)((long long)bstreamed.chunks * part / bstreamed.parts),
              end = (int)((long long)bstreamed.chunks * (part + 1) / bstreamed.parts);
    const long long base = bstreamed.start[block * (BSTREAMED_SUBWARPS * BSTREAMED_ROWS)];
    BSTREAMED_CURSOR rows[BSTREAMED_ROWS];
    BSTREAMED_SUM sum[BSTREAMED_ROWS * BSTREAMED_COUNT];
    BSTREAMED_COPY(&bstreamed, tile, first, b);
    SPMM_UNROLL
    for (int k = 0; k < BSTREAMED_ROWS * BSTREAMED_COUNT; k++)
        sum[k] = 0;
    SPMM_UNROLL
    for (int k = 0; k < BSTREAMED_ROWS; k++) {
        rows[k].first = BSTREAMED_FIND(&bstreamed, base, first_row + k * BSTREAMED_SUBWARPS, first - 1);
        BSTREAMED_READ_NEXT(&bstreamed, base, &rows[k]);
    }
    SPMM_NO_UNROLL
    for (int chunk = first; chunk < end; chunk++) {
        const spmm_words *here = b + (chunk - first) % 2 * VECTORS;
        SPMM_UNROLL
        for (int k = 0; k < BSTREAMED_ROWS; k++)
            rows[k].end = BSTREAMED_FIND(&bstreamed, base, first_row + k * BSTREAMED_SUBWARPS, chunk);
        // spmm_copy_wait leaves out the last commit: an empty one makes it wait for the chunk.
        spmm_copy_commit();
        spmm_copy_wait();
        __syncthreads(); // The chunk before has been used, too.
        if (chunk + 1 < end)
            BSTREAMED_COPY(&bstreamed, tile, chunk + 1, b + (chunk + 1 - first) % 2 * VECTORS);
        SPMM_UNROLL
        for (int k = 0; k < BSTREAMED_ROWS; k++)
            BSTREAMED_MULTIPLY(&bstreamed, base, (const char *)(here + lane), chunk * BSTREAMED_CHUNK,
                               places + threadIdx.x - lane, values + threadIdx.x - lane, &rows[k],
                               sum + k * BSTREAMED_COUNT);
    }
    const int vector = tile * BSTREAMED_LANES + lane, stores = vector < bstreamed.operands.vectors;
    if (bstreamed.parts > 1 &&
        !BSTREAMED_REDUCE(&bstreamed, block, part, tile, first_row, vector, stores, sum))
        return;
    SPMM_UNROLL
    for (int k = 0; k < BSTREAMED_ROWS; k++)
        if (stores && first_row + k * BSTREAMED_SUBWARPS < bstreamed.nrow)
            BSTREAMED_STORE((char *)bstreamed.operands.c +
                                (long long)(first_row + k * BSTREAMED_SUBWARPS) * bstreamed.operands.c_stride,
                            vector, sum + k * BSTREAMED_COUNT, bstreamed.operands.alpha,
                            bstreamed.operands.beta, bstreamed.operands.wide);
}

#undef BSTREAMED_PASTE
#undef BSTREAMED_PASTE2
#undef BSTREAMED_JOIN
#undef BSTREAMED_JOIN2
#undef BSTREAMED_NAME
#undef BSTREAMED_CURSOR
#undef BSTREAMED_COPY
#undef BSTREAMED_FIND
#undef BSTREAMED_READ_NEXT
#undef BSTREAMED_ADD_SOME
#undef BSTREAMED_MULTIPLY
#undef BSTREAMED_REDUCE
#undef BSTREAMED_LEAVE
#undef BSTREAMED_SUM_UP
#undef BSTREAMED_READ
#undef BSTREAMED_FACTOR
#undef BSTREAMED_TAKE
#undef BSTREAMED_ADD
#undef BSTREAMED_STORE
#undef BSTREAMED_CHUNK
#undef BSTREAMED_SUBWARPS
#undef BSTREAMED_EACH
#undef BSTREAMED_LANES
#undef BSTREAMED_ROWS
