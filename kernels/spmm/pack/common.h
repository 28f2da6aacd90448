/* SPDX-License-Identifier: BSD-3-Clause */
// What the device kernels pack_… share (pack.h).

// The row of A at a place: the rows taken come in whole bands.
__device__ __forceinline__ long long pack_row(const spmm_pack_matrix *a, long long place) {
    return a->band == 0
               ? place
               : (long long)__ldg(a->band + place / SPMM_PACK_BAND) * SPMM_PACK_BAND + place % SPMM_PACK_BAND;
}

// Where the entries of a row begin when those of rows that are not taken are left out.
__device__ __forceinline__ long long pack_first(const spmm_pack_matrix *a, long long place) {
    const long long row = pack_row(a, place);
    return a->band == 0 ? a->start[row]
                        : __ldg(a->before + place / SPMM_PACK_BAND) + a->start[row] -
                              a->start[row - place % SPMM_PACK_BAND];
}

__device__ __forceinline__ long long pack_length(const spmm_pack_matrix *a, long long place) {
    const long long row = pack_row(a, place);
    return a->start[row + 1] - a->start[row];
}

__device__ __forceinline__ int pack_bytes(const spmm_pack_matrix *a) {
    return a->format == 3 ? 8 : a->format == 2 ? 4 : 2;
}

// Rounds a number to A's format and returns its bits, the low ones of a word.
__device__ __forceinline__ unsigned pack_narrow(const spmm_pack_matrix *a, float number) {
    return a->format == 0   ? spmm_narrow_half(number)
           : a->format == 1 ? spmm_narrow_bfloat(number)
                            : spmm_bits(number);
}

// Reads a value that is not a double, and returns its bits in A's format.
__device__ __forceinline__ unsigned pack_bits(const spmm_pack_matrix *a, long long from) {
    return pack_narrow(a, __ldg((const float *)a->value + from));
}

// Value `from` of A becomes number `at` of an array.
__device__ __forceinline__ void pack_put(const spmm_pack_matrix *a, long long from, void *to, long long at) {
    if (a->format == 3)
        ((double *)to)[at] = __ldg((const double *)a->value + from);
    else if (a->format == 2)
        ((unsigned *)to)[at] = pack_bits(a, from);
    else
        ((unsigned short *)to)[at] = (unsigned short)pack_bits(a, from);
}

__device__ __forceinline__ void pack_put_zero(const spmm_pack_matrix *a, void *to, long long at) {
    if (a->format == 3)
        ((double *)to)[at] = 0;
    else if (a->format == 2)
        ((unsigned *)to)[at] = 0;
    else
        ((unsigned short *)to)[at] = 0;
}

// An exclusive scan over the threads of a block: returns the sum of the numbers of the threads before this
// one; *total is the sum of all. `shared` has room for 33 numbers.
__device__ __forceinline__ long long pack_add_before(long long number, long long *shared, long long *total) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (int)blockDim.x / 32;
    long long sum = number; // inclusive sums of a warp by doubling distances (Hillis and Steele)
    SPMM_UNROLL
    for (int step = 1; step < 32; step *= 2) {
        const long long other = __shfl_up_sync(0xffffffffu, sum, step);
        sum += lane >= step ? other : 0;
    }
    __syncthreads();
    if (lane == 31)
        shared[warp] = sum;
    __syncthreads();
    long long before = 0, all = 0;
    for (int w = 0; w < warps; w++) {
        before += w < warp ? shared[w] : 0;
        all += shared[w];
    }
    *total = all;
    return before + sum - number;
}

// Cuts `all` things into parts of ⌊all / parts⌋, the first all % parts of them with one more: how many come
// before a part, and how many it has.
__device__ __forceinline__ long long pack_cut_first(long long all, long long parts, long long part) {
    return all / parts * part + (part < all % parts ? part : all % parts);
}

__device__ __forceinline__ int pack_cut_count(long long all, long long parts, long long part) {
    return (int)(all / parts + (part < all % parts));
}

// Two counts in one word, so that one scan sums both: pieces in the lower half, parts in the upper one. What
// is not cut has one piece and no parts.
__device__ __forceinline__ long long pack_two_counts(long long parts) {
    return parts | (parts > 1 ? parts << 32 : 0);
}

__device__ __forceinline__ void pack_set_parts(spmm_gpu_part *part, long long target, long long first,
                                               long long count) {
    for (long long p = 0; count > 1 && p < count; p++) {
        part[first + p].target = (int)target;
        part[first + p].first = (int)first;
        part[first + p].count = (int)count;
        part[first + p].unused = 0;
    }
}

// Writes the pieces of a window or of a band, whose chunks (tiles) begin with number `chunk`. All threads
// call it.
__device__ __forceinline__ void pack_pieces(long long chunk, long long chunks, long long parts, int window,
                                            spmm_gpu_piece *piece, spmm_gpu_part *part,
                                            long long first_part) {
    for (long long p = threadIdx.x; p < parts; p += blockDim.x) {
        piece[p].first = (int)(chunk + pack_cut_first(chunks, parts, p));
        piece[p].count = pack_cut_count(chunks, parts, p);
        piece[p].window = (int)(parts > 1 ? -1 - (first_part + p) : window);
        piece[p].unused = 0;
    }
    if (threadIdx.x == 0)
        pack_set_parts(part, window, first_part, parts);
}

// Reads the counts of the block, four to a thread, and returns the sum of the thread's own.
__device__ __forceinline__ long long pack_scan_read(const spmm_pack_scan *scan, long long number[4]) {
    const long long *count = scan->count[blockIdx.x / scan->blocks];
    const long long mine = blockIdx.x % scan->blocks * SPMM_PACK_SCAN_COUNTS + (long long)threadIdx.x * 4;
    long long own = 0;
    SPMM_UNROLL
    for (int k = 0; k < 4; k++) {
        number[k] = mine + k < scan->length ? count[mine + k] : 0;
        own += number[k];
    }
    return own;
}

// Reduce, then scan: this kernel leaves the sum of each block's counts, and the next one begins with the sum
// of the blocks before.
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_SCAN_THREADS)
    pack_scan_sums(const __grid_constant__ spmm_pack_scan scan) {
    __shared__ long long shared[33];
    long long number[4], all;
    pack_add_before(pack_scan_read(&scan, number), shared, &all);
    if (threadIdx.x == 0)
        scan.sum[blockIdx.x] = all;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_SCAN_THREADS)
    pack_scan(const __grid_constant__ spmm_pack_scan scan) {
    __shared__ long long shared[33];
    const long long array = blockIdx.x / scan.blocks, block = blockIdx.x % scan.blocks,
                    mine = block * SPMM_PACK_SCAN_COUNTS + (long long)threadIdx.x * 4;
    long long number[4], blocks_before = 0, all, own = 0, *count = scan.count[array];
    for (long long b = threadIdx.x; b < block; b += SPMM_PACK_SCAN_THREADS)
        own += scan.sum[array * scan.blocks + b];
    pack_add_before(own, shared, &blocks_before);
    own = pack_scan_read(&scan, number);
    long long before = blocks_before + pack_add_before(own, shared, &all);
    SPMM_UNROLL
    for (int k = 0; k < 4; k++) {
        if (mine + k < scan.length)
            count[mine + k] = before;
        before += number[k];
    }
    if (block == scan.blocks - 1 && threadIdx.x == 0)
        count[scan.length] = scan.total[array] = blocks_before + all;
}
