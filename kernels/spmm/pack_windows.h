// Device kernels that bring A into the format of the kernels windows_… (pack.h).

// The columns of a window that lie in a stretch of `words` words, as bits.
typedef struct pack_window {
    long long first, end;        // its entries in A
    int row[SPMM_PACK_BAND + 1]; // the entry with which each row begins, less `first`
    int low, high;               // columns
} pack_window;

// All threads.
__device__ __forceinline__ void pack_window_begin(const spmm_pack_windows *pack, long long window,
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
    for (int r = threadIdx.x; r <= pack->height; r += SPMM_PACK_WINDOW_THREADS) {
        const int there = r < left ? r : left;
        const long long begin = a->start[row + there];
        shared->row[r] = (int)(begin - first);
        if (r < left && a->start[row + r + 1] > begin) {
            atomicMin(&shared->low, __ldg(a->column + begin));
            atomicMax(&shared->high, __ldg(a->column + a->start[row + r + 1] - 1));
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        shared->low = shared->low / (32 * SPMM_PACK_GROUP) * (32 * SPMM_PACK_GROUP);
    __syncthreads();
}

// Words, of whole groups, that the columns from `low` on take.
__device__ __forceinline__ int pack_window_words(const spmm_pack_windows *pack, const pack_window *shared,
                                                 int low) {
    const int words = ((shared->high - low) / 32 + SPMM_PACK_GROUP) / SPMM_PACK_GROUP * SPMM_PACK_GROUP;
    return words < pack->words ? words : pack->words;
}

__device__ __forceinline__ int pack_window_next(const spmm_pack_windows *pack, const pack_window *shared,
                                                int low) {
    return shared->high - low < pack->words * 32 ? shared->high + 1 : low + pack->words * 32;
}

// The columns, less `low`, of entries first + threadIdx.x, … a few at a time, as each read takes as long as
// all of them; -1 for those that are not there.
enum { PACK_EACH = 4, PACK_STRIDE = PACK_EACH * SPMM_PACK_WINDOW_THREADS };
__device__ __forceinline__ void pack_window_read(const spmm_pack_windows *pack, const pack_window *shared,
                                                 long long first, int low, int words, int *own) {
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++) {
        const long long k = first + j * SPMM_PACK_WINDOW_THREADS + threadIdx.x;
        own[j] = k < shared->end ? __ldg(pack->a.column + k) : -1;
    }
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++)
        own[j] = own[j] >= low && own[j] - low < words * 32 ? own[j] - low : -1;
}

// Marks the columns low … of a window. All threads.
__device__ __forceinline__ void pack_window_mark(const spmm_pack_windows *pack, const pack_window *shared,
                                                 int low, unsigned *mark) {
    const int words = pack_window_words(pack, shared, low);
    __syncthreads();
    for (int w = threadIdx.x; w < words; w += SPMM_PACK_WINDOW_THREADS)
        mark[w] = 0;
    __syncthreads();
    for (long long first = shared->first; first < shared->end; first += PACK_STRIDE) {
        int own[PACK_EACH];
        pack_window_read(pack, shared, first, low, words, own);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++) {
            // Most are marked already where rows are alike; reading is cheaper than many atomics in one
            // place.
            const unsigned bit = own[j] < 0 ? 0 : 1u << own[j] % 32;
            if (own[j] >= 0 && (((volatile unsigned *)mark)[own[j] / 32] & bit) == 0)
                atomicOr(mark + own[j] / 32, bit);
        }
    }
    __syncthreads();
}

