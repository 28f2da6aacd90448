/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) without tensor cores for rows of about the same length, included
// once for each variant. Before it are defined
//
//     ROWSTAGED_TYPE     float or double; ROWSTAGED_VALUE: unsigned or double, ROWSTAGED_SUM: as the type
//     ROWSTAGED_COUNT    numbers in 16 bytes
//     ROWSTAGED_LANES    threads side by side, …
//     ROWSTAGED_GROUPS   … with so many times 16 bytes each: the columns of a tile
//     ROWSTAGED_THREADS  of a block, …
//     ROWSTAGED_RESIDENT … so many of which a multiprocessor shall hold
//     ROWSTAGED_DEPTH    entries for which a thread loads B at a time
//
// Some threads side by side work on a row and a tile. Each reads an entry, the next of as many as there are
// threads, and puts it into shared memory, from where all of them take one after the other. Entries that each
// thread reads for itself pass the cache once more for each and take it as long as rows of B: so rows_… need
// half as much time again where B comes from there, as for communities and stencils. Long rows are not cut.
// The kernel is rowstaged_TYPE_LANES_GROUPS_THREADS.

#define ROWSTAGED_PASTE2(a, b) a##b
#define ROWSTAGED_PASTE(a, b) ROWSTAGED_PASTE2(a, b)
#define ROWSTAGED_JOIN2(type, lanes, groups, threads) rowstaged_##type##_##lanes##_##groups##_##threads
#define ROWSTAGED_JOIN(type, lanes, groups, threads) ROWSTAGED_JOIN2(type, lanes, groups, threads)
#define ROWSTAGED_NAME ROWSTAGED_JOIN(ROWSTAGED_TYPE, ROWSTAGED_LANES, ROWSTAGED_GROUPS, ROWSTAGED_THREADS)
#define ROWSTAGED_GATHER ROWSTAGED_PASTE(ROWSTAGED_NAME, _gather)
#define ROWSTAGED_TAKE ROWSTAGED_PASTE(spmm_load_shared_, ROWSTAGED_TYPE)
#define ROWSTAGED_ADD_SOME ROWSTAGED_PASTE(ROWSTAGED_NAME, _add)
#define ROWSTAGED_ADD ROWSTAGED_PASTE(spmm_add_, ROWSTAGED_TYPE)
#define ROWSTAGED_STORE ROWSTAGED_PASTE(spmm_store_, ROWSTAGED_TYPE)

// Adds the products of `many` entries, at most ROWSTAGED_DEPTH. B has `left` vectors from b on;
// `whole`, a constant for the compiler, says that these are enough for all groups. Of groups behind them
// nothing is read.
__device__ __forceinline__ void ROWSTAGED_ADD_SOME(const char *b, int stride, int left, int whole,
                                                   const unsigned *columns, const ROWSTAGED_VALUE *values,
                                                   int many, ROWSTAGED_SUM *sum) {
    unsigned column[ROWSTAGED_DEPTH];
    ROWSTAGED_VALUE value[ROWSTAGED_DEPTH];
    spmm_words words[ROWSTAGED_DEPTH][ROWSTAGED_GROUPS];
    spmm_load_shared_float(columns, ROWSTAGED_DEPTH, column);
    SPMM_UNROLL
    for (int k = 0; k < ROWSTAGED_DEPTH; k++) {
        if (k >= many)
            break;
        const char *from = b + (long long)column[k] * stride;
        SPMM_UNROLL
        for (int group = 0; group < ROWSTAGED_GROUPS; group++)
            if (whole || group * ROWSTAGED_LANES < left)
                words[k][group] = spmm_load(from + group * (ROWSTAGED_LANES * 16));
    }
    ROWSTAGED_TAKE(values, ROWSTAGED_DEPTH, value);
    SPMM_UNROLL
    for (int k = 0; k < ROWSTAGED_DEPTH; k++) {
        if (k >= many)
            break;
        SPMM_UNROLL
        for (int group = 0; group < ROWSTAGED_GROUPS; group++)
            if (whole || group * ROWSTAGED_LANES < left)
                ROWSTAGED_ADD(sum + group * ROWSTAGED_COUNT,
                              ROWSTAGED_PASTE(spmm_factor_, ROWSTAGED_TYPE)(value[k]), words[k][group]);
    }
}

