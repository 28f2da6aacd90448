// A device kernel for SpMM (common/gpu.h) that adds the parts of rows that runs_… left, included once for
// each type. Before it are defined
//
//     MEET_TYPE      half, bfloat, float or double; MEET_SUM: float or double
//     MEET_COUNT     numbers in 16 bytes of B
//
// A warp has `each` consecutive parts; those that have parts of a row share its vectors. A power of two of
// lanes share a vector: each adds every so many parts in order, then the lanes are added in pairs, in an
// order that depends on the number of parts alone. The kernel is meet_TYPE.

#define MEET_PASTE2(a, b) a##b
#define MEET_PASTE(a, b) MEET_PASTE2(a, b)
#define MEET_NAME MEET_PASTE(meet_, MEET_TYPE)

// Share `share` of `shares` of a row.
__device__ __forceinline__ void MEET_PASTE(MEET_NAME, _row)(const spmm_gpu_operands *operands,
                                                            spmm_gpu_part part, int share, int shares) {
    const int group = part.count > 16  ? 32
                      : part.count > 8 ? 16
                      : part.count > 4 ? 8
                      : part.count > 2 ? 4
                                       : 2;
    const int together = 32 / group, lane = threadIdx.x % 32, own = lane / together; /* vectors of a warp */
    char *c = (char *)operands->c + (long long)part.target * operands->c_stride;
    for (int first = share * together; first < operands->vectors; first += shares * together) {
        const int vector = first + lane % together, there = vector < operands->vectors;
        MEET_SUM sum[MEET_COUNT];
        MEET_PASTE(spmm_meet_, MEET_TYPE)(operands, part, there ? vector : 0, own, group, sum);
        for (int far = together; far < 32; far *= 2) {
            SPMM_UNROLL
            for (int k = 0; k < MEET_COUNT; k++)
                sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], far);
        }
        if (own == 0 && there)
            MEET_PASTE(spmm_store_, MEET_TYPE)
        (c, vector, sum, operands->alpha, operands->beta, operands->wide);
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_THREADS) MEET_NAME(const __grid_constant__ spmm_gpu_meet meet) {
    const long long warp = ((long long)blockIdx.x * SPMM_GPU_THREADS + threadIdx.x) / 32;
    const long long end = (warp + 1) * meet.each < meet.part_count ? (warp + 1) * meet.each : meet.part_count;
    spmm_gpu_part part;
    long long number = warp * meet.each;
    if (number >= end)
        return;
    part = meet.parts[number];
    spmm_follow_wait();
    for (;;) {
        const int first = part.first / meet.each, last = (part.first + part.count - 1) / meet.each;
        MEET_PASTE(MEET_NAME, _row)(&meet.operands, part, (int)warp - first, last - first + 1);
        number = part.first + part.count;
        if (number >= end)
            return;
        part = meet.parts[number];
    }
}

#undef MEET_PASTE
#undef MEET_PASTE2
#undef MEET_NAME
#undef MEET_TYPE
#undef MEET_SUM
#undef MEET_COUNT
