/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) without tensor cores, included once for each variant. Before it are
// defined
//
//     ROWS_TYPE      half, bfloat, float or double; ROWS_VALUE: unsigned or double, ROWS_SUM: float or double
//     ROWS_COUNT     numbers in 16 bytes
//     ROWS_LANES     threads side by side, 16 bytes each: the columns of a tile
//     ROWS_SUBWARPS  that share the entries of a segment
//     ROWS_DEPTH     loads of B under way in a thread
//
// Long segments come first, each with a block for a tile: all its threads share the entries, and the block
// that arrives last adds the parts of a row. The others have no parts.
//
// Cost: one read of 16 bytes of B and ROWS_COUNT multiply-adds for an entry and thread; the columns of the
// next entries are read while these are under way. Where several segments share a warp each thread reads
// other entries and broadcasts them to its neighbours, for a read from eight places takes the cache as long
// as eight rows of B. The kernel is rows_TYPE_LANES_SUBWARPS_DEPTH.

#define ROWS_PASTE2(a, b) a##b
#define ROWS_PASTE(a, b) ROWS_PASTE2(a, b)
#define ROWS_JOIN2(type, lanes, subwarps, depth) rows_##type##_##lanes##_##subwarps##_##depth
#define ROWS_JOIN(type, lanes, subwarps, depth) ROWS_JOIN2(type, lanes, subwarps, depth)
#define ROWS_NAME ROWS_JOIN(ROWS_TYPE, ROWS_LANES, ROWS_SUBWARPS, ROWS_DEPTH)
#define ROWS_GATHER ROWS_PASTE(ROWS_NAME, _gather)
#define ROWS_ADD ROWS_PASTE(spmm_add_, ROWS_TYPE)
#define ROWS_STORE ROWS_PASTE(spmm_store_, ROWS_TYPE)
#define ROWS_THREADS SPMM_GPU_ROWS_THREADS(ROWS_LANES)
// With 8 doubles under way a thread would take 66 registers, and a multiprocessor would have room for 896
// threads instead of 1024.
#if ROWS_COUNT == 2 && ROWS_DEPTH == 8
#define ROWS_BOUNDS ROWS_THREADS, 1024 / ROWS_THREADS
#else
#define ROWS_BOUNDS ROWS_THREADS
#endif
#define ROWS_BROADCASTS (ROWS_LANES <= 8 && ROWS_SUBWARPS == 1)
#define ROWS_BATCH (ROWS_DEPTH < ROWS_LANES ? ROWS_DEPTH : ROWS_LANES)    /* entries of a segment in a read */
#define ROWS_OWN (ROWS_BROADCASTS ? ROWS_DEPTH / ROWS_BATCH : ROWS_DEPTH) /* reads for ROWS_DEPTH of them */

// Adds the sums of all subwarps, in pairs: every subwarp has the total.
__device__ __forceinline__ void ROWS_PASTE(ROWS_NAME, _add_subwarps)(unsigned mask, ROWS_SUM *sum) {
    (void)mask;
    (void)sum;
    SPMM_UNROLL
    for (int subwarp = 1; subwarp < ROWS_SUBWARPS; subwarp *= 2) {
        SPMM_UNROLL
        for (int k = 0; k < ROWS_COUNT; k++)
            sum[k] += __shfl_xor_sync(mask, sum[k], subwarp * ROWS_LANES);
    }
}

// Reads the entries of this thread among the next ROWS_DEPTH of its subwarp.
__device__ __forceinline__ void ROWS_PASTE(ROWS_NAME, _read)(const spmm_gpu_rows *rows, long long entry,
                                                             int *column, ROWS_VALUE *value) {
    const int first = ROWS_BROADCASTS ? threadIdx.x % ROWS_BATCH : 0,
              next = ROWS_BROADCASTS ? ROWS_BATCH : ROWS_SUBWARPS;
    SPMM_UNROLL
    for (int k = 0; k < ROWS_OWN; k++)
        column[k] =
            ROWS_PASTE(spmm_read_, ROWS_TYPE)(rows->column, rows->entry, entry + first + k * next, &value[k]);
}

