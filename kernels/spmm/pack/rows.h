/* SPDX-License-Identifier: BSD-3-Clause */
// Device kernels that bring A into the formats of the kernels rows_…, merge_… and bstationary_…, and make a
// dense matrix of it (pack.h).

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_entries(const __grid_constant__ spmm_pack_entries pack) {
    const long long k = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (k >= pack.a.nnz + SPMM_GPU_ENTRIES_BEHIND)
        return;
    spmm_gpu_entry entry;
    // Behind the last entry stand zeros of column 0, a row of B that exists, since kernels read ahead.
    entry.column = k < pack.a.nnz ? __ldg(pack.a.column + k) : 0;
    entry.value = k < pack.a.nnz ? pack_bits(&pack.a, k) : 0;
    ((spmm_gpu_entry *)pack.entry)[k] = entry;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_values(const __grid_constant__ spmm_pack_entries pack) {
    const long long k = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (k < pack.a.nnz)
        pack_put(&pack.a, k, pack.entry, k);
}

// How many parts of at most `most` entries a row is cut into; an empty row is one part.
__device__ __forceinline__ long long pack_parts(long long entries, int most) {
    return entries <= most ? 1 : (entries + most - 1) / most;
}

// ---- segments ----

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_segments_count(const __grid_constant__ spmm_pack_rows pack) {
    const long long place = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (place >= pack.a.place_count)
        return;
    const long long length = pack_length(&pack.a, place);
    pack.count[place] = length <= pack.most;
    pack.long_count[place] = length <= pack.most ? 0 : pack_two_counts(pack_parts(length, pack.long_most));
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_segments(const __grid_constant__ spmm_pack_rows pack) {
    const long long place = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (place >= pack.a.place_count)
        return;
    const long long row = pack_row(&pack.a, place), first = pack.a.start[row],
                    entries = pack.a.start[row + 1] - first;
    const long long parts = entries <= pack.most ? 1 : pack_parts(entries, pack.long_most),
                    count = pack.long_count[place], part = count >> 32;
    // Long segments come first; the lower half of their counts is the number of segments before.
    spmm_gpu_segment *segment =
        (spmm_gpu_segment *)pack.worker +
        (entries <= pack.most ? pack.long_total + pack.count[place] : count & 0xffffffff);
    for (long long p = 0; p < parts; p++) {
        segment[p].first = first + pack_cut_first(entries, parts, p);
        segment[p].count = pack_cut_count(entries, parts, p);
        segment[p].row = (int)(parts > 1 ? -1 - (part + p) : row);
    }
    pack_set_parts(pack.part, row, part, parts);
}

// ---- partitions of merge-based CSR ----

// Whether a partition begins with that row. It does at the border of a band, where a stretch of entries (each
// row counting as SPMM_PACK_MERGE_ROW of them) begins, and with and after a row that is cut.
__device__ __forceinline__ int pack_begins_partition(const spmm_pack_rows *pack, long long place) {
    if (place % SPMM_PACK_BAND == 0)
        return 1;
    const long long row = pack_row(&pack->a, place), *start = pack->a.start + row;
    const long long at = start[0] + row * SPMM_PACK_MERGE_ROW,
                    before = start[-1] + (row - 1) * SPMM_PACK_MERGE_ROW;
    return at / pack->stretch != before / pack->stretch || start[1] - start[0] > pack->most ||
           start[0] - start[-1] > pack->most;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_merge_count(const __grid_constant__ spmm_pack_rows pack) {
    const long long place = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (place < pack.a.place_count)
        pack.count[place] = pack_begins_partition(&pack, place)
                                ? pack_two_counts(pack_parts(pack_length(&pack.a, place), pack.most))
                                : 0;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_merge(const __grid_constant__ spmm_pack_rows pack) {
    const long long place = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (place >= pack.a.place_count || !pack_begins_partition(&pack, place))
        return;
    const long long row = pack_row(&pack.a, place), first = pack.a.start[row], count = pack.count[place],
                    part = count >> 32;
    const long long parts = pack_parts(pack.a.start[row + 1] - first, pack.most);
    long long rows = 1;
    // The partition ends before the next row that begins one.
    while (place + rows < pack.a.place_count && !pack_begins_partition(&pack, place + rows))
        rows++;
    const long long entries = pack.a.start[row + rows] - first;
    spmm_gpu_merge_partition *partition = (spmm_gpu_merge_partition *)pack.worker + (count & 0xffffffff);
    for (long long p = 0; p < parts; p++) {
        partition[p].first = first + pack_cut_first(entries, parts, p);
        partition[p].count = pack_cut_count(entries, parts, p);
        partition[p].row = (int)(parts > 1 ? -1 - (part + p) : row);
        partition[p].rows = (int)rows;
        partition[p].unused = 0;
    }
    pack_set_parts(pack.part, row, part, parts);
}

// ---- B-stationary ----

// Finds the row's first entry behind a chunk of columns (binary search).
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_chunks(const __grid_constant__ spmm_pack_chunks pack) {
    const long long at = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x, row = at % pack.a.nrow,
                    chunk = at / pack.a.nrow, column = (chunk + 1) * pack.chunk;
    if (chunk >= pack.chunks)
        return;
    const long long first = pack.a.start[row];
    long long low = first, high = pack.a.start[row + 1];
    while (low < high) {
        const long long middle = low + (high - low) / 2;
        if (__ldg(pack.a.column + middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    pack.before[at] = (int)(low - first);
}

// The first of a row's entries in a chunk of B, and the one behind the last.
__device__ __forceinline__ long long pack_bstationary_begin(const spmm_pack_bstationary *pack, int chunk,
                                                            long long row) {
    return pack->a.start[row] + (chunk > 0 ? pack->before[(chunk - 1) * pack->a.nrow + row] : 0);
}

__device__ __forceinline__ long long pack_bstationary_end(const spmm_pack_bstationary *pack, int chunk,
                                                          long long row) {
    return chunk + 1 < pack->chunks ? pack->a.start[row] + pack->before[chunk * pack->a.nrow + row]
                                    : pack->a.start[row + 1];
}

__device__ __forceinline__ int pack_bundles(const spmm_pack_matrix *a) {
    return (int)((a->nrow + SPMM_GPU_BSTATIONARY_ROWS - 1) / SPMM_GPU_BSTATIONARY_ROWS);
}

// A thread a row: its place is the number of rows that are longer, or as long and before it, among those that
// are sorted together.
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_bstationary_sort(const __grid_constant__ spmm_pack_bstationary pack) {
    enum { MANY = SPMM_GPU_BSTATIONARY_SORTED };
    __shared__ __align__(16) int key[MANY];
    const int blocks = (int)((pack.a.nrow + SPMM_PACK_THREADS - 1) / SPMM_PACK_THREADS),
              chunk = (int)blockIdx.x / blocks;
    const int row = (int)blockIdx.x % blocks * SPMM_PACK_THREADS + threadIdx.x, first = row / MANY * MANY;
    // The keys are distinct: the length, and of equal lengths the earlier row first.
    for (int k = threadIdx.x; k < MANY; k += SPMM_PACK_THREADS)
        key[k] = first + k < pack.a.nrow ? (int)(pack_bstationary_end(&pack, chunk, first + k) -
                                                 pack_bstationary_begin(&pack, chunk, first + k)) *
                                                   MANY +
                                               MANY - 1 - k
                                         : -1;
    __syncthreads();
    const int own = key[row - first];
    int before = 0;
    SPMM_NO_UNROLL
    for (int k = 0; k < MANY; k += 4) {
        const spmm_words some = *(const spmm_words *)(key + k);
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            before += (int)some.word[word] > own;
    }
    if (own < 0)
        return;
    const int place = first + before;
    pack.order[chunk * pack.a.nrow + place] = row;
    if (place % SPMM_GPU_BSTATIONARY_ROWS == 0)
        pack.count[chunk * pack_bundles(&pack.a) + place / SPMM_GPU_BSTATIONARY_ROWS] = (own / MANY + 3) / 4;
}

// The lanes that are `there` and whose columns leave the same remainder on division by 4, by votes on its two
// bits.
__device__ __forceinline__ unsigned pack_same_remainder(int column, int there) {
    const unsigned odd = __ballot_sync(0xffffffffu, there && (column & 1)),
                   high = __ballot_sync(0xffffffffu, there && (column & 2)),
                   all = __ballot_sync(0xffffffffu, there);
    return all & (column & 1 ? odd : ~odd) & (column & 2 ? high : ~high);
}

// A warp packs the row at a place. Its p = ⌈entries / 4⌉ batches have one slot for each remainder, so that a
// remainder has p slots. The entries of a remainder that has more than p take slots that other remainders
// leave free, in order; the slots that are still free hold zeros.
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_bstationary(const __grid_constant__ spmm_pack_bstationary pack) {
    const long long warp = ((long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x) / 32,
                    bundle = warp / SPMM_GPU_BSTATIONARY_ROWS;
    const int bundles = pack_bundles(&pack.a), chunk = (int)(bundle / bundles), lane = threadIdx.x % 32,
              place = (int)(warp % SPMM_GPU_BSTATIONARY_ROWS), base = chunk * pack.chunk;
    if (chunk >= pack.chunks)
        return;
    const long long at_chunk = bundle % bundles * SPMM_GPU_BSTATIONARY_ROWS + place,
                    at_all = chunk * pack.a.nrow + at_chunk;
    const int row = at_chunk < pack.a.nrow ? pack.order[at_all] : -1;
    const long long first = row < 0 ? 0 : pack_bstationary_begin(&pack, chunk, row),
                    end = row < 0 ? 0 : pack_bstationary_end(&pack, chunk, row), to = pack.count[bundle],
                    all = (pack.count[bundle + 1] - to) * 4;
    const int places = (int)((end - first + 3) / 4);
    int counted[4] = {0, 0, 0, 0}, beyond[4], taken[4] = {0, 0, 0, 0}, over = 0, left = 0;
    if (row >= 0 && lane == 0)
        pack.row[at_all] = row;
    if (place == 0 && lane == 0) {
        pack.start[bundle] = (int)to;
        pack.start[bundle + 1] = (int)(to + all / 4); // the next bundle's, or the end
    }
    // First the warp counts the entries of each remainder.
    for (long long k = first; k < end; k += 32) {
        const int there = k + lane < end, column = there ? __ldg(pack.a.column + k + lane) : 0;
        SPMM_UNROLL
        for (int remainder = 0; remainder < 4; remainder++)
            counted[remainder] += __popc(__ballot_sync(0xffffffffu, there && column % 4 == remainder));
    }
    SPMM_UNROLL
    for (int remainder = 0; remainder < 4; remainder++) {
        beyond[remainder] = over;
        over += counted[remainder] > places ? counted[remainder] - places : 0;
        left += counted[remainder] < places ? places - counted[remainder] : 0;
    }
    const long long filled = end + left - over; // entries and zeros fill 4 * places slots up to here
    for (long long k = first; k < first + all; k += 32) {
        const int there = k + lane < end, column = there ? __ldg(pack.a.column + k + lane) : 0;
        const unsigned same = pack_same_remainder(column, there);
        int remainder = column % 4, number = 0,
            spare = (int)(k + lane - end) + over; // a zero's number among free slots
        SPMM_UNROLL
        for (int r = 0; r < 4; r++)
            if (r == remainder)
                number = taken[r] + __popc(same & ((1u << lane) - 1));
        SPMM_UNROLL
        for (int r = 0; r < 4; r++)
            taken[r] += __popc(__ballot_sync(0xffffffffu, there && remainder == r));
        if (k + lane >= first + all)
            continue;
        if (k + lane >= filled) { // longer rows of the bundle have these batches: this row gets zeros
            number = (int)(k + lane - first) / 4;
            remainder = (int)(k + lane - first) % 4;
        } else if (!there || number >= places) {
            SPMM_UNROLL
            for (int r = 0; r < 4; r++)
                if (there && r == remainder)
                    spare = beyond[r] + number - places;
            // The free slot with that number: remainders one after the other, each by its free slots.
            int found = 0;
            SPMM_UNROLL
            for (int r = 0; r < 4; r++) {
                const int own = counted[r] < places ? places - counted[r] : 0;
                if (!found && spare < own) {
                    found = 1;
                    remainder = r;
                    number = counted[r] + spare;
                }
                spare -= own;
            }
        }
        // The slot of a remainder turns with batch and place (bstationary/contract.h).
        const long long at =
            ((to + number) * SPMM_GPU_BSTATIONARY_ROWS + place) * 4 + ((remainder - number - place) & 3);
        pack.column[at] = (unsigned short)(there                            ? column - base
                                           : base + remainder < pack.a.ncol ? remainder
                                                                            : 0);
        const long long position = spmm_place_in_batch(pack_bytes(&pack.a), at);
        if (there)
            pack_put(&pack.a, k + lane, pack.value, position);
        else
            pack_put_zero(&pack.a, pack.value, position);
    }
}

// ---- dense ----

// A block a row: it expands `tile` columns at a time in shared memory and copies them out.
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_dense(const __grid_constant__ spmm_pack_dense pack) {
    SHIM_DYNAMIC_SHARED(spmm_words, shared);
    const long long row = blockIdx.x, first = pack.a.start[row], end = pack.a.start[row + 1];
    const int many = 16 / pack_bytes(&pack.a);
    const spmm_words zeros = {{0, 0, 0, 0}};
    for (long long low = 0; low < pack.stride; low += pack.tile) {
        const int wide = (int)(pack.stride - low < pack.tile ? pack.stride - low : pack.tile);
        spmm_words *to = (spmm_words *)pack.value + (row * pack.stride + low) / many;
        __syncthreads();
        for (int v = threadIdx.x; v < wide / many; v += SPMM_PACK_THREADS)
            shared[v] = zeros;
        __syncthreads();
        for (long long k = first + threadIdx.x; k < end; k += SPMM_PACK_THREADS) {
            const long long column = __ldg(pack.a.column + k) - low;
            if (column >= 0 && column < wide)
                pack_put(&pack.a, k, shared, column);
        }
        __syncthreads();
        for (int v = threadIdx.x; v < wide / many; v += SPMM_PACK_THREADS)
            to[v] = shared[v];
    }
}
