// A device kernel for SpMM (common/gpu.h) without tensor cores, included once for each variant. Before it are
// defined
//
//     RUNS_TYPE      half, bfloat, float or double; RUNS_VALUE: unsigned or double, RUNS_SUM: float or double
//     RUNS_COUNT     numbers in 16 bytes
//     RUNS_LANES     threads side by side, 16 bytes each: the columns of a tile
//     RUNS_DEPTH     loads of B under way in a thread
//
// Some threads side by side work on a run and a tile, entry by entry, and store C whenever a row ends; the
// columns of the next entries are read meanwhile. Blocks of up to 4096 / RUNS_DEPTH threads: large ones find
// in the cache of the multiprocessor what neighbouring rows have in common. Where four runs share a warp each
// thread reads other entries and tells its neighbours. The kernel is runs_TYPE_LANES_DEPTH.

#define RUNS_PASTE2(a, b) a##b
#define RUNS_PASTE(a, b) RUNS_PASTE2(a, b)
#define RUNS_JOIN2(type, lanes, depth) runs_##type##_##lanes##_##depth
#define RUNS_JOIN(type, lanes, depth) RUNS_JOIN2(type, lanes, depth)
#define RUNS_NAME RUNS_JOIN(RUNS_TYPE, RUNS_LANES, RUNS_DEPTH)
#define RUNS_TELL (RUNS_LANES == 8)
#define RUNS_OWN (RUNS_TELL ? 1 : RUNS_DEPTH) /* reads for RUNS_DEPTH entries */

// The row's sums to C, and zeros to the sums.
__device__ __forceinline__ void RUNS_PASTE(RUNS_NAME, _store)(const spmm_gpu_runs *runs, int row, int vector,
                                                              int stores, RUNS_SUM *sum) {
    if (stores)
        RUNS_PASTE(spmm_store_, RUNS_TYPE)
    ((char *)runs->operands.c + (long long)row * runs->operands.c_stride, vector, sum, runs->operands.alpha,
     runs->operands.beta, runs->operands.wide);
    SPMM_UNROLL
    for (int k = 0; k < RUNS_COUNT; k++)
        sum[k] = 0;
}

// The entries of this thread among the next RUNS_DEPTH, …
__device__ __forceinline__ void RUNS_PASTE(RUNS_NAME, _read)(const spmm_gpu_runs *runs, long long entry,
                                                             int *column, RUNS_VALUE *value) {
    const int first = RUNS_TELL ? threadIdx.x % RUNS_DEPTH : 0;
    SPMM_UNROLL
    for (int k = 0; k < RUNS_OWN; k++)
        column[k] =
            RUNS_PASTE(spmm_read_, RUNS_TYPE)(runs->column, runs->entry, entry + first + k, &value[k]);
}

// … and all of these; of a whole warp.
__device__ __forceinline__ void RUNS_PASTE(RUNS_NAME, _tell)(const int *own_column,
                                                             const RUNS_VALUE *own_value, int *column,
                                                             RUNS_VALUE *value) {
    SPMM_UNROLL
    for (int k = 0; k < RUNS_DEPTH; k++) {
        column[k] = own_column[RUNS_TELL ? 0 : k];
        value[k] = own_value[RUNS_TELL ? 0 : k];
#if RUNS_TELL
        column[k] = __shfl_sync(0xffffffffu, column[k], k, RUNS_LANES);
        value[k] = __shfl_sync(0xffffffffu, value[k], k, RUNS_LANES);
#endif
    }
}

