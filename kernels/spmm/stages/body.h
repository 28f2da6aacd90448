// A device kernel for SpMM (common/gpu.h) without tensor cores for rows of about the same length, included
// once for each variant. Before it are defined
//
//     STAGES_TYPE     float or double; STAGES_VALUE: unsigned or double, STAGES_SUM: as the type
//     STAGES_COUNT    numbers in 16 bytes
//     STAGES_LANES    threads side by side, …
//     STAGES_GROUPS   … with so many times 16 bytes each: the columns of a tile
//     STAGES_RESIDENT blocks that a multiprocessor shall hold
//
// Some threads side by side work on a row and a tile. Each reads an entry, the next of as many as there are
// threads, and puts it into shared memory, from where all of them take one after the other. Entries that each
// thread reads for itself pass the cache once more for each and take it as long as rows of B: so rows_… need
// half as much time again where B comes from there, as for communities and stencils. Long rows are not cut.
// The kernel is stages_TYPE_LANES_GROUPS.

#define STAGES_PASTE2(a, b) a##b
#define STAGES_PASTE(a, b) STAGES_PASTE2(a, b)
#define STAGES_JOIN2(type, lanes, groups) stages_##type##_##lanes##_##groups
#define STAGES_JOIN(type, lanes, groups) STAGES_JOIN2(type, lanes, groups)
#define STAGES_THREADS SPMM_GPU_STAGE_THREADS(STAGES_LANES)
#define STAGES_NAME STAGES_JOIN(STAGES_TYPE, STAGES_LANES, STAGES_GROUPS)

// Adds `many` entries, at most SPMM_GPU_STAGE_DEPTH. Of B there are `left` vectors from b on; `whole`, known
// where this is compiled: as many as the thread has.
__device__ __forceinline__ void STAGES_PASTE(STAGES_NAME, _add)(const char *b, int stride, int left,
                                                                int whole, const int *column,
                                                                const STAGES_VALUE *value, int many,
                                                                STAGES_SUM *sum) {
    spmm_words words[SPMM_GPU_STAGE_DEPTH][STAGES_GROUPS];
    SPMM_UNROLL
    for (int k = 0; k < SPMM_GPU_STAGE_DEPTH; k++) {
        if (k >= many)
            break;
        const char *from = b + (long long)column[k] * stride;
        SPMM_UNROLL
        for (int group = 0; group < STAGES_GROUPS; group++)
            words[k][group] =
                spmm_load(from + (whole || group * STAGES_LANES < left ? group : 0) * (STAGES_LANES * 16));
    }
    SPMM_UNROLL
    for (int k = 0; k < SPMM_GPU_STAGE_DEPTH; k++) {
        if (k >= many)
            break;
        SPMM_UNROLL
        for (int group = 0; group < STAGES_GROUPS; group++)
            STAGES_PASTE(spmm_add_, STAGES_TYPE)
        (sum + group * STAGES_COUNT, STAGES_PASTE(spmm_factor_, STAGES_TYPE)(value[k]), words[k][group]);
    }
}

// All entries of a segment. The threads side by side have `mask` of their warp, and as many places of
// `columns` and `values`.
__device__ __forceinline__ void STAGES_PASTE(STAGES_NAME, _gather)(const spmm_gpu_rows *rows, long long first,
                                                                   int count, const char *b, int left,
                                                                   int whole, unsigned mask, int *columns,
                                                                   STAGES_VALUE *values, STAGES_SUM *sum) {
    const int lane = threadIdx.x % STAGES_LANES;
    int column = 0;
    STAGES_VALUE value = 0;
    if (lane < count)
        column = STAGES_PASTE(spmm_read_, STAGES_TYPE)(rows->column, rows->entry, first + lane, &value);
    SPMM_NO_UNROLL
    for (; count > 0; count -= STAGES_LANES) {
        const int many = count < STAGES_LANES ? count : STAGES_LANES;
        __syncwarp(mask);
        columns[lane] = column;
        values[lane] = value;
        __syncwarp(mask);
        first += STAGES_LANES;
        if (STAGES_LANES + lane < count)
            column = STAGES_PASTE(spmm_read_, STAGES_TYPE)(rows->column, rows->entry, first + lane, &value);
        int k = 0;
        SPMM_NO_UNROLL
        for (; k + SPMM_GPU_STAGE_DEPTH <= many; k += SPMM_GPU_STAGE_DEPTH)
            STAGES_PASTE(STAGES_NAME, _add)
        (b, rows->operands.b_stride, left, whole, columns + k, values + k, SPMM_GPU_STAGE_DEPTH, sum);
        if (k < many)
            STAGES_PASTE(STAGES_NAME, _add)
        (b, rows->operands.b_stride, left, whole, columns + k, values + k, many - k, sum);
    }
}

SHIM_KERNEL void __launch_bounds__(STAGES_THREADS, STAGES_RESIDENT)
    STAGES_NAME(const __grid_constant__ spmm_gpu_rows rows) {
    __shared__ __align__(16) int columns[STAGES_THREADS];
    __shared__ __align__(16) STAGES_VALUE values[STAGES_THREADS];
    const int lane = threadIdx.x % STAGES_LANES, place = threadIdx.x - lane;
    const unsigned mask = (STAGES_LANES == 32 ? 0xffffffffu : (1u << STAGES_LANES % 32) - 1)
                          << threadIdx.x % 32 / STAGES_LANES * STAGES_LANES;
    int tile;
    const long long at = (long long)spmm_find_block(blockIdx.x, gridDim.x, &rows.operands, &tile) *
                             (STAGES_THREADS / STAGES_LANES) +
                         threadIdx.x / STAGES_LANES;
    if (at >= rows.segment_count)
        return;
    const spmm_gpu_segment segment = rows.segments[at];
    const int vectors = rows.operands.vectors, wanted = tile * STAGES_GROUPS * STAGES_LANES + lane,
              vector = wanted < vectors ? wanted : vectors - 1, left = vectors - vector;
    const char *b = (const char *)rows.operands.b + (long long)vector * 16;
    STAGES_SUM sum[STAGES_GROUPS * STAGES_COUNT];
    SPMM_UNROLL
    for (int k = 0; k < STAGES_GROUPS * STAGES_COUNT; k++)
        sum[k] = 0;
    if ((tile + 1) * STAGES_GROUPS * STAGES_LANES <= vectors)
        STAGES_PASTE(STAGES_NAME, _gather)
    (&rows, segment.first, segment.count, b, left, 1, mask, columns + place, values + place, sum);
    else STAGES_PASTE(STAGES_NAME, _gather)(&rows, segment.first, segment.count, b, left, 0, mask,
                                            columns + place, values + place, sum);
    SPMM_UNROLL
    for (int group = 0; group < STAGES_GROUPS; group++)
        if (wanted + group * STAGES_LANES < vectors)
            STAGES_PASTE(spmm_store_, STAGES_TYPE)
    ((char *)rows.operands.c + (long long)segment.row * rows.operands.c_stride, wanted + group * STAGES_LANES,
     sum + group * STAGES_COUNT, rows.operands.alpha, rows.operands.beta, rows.operands.wide);
}

#undef STAGES_PASTE
#undef STAGES_PASTE2
#undef STAGES_JOIN
#undef STAGES_JOIN2
#undef STAGES_NAME
#undef STAGES_THREADS
#undef STAGES_LANES
#undef STAGES_GROUPS
#undef STAGES_RESIDENT
