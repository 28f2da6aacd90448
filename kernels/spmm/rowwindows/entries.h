/* SPDX-License-Identifier: BSD-3-Clause */
// How body.h multiplies compressed windows.

#define ROWWINDOWS_READ ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read)
#define ROWWINDOWS_PUT ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _put)

#define ROWWINDOWS_AHEAD (2 * ROWWINDOWS_HIGH) /* entries of A that a thread reads ahead */

// An entry with its position, as it is stored.
typedef struct ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry) {
#if ROWWINDOWS_SIZE == 2
    unsigned both;
#elif ROWWINDOWS_SIZE == 4
    spmm_word_pair both;
#else
    spmm_words both;
#endif
} ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry);

__device__ __forceinline__ ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry)
    ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read_entry)(const void *from) {
    ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry) entry;
#if ROWWINDOWS_SIZE == 2
    entry.both = __ldg((const unsigned *)from);
#elif ROWWINDOWS_SIZE == 4
    entry.both = spmm_load_pair(from);
#else
    entry.both = spmm_load(from);
#endif
    return entry;
}

// Puts an entry in its place.
__device__ __forceinline__ void ROWWINDOWS_PUT(ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry) entry, char *tile) {
#if ROWWINDOWS_SIZE == 2
    *(unsigned short *)(tile + (entry.both & 0xffff)) = (unsigned short)(entry.both >> 16);
#elif ROWWINDOWS_SIZE == 4
    *(unsigned *)(tile + entry.both.word[0]) = entry.both.word[1];
#else
    *(double *)(tile + entry.both.word[0]) = spmm_double(entry.both.word[2], entry.both.word[3]);
#endif
}

// Reads the lane's first entries of a chunk that has `count`.
__device__ __forceinline__ void
ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read_ahead)(const char *from, int count,
                                               ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry) * entries) {
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_AHEAD; k++)
        if ((int)(threadIdx.x % 32) + 32 * k < count)
            entries[k] = ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read_entry)(from + 32 * k * sizeof *entries);
}

// Puts the entries of a chunk in their places; `tile` holds zeros.
__device__ __forceinline__ void ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _expand)(
    const char *from, int count, const ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry) * entries, char *tile) {
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_AHEAD; k++)
        if ((int)(threadIdx.x % 32) + 32 * k < count)
            ROWWINDOWS_PUT(entries[k], tile);
    SPMM_NO_UNROLL
    for (int at = 32 * ROWWINDOWS_AHEAD; (int)(threadIdx.x % 32) + at < count; at += 32)
        ROWWINDOWS_PUT(ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read_entry)(from + at * (int)sizeof *entries),
                       tile);
}

// Makes the fragments of a chunk: clears `tile`, puts the entries in their places, and reads what is the
// lane's.
__device__ __forceinline__ void
ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _take)(const char *from, int count,
                                         const ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry) * entries,
                                         char *tile, unsigned *a) {
    const spmm_words zero = {{0, 0, 0, 0}};
    spmm_words *mine = (spmm_words *)tile + threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_HIGH * ROWWINDOWS_FRAGMENT / 4; k++)
        mine[k * 32] = zero;
    __syncwarp();
    ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _expand)(from, count, entries, tile);
    __syncwarp();
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_HIGH * ROWWINDOWS_FRAGMENT / 4; k++) {
        const spmm_words some = mine[k * 32];
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            a[4 * k + word] = some.word[word];
    }
    __syncwarp();
}

// Adds the products of the chunks of a piece. The next chunk is read before a chunk is multiplied.
__device__ __forceinline__ void
ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _multiply)(const spmm_gpu_rowwindows *windows, spmm_gpu_piece piece,
                                             const int *offset, ROWWINDOWS_SUM *sum) {
    __shared__ __align__(16) char expanded[256 * ROWWINDOWS_HIGH * ROWWINDOWS_SIZE];
    const int lane = threadIdx.x % 32, end = piece.first + piece.count;
    const int *columns = windows->column + lane % 4 * 4;
    ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _entry) entries[ROWWINDOWS_AHEAD];
    const char *from = NULL;          // this thread's first entry of the chunk that is read ahead
    long long done = 0, next_end = 0; // the first entry of that chunk, and the end of the one after it
    int ahead = 0;                    // how many entries that chunk has
    unsigned coming[ROWWINDOWS_LOADS];
    spmm_words column;
    SPMM_UNROLL
    for (int k = 0; k < ROWWINDOWS_LOADS; k++)
        coming[k] = 0;
    if (piece.count > 0) {
        column = spmm_load(columns + (long long)piece.first * SPMM_GPU_CHUNK);
        ROWWINDOWS_READ((const char *)windows->operands.b, windows->operands.b_stride, offset, column,
                        coming);
        if (piece.count > 1)
            column = spmm_load(columns + (long long)(piece.first + 1) * SPMM_GPU_CHUNK);
        done = __ldg(windows->start + piece.first);
        ahead = (int)(__ldg(windows->start + piece.first + 1) - done);
        from = (const char *)windows->value + (done + lane) * (long long)sizeof *entries;
        ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read_ahead)(from, ahead, entries);
        if (piece.count > 1)
            next_end = __ldg(windows->start + piece.first + 2);
    }
    SPMM_NO_UNROLL
    for (int chunk = piece.first; chunk < end; chunk++) {
        unsigned words[ROWWINDOWS_LOADS], a[ROWWINDOWS_HIGH * ROWWINDOWS_FRAGMENT];
        SPMM_UNROLL
        for (int k = 0; k < ROWWINDOWS_LOADS; k++)
            words[k] = coming[k];
        if (chunk + 1 < end) {
            ROWWINDOWS_READ((const char *)windows->operands.b, windows->operands.b_stride, offset, column,
                            coming);
            if (chunk + 2 < end)
                column = spmm_load(columns + (long long)(chunk + 2) * SPMM_GPU_CHUNK);
        }
        ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _take)(from, ahead, entries, expanded, a);
        if (chunk + 1 < end) {
            from += ahead * (int)sizeof *entries;
            done += ahead;
            ahead = (int)(next_end - done);
            ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _read_ahead)(from, ahead, entries);
            if (chunk + 2 < end)
                next_end = __ldg(windows->start + chunk + 3);
        }
        ROWWINDOWS_PASTE(ROWWINDOWS_NAME, _add)(a, words, sum);
    }
}

#undef ROWWINDOWS_AHEAD

#undef ROWWINDOWS_READ
#undef ROWWINDOWS_PUT