// Makes all ROWS_DEPTH entries of those that the threads have read. All threads of a warp call it.
__device__ __forceinline__ void ROWS_PASTE(ROWS_NAME, _broadcast)(const int *own_column,
                                                                  const ROWS_VALUE *own_value, int *column,
                                                                  ROWS_VALUE *value) {
    SPMM_UNROLL
    for (int k = 0; k < ROWS_DEPTH; k++) {
        column[k] = own_column[ROWS_BROADCASTS ? k / ROWS_BATCH : k];
        value[k] = own_value[ROWS_BROADCASTS ? k / ROWS_BATCH : k];
#if ROWS_BROADCASTS
        column[k] = __shfl_sync(0xffffffffu, column[k], k % ROWS_BATCH, ROWS_LANES);
        value[k] = __shfl_sync(0xffffffffu, value[k], k % ROWS_BATCH, ROWS_LANES);
#endif
    }
}

// Sums the products of entries entry, entry + SUBWARPS, … of a long segment, which ends `left` entries behind
// the first of them.
__device__ __forceinline__ void ROWS_GATHER(const spmm_gpu_rows *rows, const char *b, long long entry,
                                            int left, ROWS_SUM *sum) {
    enum { SUBWARPS = ROWS_THREADS / ROWS_LANES };
    int column[ROWS_DEPTH];
    ROWS_VALUE value[ROWS_DEPTH];
    SPMM_UNROLL
    for (int k = 0; k < ROWS_COUNT; k++)
        sum[k] = 0;
    SPMM_UNROLL
    for (int k = 0; k < ROWS_DEPTH; k++)
        column[k] =
            ROWS_PASTE(spmm_read_, ROWS_TYPE)(rows->column, rows->entry, entry + k * SUBWARPS, &value[k]);
    SPMM_NO_UNROLL
    for (; left > (ROWS_DEPTH - 1) * SUBWARPS; left -= ROWS_DEPTH * SUBWARPS) {
        // Loads of B come first, then those of the next entries, then the sums, which wait for B alone.
        spmm_words words[ROWS_DEPTH];
        ROWS_SUM factor[ROWS_DEPTH];
        entry += ROWS_DEPTH * SUBWARPS;
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH; k++) {
            words[k] = spmm_load(b + (long long)column[k] * rows->operands.b_stride);
            factor[k] = ROWS_PASTE(spmm_factor_, ROWS_TYPE)(value[k]);
        }
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH; k++)
            column[k] =
                ROWS_PASTE(spmm_read_, ROWS_TYPE)(rows->column, rows->entry, entry + k * SUBWARPS, &value[k]);
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH; k++)
            ROWS_ADD(sum, factor[k], words[k]);
    }
    if (left > 0) { // Fewer than ROWS_DEPTH entries are left.
        spmm_words words[ROWS_DEPTH - 1];
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH - 1; k++) {
            words[k].word[0] = words[k].word[1] = words[k].word[2] = words[k].word[3] = 0;
            if (k * SUBWARPS < left)
                words[k] = spmm_load(b + (long long)column[k] * rows->operands.b_stride);
        }
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH - 1; k++)
            if (k * SUBWARPS < left)
                ROWS_ADD(sum, ROWS_PASTE(spmm_factor_, ROWS_TYPE)(value[k]), words[k]);
    }
}

