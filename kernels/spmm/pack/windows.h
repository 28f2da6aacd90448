// Device kernels that bring A into the format of the kernels windows_… (pack.h).

// Sums of two counts of the blocks before this one, by a warp. Each block leaves its own counts for those
// behind it, and then the sums with those before.
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

// The columns of the chunks from column `low` on, of which `before` were met.
__device__ __forceinline__ void pack_window_columns(const spmm_pack_windows *pack, const pack_window *shared,
                                                    int low, int before, long long chunk,
                                                    const unsigned *mark, const int *rank) {
    const int words = pack_window_words(pack, shared, low);
    int *column = pack->column + chunk * SPMM_GPU_CHUNK + before;
    for (int w = threadIdx.x; w < words; w += (int)blockDim.x) {
        unsigned left = mark[w];
        int number = left != 0 ? pack_window_find(w * 32, mark, rank) : 0;
        for (; left != 0; left &= left - 1)
            column[number++] = low + w * 32 + __ffs((int)left) - 1;
    }
}

// The columns, less `low`, of entries first + threadIdx.x, … of windows that are not dense, in whose chunks
// neighbours claim places together; -1 for those that are not there.
__device__ __forceinline__ void pack_window_gather(const spmm_pack_windows *pack, const pack_window *shared,
                                                   long long first, int low, int words, int *own) {
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++) {
        const long long k = first + j * (int)blockDim.x + threadIdx.x;
        own[j] = k < shared->end ? __ldg(pack->a.column + k) : -1;
    }
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++)
        own[j] = own[j] >= low && own[j] - low < words * 32 ? own[j] - low : -1;
}

