/* SPDX-License-Identifier: BSD-3-Clause */
// Device kernels that bring A into the formats of the kernels panels_… and bands_… (pack.h).

// ---- panels ----

// A block a band: it counts the entries of each tile, makes starts of the counts, and puts the entries, for
// which the starts serve as cursors.
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_PANEL_THREADS)
    pack_panels(const __grid_constant__ spmm_pack_tiles pack) {
    SHIM_DYNAMIC_SHARED(int, count);
    __shared__ long long scan[33];
    const spmm_pack_matrix *a = &pack.a;
    const long long place = (long long)blockIdx.x * SPMM_PACK_BAND, row = pack_row(a, place);
    const int rows = (int)(a->place_count - place < SPMM_PACK_BAND ? a->place_count - place : SPMM_PACK_BAND);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, bytes = pack_bytes(a);
    const long long entry = pack_first(a, place), tile = (long long)blockIdx.x * pack.steps;
    long long sum = 0;
    for (int t = threadIdx.x; t < pack.steps; t += SPMM_PACK_PANEL_THREADS)
        count[t] = 0;
    __syncthreads();
    for (long long k = a->start[row] + threadIdx.x; k < a->start[row + rows]; k += SPMM_PACK_PANEL_THREADS)
        atomicAdd(count + __ldg(a->column + k) / pack.depth, 1);
    __syncthreads();
    for (int first = 0; first < pack.steps; first += SPMM_PACK_PANEL_THREADS) {
        const int t = first + threadIdx.x;
        long long all, own = t < pack.steps ? count[t] : 0;
        const long long before = sum + pack_add_before(own, scan, &all);
        if (t < pack.steps) {
            pack.start[tile + t] = entry + before;
            count[t] = (int)before;
        }
        sum += all;
    }
    if (threadIdx.x == 0)
        pack.start[tile + pack.steps] = entry + sum; // the next band's, or the end
    __syncthreads();
    for (int r = warp; r < rows; r += SPMM_PACK_PANEL_THREADS / 32)
        for (long long k = a->start[row + r] + lane; k < a->start[row + r + 1]; k += 32) {
            const int column = __ldg(a->column + k);
            const long long at = entry + atomicAdd(count + column / pack.depth, 1);
            pack.position[at] = (unsigned short)spmm_place_in_tile(bytes, r, column % pack.depth);
            pack_put(a, k, pack.value, at);
        }
    pack_pieces(tile, pack.steps, pack.parts, (int)(row / SPMM_PACK_BAND),
                pack.piece + (long long)blockIdx.x * pack.parts, pack.part,
                (long long)blockIdx.x * pack.parts);
}

// ---- bands ----

// Counts the entries of each tile of the block's 16 rows, into count[tile]. All threads call it.
__device__ __forceinline__ void pack_bands_tiles(const spmm_pack_tiles *pack, long long *first,
                                                 long long *end, int *count) {
    const spmm_pack_matrix *a = &pack->a;
    const long long place = (long long)blockIdx.x * SPMM_PACK_SUBTILE_ROWS, left = a->place_count - place;
    *first = *end = 0;
    if (left > 0) {
        const long long row = pack_row(a, place);
        *first = a->start[row];
        *end = a->start[row + (left < SPMM_PACK_SUBTILE_ROWS ? left : SPMM_PACK_SUBTILE_ROWS)];
    }
    for (int t = threadIdx.x; t < pack->steps; t += SPMM_PACK_THREADS)
        count[t] = 0;
    __syncthreads();
    for (long long k = *first + threadIdx.x; k < *end; k += SPMM_PACK_THREADS)
        atomicAdd(count + __ldg(a->column + k) / pack->depth, 1);
    __syncthreads();
}

// How many entries a vector of 16 bytes has.
__device__ __forceinline__ int pack_bands_many(const spmm_pack_matrix *a) {
    return a->format == 2 ? 2 : 4;
}

// ---- splits ----