// Sums the products of a segment's entries. The threads side by side are those of `mask` in their warp, and
// each has a place in `columns` and `values`.
__device__ __forceinline__ void ROWSTAGED_GATHER(const spmm_gpu_rows *rows, long long first, int count,
                                                 const char *b, int left, int whole, unsigned mask,
                                                 unsigned *columns, ROWSTAGED_VALUE *values,
                                                 ROWSTAGED_SUM *sum) {
    const int lane = threadIdx.x % ROWSTAGED_LANES;
    int column = 0;
    ROWSTAGED_VALUE value = 0;
    if (lane < count)
        column = ROWSTAGED_PASTE(spmm_read_, ROWSTAGED_TYPE)(rows->column, rows->entry, first + lane, &value);
    SPMM_NO_UNROLL
    for (; count > 0; count -= ROWSTAGED_LANES) {
        const int many = count < ROWSTAGED_LANES ? count : ROWSTAGED_LANES;
        __syncwarp(mask); // All threads have taken the entries before.
        columns[lane] = (unsigned)column;
        values[lane] = value;
        __syncwarp(mask);
        first += ROWSTAGED_LANES;
        if (ROWSTAGED_LANES + lane < count)
            column =
                ROWSTAGED_PASTE(spmm_read_, ROWSTAGED_TYPE)(rows->column, rows->entry, first + lane, &value);
        int k = 0;
        SPMM_NO_UNROLL
        for (; k + ROWSTAGED_DEPTH <= many; k += ROWSTAGED_DEPTH)
            ROWSTAGED_ADD_SOME(b, rows->operands.b_stride, left, whole, columns + k, values + k,
                               ROWSTAGED_DEPTH, sum);
        if (k < many)
            ROWSTAGED_ADD_SOME(b, rows->operands.b_stride, left, whole, columns + k, values + k, many - k,
                               sum);
    }
}

SHIM_KERNEL void __launch_bounds__(ROWSTAGED_THREADS, ROWSTAGED_RESIDENT)
    ROWSTAGED_NAME(const __grid_constant__ spmm_gpu_rows rows) {
    __shared__ __align__(16) unsigned columns[ROWSTAGED_THREADS];
    __shared__ __align__(16) ROWSTAGED_VALUE values[ROWSTAGED_THREADS];
    const int lane = threadIdx.x % ROWSTAGED_LANES, place = threadIdx.x - lane;
    const unsigned mask = (ROWSTAGED_LANES == 32 ? 0xffffffffu : (1u << ROWSTAGED_LANES % 32) - 1)
                          << threadIdx.x % 32 / ROWSTAGED_LANES * ROWSTAGED_LANES;
    int tile;
    const long long at = (long long)spmm_find_block(blockIdx.x, gridDim.x, &rows.operands, &tile) *
                             (ROWSTAGED_THREADS / ROWSTAGED_LANES) +
                         threadIdx.x / ROWSTAGED_LANES;
    if (at >= rows.segment_count)
        return;
    const spmm_gpu_segment segment = rows.segments[at];
    const int vectors = rows.operands.vectors, wanted = tile * ROWSTAGED_GROUPS * ROWSTAGED_LANES + lane,
              vector = wanted < vectors ? wanted : vectors - 1, left = vectors - vector;
    const char *b = (const char *)rows.operands.b + (long long)vector * 16;
    ROWSTAGED_SUM sum[ROWSTAGED_GROUPS * ROWSTAGED_COUNT];
    SPMM_UNROLL
    for (int k = 0; k < ROWSTAGED_GROUPS * ROWSTAGED_COUNT; k++)
        sum[k] = 0;
    if ((tile + 1) * ROWSTAGED_GROUPS * ROWSTAGED_LANES <= vectors)
        ROWSTAGED_GATHER(&rows, segment.first, segment.count, b, left, 1, mask, columns + place,
                         values + place, sum);
    else
        ROWSTAGED_GATHER(&rows, segment.first, segment.count, b, left, 0, mask, columns + place,
                         values + place, sum);
    SPMM_UNROLL
    for (int group = 0; group < ROWSTAGED_GROUPS; group++)
        if (wanted + group * ROWSTAGED_LANES < vectors)
            ROWSTAGED_STORE((char *)rows.operands.c + (long long)segment.row * rows.operands.c_stride,
                            wanted + group * ROWSTAGED_LANES, sum + group * ROWSTAGED_COUNT,
                            rows.operands.alpha, rows.operands.beta, rows.operands.wide);
}

#undef ROWSTAGED_PASTE
#undef ROWSTAGED_PASTE2
#undef ROWSTAGED_JOIN
#undef ROWSTAGED_JOIN2
#undef ROWSTAGED_NAME
#undef ROWSTAGED_GATHER
#undef ROWSTAGED_TAKE
#undef ROWSTAGED_ADD_SOME
#undef ROWSTAGED_ADD
#undef ROWSTAGED_STORE
#undef ROWSTAGED_LANES
#undef ROWSTAGED_GROUPS
#undef ROWSTAGED_THREADS
#undef ROWSTAGED_RESIDENT
#undef ROWSTAGED_DEPTH
