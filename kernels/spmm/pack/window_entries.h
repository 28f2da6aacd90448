/* SPDX-License-Identifier: BSD-3-Clause */
// Windows that are not dense: their columns and their entries, chunk by chunk (for rowwindows.h).

// Sums two counts over the blocks before this one, by one warp (decoupled look-back: Merrill and Garland,
// Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002). Each block publishes its
// own counts (PACK_OWN) for those behind it, and then the sums up to and with its own (PACK_ALL).
enum { PACK_OWN = 1, PACK_ALL = 2, PACK_FLAG = 62 /* bits below the flag */ };
__device__ __forceinline__ void pack_sum_before(unsigned long long *sum, long long first, long long second,
                                                long long before[2]) {
    const int lane = threadIdx.x % 32;
    const unsigned long long count = ((unsigned long long)1 << PACK_FLAG) - 1;
    volatile unsigned long long *mine = sum + 2 * (long long)blockIdx.x;
    int open[2] = {1, 1};
    before[0] = before[1] = 0;
    if (lane < 2)
        mine[lane] = (unsigned long long)(lane == 0 ? first : second) | (unsigned long long)PACK_OWN
                                                                            << PACK_FLAG;
    // Each lane waits for one of 32 blocks before; blocks up to the nearest with PACK_ALL are added.
    for (long long last = (long long)blockIdx.x - 1; last >= 0 && (open[0] || open[1]); last -= 32) {
        SPMM_UNROLL
        for (int k = 0; k < 2; k++) {
            unsigned long long word = (unsigned long long)PACK_ALL << PACK_FLAG;
            if (lane <= last)
                do
                    word = ((volatile unsigned long long *)sum)[2 * (last - lane) + k];
                while (word >> PACK_FLAG == 0);
            const unsigned all = __ballot_sync(0xffffffffu, word >> PACK_FLAG == PACK_ALL);
            long long part = all == 0 || lane < __ffs((int)all) ? (long long)(word & count) : 0;
            SPMM_UNROLL
            for (int step = 1; step < 32; step *= 2)
                part += __shfl_xor_sync(0xffffffffu, part, step);
            before[k] += open[k] ? part : 0;
            open[k] &= all == 0;
        }
    }
    if (lane < 2)
        mine[lane] = (unsigned long long)(lane == 0 ? before[0] + first : before[1] + second) |
                     (unsigned long long)PACK_ALL << PACK_FLAG;
}

// Adds one to cursor[to] for every lane of a warp, none where `to` is negative, and returns the value before
// this lane's addition. The first lane of a run of neighbours with the same cursor adds for the run.
__device__ __forceinline__ int pack_claim(int *cursor, int to) {
    const int lane = threadIdx.x % 32, below = __shfl_up_sync(0xffffffffu, to, 1);
    const unsigned heads = __ballot_sync(0xffffffffu, lane == 0 || below != to);
    const int head = 31 - __clz((int)(heads & ((2u << lane) - 1)));
    const unsigned behind = heads & ~((2u << head) - 1);
    const int end = behind != 0 ? __ffs((int)behind) - 1 : 32;
    int old = 0;
    if (lane == head && to >= 0)
        old = atomicAdd(cursor + to, end - head);
    return __shfl_sync(0xffffffffu, old, head) + lane - head;
}

// Writes the marked columns from `low` on, which `before` others of the window precede, to its chunks.
__device__ __forceinline__ void pack_window_columns(const spmm_pack_rowwindows *pack,
                                                    const pack_window *shared, int low, int before,
                                                    long long chunk, const unsigned *mark, const int *rank) {
    const int words = pack_window_words(pack, shared, low);
    int *column = pack->column + chunk * SPMM_GPU_CHUNK + before;
    for (int w = threadIdx.x; w < words; w += (int)blockDim.x) {
        unsigned left = mark[w];
        int number = left != 0 ? pack_window_find(w * 32, mark, rank) : 0;
        for (; left != 0; left &= left - 1)
            column[number++] = low + w * 32 + __ffs((int)left) - 1;
    }
}

// Reads the columns of entries first + threadIdx.x + j · threads, less `low`; -1 stands for entries outside
// the window or the stretch. Neighbouring lanes have neighbouring entries, which pack_claim adds together.
__device__ __forceinline__ void pack_window_gather(const spmm_pack_rowwindows *pack,
                                                   const pack_window *shared, long long first, int low,
                                                   int words, int *own) {
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++) {
        const long long k = first + j * (int)blockDim.x + threadIdx.x;
        own[j] = k < shared->end ? __ldg(pack->a.column + k) : -1;
    }
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++)
        own[j] = own[j] >= low && own[j] - low < words * 32 ? own[j] - low : -1;
}

