// A device kernel for SpMM (gpu.h) with B in shared memory, included once for each type. Before it are
// defined
//
//     SLABS_TYPE    half, bfloat, float or double; SLABS_VALUE: what holds one, SLABS_SUM: float or double
//     SLABS_COUNT   numbers in 16 bytes
//
// A warp works on a row: two threads side by side read 32 bytes of B for one entry, four entries after the
// other, while the next eight are read from A. 64 entries take 16 cycles of the shared memory.

#define SLABS_PASTE2(a, b) a##b
#define SLABS_PASTE(a, b) SLABS_PASTE2(a, b)
#define SLABS_NAME SLABS_PASTE(slabs_, SLABS_TYPE)

// Adds the sums of the threads whose numbers are equal modulo 2. A step that halves the number of threads
// halves the number of sums in each as long as there are several: which is left in `*column`.
__device__ __forceinline__ SLABS_SUM SLABS_PASTE(SLABS_NAME, _add_threads)(SLABS_SUM *sum, int *column) {
    *column = 0;
    SPMM_UNROLL
    for (int step = 0; step < 4; step++) {
        const int bit = 2 << step, half = SLABS_COUNT >> (step + 1), upper = (threadIdx.x & bit) != 0;
        if (half == 0) {
            sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], bit);
            continue;
        }
        SPMM_UNROLL
        for (int k = 0; k < SLABS_COUNT / 2; k++)
            if (k < half) {
                const SLABS_SUM keep = upper ? sum[half + k] : sum[k], give = upper ? sum[k] : sum[half + k];
                sum[k] = keep + __shfl_xor_sync(0xffffffffu, give, bit);
            }
        *column += upper * half;
    }
    return sum[0];
}

// Four entries of A: columns and values.
typedef struct SLABS_PASTE(SLABS_NAME, _entries) {
    unsigned column[2];
    SLABS_VALUE value[4];
} SLABS_PASTE(SLABS_NAME, _entries);

__device__ __forceinline__ void SLABS_PASTE(SLABS_NAME, _read)(const spmm_gpu_slabs *slabs, long long first,
                                                               int there,
                                                               SLABS_PASTE(SLABS_NAME, _entries) * entries) {
    const char *from = (const char *)slabs->value + first * (long long)sizeof(SLABS_VALUE);
    entries->column[0] = entries->column[1] = 0;
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        entries->value[k] = 0;
    if (!there)
        return;
    const spmm_word_pair column = spmm_load_pair(slabs->column + first);
    entries->column[0] = column.word[0];
    entries->column[1] = column.word[1];
#if SLABS_COUNT == 8
    const spmm_word_pair words = spmm_load_pair(from);
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        entries->value[k] = (SLABS_VALUE)(words.word[k / 2] >> k % 2 * 16);
#elif SLABS_COUNT == 4
    const spmm_words words = spmm_load(from);
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        entries->value[k] = spmm_float(words.word[k]);
#else
    const spmm_words low = spmm_load(from), high = spmm_load(from + 16);
    entries->value[0] = spmm_double(low.word[0], low.word[1]);
    entries->value[1] = spmm_double(low.word[2], low.word[3]);
    entries->value[2] = spmm_double(high.word[0], high.word[1]);
    entries->value[3] = spmm_double(high.word[2], high.word[3]);
#endif
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_SLAB_THREADS)
    SLABS_NAME(const __grid_constant__ spmm_gpu_slabs slabs) {
    SHIM_DYNAMIC_SHARED(spmm_words, b);
    const int slab = blockIdx.x, lane = threadIdx.x % 32, pair = lane / 2;
    const int end =
        ((int)blockIdx.y + 1) * slabs.share < slabs.nrow ? ((int)blockIdx.y + 1) * slabs.share : slabs.nrow;
    for (int at = threadIdx.x; at < 2 * slabs.ncol; at += SPMM_GPU_SLAB_THREADS) {
        const int vector = 2 * slab + at % 2, inside = vector < slabs.operands.vectors;
        spmm_copy(b + at,
                  (const char *)slabs.operands.b + (long long)(at / 2) * slabs.operands.b_stride +
                      (inside ? vector * 16 : 0),
                  inside);
    }
    spmm_copy_commit();
    spmm_copy_commit();
    spmm_copy_wait();
    __syncthreads();
    for (int row = (int)blockIdx.y * slabs.share + threadIdx.x / 32; row < end;
         row += SPMM_GPU_SLAB_THREADS / 32) {
        const int first = __ldg(slabs.start + row), groups = __ldg(slabs.start + row + 1) - first;
        const long long mine = ((long long)first * 4 + pair) * 4;
        SLABS_PASTE(SLABS_NAME, _entries) next, second;
        SLABS_SUM sum[SLABS_COUNT];
        SPMM_UNROLL
        for (int k = 0; k < SLABS_COUNT; k++)
            sum[k] = 0;
        SLABS_PASTE(SLABS_NAME, _read)(&slabs, mine, pair / 4 < groups, &next);
        SLABS_PASTE(SLABS_NAME, _read)(&slabs, mine + 64, 4 + pair / 4 < groups, &second);
        SPMM_NO_UNROLL
        for (int group = 0; group < groups; group += 4) {
            const SLABS_PASTE(SLABS_NAME, _entries) now = next;
            next = second;
            SLABS_PASTE(SLABS_NAME, _read)
            (&slabs, mine + (group + 8) * 16, group + 8 + pair / 4 < groups, &second);
            if (group + pair / 4 < groups) {
                SPMM_UNROLL
                for (int k = 0; k < 4; k++)
                    SLABS_PASTE(spmm_add_, SLABS_TYPE)
                (sum, SLABS_PASTE(spmm_widen_, SLABS_TYPE)(now.value[k]),
                 b[(now.column[k / 2] >> k % 2 * 16 & 0xffff) * 2 + lane % 2]);
            }
        }
        int column;
        const SLABS_SUM total = SLABS_PASTE(SLABS_NAME, _add_threads)(sum, &column);
        column += (2 * slab + lane % 2) * SLABS_COUNT;
        if (pair < SLABS_COUNT && column < slabs.columns)
            SLABS_PASTE(spmm_store_one_, SLABS_TYPE)
        ((char *)slabs.operands.c + (long long)row * slabs.operands.c_stride, column, total,
         slabs.operands.alpha, slabs.operands.beta, slabs.operands.wide);
    }
}

#undef SLABS_PASTE
#undef SLABS_PASTE2
#undef SLABS_NAME
#undef SLABS_TYPE
#undef SLABS_VALUE
#undef SLABS_SUM
#undef SLABS_COUNT