// How many entries the chunks have.
__device__ __forceinline__ void pack_window_sizes(const spmm_pack_windows *pack, const pack_window *shared,
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

// Where the entries of each chunk begin; cursors become the numbers of entries before, in the window.
__device__ __forceinline__ void pack_window_starts(const spmm_pack_windows *pack, long long chunk,
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

// The row of an entry that is beyond `row`: mostly the next.
__device__ __forceinline__ int pack_window_row(const spmm_pack_windows *pack, const pack_window *shared,
                                               int at, int row) {
    if (at < shared->row[row + 2])
        return row + 1;
    row = 0;
    for (int step = pack->height / 2; step > 0; step /= 2)
        row += shared->row[row + step] <= at ? step : 0;
    return row;
}

// An entry with its position, of windows that are not dense.
__device__ __forceinline__ void pack_window_put(int bytes, const spmm_pack_windows *pack, long long k,
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

__device__ __forceinline__ void pack_window_entries(int bytes, const spmm_pack_windows *pack,
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

// As many values from number k on, those that are there, as they are stored.
typedef struct pack_window_values {
    unsigned bits[PACK_EACH];
    double wide[PACK_EACH];
} pack_window_values;

__device__ __forceinline__ void pack_window_load(int bytes, const spmm_pack_windows *pack,
                                                 const pack_window *shared, long long k,
                                                 pack_window_values *values) {
    if (bytes < 8 && k >= shared->first && k + PACK_EACH <= shared->end) {
        const spmm_words some = spmm_load((const float *)pack->a.value + k);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++)
            values->bits[j] = pack_narrow(&pack->a, spmm_float(some.word[j]));
        return;
    }
    SPMM_UNROLL
    for (int j = 0; j < PACK_EACH; j++) {
        const bool there = k + j >= shared->first && k + j < shared->end;
        if (bytes == 8)
            values->wide[j] = there ? __ldg((const double *)pack->a.value + k + j) : 0;
        else
            values->bits[j] = there ? pack_bits(&pack->a, k + j) : 0;
    }
}

// Numbers to their places in dense windows, two of 16 bits together where they stand so.
__device__ __forceinline__ void pack_window_numbers(int bytes, const spmm_pack_windows *pack,
                                                    const pack_window *shared, int low, int before,
                                                    long long chunk, const unsigned *mark, const int *rank) {
    const int words = pack_window_words(pack, shared, low), tile = pack->height * SPMM_GPU_CHUNK;
    char *to = (char *)pack->value + chunk * tile * bytes;
    int row = 0, end = shared->row[1]; // of the row
    for (long long k = pack_window_first(shared); k < shared->end; k += pack_window_stride()) {
        int own[PACK_EACH], number = 0;
        long long at[PACK_EACH];
        pack_window_values values;
        pack_window_read(pack, shared, k, low, words, own);
        pack_window_load(bytes, pack, shared, k, &values);
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++) {
            const int entry = (int)(k - shared->first) + j;
            at[j] = -1;
            if (own[j] < 0)
                continue;
            if (entry >= end) {
                row = pack_window_row(pack, shared, entry, row);
                end = shared->row[row + 1];
            }
            number = j > 0 && own[j] > 0 && own[j] == own[j > 0 ? j - 1 : 0] + 1
                         ? number + 1
                         : before + pack_window_find(own[j], mark, rank);
            at[j] = (long long)(number / SPMM_GPU_CHUNK) * tile +
                    spmm_place_in_chunk(bytes, row, number % SPMM_GPU_CHUNK);
        }
        SPMM_UNROLL
        for (int j = 0; j < PACK_EACH; j++) {
            if (at[j] < 0)
                continue;
            if (bytes == 8)
                ((double *)to)[at[j]] = values.wide[j];
            else if (bytes == 4)
                ((unsigned *)to)[at[j]] = values.bits[j];
            else if (j + 1 < PACK_EACH && at[j] % 2 == 0 && at[j + 1 < PACK_EACH ? j + 1 : j] == at[j] + 1) {
                ((unsigned *)to)[at[j] / 2] = values.bits[j] | values.bits[j + 1 < PACK_EACH ? j + 1 : j]
                                                                   << 16;
                at[j + 1 < PACK_EACH ? j + 1 : j] = -1;
            } else
                ((unsigned short *)to)[at[j]] = (unsigned short)values.bits[j];
        }
    }
}

// Zeros for what is added up, or for numbers of dense windows that are no entries.
__device__ __forceinline__ void pack_window_clear(int bytes, int dense, const spmm_pack_windows *pack,
                                                  long long chunk, int chunks) {
    const spmm_words zeros = {{0, 0, 0, 0}};
    const int many = pack->height * bytes; // vectors of a chunk
    for (int k = threadIdx.x; dense && k < chunks * many; k += (int)blockDim.x)
        ((spmm_words *)pack->value)[chunk * many + k] = zeros;
    for (int k = threadIdx.x; !dense && k < chunks; k += (int)blockDim.x)
        pack->cursor[chunk + k] = 0;
    __syncthreads();
}

// A window of `columns`, the first chunk of which has number `chunk`. Those that are not dense know how many
// entries each chunk has before any are put.
__device__ __forceinline__ void pack_window_fill(int bytes, int dense, const spmm_pack_windows *pack,
                                                 const pack_window *shared, int columns, long long chunk,
                                                 unsigned *mark, int *rank, long long *scan) {
    const int chunks = (columns + SPMM_GPU_CHUNK - 1) / SPMM_GPU_CHUNK,
              once = pack_window_next(pack, shared, shared->low) > shared->high;
    const long long entry = pack_first(&pack->a, (long long)blockIdx.x * pack->height);
    pack_window_clear(bytes, dense, pack, chunk, chunks);
    for (int last = dense; last < 2; last++) {
        int met = 0, own = columns;
        for (int low = shared->low; low <= shared->high; low = pack_window_next(pack, shared, low)) {
            if (!once) {
                pack_window_mark(pack, shared, low, mark);
                own = pack_window_rank(pack_window_words(pack, shared, low), mark, rank, scan);
            }
            if (dense)
                pack_window_numbers(bytes, pack, shared, low, met, chunk, mark, rank);
            else if (last)
                pack_window_entries(bytes, pack, shared, low, met, chunk, entry, mark, rank);
            else
                pack_window_sizes(pack, shared, low, met, chunk, mark, rank);
            if (last)
                pack_window_columns(pack, shared, low, met, chunk, mark, rank);
            met += own;
        }
        __syncthreads();
        if (!last)
            pack_window_starts(pack, chunk, chunk + chunks, entry, scan);
        __syncthreads();
    }
    for (int k = columns + threadIdx.x; k < chunks * SPMM_GPU_CHUNK; k += (int)blockDim.x)
        pack->column[chunk * SPMM_GPU_CHUNK + k] =
            *(volatile int *)(pack->column + (chunk + chunks - 1) * SPMM_GPU_CHUNK);
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_WINDOW_THREADS)
    pack_windows(const __grid_constant__ spmm_pack_windows pack) {
    SHIM_DYNAMIC_SHARED(unsigned, mark);
    __shared__ pack_window shared;
    __shared__ long long scan[33], sums[2];
    int *rank = (int *)(mark + pack.words);
    const int bytes = pack_bytes(&pack.a);
    const long long place = (long long)blockIdx.x * pack.height;
    pack_window_begin(&pack, blockIdx.x, &shared);
    const int columns = pack_window_count(&pack, &shared, mark, rank, scan);
    const long long chunks = (columns + SPMM_GPU_CHUNK - 1) / SPMM_GPU_CHUNK,
                    parts = chunks <= pack.most ? 1 : (chunks + pack.most - 1) / pack.most;
    if (threadIdx.x < 32) {
        long long before[2];
        pack_sum_before(pack.sum, chunks, pack_two_counts(parts), before);
        if (threadIdx.x < 2) {
            sums[threadIdx.x] = threadIdx.x == 0 ? before[0] : before[1];
            if (blockIdx.x == gridDim.x - 1)
                pack.total[threadIdx.x] =
                    threadIdx.x == 0 ? before[0] + chunks : before[1] + pack_two_counts(parts);
        }
    }
    __syncthreads();
    const long long chunk = sums[0], piece = sums[1] & 0xffffffff, part = sums[1] >> 32;
    if (chunk + chunks > pack.room)
        return;
    if (bytes == 2 && pack.dense)
        pack_window_fill(2, 1, &pack, &shared, columns, chunk, mark, rank, scan);
    else if (bytes == 2)
        pack_window_fill(2, 0, &pack, &shared, columns, chunk, mark, rank, scan);
    else if (bytes == 4 && pack.dense)
        pack_window_fill(4, 1, &pack, &shared, columns, chunk, mark, rank, scan);
    else if (bytes == 4)
        pack_window_fill(4, 0, &pack, &shared, columns, chunk, mark, rank, scan);
    else if (pack.dense)
        pack_window_fill(8, 1, &pack, &shared, columns, chunk, mark, rank, scan);
    else
        pack_window_fill(8, 0, &pack, &shared, columns, chunk, mark, rank, scan);
    for (int r = threadIdx.x; r < pack.height; r += (int)blockDim.x)
        pack.row[place + r] = place + r < pack.a.place_count ? (int)pack_row(&pack.a, place + r) : -1;
    pack_pieces(chunk, chunks, parts, (int)blockIdx.x, pack.piece + piece, pack.part, part);
}