// Adds the sums of a block's subwarps, in a warp by shuffles, then warp by warp: the first subwarp has the
// total.
__device__ __forceinline__ void ROWS_PASTE(ROWS_NAME, _add_block)(ROWS_SUM *shared, ROWS_SUM *sum) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    SPMM_UNROLL
    for (int far = ROWS_LANES; far < 32; far *= 2) {
        SPMM_UNROLL
        for (int k = 0; k < ROWS_COUNT; k++)
            sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], far);
    }
    if (lane < ROWS_LANES) {
        SPMM_UNROLL
        for (int k = 0; k < ROWS_COUNT; k++)
            shared[(warp * ROWS_COUNT + k) * ROWS_LANES + lane] = sum[k];
    }
    __syncthreads();
    if (threadIdx.x < ROWS_LANES) {
        SPMM_UNROLL
        for (int other = 1; other < ROWS_THREADS / 32; other++) {
            SPMM_UNROLL
            for (int k = 0; k < ROWS_COUNT; k++)
                sum[k] += shared[(other * ROWS_COUNT + k) * ROWS_LANES + lane];
        }
    }
}

// Computes a long segment by a whole block.
__device__ __forceinline__ void ROWS_PASTE(ROWS_NAME, _long)(const spmm_gpu_rows *rows, ROWS_SUM *shared) {
    const spmm_gpu_operands *operands = &rows->operands;
    int tile;
    const unsigned at =
        spmm_find_block(blockIdx.x, (unsigned)rows->long_count * (unsigned)operands->tiles, operands, &tile);
    const spmm_gpu_segment segment = rows->segments[at];
    const int lane = threadIdx.x % ROWS_LANES, subwarp = threadIdx.x / ROWS_LANES,
              wanted =
                  tile * ROWS_LANES + lane, // Threads behind the last column read it, too, but store nothing.
        vector = wanted < operands->vectors ? wanted : operands->vectors - 1,
              stores = wanted < operands->vectors && subwarp == 0;
    ROWS_SUM sum[ROWS_COUNT];
    int row = segment.row;
    ROWS_GATHER(rows, (const char *)operands->b + (long long)vector * 16, segment.first + subwarp,
                segment.count - subwarp, sum);
    ROWS_PASTE(ROWS_NAME, _add_block)(shared, sum);
    if (row < 0) {
        const spmm_gpu_part part = rows->parts[-1 - row];
        if (stores)
            ROWS_PASTE(spmm_store_partial_, ROWS_TYPE)(operands, -1 - row, vector, sum);
        if (!spmm_reduction_blocks(operands->arrived + (long long)part.first * operands->tiles + tile,
                                   part.count,
                                   (unsigned *)(shared + ROWS_THREADS / 32 * ROWS_COUNT * ROWS_LANES)))
            return;
        if (stores)
            ROWS_PASTE(spmm_reduction_, ROWS_TYPE)(operands, part, vector, 0, 1, sum);
        row = part.target;
    }
    if (stores)
        ROWS_STORE((char *)operands->c + (long long)row * operands->c_stride, vector, sum, operands->alpha,
                   operands->beta, operands->wide);
}