// Distinct columns of a window, in thread 0. All threads.
__device__ __forceinline__ int pack_window_count(const spmm_pack_windows *pack, long long window,
                                                 pack_window *shared, int *met, unsigned *mark) {
    pack_window_begin(pack, window, shared);
    if (threadIdx.x == 0)
        *met = 0;
    for (int low = shared->low; low <= shared->high; low = pack_window_next(pack, shared, low)) {
        int mine = 0;
        pack_window_mark(pack, shared, low, mark);
        for (int w = threadIdx.x; w < pack_window_words(pack, shared, low); w += SPMM_PACK_WINDOW_THREADS)
            mine += __popc(mark[w]);
        if (mine > 0)
            atomicAdd(met, mine);
    }
    __syncthreads();
    return *met;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_WINDOW_THREADS)
    pack_windows_count(const __grid_constant__ spmm_pack_windows pack) {
    SHIM_DYNAMIC_SHARED(unsigned, mark);
    __shared__ pack_window shared;
    __shared__ int met;
    const int columns = pack_window_count(&pack, blockIdx.x, &shared, &met, mark);
    if (threadIdx.x == 0) {
        const long long chunks = (columns + SPMM_GPU_CHUNK - 1) / SPMM_GPU_CHUNK;
        pack.chunk[blockIdx.x] = chunks;
        pack.count[blockIdx.x] =
            pack_two_counts(chunks <= pack.most ? 1 : (chunks + pack.most - 1) / pack.most);
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_WINDOW_THREADS)
    pack_profile(const __grid_constant__ spmm_pack_profile pack) {
    SHIM_DYNAMIC_SHARED(unsigned, mark);
    __shared__ pack_window shared;
    __shared__ int met;
    spmm_pack_windows window = pack.window;
    for (int h = 0; h < SPMM_PACK_HEIGHTS; h++) {
        int sum = 0;
        window.height = 8 << h;
        for (int k = 0; k < SPMM_PACK_BAND / window.height; k++) {
            const long long number = (long long)blockIdx.x * (SPMM_PACK_BAND / window.height) + k;
            if (number * window.height < window.a.place_count)
                sum += pack_window_count(&window, number, &shared, &met, mark);
            __syncthreads();
        }
        if (threadIdx.x == 0)
            pack.vectors[(long long)blockIdx.x * SPMM_PACK_HEIGHTS + h] = sum;
    }
}

__device__ __forceinline__ int pack_window_ones(const unsigned *mark, int group, int words) {
    const unsigned *first = mark + group * SPMM_PACK_GROUP;
    int ones = 0;
    SPMM_UNROLL
    for (int w = 0; w < SPMM_PACK_GROUP; w++)
        ones += w < words ? __popc(first[w]) : 0;
    return ones;
}

// How many columns are marked before each group of words, and in all of them. A thread takes a stretch of
// groups. All threads.
__device__ __forceinline__ int pack_window_rank(int words, const unsigned *mark, int *rank, long long *scan) {
    const int groups = words / SPMM_PACK_GROUP,
              many = (groups + SPMM_PACK_WINDOW_THREADS - 1) / SPMM_PACK_WINDOW_THREADS;
    const int mine = (int)threadIdx.x * many, first = mine < groups ? mine : groups,
              end = first + many < groups ? first + many : groups;
    long long own = 0, all;
    for (int group = first; group < end; group++)
        own += pack_window_ones(mark, group, SPMM_PACK_GROUP);
    int before = (int)pack_add_before(own, scan, &all);
    for (int group = first; group < end; group++) {
        rank[group] = before;
        before += pack_window_ones(mark, group, SPMM_PACK_GROUP);
    }
    __syncthreads();
    return (int)all;
}

// The number of a column among those marked.
__device__ __forceinline__ int pack_window_find(int column, const unsigned *mark, const int *rank) {
    const int word = column / 32, group = word / SPMM_PACK_GROUP;
    return rank[group] + pack_window_ones(mark, group, word % SPMM_PACK_GROUP) +
           __popc(mark[word] & ((1u << column % 32) - 1));
}

// An entry with its position in bytes.
__device__ __forceinline__ void pack_place(const spmm_pack_matrix *a, long long from, int position, void *to,
                                           long long at) {
    if (a->format == 3) {
        spmm_gpu_double_entry entry;
        entry.column = 8 * position;
        entry.unused = 0;
        entry.value = __ldg((const double *)a->value + from);
        ((spmm_gpu_double_entry *)to)[at] = entry;
    } else if (a->format == 2) {
        spmm_gpu_entry entry;
        entry.column = 4 * position;
        entry.value = pack_bits(a, from);
        ((spmm_gpu_entry *)to)[at] = entry;
    } else
        ((unsigned *)to)[at] = (unsigned)(2 * position) | pack_bits(a, from) << 16;
}

// Adds one to cursor[to] for every lane of a warp, none where `to` is negative, and returns what was there
// before, with the lanes below. Neighbours with the same cursor add together.
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

// Columns of the chunks, and how many entries they have, from column `low` on, of which `before` were met.
__device__ __forceinline__ void pack_window_columns(const spmm_pack_windows *pack, const pack_window *shared,
                                                    int low, int before, long long chunk,
                                                    const unsigned *mark, const int *rank) {
    const int words = pack_window_words(pack, shared, low);
    int *column = pack->column + chunk * SPMM_GPU_CHUNK + before;
    for (int w = threadIdx.x; w < words; w += SPMM_PACK_WINDOW_THREADS) {
        unsigned left = mark[w];
        int number = left != 0 ? pack_window_find(w * 32, mark, rank) : 0;
        for (; left != 0; left &= left - 1)
            column[number++] = low + w * 32 + __ffs(left) - 1;
    }
    if (pack->dense)
        return;
    for (long long first = shared->first; first < shared->end; first += PACK_STRIDE) {
        int own[PACK_EACH];
        pack_window_read(pack, shared, first, low, words, own);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++)
            pack_claim(pack->cursor + chunk,
                       own[j] < 0 ? -1 : (before + pack_window_find(own[j], mark, rank)) / SPMM_GPU_CHUNK);
    }
}

