/* SPDX-License-Identifier: BSD-3-Clause */
// Sparse times dense by matricised vectors, after TCA-SpMM, section 4, algorithms 2 to 4: the dot product of
// a row of A with a column of B is the trace of a product of two matrices. Included once for each type after
//
//     TCA_TYPE                       half or bfloat
//     TCA_MULTIPLY(c, a0, a1, b)     m16n8k8
//
// The entries of a row stand in the right operand, 8 to a column; the entries of B that they are multiplied
// with stand in the left one, compressed, 8 to a row. With G = 1, 2, 4 or 8 warps for 8 G entries, G rows of
// the left operand make one column of B, so that 16 / G elements of C come from a fragment: the sums of G
// neighbours on its two diagonals. Of the 1024 products of a fragment 128 are used.

#define TCA_PASTE2(a, b) a##b
#define TCA_PASTE(a, b) TCA_PASTE2(a, b)
#define TCA_STORE TCA_PASTE(spmm_store_one_, TCA_TYPE)

#ifndef SPMM_TCA_ONCE
#define SPMM_TCA_ONCE
enum {
    TCA_PITCH =
        SPMM_TCA_FRAGMENT + 8, // from column to column of the compressed operand: no two lanes read one bank
    TCA_MOST = 4               // fragments of a warp: TILE columns by 8 warps, 2 columns to a fragment
};

typedef struct tca_shared {
    unsigned short dense[SPMM_TCA_TILE * TCA_PITCH]; // [column][entry]: compressed columns of B
    unsigned short sparse[SPMM_TCA_FRAGMENT];        // the entries, 8 to a warp, …
    int index[SPMM_TCA_FRAGMENT];                    // … and their columns; -1: none
    float out[SPMM_TCA_WARPS * SPMM_TCA_TILE];       // [first warp of the row][column]
} tca_shared;

// Sums a fragment's diagonals over `group` rows: *upper and *lower are the sums of rows g and g + 8, in all
// lanes of a group.
__device__ __forceinline__ void tca_trace(const float *c, int group, float *upper, float *lower) {
    const int lane = threadIdx.x % 32, g = lane / 4;
    const int on = lane % 4 == g / 2; // The lane has the diagonal: column g of row g.
    *upper = on ? (g % 2 == 0 ? c[0] : c[1]) : 0;
    *lower = on ? (g % 2 == 0 ? c[2] : c[3]) : 0;
    SPMM_UNROLL
    for (int step = 1; step < 32; step *= 2) {
        const float other_upper = __shfl_xor_sync(0xffffffffu, *upper, step);
        const float other_lower = __shfl_xor_sync(0xffffffffu, *lower, step);
        if (step < 4 * group) {
            *upper += other_upper;
            *lower += other_lower;
        }
    }
}

// Fetches entries first … of a row, at most 8 to each warp of the group.
__device__ __forceinline__ void tca_fetch_sparse(tca_shared *shared, const spmm_tca_product *p, int place,
                                                 long long first, long long end, int thread) {
    const long long k = first + thread;
    const int there = k < end;
    shared->sparse[place + thread] = there ? __ldg(p->value + k) : (unsigned short)0;
    shared->index[place + thread] = there ? __ldg(p->column + k) : -1;
}

// Fetches the rows of B for these entries, in the columns of a tile, and transposes them, 8 columns at a
// time.
__device__ __forceinline__ void tca_fetch_dense(tca_shared *shared, const spmm_tca_product *p, int place,
                                                int group, int tile, int thread) {
    SPMM_NO_UNROLL
    for (int at = thread; at < 8 * group * (SPMM_TCA_TILE / 8); at += 32 * group) {
        const int entry = place + at / (SPMM_TCA_TILE / 8), eight = at % (SPMM_TCA_TILE / 8);
        const int index = shared->index[entry], vector = tile * (SPMM_TCA_TILE / 8) + eight;
        spmm_words words = {{0, 0, 0, 0}};
        if (index >= 0 && vector < p->vectors)
            words = spmm_load((const char *)p->b + (long long)index * p->b_stride + (long long)vector * 16);
        SPMM_UNROLL
        for (int k = 0; k < 8; k++)
            shared->dense[(eight * 8 + k) * TCA_PITCH + entry] =
                (unsigned short)(words.word[k / 2] >> k % 2 * 16);
    }
}