// Adds the entries of the stretch to the counts of their chunks.
__device__ __forceinline__ void pack_window_sizes(const spmm_pack_rowwindows *pack, const pack_window *shared,
                                                  int low, int before, long long chunk, const unsigned *mark,
                                                  const int *rank) {
    const int words = pack_window_words(pack, shared, low);
    for (long long first = shared->first; first < shared->end; first += pack_window_stride()) {
        int own[PACK_EACH];
        pack_window_gather(pack, shared, first, low, words, own);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++)
            pack_claim(pack->cursor + chunk,
                       own[j] < 0 ? -1 : (before + pack_window_find(own[j], mark, rank)) / SPMM_GPU_CHUNK);
    }
}

// Makes starts of the counts of chunks from `chunk` to `end`; cursors become the numbers of the window's
// entries before each chunk. All threads call it.
__device__ __forceinline__ void pack_window_starts(const spmm_pack_rowwindows *pack, long long chunk,
                                                   long long end, long long entry, long long *scan) {
    long long sum = 0;
    for (long long first = chunk; first < end; first += blockDim.x) {
        const long long at = first + threadIdx.x;
        long long all, own = at < end ? *(volatile int *)(pack->cursor + at) : 0;
        const long long before = sum + pack_add_before(own, scan, &all);
        if (at < end) {
            pack->start[at] = entry + before;
            pack->cursor[at] = (int)before;
        }
        sum += all;
    }
    if (threadIdx.x == 0)
        pack->start[end] = entry + sum; // the next window's, or the end
}

// The row of an entry that lies behind the end of `row`. It is mostly the next one, else a binary search
// finds it; heights are powers of 2.
__device__ __forceinline__ int pack_window_row(const spmm_pack_rowwindows *pack, const pack_window *shared,
                                               int at, int row) {
    if (at < shared->row[row + 2])
        return row + 1;
    row = 0;
    for (int step = pack->height / 2; step > 0; step /= 2)
        row += shared->row[row + step] <= at ? step : 0;
    return row;
}

// Writes an entry of a compressed window with its position in bytes.
__device__ __forceinline__ void pack_window_put(int bytes, const spmm_pack_rowwindows *pack, long long k,
                                                int position, long long at) {
    if (bytes == 8) {
        const spmm_gpu_double_entry entry = {8 * position, 0, __ldg((const double *)pack->a.value + k)};
        ((spmm_gpu_double_entry *)pack->value)[at] = entry;
    } else if (bytes == 4) {
        const spmm_gpu_entry entry = {4 * position, pack_bits(&pack->a, k)};
        ((spmm_gpu_entry *)pack->value)[at] = entry;
    } else
        ((unsigned *)pack->value)[at] = (unsigned)(2 * position) | pack_bits(&pack->a, k) << 16;
}

// Puts the entries of the stretch into their chunks, in any order.
__device__ __forceinline__ void pack_window_entries(int bytes, const spmm_pack_rowwindows *pack,
                                                    const pack_window *shared, int low, int before,
                                                    long long chunk, long long entry, const unsigned *mark,
                                                    const int *rank) {
    const int words = pack_window_words(pack, shared, low);
    int row = 0, end = shared->row[1]; // of the row
    for (long long first = shared->first; first < shared->end; first += pack_window_stride()) {
        int own[PACK_EACH];
        pack_window_gather(pack, shared, first, low, words, own);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++) {
            const long long k = first + j * (int)blockDim.x + threadIdx.x;
            const int number = own[j] < 0 ? 0 : before + pack_window_find(own[j], mark, rank),
                      at = pack_claim(pack->cursor + chunk, own[j] < 0 ? -1 : number / SPMM_GPU_CHUNK);
            if (own[j] < 0)
                continue;
            if (k - shared->first >= end) {
                row = pack_window_row(pack, shared, (int)(k - shared->first), row);
                end = shared->row[row + 1];
            }
            pack_window_put(bytes, pack, k, spmm_place_in_chunk(bytes, row, number % SPMM_GPU_CHUNK),
                            entry + at);
        }
    }
}