// Where the entries of each chunk begin; cursors become the numbers of entries before, in the window.
__device__ __forceinline__ void pack_window_starts(const spmm_pack_windows *pack, long long chunk,
                                                   long long end, long long entry, long long *scan) {
    long long sum = 0;
    for (long long first = chunk; first < end; first += SPMM_PACK_WINDOW_THREADS) {
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

// The row of an entry, where `row` is not beyond it: mostly that or the next.
__device__ __forceinline__ int pack_window_row(const spmm_pack_windows *pack, const pack_window *shared,
                                               int at, int row) {
    if (at < shared->row[row + 1])
        return row;
    if (at < shared->row[row + 2])
        return row + 1;
    row = 0;
    for (int step = pack->height / 2; step > 0; step /= 2)
        row += shared->row[row + step] <= at ? step : 0;
    return row;
}

__device__ __forceinline__ void pack_window_entry(const spmm_pack_windows *pack, int row, int number,
                                                  long long chunk, long long k, long long at) {
    const int bytes = pack_bytes(&pack->a), to = number / SPMM_GPU_CHUNK,
              tile = pack->height * SPMM_GPU_CHUNK;
    const int position = spmm_place_in_chunk(bytes, row, number % SPMM_GPU_CHUNK);
    if (pack->dense)
        pack_put(&pack->a, k, pack->value, chunk * tile + (long long)to * tile + position);
    else
        pack_place(&pack->a, k, position, pack->value, at);
}

__device__ __forceinline__ void pack_window_entries(const spmm_pack_windows *pack, const pack_window *shared,
                                                    int low, int before, long long chunk, long long entry,
                                                    const unsigned *mark, const int *rank) {
    const int words = pack_window_words(pack, shared, low);
    int row = 0;
    for (long long first = shared->first; first < shared->end; first += PACK_STRIDE) {
        int own[PACK_EACH];
        pack_window_read(pack, shared, first, low, words, own);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++) {
            const int number = own[j] < 0 ? 0 : before + pack_window_find(own[j], mark, rank);
            const int at =
                pack->dense ? 0 : pack_claim(pack->cursor + chunk, own[j] < 0 ? -1 : number / SPMM_GPU_CHUNK);
            if (own[j] < 0)
                continue;
            const long long k = first + j * SPMM_PACK_WINDOW_THREADS + threadIdx.x;
            row = pack_window_row(pack, shared, (int)(k - shared->first), row);
            pack_window_entry(pack, row, number, chunk, k, entry + at);
        }
    }
}

__device__ __forceinline__ void pack_window_pieces(const spmm_pack_windows *pack, long long chunk,
                                                   long long chunks) {
    const long long count = pack->count[blockIdx.x], part = count >> 32;
    const long long parts = chunks <= pack->most ? 1 : (chunks + pack->most - 1) / pack->most;
    pack_pieces(chunk, chunks, parts, (int)blockIdx.x, pack->piece + (count & 0xffffffff), pack->part, part);
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_WINDOW_THREADS)
    pack_windows(const __grid_constant__ spmm_pack_windows pack) {
    SHIM_DYNAMIC_SHARED(unsigned, mark);
    __shared__ pack_window shared;
    __shared__ long long scan[33];
    int *rank = (int *)(mark + pack.words), met = 0;
    const long long chunk = pack.chunk[blockIdx.x], end = pack.chunk[blockIdx.x + 1];
    const long long place = (long long)blockIdx.x * pack.height, entry = pack_first(&pack.a, place);
    pack_window_begin(&pack, blockIdx.x, &shared);
    for (int low = shared.low; low <= shared.high; low = pack_window_next(&pack, &shared, low)) {
        pack_window_mark(&pack, &shared, low, mark);
        const int own = pack_window_rank(pack_window_words(&pack, &shared, low), mark, rank, scan);
        pack_window_columns(&pack, &shared, low, met, chunk, mark, rank);
        met += own;
    }
    __syncthreads();
    if (!pack.dense)
        pack_window_starts(&pack, chunk, end, entry, scan);
    __syncthreads();
    for (int k = met + threadIdx.x; k < (end - chunk) * SPMM_GPU_CHUNK; k += SPMM_PACK_WINDOW_THREADS)
        pack.column[chunk * SPMM_GPU_CHUNK + k] = *(volatile int *)(pack.column + (end - 1) * SPMM_GPU_CHUNK);
    const int once = shared.low <= shared.high && pack_window_next(&pack, &shared, shared.low) > shared.high;
    met = 0;
    for (int low = shared.low; low <= shared.high; low = pack_window_next(&pack, &shared, low)) {
        int own = 0;
        if (!once) {
            pack_window_mark(&pack, &shared, low, mark);
            own = pack_window_rank(pack_window_words(&pack, &shared, low), mark, rank, scan);
        }
        pack_window_entries(&pack, &shared, low, met, chunk, entry, mark, rank);
        met += own;
    }
    for (int r = threadIdx.x; r < pack.height; r += SPMM_PACK_WINDOW_THREADS)
        pack.row[place + r] = place + r < pack.a.place_count ? (int)pack_row(&pack.a, place + r) : -1;
    pack_window_pieces(&pack, chunk, end - chunk);
}