// Two neighbouring numbers as a word of an operand.
__device__ __forceinline__ unsigned tca_pair(const unsigned short *numbers) {
    return *(const unsigned *)(const void *)numbers;
}
#endif

// Adds one product to each of the warp's fragments of a tile.
__device__ __forceinline__ void TCA_PASTE(tca_multiply_, TCA_TYPE)(const tca_shared *shared, int place,
                                                                   int group, int within, float *c) {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, entry = place + g % group * 8 + 2 * t;
    const unsigned right = tca_pair(shared->sparse + entry);
    SPMM_UNROLL
    for (int f = 0; f < TCA_MOST; f++) {
        const int column = (within * TCA_MOST + f) * (16 / group) + g / group;
        const unsigned upper = tca_pair(shared->dense + column * TCA_PITCH + entry);
        const unsigned lower = tca_pair(shared->dense + (column + 8 / group) * TCA_PITCH + entry);
        TCA_MULTIPLY(c + 4 * f, upper, lower, right);
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_TCA_WARPS * 32)
    TCA_PASTE(tca_, TCA_TYPE)(const __grid_constant__ spmm_tca_product p) {
    __shared__ tca_shared shared;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const long long slot = (long long)blockIdx.x * SPMM_TCA_WARPS + warp;
    const int row = p.row[slot], warps = row < 0 ? 1 : p.warps[slot], within = row < 0 ? 0 : p.within[slot];
    const int group = warps < SPMM_TCA_WARPS ? warps : SPMM_TCA_WARPS, member = within % SPMM_TCA_WARPS;
    const int blocks = warps / group, block = within / SPMM_TCA_WARPS;
    const int place = (warp - member) * 8, thread = member * 32 + lane;
    const long long first = row < 0 ? 0 : p.start[row], end = row < 0 ? 0 : p.start[row + 1];
    // All warps of a block go through the same number of fragments: the rows of one have at most 64 entries,
    // or it has one row.
    const int fragments = group == SPMM_TCA_WARPS && end - first > SPMM_TCA_FRAGMENT
                              ? (int)((end - first + SPMM_TCA_FRAGMENT - 1) / SPMM_TCA_FRAGMENT)
                              : 1;
    SPMM_NO_UNROLL
    for (int tile = block; tile * SPMM_TCA_TILE < p.n; tile += blocks) {
        float c[4 * TCA_MOST];
        SPMM_UNROLL
        for (int k = 0; k < 4 * TCA_MOST; k++)
            c[k] = 0;
        SPMM_NO_UNROLL
        for (int f = 0; f < fragments; f++) {
            __syncthreads();
            if (thread < 8 * group)
                tca_fetch_sparse(&shared, &p, place, first + f * SPMM_TCA_FRAGMENT, end, thread);
            __syncthreads();
            tca_fetch_dense(&shared, &p, place, group, tile, thread);
            __syncthreads();
            TCA_PASTE(tca_multiply_, TCA_TYPE)(&shared, place, group, member, c);
        }
        SPMM_UNROLL
        for (int f = 0; f < TCA_MOST; f++) {
            float upper, lower;
            tca_trace(c + 4 * f, group, &upper, &lower);
            const int column = (member * TCA_MOST + f) * (16 / group) + lane / 4 / group;
            if (lane % (4 * group) == 0) {
                shared.out[place * 8 + column] = upper;
                shared.out[place * 8 + column + 8 / group] = lower;
            }
        }
        __syncthreads();
        char *to = (char *)p.c + (long long)row * p.c_stride;
        for (int k = thread; row >= 0 && k < SPMM_TCA_TILE && tile * SPMM_TCA_TILE + k < p.n; k += 32 * group)
            TCA_STORE(to, tile * SPMM_TCA_TILE + k, shared.out[place * 8 + k], p.alpha, p.beta, p.wide);
    }
}

#undef TCA_STORE
#undef TCA_PASTE
#undef TCA_PASTE2
#undef TCA_TYPE
#undef TCA_MULTIPLY
