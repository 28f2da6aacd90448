/* SPDX-License-Identifier: BSD-3-Clause */
// What body.h and short_body.h do with their sums. Before it BANDS_NAME, BANDS_PASTE, BANDS_STORE
// and
//
//     BANDS_COLUMNS     of a tile of C
//     BANDS_SUMS        accumulators of a thread
//     BANDS_PER_VECTOR  numbers in 16 bytes of C
//     BANDS_STAGED      floats of a row of C in shared memory
//
// are defined.

#define BANDS_STORE_VECTOR BANDS_PASTE(spmm_store_, BANDS_STORE)

// Leaves the sums of a part; true in the block of the part that came last, with the sums of all parts.
__device__ __forceinline__ int BANDS_PASTE(BANDS_NAME, _reduction)(const spmm_gpu_operands *operands,
                                                                   spmm_gpu_part part, int number, int tile,
                                                                   unsigned *shared, float *sum) {
    enum { VECTORS = BANDS_SUMS / 4, EACH = VECTORS < 16 ? 16 / VECTORS : 1 }; /* parts read at a time */
    spmm_words *partial = (spmm_words *)operands->partial + threadIdx.x;
    SPMM_UNROLL
    for (int k = 0; k < VECTORS; k++)
        partial[(((long long)number * operands->tiles + tile) * VECTORS + k) * SPMM_GPU_BAND_THREADS] =
            spmm_partial_float(sum + 4 * k);
    if (!spmm_reduction_blocks(&operands->arrived[(long long)part.first * operands->tiles + tile], part.count,
                               shared))
        return 0;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k++)
        sum[k] = 0;
    SPMM_NO_UNROLL
    for (int p = 0; p < part.count; p += EACH) {
        spmm_words some[EACH * VECTORS];
        SPMM_UNROLL
        for (int k = 0; k < EACH * VECTORS; k++)
            some[k] = spmm_load_sums(
                partial + (((long long)(part.first + (p + k / VECTORS < part.count ? p + k / VECTORS : p)) *
                                operands->tiles +
                            tile) *
                               VECTORS +
                           k % VECTORS) *
                              SPMM_GPU_BAND_THREADS);
        SPMM_UNROLL
        for (int k = 0; k < EACH * VECTORS; k++) {
            SPMM_UNROLL
            for (int word = 0; word < 4; word++)
                if (p + k / VECTORS < part.count)
                    sum[4 * (k % VECTORS) + word] += spmm_float(some[k].word[word]);
        }
    }
    return 1;
}

// Writes the sums to C. They pass through shared memory, whose contents nobody needs any more, so that stores
// are of whole vectors.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _store)(const spmm_gpu_bands *bands, int band,
                                                                int tile, float *staged, const float *sum) {
    enum { VECTORS = BANDS_COLUMNS / BANDS_PER_VECTOR };
    const spmm_gpu_operands *operands = &bands->operands;
    const int lane = threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k += 2) {
        const int row = threadIdx.x / 32 * 16 + lane / 4 + k % 4 / 2 * 8, column = k / 4 * 8 + lane % 4 * 2;
        *(float2 *)(staged + row * BANDS_STAGED + column) = make_float2(sum[k], sum[k + 1]);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < SPMM_GPU_BAND_ROWS * VECTORS; at += SPMM_GPU_BAND_THREADS) {
        const long long row = (long long)band * SPMM_GPU_BAND_ROWS + at / VECTORS;
        const int vector = tile * VECTORS + at % VECTORS;
        float numbers[BANDS_PER_VECTOR];
        SPMM_UNROLL
        for (int k = 0; k < BANDS_PER_VECTOR; k++)
            numbers[k] = staged[at / VECTORS * BANDS_STAGED + at % VECTORS * BANDS_PER_VECTOR + k];
        if (row < bands->nrow && vector < operands->vectors)
            BANDS_STORE_VECTOR((char *)operands->c + row * operands->c_stride, vector, numbers,
                               operands->alpha, operands->beta, operands->wide);
    }
}

// The sums of a piece, when the matrix units are done: to C, or those of a part to the others.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _finish)(const spmm_gpu_bands *bands, int band,
                                                                 int tile, char *shared, float *sum) {
    spmm_group_wait();
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k++)
        spmm_group_hold(&sum[k]);
    __syncthreads();
    if (band < 0) {
        const spmm_gpu_part part = bands->parts[-1 - band];
        if (!BANDS_PASTE(BANDS_NAME, _reduction)(&bands->operands, part, -1 - band, tile, (unsigned *)shared,
                                                 sum))
            return;
        band = part.target;
        __syncthreads();
    }
    BANDS_PASTE(BANDS_NAME, _store)(bands, band, tile, (float *)shared, sum);
}

#undef BANDS_STORE_VECTOR
