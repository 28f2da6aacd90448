/* SPDX-License-Identifier: BSD-3-Clause */
// The columns of windows, marked and numbered (pack.h).

// What the threads of a block know of their window.
typedef struct pack_window {
    long long first, end;        // its entries in A
    int row[SPMM_PACK_BAND + 1]; // the entry with which each row begins, less `first`
    int low, high;               // columns
} pack_window;

// Finds the entries of a window, where its rows begin and its range of columns. All threads call it.
__device__ __forceinline__ void pack_window_begin(const spmm_pack_rowwindows *pack, long long window,
                                                  pack_window *shared) {
    const spmm_pack_matrix *a = &pack->a;
    const long long place = window * pack->height;
    const int left = (int)(a->place_count - place < pack->height ? a->place_count - place : pack->height);
    const long long row = pack_row(a, place), first = a->start[row];
    if (threadIdx.x == 0) {
        shared->first = first;
        shared->end = a->start[row + left];
        shared->low = 0x7fffffff;
        shared->high = -1;
    }
    __syncthreads();
    for (int r = threadIdx.x; r <= pack->height; r += (int)blockDim.x) {
        const int there = r < left ? r : left;
        const long long begin = a->start[row + there];
        shared->row[r] = (int)(begin - first);
        if (r < left && a->start[row + r + 1] > begin) {
            atomicMin(&shared->low, __ldg(a->column + begin));
            atomicMax(&shared->high, __ldg(a->column + a->start[row + r + 1] - 1));
        }
    }
    __syncthreads();
    // Stretches of marks begin with a whole group of words, as ranks are kept for groups.
    if (threadIdx.x == 0)
        shared->low = shared->low / (32 * SPMM_PACK_GROUP) * (32 * SPMM_PACK_GROUP);
    __syncthreads();
}

// How many words, of whole groups, the columns from `low` on need, at most as many as there is room for.
__device__ __forceinline__ int pack_window_words(const spmm_pack_rowwindows *pack, const pack_window *shared,
                                                 int low) {
    const int words = ((shared->high - low) / 32 + SPMM_PACK_GROUP) / SPMM_PACK_GROUP * SPMM_PACK_GROUP;
    return words < pack->words ? words : pack->words;
}

// The first column of the next stretch of marks; beyond the last column if there is none.
__device__ __forceinline__ int pack_window_next(const spmm_pack_rowwindows *pack, const pack_window *shared,
                                                int low) {
    return shared->high - low < pack->words * 32 ? shared->high + 1 : low + pack->words * 32;
}

// Reads the columns of PACK_EACH entries from number k on, less `low`; -1 stands for entries outside the
// window or the stretch. One load of 16 bytes reads them where all are in the window.
enum { PACK_EACH = 4 };
__device__ __forceinline__ void pack_window_read(const spmm_pack_rowwindows *pack, const pack_window *shared,
                                                 long long k, int low, int words, int *own) {
    if (k >= shared->first && k + PACK_EACH <= shared->end) {
        const spmm_words some = spmm_load(pack->a.column + k);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++)
            own[j] = (int)some.word[j];
    } else {
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++)
            own[j] = k + j >= shared->first && k + j < shared->end ? __ldg(pack->a.column + k + j) : -1;
    }
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++)
        own[j] = own[j] >= low && own[j] - low < words * 32 ? own[j] - low : -1;
}

// The first entries of this thread, and how far away the next ones are.
__device__ __forceinline__ long long pack_window_first(const pack_window *shared) {
    return shared->first / PACK_EACH * PACK_EACH + (long long)threadIdx.x * PACK_EACH;
}

__device__ __forceinline__ int pack_window_stride(void) {
    return PACK_EACH * (int)blockDim.x;
}

// Sets bits of a word. Where rows are alike most are set already, and a read is cheaper than many atomics on
// one word.
__device__ __forceinline__ void pack_window_mark_word(unsigned *mark, int word, unsigned bits) {
    if ((bits & ~((volatile unsigned *)mark)[word]) != 0)
        atomicOr(mark + word, bits);
}

// Sets a bit for each column of the window from `low` on. The next columns are read while the last ones are
// marked. All threads call it.
__device__ __forceinline__ void pack_window_mark(const spmm_pack_rowwindows *pack, const pack_window *shared,
                                                 int low, unsigned *mark) {
    const int words = pack_window_words(pack, shared, low);
    long long k = pack_window_first(shared);
    int next[PACK_EACH];
    pack_window_read(pack, shared, k, low, words, next);
    __syncthreads();
    for (int w = threadIdx.x; w < words; w += (int)blockDim.x)
        mark[w] = 0;
    __syncthreads();
    for (; k < shared->end; k += pack_window_stride()) {
        int own[PACK_EACH], word = 0;
        unsigned bits = 0;
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++)
            own[j] = next[j];
        pack_window_read(pack, shared, k + pack_window_stride(), low, words, next);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++) {
            if (own[j] < 0)
                continue;
            // Columns ascend in a row, so that neighbours often share a word: one atomic sets all of them.
            if (own[j] / 32 != word && bits != 0) {
                pack_window_mark_word(mark, word, bits);
                bits = 0;
            }
            word = own[j] / 32;
            bits |= 1u << own[j] % 32;
        }
        if (bits != 0)
            pack_window_mark_word(mark, word, bits);
    }
    __syncthreads();
}

// Sets rank[group] to the number of columns marked before the group, and returns the number of all. A thread
// takes consecutive groups. All threads call it.
__device__ __forceinline__ int pack_window_rank(int words, const unsigned *mark, int *rank, long long *scan) {
    const int groups = words / SPMM_PACK_GROUP, many = (groups + (int)blockDim.x - 1) / (int)blockDim.x;
    const int mine = (int)threadIdx.x * many, first = mine < groups ? mine : groups,
              end = first + many < groups ? first + many : groups;
    long long own = 0, all;
    for (int group = first; group < end; group++)
        own += __popc(mark[group * SPMM_PACK_GROUP]) + __popc(mark[group * SPMM_PACK_GROUP + 1]);
    int before = (int)pack_add_before(own, scan, &all);
    for (int group = first; group < end; group++) {
        rank[group] = before;
        before += __popc(mark[group * SPMM_PACK_GROUP]) + __popc(mark[group * SPMM_PACK_GROUP + 1]);
    }
    __syncthreads();
    return (int)all;
}

// The number of a column among those marked: its group's rank, and the bits below it in the group.
__device__ __forceinline__ int pack_window_find(int column, const unsigned *mark, const int *rank) {
    const unsigned group = (unsigned)column / (32 * SPMM_PACK_GROUP), *first = mark + group * SPMM_PACK_GROUP,
                   below = (1u << (unsigned)column % 32) - 1;
    const int second = column & 32;
    return rank[group] + __popc(first[0] & (second ? ~0u : below)) + __popc(first[1] & (second ? below : 0));
}

// Counts the distinct columns of a window, which stay marked and ranked if all words fit. All threads call
// it.
__device__ __forceinline__ int pack_window_count(const spmm_pack_rowwindows *pack, const pack_window *shared,
                                                 unsigned *mark, int *rank, long long *scan) {
    int columns = 0;
    for (int low = shared->low; low <= shared->high; low = pack_window_next(pack, shared, low)) {
        pack_window_mark(pack, shared, low, mark);
        columns += pack_window_rank(pack_window_words(pack, shared, low), mark, rank, scan);
    }
    return columns;
}
