/* SPDX-License-Identifier: BSD-3-Clause */
// A device kernel for SpMM (common/gpu.h) that adds the parts of rows that merge_… left, included once for
// each type. Before it are defined
//
//     REDUCTION_TYPE      half, bfloat, float or double; REDUCTION_SUM: float or double
//     REDUCTION_COUNT     numbers in 16 bytes of B
//
// A warp has `each` consecutive parts; those that have parts of a row share its vectors. A power of two of
// lanes share a vector: each adds every so many parts in order, then the lanes are added in pairs, in an
// order that depends on the number of parts alone. The kernel is reduction_TYPE.

#define REDUCTION_PASTE2(a, b) a##b
#define REDUCTION_PASTE(a, b) REDUCTION_PASTE2(a, b)
#define REDUCTION_NAME REDUCTION_PASTE(reduction_, REDUCTION_TYPE)
#define REDUCTION_STORE REDUCTION_PASTE(spmm_store_, REDUCTION_TYPE)

// Adds the parts of share `share` of `shares` of a row's vectors.
__device__ __forceinline__ void REDUCTION_PASTE(REDUCTION_NAME, _row)(const spmm_gpu_operands *operands,
                                                                      spmm_gpu_part part, int share,
                                                                      int shares) {
    // The power of two that leaves a lane one part, or few of more than 32.
    const int group = part.count > 16  ? 32
                      : part.count > 8 ? 16
                      : part.count > 4 ? 8
                      : part.count > 2 ? 4
                                       : 2;
    const int together = 32 / group, lane = threadIdx.x % 32,
              own = lane / together; // A warp adds `together` vectors at a time.
    char *c = (char *)operands->c + (long long)part.target * operands->c_stride;
    for (int first = share * together; first < operands->vectors; first += shares * together) {
        const int vector = first + lane % together, there = vector < operands->vectors;
        REDUCTION_SUM sum[REDUCTION_COUNT];
        REDUCTION_PASTE(spmm_reduction_, REDUCTION_TYPE)(operands, part, there ? vector : 0, own, group, sum);
        for (int far = together; far < 32; far *= 2) {
            SPMM_UNROLL
            for (int k = 0; k < REDUCTION_COUNT; k++)
                sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], far);
        }
        if (own == 0 && there)
            REDUCTION_STORE(c, vector, sum, operands->alpha, operands->beta, operands->wide);
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_THREADS)
    REDUCTION_NAME(const __grid_constant__ spmm_gpu_reduction reduction) {
    const long long warp = ((long long)blockIdx.x * SPMM_GPU_THREADS + threadIdx.x) / 32;
    const long long end = (warp + 1) * reduction.each < reduction.part_count ? (warp + 1) * reduction.each
                                                                             : reduction.part_count;
    spmm_gpu_part part;
    long long number = warp * reduction.each;
    if (number >= end)
        return;
    part = reduction.parts[number];
    spmm_wait_dependency();
    for (;;) {
        // Warps first … last have parts of the row, and share its vectors.
        const int first = part.first / reduction.each, last = (part.first + part.count - 1) / reduction.each;
        REDUCTION_PASTE(REDUCTION_NAME, _row)(&reduction.operands, part, (int)warp - first, last - first + 1);
        number = part.first + part.count;
        if (number >= end)
            return;
        part = reduction.parts[number];
    }
}

#undef REDUCTION_PASTE
#undef REDUCTION_PASTE2
#undef REDUCTION_NAME
#undef REDUCTION_STORE
#undef REDUCTION_TYPE
#undef REDUCTION_SUM
#undef REDUCTION_COUNT
