/* SPDX-License-Identifier: BSD-3-Clause */
// What the kernels of body.h and blocks/body.h do with their sums; included by these.

#define ROWWINDOWS_EXCHANGE ROWWINDOWS_PASTE(spmm_exchange_, ROWWINDOWS_SUM)
#define ROWWINDOWS_STORE_VECTOR ROWWINDOWS_PASTE(spmm_store_, ROWWINDOWS_STORE)

// Leaves the sums of a part; true in the warp of the part that came last, with the sums of all parts.
__device__ __forceinline__ int
ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _reduction)(const spmm_gpu_rowwindows *windows, spmm_gpu_part part,
                                              int number, int tile, ROWWINDOWS_SUM *sum) {
    ROWWINDOWS_SUM *partial = (ROWWINDOWS_SUM *)windows->operands.partial + threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_SUMS; k++)
        partial[(((long long)number * windows->operands.tiles + tile) * ROWWINDOWS_SUMS + k) * 32] = sum[k];
    if (!spmm_reduction_warps(
            &windows->operands.arrived[(long long)part.first * windows->operands.tiles + tile], part.count))
        return 0;
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_SUMS; k++)
        sum[k] = 0;
    SPMM_NO_UNROLL
    for (int p = part.first; p < part.first + part.count; p++) {
        SPMM_UNROLL
        for (int k = 0; k < ROWWINDOWS_SUMS; k++)
            sum[k] += ROWWINDOWS_PASTE(ROWWINDOWS_PASTE(spmm_load_, ROWWINDOWS_SUM), _sum)(
                partial + (((long long)p * windows->operands.tiles + tile) * ROWWINDOWS_SUMS + k) * 32);
    }
    return 1;
}

#if ROWWINDOWS_TALL == 0

// Writes sum[group][number / 2][number % 2][row % 2] to C: the thread has a vector of rows 2t and 2t + 1.
__device__ __forceinline__ void ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _store)(const spmm_gpu_rowwindows *windows,
                                                                          int window, int tile,
                                                                          const ROWWINDOWS_SUM *sum) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    SPMM_UNROLL
    for (int m = 0; m < 2; m++) {
        const int row = __ldg(windows->rows + (long long)window * ROWWINDOWS_ROWS + 2 * t + m);
        char *c = (char *)windows->operands.c + (long long)row * windows->operands.c_stride;
        SPMM_UNROLL
        for (int group = 0; group < ROWWINDOWS_GROUPS; group++) {
            const int vector = (tile * ROWWINDOWS_GROUPS + group) * 8 + g;
            ROWWINDOWS_SUM numbers[ROWWINDOWS_NUMBERS];
            SPMM_UNROLL
            for (int k = 0; k < ROWWINDOWS_NUMBERS; k++)
                numbers[k] = sum[(group * ROWWINDOWS_NUMBERS + k) * 2 + m];
            if (row >= 0 && vector < windows->operands.vectors)
                ROWWINDOWS_STORE_VECTOR(c, vector, numbers, windows->operands.alpha, windows->operands.beta,
                                        windows->operands.wide);
        }
    }
}

#else

// Writes sum[tall][group][number][4] to the rows of the window.
__device__ __forceinline__ void ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _store)(const spmm_gpu_rowwindows *windows,
                                                                          int window, int tile,
                                                                          const ROWWINDOWS_SUM *sum) {
    enum { VECTORS = ROWWINDOWS_WIDTH / 2, PER_VECTOR = 16 / ROWWINDOWS_SIZE };
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    SPMM_UNROLL
    for (int m = 0; m < 2 * ROWWINDOWS_TALL; m++) {
        const int row = __ldg(windows->rows + (long long)window * 16 * ROWWINDOWS_TALL + m * 8 + g);
        char *c = (char *)windows->operands.c + (long long)row * windows->operands.c_stride;
        SPMM_UNROLL
        for (int group = 0; group < ROWWINDOWS_GROUPS; group++) {
            ROWWINDOWS_SUM numbers[VECTORS][PER_VECTOR], stored[2][PER_VECTOR];
            SPMM_UNROLL
            for (int j = 0; j < VECTORS * PER_VECTOR;
                 j++) /* of the 2 ROWWINDOWS_NUMBERS that the thread has side by side */
                numbers[j / PER_VECTOR][j % PER_VECTOR] =
                    sum[((m / 2 * ROWWINDOWS_GROUPS + group) * ROWWINDOWS_NUMBERS + j % ROWWINDOWS_NUMBERS) *
                            4 +
                        m % 2 * 2 + j / ROWWINDOWS_NUMBERS];
            // Two vectors of a thread lie side by side; after the exchange a store of the warp has 32 bytes
            // together.
            if (VECTORS == 2)
                ROWWINDOWS_EXCHANGE(PER_VECTOR, numbers[0], numbers[VECTORS - 1], stored[0], stored[1]);
            SPMM_UNROLL
            for (int v = 0; v < VECTORS; v++) {
                const int vector = VECTORS == 2
                                       ? (tile * ROWWINDOWS_GROUPS + group) * 8 + t / 2 * 4 + 2 * v + t % 2
                                       : (tile * ROWWINDOWS_GROUPS + group) * 4 + t;
                if (row >= 0 && vector < windows->operands.vectors)
                    ROWWINDOWS_STORE_VECTOR(c, vector, VECTORS == 2 ? stored[v] : numbers[v],
                                            windows->operands.alpha, windows->operands.beta,
                                            windows->operands.wide);
            }
        }
    }
}

#endif

#undef ROWWINDOWS_EXCHANGE
#undef ROWWINDOWS_STORE_VECTOR
