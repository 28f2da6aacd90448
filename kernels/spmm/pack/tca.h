/* SPDX-License-Identifier: BSD-3-Clause */
// Device kernels that give rows of A the warps of the kernels tca_… (pack.h, tca/tca.h; TCA-SpMM,
// section 4.2): a long row gets a block for each 64 entries, but not more than it has tiles of columns. The
// warps of a row that does not fit a block any more begin the next. Every row has a warp, as empty ones must
// be written too.

// How many warps a row gets: 1, 2, 4 or 8 where short rows share blocks, else whole blocks.
__device__ __forceinline__ int pack_tca_warps(const spmm_pack_tca *pack, long long row) {
    const long long entries = pack_length(&pack->a, row),
                    blocks = (entries + SPMM_TCA_FRAGMENT - 1) / SPMM_TCA_FRAGMENT;
    if (blocks > 1)
        return SPMM_TCA_WARPS * (int)(blocks < pack->tiles ? blocks : pack->tiles);
    if (!pack->several)
        return SPMM_TCA_WARPS;
    return entries <= 8 ? 1 : entries <= 16 ? 2 : entries <= 32 ? 4 : 8;
}

// Where a row of so many warps begins when `next` is the first free place.
__device__ __forceinline__ long long pack_tca_place(long long next, int warps) {
    const int left = (int)(SPMM_TCA_WARPS - next % SPMM_TCA_WARPS);
    return warps <= left || left == SPMM_TCA_WARPS ? next : next + left;
}

// The first row of a thread.
__device__ __forceinline__ long long pack_tca_first(void) {
    return ((long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x) * SPMM_PACK_TCA_ROWS;
}

__device__ __forceinline__ long long pack_tca_end(const spmm_pack_tca *pack, long long first) {
    return first + SPMM_PACK_TCA_ROWS < pack->a.nrow ? first + SPMM_PACK_TCA_ROWS : pack->a.nrow;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_tca_count(const __grid_constant__ spmm_pack_tca pack) {
    const long long first = pack_tca_first();
    long long next = 0;
    if (first >= pack.a.nrow)
        return;
    for (long long row = first; row < pack_tca_end(&pack, first); row++) {
        const int warps = pack_tca_warps(&pack, row);
        next = pack_tca_place(next, warps) + warps;
    }
    pack.count[first / SPMM_PACK_TCA_ROWS] = (next + SPMM_TCA_WARPS - 1) / SPMM_TCA_WARPS;
}

__device__ __forceinline__ void pack_tca_set(const spmm_pack_tca *pack, long long place, long long row,
                                             int warps, int within) {
    pack->row[place] = (int)row;
    pack->warps[place] = warps;
    pack->within[place] = within;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS) pack_tca(const __grid_constant__ spmm_pack_tca pack) {
    const long long first = pack_tca_first();
    if (first >= pack.a.nrow)
        return;
    const long long group = first / SPMM_PACK_TCA_ROWS, end = pack.count[group + 1] * SPMM_TCA_WARPS;
    long long next = pack.count[group] * SPMM_TCA_WARPS;
    for (long long row = first; row < pack_tca_end(&pack, first); row++) {
        const int warps = pack_tca_warps(&pack, row);
        for (const long long place = pack_tca_place(next, warps); next < place; next++)
            pack_tca_set(&pack, next, -1, 0, 0);
        for (int k = 0; k < warps; k++)
            pack_tca_set(&pack, next++, row, warps, k);
    }
    for (; next < end; next++)
        pack_tca_set(&pack, next, -1, 0, 0);
}