// A warp a row: each number becomes two of tf32, in the tile of the high halves and in that of the low ones.
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_splits(const __grid_constant__ spmm_pack_splits pack) {
    enum { DEPTH = SPMM_GPU_BAND_BYTES / 4, TILE = SPMM_PACK_BAND * SPMM_GPU_BAND_BYTES };
    const spmm_pack_matrix *a = &pack.a;
    const long long row = ((long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x) / 32;
    if (row >= a->nrow)
        return;
    char *band = (char *)pack.value + row / SPMM_PACK_BAND * pack.steps * 2 * TILE;
    for (long long k = a->start[row] + threadIdx.x % 32; k < a->start[row + 1]; k += 32) {
        const int column = __ldg(a->column + k);
        char *to = band + (long long)(column / DEPTH) * 2 * TILE +
                   spmm_place_in_subtile((int)(row % SPMM_PACK_BAND), column % DEPTH * 4);
        spmm_split(pack_bits(a, k), (unsigned *)to, (unsigned *)(to + TILE));
    }
}

// Counts the vectors of the block's subtiles, each of which has whole ones.
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_bands_count(const __grid_constant__ spmm_pack_tiles pack) {
    SHIM_DYNAMIC_SHARED(int, count);
    __shared__ int sum;
    const int many = pack_bands_many(&pack.a);
    long long first, end;
    int mine = 0;
    if (threadIdx.x == 0)
        sum = 0;
    pack_bands_tiles(&pack, &first, &end, count);
    for (int t = threadIdx.x; t < pack.steps; t += SPMM_PACK_THREADS)
        mine += (count[t] + many - 1) / many;
    if (mine > 0)
        atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        pack.count[blockIdx.x] = sum;
}

__device__ __forceinline__ void pack_bands_put(const spmm_pack_matrix *a, void *to, long long at,
                                               int position, unsigned value) {
    if (a->format == 2) {
        ((unsigned *)to)[2 * at] = (unsigned)position;
        ((unsigned *)to)[2 * at + 1] = value;
    } else
        ((unsigned *)to)[at] = (unsigned)position | value << 16;
}

// Repeats the entry before: a vector is filled up by its last entry, which is put twice.
__device__ __forceinline__ void pack_bands_repeat(const spmm_pack_matrix *a, void *to, long long at) {
    if (a->format == 2) {
        ((unsigned *)to)[2 * at] = ((unsigned *)to)[2 * at - 2];
        ((unsigned *)to)[2 * at + 1] = ((unsigned *)to)[2 * at - 1];
    } else
        ((unsigned *)to)[at] = ((unsigned *)to)[at - 1];
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_bands(const __grid_constant__ spmm_pack_tiles pack) {
    SHIM_DYNAMIC_SHARED(int, count);
    __shared__ long long scan[33];
    const spmm_pack_matrix *a = &pack.a;
    const int many = pack_bands_many(a), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const long long subtile = (long long)blockIdx.x * pack.steps, vector = pack.count[blockIdx.x];
    const long long place = (long long)blockIdx.x * SPMM_PACK_SUBTILE_ROWS;
    long long first, end, sum = 0;
    pack_bands_tiles(&pack, &first, &end, count);
    for (int t0 = 0; t0 < pack.steps; t0 += SPMM_PACK_THREADS) {
        const int t = t0 + threadIdx.x;
        long long all;
        const long long own = t < pack.steps ? (count[t] + many - 1) / many : 0,
                        before = sum + pack_add_before(own, scan, &all);
        if (t < pack.steps) { // the start in vectors, and a cursor in entries
            pack.subtile_start[subtile + t] = (int)(vector + before);
            count[t] = (int)(before * many);
        }
        sum += all;
    }
    if (threadIdx.x == 0)
        pack.subtile_start[subtile + pack.steps] = (int)(vector + sum); // the next block's, or the end
    __syncthreads();
    for (int r = warp; r < SPMM_PACK_SUBTILE_ROWS && place + r < a->place_count;
         r += SPMM_PACK_THREADS / 32) {
        const long long row = pack_row(a, place + r);
        for (long long k = a->start[row] + lane; k < a->start[row + 1]; k += 32) {
            const int column = __ldg(a->column + k), at = atomicAdd(count + column / pack.depth, 1);
            pack_bands_put(a, pack.value, vector * many + at,
                           spmm_place_in_subtile(r, column % pack.depth * pack_bytes(a)), pack_bits(a, k));
        }
    }
    __syncthreads();
    for (int t = threadIdx.x; t < pack.steps; t += SPMM_PACK_THREADS)
        for (int at = count[t]; at % many != 0; at++)
            pack_bands_repeat(a, pack.value, vector * many + at);
    // One block of a band writes the band's pieces.
    if (blockIdx.x % SPMM_PACK_SUBTILES == 0) {
        const long long band = blockIdx.x / SPMM_PACK_SUBTILES;
        pack_pieces(band * pack.steps, pack.steps, pack.parts, (int)(pack_row(a, place) / SPMM_PACK_BAND),
                    pack.piece + band * pack.parts, pack.part, band * pack.parts);
    }
}