SHIM_KERNEL void __launch_bounds__(ROWS_BOUNDS) ROWS_NAME(const __grid_constant__ spmm_gpu_rows rows) {
    enum { WORKER = ROWS_LANES * ROWS_SUBWARPS };
    SHIM_DYNAMIC_SHARED(double, shared);
    const unsigned long_blocks = (unsigned)rows.long_count * (unsigned)rows.operands.tiles;
    if (blockIdx.x < long_blocks) {
        ROWS_PASTE(ROWS_NAME, _long)(&rows, (ROWS_SUM *)shared);
        return;
    }
    int tile;
    const long long worker =
        (long long)spmm_find_block(blockIdx.x - long_blocks, gridDim.x - long_blocks, &rows.operands, &tile) *
            (ROWS_THREADS / WORKER) +
        threadIdx.x / WORKER;
    const int lane = threadIdx.x % ROWS_LANES, subwarp = threadIdx.x / ROWS_LANES % ROWS_SUBWARPS;
    const unsigned mask = (WORKER == 32 ? 0xffffffffu : (1u << WORKER % 32) - 1)
                          << threadIdx.x % 32 / WORKER * WORKER;
    // Threads without a segment stay where others of their warp want their part in broadcasts.
    const int idle = worker >= rows.segment_count;
    if (idle && !ROWS_BROADCASTS)
        return;
    const spmm_gpu_segment segment = rows.segments[rows.long_count + (idle ? 0 : worker)];
    const int wanted = tile * ROWS_LANES + lane,
              vector = wanted < rows.operands.vectors ? wanted : rows.operands.vectors - 1;
    const int stores = wanted < rows.operands.vectors && subwarp == 0;
    const char *b = (const char *)rows.operands.b + (long long)vector * 16;
    ROWS_SUM sum[ROWS_COUNT];
    int own_column[ROWS_OWN], column[ROWS_DEPTH];
    ROWS_VALUE own_value[ROWS_OWN], value[ROWS_DEPTH];
    long long entry = segment.first + subwarp;
    int left =
        idle ? 0
             : segment.count - subwarp; // The subwarp has (left + ROWS_SUBWARPS - 1) / ROWS_SUBWARPS of them.
    SPMM_UNROLL
    for (int k = 0; k < ROWS_COUNT; k++)
        sum[k] = 0;
    ROWS_PASTE(ROWS_NAME, _read)(&rows, entry, own_column, own_value);
    SPMM_NO_UNROLL
    for (;;) {
        const int whole = left > (ROWS_DEPTH - 1) * ROWS_SUBWARPS;
        if (ROWS_BROADCASTS ? !__any_sync(0xffffffffu, whole) : !whole)
            break;
        ROWS_PASTE(ROWS_NAME, _broadcast)(own_column, own_value, column, value);
        if (whole) {
            spmm_words words[ROWS_DEPTH];
            left -= ROWS_DEPTH * ROWS_SUBWARPS;
            entry += ROWS_DEPTH * ROWS_SUBWARPS;
            SPMM_UNROLL
            for (int k = 0; k < ROWS_DEPTH; k++)
                words[k] = spmm_load(b + (long long)column[k] * rows.operands.b_stride);
            ROWS_PASTE(ROWS_NAME, _read)(&rows, entry, own_column, own_value);
            SPMM_UNROLL
            for (int k = 0; k < ROWS_DEPTH; k++)
                ROWS_ADD(sum, ROWS_PASTE(spmm_factor_, ROWS_TYPE)(value[k]), words[k]);
        }
    }
    ROWS_PASTE(ROWS_NAME, _broadcast)(own_column, own_value, column, value);
    if (idle)
        return;
    if (left > 0) { // Fewer than ROWS_DEPTH entries are left.
        spmm_words words[ROWS_DEPTH - 1];
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH - 1; k++) {
            words[k].word[0] = words[k].word[1] = words[k].word[2] = words[k].word[3] = 0;
            if (k * ROWS_SUBWARPS < left)
                words[k] = spmm_load(b + (long long)column[k] * rows.operands.b_stride);
        }
        SPMM_UNROLL
        for (int k = 0; k < ROWS_DEPTH - 1; k++)
            if (k * ROWS_SUBWARPS < left)
                ROWS_ADD(sum, ROWS_PASTE(spmm_factor_, ROWS_TYPE)(value[k]), words[k]);
    }
    ROWS_PASTE(ROWS_NAME, _add_subwarps)(mask, sum);
    if (!stores)
        return;
    char *c = (char *)rows.operands.c + (long long)segment.row * rows.operands.c_stride;
    ROWS_STORE(c, vector, sum, rows.operands.alpha, rows.operands.beta, rows.operands.wide);
}

#undef ROWS_PASTE
#undef ROWS_PASTE2
#undef ROWS_JOIN
#undef ROWS_JOIN2
#undef ROWS_NAME
#undef ROWS_GATHER
#undef ROWS_ADD
#undef ROWS_STORE
#undef ROWS_THREADS
#undef ROWS_BOUNDS
#undef ROWS_BROADCASTS
#undef ROWS_BATCH
#undef ROWS_OWN
#undef ROWS_DEPTH