SHIM_KERNEL void __launch_bounds__(4096 / RUNS_DEPTH) RUNS_NAME(const __grid_constant__ spmm_gpu_runs runs) {
    int tile;
    const long long worker =
        (long long)spmm_find_block(blockIdx.x, gridDim.x, &runs.operands, &tile) * (blockDim.x / RUNS_LANES) +
        threadIdx.x / RUNS_LANES;
    spmm_follow_allow();
    const int lane = threadIdx.x % RUNS_LANES;
    const int idle = worker >= runs.run_count;
    if (idle && !RUNS_TELL)
        return;
    spmm_gpu_run run = runs.runs[idle ? 0 : worker];
    const int wanted = tile * RUNS_LANES + lane,
              vector = wanted < runs.operands.vectors ? wanted : runs.operands.vectors - 1;
    const int stores = wanted < runs.operands.vectors, last = run.row < 0 ? run.row : run.row + run.rows - 1;
    const char *b = (const char *)runs.operands.b + (long long)vector * 16;
    const long long *start = runs.start + 2; /* of the row after the next */
    RUNS_SUM sum[RUNS_COUNT];
    if (idle)
        run.count = 0;
    int own_column[RUNS_OWN], column[RUNS_DEPTH], row = run.row;
    int end = run.count, after = run.count; /* of this row, of the next */
    RUNS_VALUE own_value[RUNS_OWN], value[RUNS_DEPTH];
    SPMM_UNROLL
    for (int k = 0; k < RUNS_COUNT; k++)
        sum[k] = 0;
    if (row < last && !idle) {
        end = (int)(__ldg(start + row - 1) - run.first);
        after = (int)(__ldg(start + row) - run.first);
    }
    RUNS_PASTE(RUNS_NAME, _read)(&runs, run.first, own_column, own_value);
    int entry = 0;
    SPMM_NO_UNROLL
    for (;;) {
        const int whole = entry + RUNS_DEPTH <= run.count;
        if (RUNS_TELL ? !__any_sync(0xffffffffu, whole) : !whole)
            break;
        RUNS_PASTE(RUNS_NAME, _tell)(own_column, own_value, column, value);
        if (whole) {
            spmm_words words[RUNS_DEPTH];
            SPMM_UNROLL
            for (int k = 0; k < RUNS_DEPTH; k++)
                words[k] = spmm_load(b + (long long)column[k] * runs.operands.b_stride);
            RUNS_PASTE(RUNS_NAME, _read)
            (&runs, run.first + entry + RUNS_DEPTH, own_column, own_value);
            SPMM_UNROLL
            for (int k = 0; k < RUNS_DEPTH; k++) {
                while (entry + k == end && row < last) {
                    RUNS_PASTE(RUNS_NAME, _store)(&runs, row++, vector, stores, sum);
                    end = after;
                    if (row < last)
                        after = (int)(__ldg(start + row) - run.first);
                }
                RUNS_PASTE(spmm_add_, RUNS_TYPE)
                (sum, RUNS_PASTE(spmm_factor_, RUNS_TYPE)(value[k]), words[k]);
            }
            entry += RUNS_DEPTH;
        }
    }
    RUNS_PASTE(RUNS_NAME, _tell)(own_column, own_value, column, value);
    if (idle)
        return;
    if (entry < run.count) { /* fewer than RUNS_DEPTH are left */
        spmm_words words[RUNS_DEPTH - 1];
        SPMM_UNROLL
        for (int k = 0; k < RUNS_DEPTH - 1; k++) {
            words[k].word[0] = words[k].word[1] = words[k].word[2] = words[k].word[3] = 0;
            if (entry + k < run.count)
                words[k] = spmm_load(b + (long long)column[k] * runs.operands.b_stride);
        }
        SPMM_UNROLL
        for (int k = 0; k < RUNS_DEPTH - 1; k++) {
            while (entry + k == end && row < last) {
                RUNS_PASTE(RUNS_NAME, _store)(&runs, row++, vector, stores, sum);
                end = after;
                if (row < last)
                    after = (int)(__ldg(start + row) - run.first);
            }
            if (entry + k < run.count)
                RUNS_PASTE(spmm_add_, RUNS_TYPE)
            (sum, RUNS_PASTE(spmm_factor_, RUNS_TYPE)(value[k]), words[k]);
        }
    }
    if (row < 0) {
        if (stores)
            RUNS_PASTE(spmm_leave_, RUNS_TYPE)(&runs.operands, -1 - row, vector, sum);
        return;
    }
    for (; row <= last; row++)
        RUNS_PASTE(RUNS_NAME, _store)(&runs, row, vector, stores, sum);
}

#undef RUNS_PASTE
#undef RUNS_PASTE2
#undef RUNS_JOIN
#undef RUNS_JOIN2
#undef RUNS_NAME
#undef RUNS_TELL
#undef RUNS_OWN
#undef RUNS_DEPTH
