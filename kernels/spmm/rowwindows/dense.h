/* SPDX-License-Identifier: BSD-3-Clause */
// How body.h multiplies dense windows.

#define ROWWINDOWS_BEGIN ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _begin)
#define ROWWINDOWS_READ ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read)

// Reads the fragments of a chunk and its rows of B, whose numbers are in `column`; then the columns of the
// chunk after the next.
__device__ __forceinline__ void ROWWINDOWS_BEGIN(const spmm_gpu_rowwindows *windows, int chunk, int end,
                                                 const int *offset, spmm_words *column, unsigned *words,
                                                 unsigned *a) {
    const char *from =
        (const char *)windows->value + (long long)chunk * 256 * ROWWINDOWS_HIGH * ROWWINDOWS_SIZE;
    ROWWINDOWS_READ((const char *)windows->operands.b, windows->operands.b_stride, offset, *column, words);
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_HIGH * ROWWINDOWS_FRAGMENT / 4; k++) {
        const spmm_words some = spmm_load(from + (k * 32 + threadIdx.x % 32) * 16);
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            a[4 * k + word] = some.word[word];
    }
    if (chunk + 2 < end)
        *column = spmm_load(windows->column + (long long)(chunk + 2) * SPMM_GPU_CHUNK + threadIdx.x % 4 * 4);
}

// Adds the products of the chunks of a piece. Two chunks have registers: when one has been multiplied, the
// chunk after the other is read into them.
__device__ __forceinline__ void
ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _multiply)(const spmm_gpu_rowwindows *windows, spmm_gpu_piece piece,
                                             const int *offset, ROWWINDOWS_SUM *sum) {
    const int end = piece.first + piece.count;
    unsigned words[2][ROWWINDOWS_LOADS], a[2][ROWWINDOWS_HIGH * ROWWINDOWS_FRAGMENT];
    spmm_words column[2];
    SPMM_UNROLL
    for (int d = 0; d < 2; d++)
        if (d < piece.count)
            column[d] = spmm_load(windows->column + (long long)(piece.first + d) * SPMM_GPU_CHUNK +
                                  threadIdx.x % 4 * 4);
    SPMM_UNROLL
    for (int d = 0; d < 2; d++)
        if (d < piece.count)
            ROWWINDOWS_BEGIN(windows, piece.first + d, end, offset, &column[d], words[d], a[d]);
    SPMM_NO_UNROLL
    for (int first = piece.first; first < end; first += 2) {
        SPMM_UNROLL
        for (int d = 0; d < 2; d++) {
            const int chunk = first + d;
            if (chunk >= end)
                break;
            ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _add)(a[d], words[d], sum);
            if (chunk + 2 < end)
                ROWWINDOWS_BEGIN(windows, chunk + 2, end, offset, &column[d], words[d], a[d]);
        }
    }
}

#undef ROWWINDOWS_BEGIN
#undef ROWWINDOWS_READ
