// A device kernel for SpMM (gpu.h) without tensor cores for rows of about the same length, included once for
// each variant. Before it are defined
//
//     STAGES_TYPE     float or double; STAGES_VALUE: unsigned or double, STAGES_SUM: as the type
//     STAGES_COUNT    numbers in 16 bytes
//     STAGES_LANES    threads side by side, …
//     STAGES_GROUPS   … with so many times 16 bytes each: the columns of a tile
//     STAGES_DEPTH    entries for which B is under way in a thread
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
#define STAGES_NAME STAGES_JOIN(STAGES_TYPE, STAGES_LANES, STAGES_GROUPS)

// Adds `many` entries, at most STAGES_DEPTH.
__device__ __forceinline__ void STAGES_PASTE(STAGES_NAME, _add)(const char *const *b, int stride,
                                                                const int *column, const STAGES_VALUE *value,
                                                                int many, STAGES_SUM *sum) {
    spmm_words words[STAGES_DEPTH][STAGES_GROUPS];
    SPMM_UNROLL
    for (int k = 0; k < STAGES_DEPTH; k++) {
        SPMM_UNROLL
        for (int group = 0; group < STAGES_GROUPS; group++)
            if (k < many)
                words[k][group] = spmm_load(b[group] + (long long)column[k] * stride);
    }
    SPMM_UNROLL
    for (int k = 0; k < STAGES_DEPTH; k++) {
        SPMM_UNROLL
        for (int group = 0; group < STAGES_GROUPS; group++)
            if (k < many)
                STAGES_PASTE(spmm_add_, STAGES_TYPE)
        (sum + group * STAGES_COUNT, STAGES_PASTE(spmm_factor_, STAGES_TYPE)(value[k]), words[k][group]);
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_STAGE_THREADS, STAGES_RESIDENT)
    STAGES_NAME(const __grid_constant__ spmm_gpu_rows rows) {
    __shared__ __align__(16) int columns[SPMM_GPU_STAGE_THREADS];
    __shared__ __align__(16) STAGES_VALUE values[SPMM_GPU_STAGE_THREADS];
    const int lane = threadIdx.x % STAGES_LANES, place = threadIdx.x - lane;
    const unsigned mask = (STAGES_LANES == 32 ? 0xffffffffu : (1u << STAGES_LANES % 32) - 1)
                          << threadIdx.x % 32 / STAGES_LANES * STAGES_LANES;
    int tile, wanted[STAGES_GROUPS], column = 0;
    const char *b[STAGES_GROUPS];
    STAGES_VALUE value = 0;
    STAGES_SUM sum[STAGES_GROUPS * STAGES_COUNT];
    const long long at = (long long)spmm_find_block(blockIdx.x, gridDim.x, &rows.operands, &tile) *
                             (SPMM_GPU_STAGE_THREADS / STAGES_LANES) +
                         threadIdx.x / STAGES_LANES;
    if (at >= rows.segment_count)
        return;
    const spmm_gpu_segment segment = rows.segments[at];
    SPMM_UNROLL
    for (int group = 0; group < STAGES_GROUPS; group++) {
        wanted[group] = (tile * STAGES_GROUPS + group) * STAGES_LANES + lane;
        b[group] =
            (const char *)rows.operands.b +
            (long long)(wanted[group] < rows.operands.vectors ? wanted[group] : rows.operands.vectors - 1) *
                16;
    }
    SPMM_UNROLL
    for (int k = 0; k < STAGES_GROUPS * STAGES_COUNT; k++)
        sum[k] = 0;
    if (lane < segment.count)
        column = STAGES_PASTE(spmm_read_, STAGES_TYPE)(rows.column, rows.entry, segment.first + lane, &value);
    SPMM_NO_UNROLL
    for (int done = 0; done < segment.count; done += STAGES_LANES) {
        const int next = done + STAGES_LANES + lane,
                  many = segment.count - done < STAGES_LANES ? segment.count - done : STAGES_LANES;
        __syncwarp(mask);
        columns[threadIdx.x] = column;
        values[threadIdx.x] = value;
        __syncwarp(mask);
        if (next < segment.count)
            column =
                STAGES_PASTE(spmm_read_, STAGES_TYPE)(rows.column, rows.entry, segment.first + next, &value);
        int k = place;
        SPMM_NO_UNROLL
        for (; k + STAGES_DEPTH <= place + many; k += STAGES_DEPTH)
            STAGES_PASTE(STAGES_NAME, _add)
        (b, rows.operands.b_stride, columns + k, values + k, STAGES_DEPTH, sum);
        if (k < place + many)
            STAGES_PASTE(STAGES_NAME, _add)
        (b, rows.operands.b_stride, columns + k, values + k, place + many - k, sum);
    }
    SPMM_UNROLL
    for (int group = 0; group < STAGES_GROUPS; group++)
        if (wanted[group] < rows.operands.vectors)
            STAGES_PASTE(spmm_store_, STAGES_TYPE)
    ((char *)rows.operands.c + (long long)segment.row * rows.operands.c_stride, wanted[group],
     sum + group * STAGES_COUNT, rows.operands.alpha, rows.operands.beta, rows.operands.wide);
}

#undef STAGES_PASTE
#undef STAGES_PASTE2
#undef STAGES_JOIN
#undef STAGES_JOIN2
#undef STAGES_NAME
#undef STAGES_LANES
#undef STAGES_GROUPS
#undef STAGES_DEPTH
#undef STAGES_RESIDENT
