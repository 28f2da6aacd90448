// A device kernel for SpMM (gpu.h) without tensor cores for rows that have columns in common with their
// neighbours (stencils, communities), included once for each variant. Before it are defined
//
//     STRIPS_TYPE     half, bfloat, float or double; STRIPS_SIZE: its bytes, STRIPS_SUM: float or double
//     STRIPS_COUNT    numbers in 16 bytes
//     STRIPS_LANES    threads side by side, 16 bytes each: the columns of a tile
//
// Some threads side by side work on a strip and a tile: 16 bytes of B are read once for all rows of the
// strip, zeros of A are multiplied. Four rows of B are under way, the next columns of A behind them. The
// kernel is strips_TYPE_LANES.

#define STRIPS_PASTE2(a, b) a##b
#define STRIPS_PASTE(a, b) STRIPS_PASTE2(a, b)
#define STRIPS_JOIN2(type, lanes) strips_##type##_##lanes
#define STRIPS_JOIN(type, lanes) STRIPS_JOIN2(type, lanes)
#define STRIPS_NAME STRIPS_JOIN(STRIPS_TYPE, STRIPS_LANES)
#define STRIPS_VECTORS (SPMM_GPU_STRIP_ROWS * STRIPS_SIZE / 4) /* of 16 bytes, of the values of a step */

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_THREADS)
    STRIPS_NAME(const __grid_constant__ spmm_gpu_strips strips) {
    const long long worker = ((long long)blockIdx.x * SPMM_GPU_THREADS + threadIdx.x) / STRIPS_LANES;
    const int lane = threadIdx.x % STRIPS_LANES;
    if (worker >= strips.strip_count * strips.operands.tiles)
        return;
    const long long strip =
        strips.operands.tiles_first ? worker % strips.strip_count : worker / strips.operands.tiles;
    const int tile =
        (int)(strips.operands.tiles_first ? worker / strips.strip_count : worker % strips.operands.tiles);
    const int wanted = tile * STRIPS_LANES + lane,
              vector = wanted < strips.operands.vectors ? wanted : strips.operands.vectors - 1;
    const char *b = (const char *)strips.operands.b + (long long)vector * 16;
    const int first = __ldg(strips.start + strip), steps = __ldg(strips.start + strip + 1) - first;
    const spmm_words *from = (const spmm_words *)strips.step + (long long)first * (1 + STRIPS_VECTORS);
    STRIPS_SUM sum[SPMM_GPU_STRIP_ROWS][STRIPS_COUNT];
    spmm_words column = {{0, 0, 0, 0}};
    SPMM_UNROLL
    for (int row = 0; row < SPMM_GPU_STRIP_ROWS; row++) {
        SPMM_UNROLL
        for (int k = 0; k < STRIPS_COUNT; k++)
            sum[row][k] = 0;
    }
    if (steps > 0)
        column = spmm_load(from);
    SPMM_NO_UNROLL
    for (int step = 0; step < steps; step++) {
        spmm_words words[4], value[STRIPS_VECTORS];
        SPMM_UNROLL
        for (int k = 0; k < 4; k++)
            words[k] = spmm_load(b + (long long)(int)column.word[k] * strips.operands.b_stride);
        SPMM_UNROLL
        for (int k = 0; k < STRIPS_VECTORS; k++)
            value[k] = spmm_load(from + 1 + k);
        from += 1 + STRIPS_VECTORS;
        if (step + 1 < steps)
            column = spmm_load(from);
        SPMM_UNROLL
        for (int k = 0; k < 4; k++) {
            SPMM_UNROLL
            for (int row = 0; row < SPMM_GPU_STRIP_ROWS; row++)
                STRIPS_PASTE(spmm_add_, STRIPS_TYPE)
            (sum[row], STRIPS_PASTE(spmm_take_, STRIPS_TYPE)(value, k * SPMM_GPU_STRIP_ROWS + row), words[k]);
        }
    }
    if (wanted >= strips.operands.vectors)
        return;
    const int place = __ldg(strips.row + strip), rows = strips.nrow - place;
    SPMM_UNROLL
    for (int row = 0; row < SPMM_GPU_STRIP_ROWS; row++)
        if (row < rows)
            STRIPS_PASTE(spmm_store_, STRIPS_TYPE)
    ((char *)strips.operands.c + (long long)(place + row) * strips.operands.c_stride, vector, sum[row],
     strips.operands.alpha, strips.operands.beta, strips.operands.wide);
}

#undef STRIPS_PASTE
#undef STRIPS_PASTE2
#undef STRIPS_JOIN
#undef STRIPS_JOIN2
#undef STRIPS_NAME
#undef STRIPS_VECTORS
#undef STRIPS_LANES
