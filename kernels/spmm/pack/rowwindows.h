/* SPDX-License-Identifier: BSD-3-Clause */
// Device kernels that bring A into the format of the kernels rowwindows_… (pack.h).
#include "spmm/pack/window_entries.h"

// PACK_EACH values from number k on, in A's format; 0 stands for those outside the window.
typedef struct pack_window_values {
    unsigned bits[PACK_EACH];
    double wide[PACK_EACH];
} pack_window_values;

__device__ __forceinline__ void pack_window_load(int bytes, const spmm_pack_rowwindows *pack,
                                                 const pack_window *shared, long long k,
                                                 pack_window_values *values) {
    if (bytes < 8 && k >= shared->first && k + PACK_EACH <= shared->end) {
        const spmm_words some = spmm_load((const float *)pack->a.value + k);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++)
            values->bits[j] = pack_narrow(&pack->a, spmm_float(some.word[j]));
        return;
    }
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++) {
        const bool there = k + j >= shared->first && k + j < shared->end;
        if (bytes == 8)
            values->wide[j] = there ? __ldg((const double *)pack->a.value + k + j) : 0;
        else
            values->bits[j] = there ? pack_bits(&pack->a, k + j) : 0;
    }
}

// Puts numbers in their places in dense windows. Two of 16 bits that share a word are written together.
__device__ __forceinline__ void pack_window_numbers(int bytes, const spmm_pack_rowwindows *pack,
                                                    const pack_window *shared, int low, int before,
                                                    long long chunk, const unsigned *mark, const int *rank) {
    const int words = pack_window_words(pack, shared, low), tile = pack->height * SPMM_GPU_CHUNK;
    char *to = (char *)pack->value + chunk * tile * bytes;
    int row = 0, end = shared->row[1]; // of the row
    for (long long k = pack_window_first(shared); k < shared->end; k += pack_window_stride()) {
        int own[PACK_EACH], number = 0;
        long long at[PACK_EACH];
        pack_window_values values;
        pack_window_read(pack, shared, k, low, words, own);
        pack_window_load(bytes, pack, shared, k, &values);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++) {
            const int entry = (int)(k - shared->first) + j;
            at[j] = -1;
            if (own[j] < 0)
                continue;
            if (entry >= end) {
                row = pack_window_row(pack, shared, entry, row);
                end = shared->row[row + 1];
            }
            // The column that follows the one before is marked too: its number is the next.
            number = j > 0 && own[j] > 0 && own[j] == own[j > 0 ? j - 1 : 0] + 1
                         ? number + 1
                         : before + pack_window_find(own[j], mark, rank);
            at[j] = (long long)(number / SPMM_GPU_CHUNK) * tile +
                    spmm_place_in_chunk(bytes, row, number % SPMM_GPU_CHUNK);
        }
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++) {
            if (at[j] < 0)
                continue;
            if (bytes == 8)
                ((double *)to)[at[j]] = values.wide[j];
            else if (bytes == 4)
                ((unsigned *)to)[at[j]] = values.bits[j];
            else if (j + 1 < PACK_EACH && at[j] % 2 == 0 && at[j + 1 < PACK_EACH ? j + 1 : j] == at[j] + 1) {
                ((unsigned *)to)[at[j] / 2] = values.bits[j] | values.bits[j + 1 < PACK_EACH ? j + 1 : j]
                                                                   << 16;
                at[j + 1 < PACK_EACH ? j + 1 : j] = -1;
            } else
                ((unsigned short *)to)[at[j]] = (unsigned short)values.bits[j];
        }
    }
}

// Sets to zero the counts of compressed windows, or all numbers of dense ones.
__device__ __forceinline__ void pack_window_clear(int bytes, int dense, const spmm_pack_rowwindows *pack,
                                                  long long chunk, int chunks) {
    const spmm_words zeros = {{0, 0, 0, 0}};
    const int many = pack->height * bytes; // vectors of a chunk
    for (int k = threadIdx.x; dense && k < chunks * many; k += (int)blockDim.x)
        ((spmm_words *)pack->value)[chunk * many + k] = zeros;
    for (int k = threadIdx.x; !dense && k < chunks; k += (int)blockDim.x)
        pack->cursor[chunk + k] = 0;
    __syncthreads();
}

