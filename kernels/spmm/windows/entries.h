// How body.h multiplies compressed windows.

#define WINDOWS_AHEAD (2 * WINDOWS_HIGH) /* entries of A that a thread reads ahead */

// What stands at a position.
typedef struct WINDOWS_PASTE(WINDOWS_NAME, _entry) {
#if WINDOWS_SIZE == 2
    unsigned both;
#elif WINDOWS_SIZE == 4
    spmm_word_pair both;
#else
    spmm_words both;
#endif
} WINDOWS_PASTE(WINDOWS_NAME, _entry);

__device__ __forceinline__ WINDOWS_PASTE(WINDOWS_NAME, _entry)
    WINDOWS_PASTE(WINDOWS_NAME, _read_entry)(const void *from) {
    WINDOWS_PASTE(WINDOWS_NAME, _entry) entry;
#if WINDOWS_SIZE == 2
    entry.both = __ldg((const unsigned *)from);
#elif WINDOWS_SIZE == 4
    entry.both = spmm_load_pair(from);
#else
    entry.both = spmm_load(from);
#endif
    return entry;
}

__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME, _put)(WINDOWS_PASTE(WINDOWS_NAME, _entry) entry,
                                                                  char *tile) {
#if WINDOWS_SIZE == 2
    *(unsigned short *)(tile + (entry.both & 0xffff)) = (unsigned short)(entry.both >> 16);
#elif WINDOWS_SIZE == 4
    *(unsigned *)(tile + entry.both.word[0]) = entry.both.word[1];
#else
    *(double *)(tile + entry.both.word[0]) = spmm_double(entry.both.word[2], entry.both.word[3]);
#endif
}

// The first entries of a chunk that has `count`.
__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME,
                                              _read_ahead)(const char *from, int count,
                                                           WINDOWS_PASTE(WINDOWS_NAME, _entry) * entries) {
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_AHEAD; k++)
        if ((int)(threadIdx.x % 32) + 32 * k < count)
            entries[k] = WINDOWS_PASTE(WINDOWS_NAME, _read_entry)(from + 32 * k * sizeof *entries);
}

// Puts the entries of a chunk in their places; `tile` holds zeros.
__device__ __forceinline__ void
WINDOWS_PASTE(WINDOWS_NAME, _expand)(const char *from, int count,
                                     const WINDOWS_PASTE(WINDOWS_NAME, _entry) * entries, char *tile) {
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_AHEAD; k++)
        if ((int)(threadIdx.x % 32) + 32 * k < count)
            WINDOWS_PASTE(WINDOWS_NAME, _put)(entries[k], tile);
    SPMM_NO_UNROLL
    for (int at = 32 * WINDOWS_AHEAD; (int)(threadIdx.x % 32) + at < count; at += 32)
        WINDOWS_PASTE(WINDOWS_NAME, _put)
    (WINDOWS_PASTE(WINDOWS_NAME, _read_entry)(from + at * (int)sizeof *entries), tile);
}

// The fragments of a chunk, whose entries are put in their places in `tile`.
__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME,
                                              _take)(const char *from, int count,
                                                     const WINDOWS_PASTE(WINDOWS_NAME, _entry) * entries,
                                                     char *tile, unsigned *a) {
    const spmm_words zero = {{0, 0, 0, 0}};
    spmm_words *mine = (spmm_words *)tile + threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_HIGH * WINDOWS_FRAGMENT / 4; k++)
        mine[k * 32] = zero;
    __syncwarp();
    WINDOWS_PASTE(WINDOWS_NAME, _expand)(from, count, entries, tile);
    __syncwarp();
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_HIGH * WINDOWS_FRAGMENT / 4; k++) {
        const spmm_words some = mine[k * 32];
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            a[4 * k + word] = some.word[word];
    }
    __syncwarp();
}

// Adds the products of the chunks of a piece. The next chunk is read before a chunk is multiplied.
__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME, _multiply)(const spmm_gpu_windows *windows,
                                                                       spmm_gpu_piece piece,
                                                                       const int *offset, WINDOWS_SUM *sum) {
    __shared__ __align__(16) char expanded[256 * WINDOWS_HIGH * WINDOWS_SIZE];
    const int lane = threadIdx.x % 32, end = piece.first + piece.count;
    const int *columns = windows->column + lane % 4 * 4;
    WINDOWS_PASTE(WINDOWS_NAME, _entry) entries[WINDOWS_AHEAD];
    const char *from = NULL;          /* this thread's first entry of the chunk that is read ahead, … */
    long long done = 0, next_end = 0; /* first entry of that chunk, end of the next */
    int ahead = 0;                    /* … and how many the chunk has */
    unsigned coming[WINDOWS_LOADS];
    spmm_words column;
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_LOADS; k++)
        coming[k] = 0;
    if (piece.count > 0) {
        column = spmm_load(columns + (long long)piece.first * SPMM_GPU_CHUNK);
        WINDOWS_PASTE(WINDOWS_NAME, _read)
        ((const char *)windows->operands.b, windows->operands.b_stride, offset, column, coming);
        if (piece.count > 1)
            column = spmm_load(columns + (long long)(piece.first + 1) * SPMM_GPU_CHUNK);
        done = __ldg(windows->start + piece.first);
        ahead = (int)(__ldg(windows->start + piece.first + 1) - done);
        from = (const char *)windows->value + (done + lane) * (long long)sizeof *entries;
        WINDOWS_PASTE(WINDOWS_NAME, _read_ahead)(from, ahead, entries);
        if (piece.count > 1)
            next_end = __ldg(windows->start + piece.first + 2);
    }
    SPMM_NO_UNROLL
    for (int chunk = piece.first; chunk < end; chunk++) {
        unsigned words[WINDOWS_LOADS], a[WINDOWS_HIGH * WINDOWS_FRAGMENT];
        SPMM_UNROLL
        for (int k = 0; k < WINDOWS_LOADS; k++)
            words[k] = coming[k];
        if (chunk + 1 < end) {
            WINDOWS_PASTE(WINDOWS_NAME, _read)
            ((const char *)windows->operands.b, windows->operands.b_stride, offset, column, coming);
            if (chunk + 2 < end)
                column = spmm_load(columns + (long long)(chunk + 2) * SPMM_GPU_CHUNK);
        }
        WINDOWS_PASTE(WINDOWS_NAME, _take)(from, ahead, entries, expanded, a);
        if (chunk + 1 < end) {
            from += ahead * (int)sizeof *entries;
            done += ahead;
            ahead = (int)(next_end - done);
            WINDOWS_PASTE(WINDOWS_NAME, _read_ahead)(from, ahead, entries);
            if (chunk + 2 < end)
                next_end = __ldg(windows->start + chunk + 3);
        }
        WINDOWS_PASTE(WINDOWS_NAME, _add)(a, words, sum);
    }
}

#undef WINDOWS_AHEAD
