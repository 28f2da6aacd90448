// A device kernel for SpMM (gpu.h) that adds the parts of rows that rows_… or runs_… left, included once for
// each type. Before it are defined
//
//     MEET_TYPE      half, bfloat, float or double; MEET_SUM: float or double
//     MEET_COUNT     numbers in 16 bytes of B
//
// As many warps as a row has parts share its vectors. `group` lanes, a power of two, share a vector: each
// adds every group-th part in order, then the lanes are added in pairs: an order that depends on the number
// of parts alone. The kernel is meet_TYPE.

#define MEET_PASTE2(a, b) a##b
#define MEET_PASTE(a, b) MEET_PASTE2(a, b)
#define MEET_NAME MEET_PASTE(meet_, MEET_TYPE)

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_THREADS) MEET_NAME(const __grid_constant__ spmm_gpu_meet meet) {
    enum { WORDS = MEET_COUNT * (int)sizeof(MEET_SUM) / 16, EACH = 4 };
    const long long number = ((long long)blockIdx.x * SPMM_GPU_THREADS + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32, vectors = meet.operands.vectors;
    if (number >= meet.part_count)
        return;
    const spmm_gpu_part part = meet.parts[number];
    const int group = part.count > 16  ? 32
                      : part.count > 8 ? 16
                      : part.count > 4 ? 8
                      : part.count > 2 ? 4
                                       : 2;
    const int own = lane / (32 / group), together = 32 / group; /* of the group; vectors of a warp */
    const long long next = (long long)vectors * WORDS;
    const spmm_words *partial = (const spmm_words *)meet.operands.partial + part.first * next;
    spmm_follow_wait();
    for (int first = (int)(number - part.first) * together; first < vectors; first += part.count * together) {
        const int vector = first + lane % together;
        MEET_SUM sum[MEET_COUNT];
        SPMM_UNROLL
        for (int k = 0; k < MEET_COUNT; k++)
            sum[k] = 0;
        SPMM_NO_UNROLL
        for (int p = own; p < part.count; p += EACH * group) {
            spmm_words some[EACH * WORDS];
            SPMM_UNROLL
            for (int k = 0; k < EACH * WORDS; k++)
                if (p + k / WORDS * group < part.count && vector < vectors)
                    some[k] =
                        spmm_load_sums(partial + (p + k / WORDS * group) * next + vector * WORDS + k % WORDS);
            SPMM_UNROLL
            for (int k = 0; k < EACH * WORDS; k++)
                if (p + k / WORDS * group < part.count && vector < vectors)
                    MEET_PASTE(spmm_meet_add_, MEET_SUM)(&some[k], sum + k % WORDS * (MEET_COUNT / WORDS));
        }
        for (int far = together; far < 32; far *= 2) {
            SPMM_UNROLL
            for (int k = 0; k < MEET_COUNT; k++)
                sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], far);
        }
        if (own == 0 && vector < vectors)
            MEET_PASTE(spmm_store_, MEET_TYPE)
        ((char *)meet.operands.c + (long long)part.target * meet.operands.c_stride, vector, sum,
         meet.operands.alpha, meet.operands.beta, meet.operands.wide);
    }
}

#undef MEET_PASTE
#undef MEET_PASTE2
#undef MEET_NAME
#undef MEET_TYPE
#undef MEET_SUM
#undef MEET_COUNT