// Fills a window of `columns` columns, whose first chunk has number `chunk`. A compressed window takes two
// passes: the first counts the entries of each chunk, the second puts them. All threads call it.
__device__ __forceinline__ void pack_window_fill(int bytes, int dense, const spmm_pack_rowwindows *pack,
                                                 const pack_window *shared, int columns, long long chunk,
                                                 unsigned *mark, int *rank, long long *scan) {
    const int chunks = (columns + SPMM_GPU_CHUNK - 1) / SPMM_GPU_CHUNK,
              once = pack_window_next(pack, shared, shared->low) > shared->high;
    const long long entry = pack_first(&pack->a, (long long)blockIdx.x * pack->height);
    pack_window_clear(bytes, dense, pack, chunk, chunks);
    for (int last = dense; last < 2; last++) {
        int before = 0, own = columns;
        for (int low = shared->low; low <= shared->high; low = pack_window_next(pack, shared, low)) {
            if (!once) {
                pack_window_mark(pack, shared, low, mark);
                own = pack_window_rank(pack_window_words(pack, shared, low), mark, rank, scan);
            }
            if (dense)
                pack_window_numbers(bytes, pack, shared, low, before, chunk, mark, rank);
            else if (last)
                pack_window_entries(bytes, pack, shared, low, before, chunk, entry, mark, rank);
            else
                pack_window_sizes(pack, shared, low, before, chunk, mark, rank);
            if (last)
                pack_window_columns(pack, shared, low, before, chunk, mark, rank);
            before += own;
        }
        __syncthreads();
        if (!last)
            pack_window_starts(pack, chunk, chunk + chunks, entry, scan);
        __syncthreads();
    }
    // The last column is repeated in the rest of the last chunk.
    for (int k = columns + threadIdx.x; k < chunks * SPMM_GPU_CHUNK; k += (int)blockDim.x)
        pack->column[chunk * SPMM_GPU_CHUNK + k] =
            *(volatile int *)(pack->column + (chunk + chunks - 1) * SPMM_GPU_CHUNK);
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_WINDOW_THREADS)
    pack_rowwindows(const __grid_constant__ spmm_pack_rowwindows pack) {
    SHIM_DYNAMIC_SHARED(unsigned, mark);
    __shared__ pack_window shared;
    __shared__ long long scan[33], sums[2];
    int *rank = (int *)(mark + pack.words);
    const int bytes = pack_bytes(&pack.a);
    const long long place = (long long)blockIdx.x * pack.height;
    pack_window_begin(&pack, blockIdx.x, &shared);
    const int columns = pack_window_count(&pack, &shared, mark, rank, scan);
    const long long chunks = (columns + SPMM_GPU_CHUNK - 1) / SPMM_GPU_CHUNK,
                    parts = chunks <= pack.most ? 1 : (chunks + pack.most - 1) / pack.most;
    if (threadIdx.x < 32) {
        long long before[2];
        pack_sum_before(pack.sum, chunks, pack_two_counts(parts), before);
        if (threadIdx.x < 2) {
            sums[threadIdx.x] = threadIdx.x == 0 ? before[0] : before[1];
            if (blockIdx.x == gridDim.x - 1)
                pack.total[threadIdx.x] =
                    threadIdx.x == 0 ? before[0] + chunks : before[1] + pack_two_counts(parts);
        }
    }
    __syncthreads();
    const long long chunk = sums[0], piece = sums[1] & 0xffffffff, part = sums[1] >> 32;
    if (chunk + chunks > pack.room)
        return;
    // Constant arguments let the compiler make a loop for each size and kind.
    if (bytes == 2 && pack.dense)
        pack_window_fill(2, 1, &pack, &shared, columns, chunk, mark, rank, scan);
    else if (bytes == 2)
        pack_window_fill(2, 0, &pack, &shared, columns, chunk, mark, rank, scan);
    else if (bytes == 4 && pack.dense)
        pack_window_fill(4, 1, &pack, &shared, columns, chunk, mark, rank, scan);
    else if (bytes == 4)
        pack_window_fill(4, 0, &pack, &shared, columns, chunk, mark, rank, scan);
    else if (pack.dense)
        pack_window_fill(8, 1, &pack, &shared, columns, chunk, mark, rank, scan);
    else
        pack_window_fill(8, 0, &pack, &shared, columns, chunk, mark, rank, scan);
    for (int r = threadIdx.x; r < pack.height; r += (int)blockDim.x)
        pack.row[place + r] = place + r < pack.a.place_count ? (int)pack_row(&pack.a, place + r) : -1;
    pack_pieces(chunk, chunks, parts, (int)blockIdx.x, pack.piece + piece, pack.part, part);
}
