// How windows_body.h comes by the fragments of A.

#if WINDOWS_DENSE

// The fragments of a chunk.
__device__ __forceinline__ void WINDOWS_PASTE(WINDOWS_NAME, _read_dense)(const spmm_gpu_windows *windows,
                                                                         int chunk, unsigned *a) {
    const char *from = (const char *)windows->value + (long long)chunk * 256 * WINDOWS_HIGH * WINDOWS_SIZE;
    SPMM_UNROLL
    for (int k = 0; k < WINDOWS_HIGH * WINDOWS_FRAGMENT / 4; k++) {
        const spmm_words some = spmm_load(from + (k * 32 + threadIdx.x % 32) * 16);
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            a[4 * k + word] = some.word[word];
    }
}

#else

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

#endif
