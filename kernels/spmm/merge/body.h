/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) without tensor cores, included once for each variant. Before it are
// defined
//
//     MERGE_TYPE      half, bfloat, float or double
//     MERGE_VALUE     unsigned or double
//     MERGE_SUM       float or double
//     MERGE_COUNT     numbers in 16 bytes
//     MERGE_LANES     threads side by side, 16 bytes each: the columns of a tile
//     MERGE_DEPTH     loads of B under way in a thread
//
// Some threads side by side work on a partition and a tile, entry by entry, and store C whenever a row ends;
// the columns of the next entries are read meanwhile. Blocks of up to 4096 / MERGE_DEPTH threads: large ones
// find in the cache of the multiprocessor what neighbouring rows have in common. Where four partitions share
// a warp each thread reads other entries and broadcasts them to its neighbours. The kernel is
// merge_TYPE_LANES_DEPTH.

#define MERGE_PASTE2(a, b) a##b
#define MERGE_PASTE(a, b) MERGE_PASTE2(a, b)
#define MERGE_JOIN2(type, lanes, depth) merge_##type##_##lanes##_##depth
#define MERGE_JOIN(type, lanes, depth) MERGE_JOIN2(type, lanes, depth)
#define MERGE_NAME MERGE_JOIN(MERGE_TYPE, MERGE_LANES, MERGE_DEPTH)
#define MERGE_READ MERGE_PASTE(MERGE_NAME, _read)
#define MERGE_ADD MERGE_PASTE(spmm_add_, MERGE_TYPE)
#define MERGE_STORE MERGE_PASTE(spmm_store_, MERGE_TYPE)
#define MERGE_BROADCASTS (MERGE_LANES == 8)
#define MERGE_OWN (MERGE_BROADCASTS ? 1 : MERGE_DEPTH) /* reads for MERGE_DEPTH entries */

// Writes the row's sums to C and sets them to zero.
__device__ __forceinline__ void MERGE_PASTE(MERGE_NAME, _store)(const spmm_gpu_merge *merge, int row,
                                                                int vector, int stores, MERGE_SUM *sum) {
    if (stores)
        MERGE_STORE((char *)merge->operands.c + (long long)row * merge->operands.c_stride, vector, sum,
                    merge->operands.alpha, merge->operands.beta, merge->operands.wide);
    SPMM_UNROLL
    for (int k = 0; k < MERGE_COUNT; k++)
        sum[k] = 0;
}

// Reads the entries of this thread among the next MERGE_DEPTH.
__device__ __forceinline__ void MERGE_READ(const spmm_gpu_merge *merge, long long entry, int *column,
                                           MERGE_VALUE *value) {
    const int first = MERGE_BROADCASTS ? threadIdx.x % MERGE_DEPTH : 0;
    SPMM_UNROLL
    for (int k = 0; k < MERGE_OWN; k++)
        column[k] =
            MERGE_PASTE(spmm_read_, MERGE_TYPE)(merge->column, merge->entry, entry + first + k, &value[k]);
}

// Makes all MERGE_DEPTH entries of those that the threads have read. All threads of a warp call it.
__device__ __forceinline__ void MERGE_PASTE(MERGE_NAME, _broadcast)(const int *own_column,
                                                                    const MERGE_VALUE *own_value, int *column,
                                                                    MERGE_VALUE *value) {
    SPMM_UNROLL
    for (int k = 0; k < MERGE_DEPTH; k++) {
        column[k] = own_column[MERGE_BROADCASTS ? 0 : k];
        value[k] = own_value[MERGE_BROADCASTS ? 0 : k];
#if MERGE_BROADCASTS
        column[k] = __shfl_sync(0xffffffffu, column[k], k, MERGE_LANES);
        value[k] = __shfl_sync(0xffffffffu, value[k], k, MERGE_LANES);
#endif
    }
}

