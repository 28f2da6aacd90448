// A device kernel for SpMM (common/gpu.h) without tensor cores for rows that have columns in common with
// their neighbours (stencils, communities), included once for each variant. Before it are defined
//
//     STRIPS_TYPE     half, bfloat, float or double; STRIPS_SIZE: its bytes, STRIPS_SUM: float or double
//     STRIPS_COUNT    numbers in 16 bytes
//     STRIPS_LANES    threads side by side, …
//     STRIPS_GROUPS   … with so many times 16 bytes each: the columns of a tile
//     STRIPS_RESIDENT blocks that a multiprocessor shall hold
//
// Some threads side by side work on a strip and a tile: what they have of B is read once for all rows of the
// strip, zeros of A are multiplied. Four rows of B are under way, the next columns of A behind them. What all
// threads read alike, columns and numbers of A, takes the cache as long as if it were different, so two
// groups need less time than twice as many threads. The kernel is strips_TYPE_LANES_GROUPS.

#define STRIPS_PASTE2(a, b) a##b
#define STRIPS_PASTE(a, b) STRIPS_PASTE2(a, b)
#define STRIPS_JOIN2(type, lanes, groups) strips_##type##_##lanes##_##groups
#define STRIPS_JOIN(type, lanes, groups) STRIPS_JOIN2(type, lanes, groups)
#define STRIPS_NAME STRIPS_JOIN(STRIPS_TYPE, STRIPS_LANES, STRIPS_GROUPS)
#define STRIPS_VECTORS (SPMM_GPU_STRIP_ROWS * STRIPS_SIZE / 4) /* of 16 bytes, of the values of a step */

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_THREADS, STRIPS_RESIDENT)
    STRIPS_NAME(const __grid_constant__ spmm_gpu_strips strips) {
    int tile, wanted[STRIPS_GROUPS];
    const char *b[STRIPS_GROUPS];
    const long long strip = (long long)spmm_find_block(blockIdx.x, gridDim.x, &strips.operands, &tile) *
                                (SPMM_GPU_THREADS / STRIPS_LANES) +
                            threadIdx.x / STRIPS_LANES;
    if (strip >= strips.strip_count)
        return;
    SPMM_UNROLL
    for (int group = 0; group < STRIPS_GROUPS; group++) {
        wanted[group] = (tile * STRIPS_GROUPS + group) * STRIPS_LANES + threadIdx.x % STRIPS_LANES;
        b[group] = (const char *)strips.operands.b + (long long)(wanted[group] < strips.operands.vectors
                                                                     ? wanted[group]
                                                                     : strips.operands.vectors - 1) *
                                                         16;
    }
    const int first = __ldg(strips.start + strip), steps = __ldg(strips.start + strip + 1) - first;
    const spmm_words *from = (const spmm_words *)strips.step + (long long)first * (1 + STRIPS_VECTORS);
    STRIPS_SUM sum[SPMM_GPU_STRIP_ROWS][STRIPS_GROUPS][STRIPS_COUNT];
    spmm_words column = {{0, 0, 0, 0}};
    SPMM_UNROLL
    for (int k = 0; k < SPMM_GPU_STRIP_ROWS * STRIPS_GROUPS * STRIPS_COUNT; k++)
        sum[k / STRIPS_COUNT / STRIPS_GROUPS][k / STRIPS_COUNT % STRIPS_GROUPS][k % STRIPS_COUNT] = 0;
    if (steps > 0)
        column = spmm_load(from);
    SPMM_NO_UNROLL
    for (int step = 0; step < steps; step++) {
        spmm_words words[4][STRIPS_GROUPS], value[STRIPS_VECTORS];
        SPMM_UNROLL
        for (int k = 0; k < 4; k++) {
            const long long row = (long long)(int)column.word[k] * strips.operands.b_stride;
            SPMM_UNROLL
            for (int group = 0; group < STRIPS_GROUPS; group++)
                words[k][group] = spmm_load(b[group] + row);
        }
        SPMM_UNROLL
        for (int k = 0; k < STRIPS_VECTORS; k++)
            value[k] = spmm_load(from + 1 + k);
        from += 1 + STRIPS_VECTORS;
        if (step + 1 < steps)
            column = spmm_load(from);
        SPMM_UNROLL
        for (int k = 0; k < 4 * SPMM_GPU_STRIP_ROWS; k++) {
            SPMM_UNROLL
            for (int group = 0; group < STRIPS_GROUPS; group++)
                STRIPS_PASTE(spmm_add_, STRIPS_TYPE)
            (sum[k % SPMM_GPU_STRIP_ROWS][group], STRIPS_PASTE(spmm_take_, STRIPS_TYPE)(value, k),
             words[k / SPMM_GPU_STRIP_ROWS][group]);
        }
    }
    const int place = __ldg(strips.row + strip), rows = strips.nrow - place;
    SPMM_UNROLL
    for (int row = 0; row < SPMM_GPU_STRIP_ROWS; row++) {
        SPMM_UNROLL
        for (int group = 0; group < STRIPS_GROUPS; group++)
            if (row < rows && wanted[group] < strips.operands.vectors)
                STRIPS_PASTE(spmm_store_, STRIPS_TYPE)
        ((char *)strips.operands.c + (long long)(place + row) * strips.operands.c_stride, wanted[group],
         sum[row][group], strips.operands.alpha, strips.operands.beta, strips.operands.wide);
    }
}

#undef STRIPS_PASTE
#undef STRIPS_PASTE2
#undef STRIPS_JOIN
#undef STRIPS_JOIN2
#undef STRIPS_NAME
#undef STRIPS_VECTORS
#undef STRIPS_LANES
#undef STRIPS_GROUPS
#undef STRIPS_RESIDENT
