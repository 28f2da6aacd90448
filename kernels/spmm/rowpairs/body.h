/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) without tensor cores for rows that have columns in common with
// their neighbours (stencils, communities), included once for each variant. Before it are defined
//
//     ROWPAIRS_TYPE       half, bfloat, float or double
//     ROWPAIRS_SIZE       its bytes
//     ROWPAIRS_SUM        float or double
//     ROWPAIRS_COUNT      numbers in 16 bytes
//     ROWPAIRS_LANES      threads side by side, …
//     ROWPAIRS_GROUPS     … with so many times 16 bytes each: the columns of a tile
//     ROWPAIRS_RESIDENT   blocks that a multiprocessor shall hold
//
// Some threads side by side work on a row pair and a tile: what they have of B is read once for all rows of
// the row pair, and zeros of A are multiplied. Four rows of B and the next columns of A are loaded at a time.
// Columns and numbers of A, which all threads read alike, take the cache as long as different ones would, so
// two groups need less time than twice as many threads. The kernel is rowpairs_TYPE_LANES_GROUPS.

#define ROWPAIRS_PASTE2(a, b) a##b
#define ROWPAIRS_PASTE(a, b) ROWPAIRS_PASTE2(a, b)
#define ROWPAIRS_JOIN2(type, lanes, groups) rowpairs_##type##_##lanes##_##groups
#define ROWPAIRS_JOIN(type, lanes, groups) ROWPAIRS_JOIN2(type, lanes, groups)
#define ROWPAIRS_NAME ROWPAIRS_JOIN(ROWPAIRS_TYPE, ROWPAIRS_LANES, ROWPAIRS_GROUPS)
#define ROWPAIRS_ADD ROWPAIRS_PASTE(spmm_add_, ROWPAIRS_TYPE)
#define ROWPAIRS_STORE ROWPAIRS_PASTE(spmm_store_, ROWPAIRS_TYPE)
#define ROWPAIRS_VECTORS                                                                                     \
    (SPMM_GPU_ROWPAIR_ROWS * ROWPAIRS_SIZE / 4) /* of 16 bytes, of the values of a step */

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_THREADS, ROWPAIRS_RESIDENT)
    ROWPAIRS_NAME(const __grid_constant__ spmm_gpu_rowpairs rowpairs) {
    int tile, wanted[ROWPAIRS_GROUPS];
    const char *b[ROWPAIRS_GROUPS];
    const long long pair = (long long)spmm_find_block(blockIdx.x, gridDim.x, &rowpairs.operands, &tile) *
                               (SPMM_GPU_THREADS / ROWPAIRS_LANES) +
                           threadIdx.x / ROWPAIRS_LANES;
    if (pair >= rowpairs.rowpair_count)
        return;
    SPMM_UNROLL
    for (int group = 0; group < ROWPAIRS_GROUPS; group++) {
        wanted[group] = (tile * ROWPAIRS_GROUPS + group) * ROWPAIRS_LANES + threadIdx.x % ROWPAIRS_LANES;
        // Threads behind the last column read it, too, but store nothing.
        b[group] = (const char *)rowpairs.operands.b + (long long)(wanted[group] < rowpairs.operands.vectors
                                                                       ? wanted[group]
                                                                       : rowpairs.operands.vectors - 1) *
                                                           16;
    }
    const int first = __ldg(rowpairs.start + pair), steps = __ldg(rowpairs.start + pair + 1) - first;
    const spmm_words *from = (const spmm_words *)rowpairs.step + (long long)first * (1 + ROWPAIRS_VECTORS);
    ROWPAIRS_SUM sum[SPMM_GPU_ROWPAIR_ROWS][ROWPAIRS_GROUPS][ROWPAIRS_COUNT];
    spmm_words column = {{0, 0, 0, 0}};
    SPMM_UNROLL
    for (int k = 0; k < SPMM_GPU_ROWPAIR_ROWS * ROWPAIRS_GROUPS * ROWPAIRS_COUNT; k++)
        sum[k / ROWPAIRS_COUNT / ROWPAIRS_GROUPS][k / ROWPAIRS_COUNT % ROWPAIRS_GROUPS][k % ROWPAIRS_COUNT] =
            0;
    if (steps > 0)
        column = spmm_load(from);
    SPMM_NO_UNROLL
    for (int step = 0; step < steps; step++) {
        spmm_words words[4][ROWPAIRS_GROUPS], value[ROWPAIRS_VECTORS];
        SPMM_UNROLL
        for (int k = 0; k < 4; k++) {
            const long long row = (long long)(int)column.word[k] * rowpairs.operands.b_stride;
            SPMM_UNROLL
            for (int group = 0; group < ROWPAIRS_GROUPS; group++)
                words[k][group] = spmm_load(b[group] + row);
        }
        SPMM_UNROLL
        for (int k = 0; k < ROWPAIRS_VECTORS; k++)
            value[k] = spmm_load(from + 1 + k);
        from += 1 + ROWPAIRS_VECTORS;
        if (step + 1 < steps)
            column = spmm_load(from);
        // Number k of a step belongs to row k % 2 and column k / 2 of the step.
        SPMM_UNROLL
        for (int k = 0; k < 4 * SPMM_GPU_ROWPAIR_ROWS; k++) {
            SPMM_UNROLL
            for (int group = 0; group < ROWPAIRS_GROUPS; group++)
                ROWPAIRS_ADD(sum[k % SPMM_GPU_ROWPAIR_ROWS][group],
                             ROWPAIRS_PASTE(spmm_take_, ROWPAIRS_TYPE)(value, k),
                             words[k / SPMM_GPU_ROWPAIR_ROWS][group]);
        }
    }
    const int place = __ldg(rowpairs.row + pair), rows = rowpairs.nrow - place;
    SPMM_UNROLL
    for (int row = 0; row < SPMM_GPU_ROWPAIR_ROWS; row++) {
        SPMM_UNROLL
        for (int group = 0; group < ROWPAIRS_GROUPS; group++)
            if (row < rows && wanted[group] < rowpairs.operands.vectors)
                ROWPAIRS_STORE((char *)rowpairs.operands.c +
                                   (long long)(place + row) * rowpairs.operands.c_stride,
                               wanted[group], sum[row][group], rowpairs.operands.alpha,
                               rowpairs.operands.beta, rowpairs.operands.wide);
    }
}

#undef ROWPAIRS_PASTE
#undef ROWPAIRS_PASTE2
#undef ROWPAIRS_JOIN
#undef ROWPAIRS_JOIN2
#undef ROWPAIRS_NAME
#undef ROWPAIRS_ADD
#undef ROWPAIRS_STORE
#undef ROWPAIRS_VECTORS
#undef ROWPAIRS_LANES
#undef ROWPAIRS_GROUPS
#undef ROWPAIRS_RESIDENT