SHIM_KERNEL void __launch_bounds__(4096 / MERGE_DEPTH)
    MERGE_NAME(const __grid_constant__ spmm_gpu_merge merge) {
    int tile;
    const long long worker = (long long)spmm_find_block(blockIdx.x, gridDim.x, &merge.operands, &tile) *
                                 (blockDim.x / MERGE_LANES) +
                             threadIdx.x / MERGE_LANES;
    spmm_launch_dependents();
    const int lane = threadIdx.x % MERGE_LANES;
    const int idle = worker >= merge.partition_count;
    if (idle && !MERGE_BROADCASTS)
        return;
    spmm_gpu_merge_partition partition = merge.partitions[idle ? 0 : worker];
    const int wanted = tile * MERGE_LANES + lane,
              vector = wanted < merge.operands.vectors ? wanted : merge.operands.vectors - 1;
    const int stores = wanted < merge.operands.vectors,
              last = partition.row < 0 ? partition.row : partition.row + partition.rows - 1;
    const char *b = (const char *)merge.operands.b + (long long)vector * 16;
    const long long *start = merge.start + 2; // start[row] is the end of the next row.
    MERGE_SUM sum[MERGE_COUNT];
    if (idle)
        partition.count = 0;
    int own_column[MERGE_OWN], column[MERGE_DEPTH], row = partition.row;
    int end = partition.count, after = partition.count; // Ends of this row and of the next, in the partition.
    MERGE_VALUE own_value[MERGE_OWN], value[MERGE_DEPTH];
    SPMM_UNROLL
    for (int k = 0; k < MERGE_COUNT; k++)
        sum[k] = 0;
    if (row < last && !idle) {
        end = (int)(__ldg(start + row - 1) - partition.first);
        after = (int)(__ldg(start + row) - partition.first);
    }
    MERGE_READ(&merge, partition.first, own_column, own_value);
    int entry = 0;
    SPMM_NO_UNROLL
    for (;;) {
        const int whole = entry + MERGE_DEPTH <= partition.count;
        if (MERGE_BROADCASTS ? !__any_sync(0xffffffffu, whole) : !whole)
            break;
        MERGE_PASTE(MERGE_NAME, _broadcast)(own_column, own_value, column, value);
        if (whole) {
            spmm_words words[MERGE_DEPTH];
            SPMM_UNROLL
            for (int k = 0; k < MERGE_DEPTH; k++)
                words[k] = spmm_load(b + (long long)column[k] * merge.operands.b_stride);
            MERGE_READ(&merge, partition.first + entry + MERGE_DEPTH, own_column, own_value);
            SPMM_UNROLL
            for (int k = 0; k < MERGE_DEPTH; k++) {
                // A row may end here, and empty rows with it. The last one ends with the partition.
                while (entry + k == end && row < last) {
                    MERGE_PASTE(MERGE_NAME, _store)(&merge, row++, vector, stores, sum);
                    end = after;
                    if (row < last)
                        after = (int)(__ldg(start + row) - partition.first);
                }
                MERGE_ADD(sum, MERGE_PASTE(spmm_factor_, MERGE_TYPE)(value[k]), words[k]);
            }
            entry += MERGE_DEPTH;
        }
    }
    MERGE_PASTE(MERGE_NAME, _broadcast)(own_column, own_value, column, value);
    if (idle)
        return;
    if (entry < partition.count) { // Fewer than MERGE_DEPTH entries are left.
        spmm_words words[MERGE_DEPTH - 1];
        SPMM_UNROLL
        for (int k = 0; k < MERGE_DEPTH - 1; k++) {
            words[k].word[0] = words[k].word[1] = words[k].word[2] = words[k].word[3] = 0;
            if (entry + k < partition.count)
                words[k] = spmm_load(b + (long long)column[k] * merge.operands.b_stride);
        }
        SPMM_UNROLL
        for (int k = 0; k < MERGE_DEPTH - 1; k++) {
            while (entry + k == end && row < last) {
                MERGE_PASTE(MERGE_NAME, _store)(&merge, row++, vector, stores, sum);
                end = after;
                if (row < last)
                    after = (int)(__ldg(start + row) - partition.first);
            }
            if (entry + k < partition.count)
                MERGE_ADD(sum, MERGE_PASTE(spmm_factor_, MERGE_TYPE)(value[k]), words[k]);
        }
    }
    if (row < 0) { // The row is cut: reduction_… adds its parts.
        if (stores)
            MERGE_PASTE(spmm_store_partial_, MERGE_TYPE)(&merge.operands, -1 - row, vector, sum);
        return;
    }
    // The last row with entries, and empty ones behind it, whose C is beta C.
    for (; row <= last; row++)
        MERGE_PASTE(MERGE_NAME, _store)(&merge, row, vector, stores, sum);
}

#undef MERGE_PASTE
#undef MERGE_PASTE2
#undef MERGE_JOIN
#undef MERGE_JOIN2
#undef MERGE_NAME
#undef MERGE_READ
#undef MERGE_ADD
#undef MERGE_STORE
#undef MERGE_BROADCASTS
#undef MERGE_OWN
#undef MERGE_DEPTH
