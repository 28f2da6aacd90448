// A device kernel for SpMM (gpu.h) that expands tiles of A in shared memory and multiplies them by the matrix
// instructions for four warps (load as sparse, compute as dense), included once for each variant. Before it
// are defined
//
//     BANDS_TYPE       half or bfloat
//     BANDS_COLUMNS    of a tile of C: 32, 64, 128, 256
//     BANDS_RESIDENT   blocks of a multiprocessor
//
// While the matrix units work on a tile, the next two of B are on their way to shared memory, each warp
// expands its 16 rows of the next tile of A and reads the entries of the one after it.

#define BANDS_PASTE2(a, b) a##b
#define BANDS_PASTE(a, b) BANDS_PASTE2(a, b)
#define BANDS_JOIN2(type, columns) bands_##type##_##columns
#define BANDS_JOIN(type, columns) BANDS_JOIN2(type, columns)
#define BANDS_NAME BANDS_JOIN(BANDS_TYPE, BANDS_COLUMNS)
#define BANDS_SUMS (BANDS_COLUMNS / 2)
#define BANDS_ROW (BANDS_COLUMNS < 64 ? 2 * BANDS_COLUMNS : 128) /* bytes of a row of B's tile */
#define BANDS_A (SPMM_GPU_BAND_ROWS * 128)                       /* bytes of a tile of A */
#define BANDS_B (SPMM_GPU_BAND_DEPTH * BANDS_COLUMNS * 2)
#define BANDS_AHEAD 3                    /* vectors of entries that a thread reads ahead */
#define BANDS_STAGED (BANDS_COLUMNS + 4) /* floats of a row of C in shared memory */

typedef struct BANDS_PASTE(BANDS_NAME, _entries) {
    int first, end; /* vectors */
    spmm_words vector[BANDS_AHEAD];
} BANDS_PASTE(BANDS_NAME, _entries);

// The entries of the slab that ends at `end`; it begins where the one before it ended.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME,
                                            _read_ahead)(const spmm_gpu_bands *bands, int end,
                                                         BANDS_PASTE(BANDS_NAME, _entries) * entries) {
    entries->first = entries->end;
    entries->end = end;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_AHEAD; k++) {
        const int vector = entries->first + k * 32 + (int)(threadIdx.x % 32);
        if (vector < end)
            entries->vector[k] = spmm_load(bands->entry + (long long)vector * 4);
    }
}

__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _put)(spmm_words vector, char *slab) {
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        *(unsigned short *)(slab + (vector.word[k] & 0xffff)) = (unsigned short)(vector.word[k] >> 16);
}

// This warp's 16 rows of a tile.
__device__ __forceinline__ void
BANDS_PASTE(BANDS_NAME, _expand)(const spmm_gpu_bands *bands,
                                 const BANDS_PASTE(BANDS_NAME, _entries) * entries, char *tile) {
    const spmm_words zero = {{0, 0, 0, 0}};
    const int lane = threadIdx.x % 32;
    char *slab = tile + threadIdx.x / 32 * 2048;
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        ((spmm_words *)slab)[k * 32 + lane] = zero;
    __syncwarp();
    SPMM_UNROLL
    for (int k = 0; k < BANDS_AHEAD; k++)
        if (entries->first + k * 32 + lane < entries->end)
            BANDS_PASTE(BANDS_NAME, _put)(entries->vector[k], slab);
    SPMM_NO_UNROLL
    for (int vector = entries->first + BANDS_AHEAD * 32 + lane; vector < entries->end; vector += 32)
        BANDS_PASTE(BANDS_NAME, _put)(spmm_load(bands->entry + (long long)vector * 4), slab);
}

// Rows `first` … of B, columns of tile `tile` of C. Always one commit.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _copy_b)(const spmm_gpu_bands *bands, int tile,
                                                                 long long first, int there, char *to) {
    enum { VECTORS = BANDS_COLUMNS / 8, OF_ROW = BANDS_ROW / 16 };
    if (there) {
        SPMM_UNROLL
        for (int at = 0; at < SPMM_GPU_BAND_DEPTH * VECTORS; at += SPMM_GPU_BAND_THREADS) {
            const int mine = at + threadIdx.x, row = mine / VECTORS, wanted = mine % VECTORS;
            const int vector = tile * VECTORS + wanted;
            const int inside = first + row < bands->ncol && vector < bands->operands.vectors;
            const int place = wanted % OF_ROW ^ (BANDS_ROW == 128 ? row % 8 : row / 2 % 4);
            const char *from = (const char *)bands->operands.b;
            if (inside)
                from += (first + row) * bands->operands.b_stride + (long long)vector * 16;
            spmm_copy(to + wanted / OF_ROW * SPMM_GPU_BAND_DEPTH * BANDS_ROW + row * BANDS_ROW + place * 16,
                      from, inside);
        }
    }
    spmm_copy_commit();
}

__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _multiply)(const char *a, const char *b, float *sum) {
    const unsigned left = spmm_shared_address(a) + threadIdx.x / 128 * (BANDS_A / 2),
                   right = spmm_shared_address(b);
    spmm_group_begin();
    SPMM_UNROLL
    for (int k = 0; k < SPMM_GPU_BAND_DEPTH / 16; k++)
        BANDS_PASTE(BANDS_PASTE(BANDS_PASTE(spmm_group_, BANDS_TYPE), _), BANDS_COLUMNS)
    (sum, spmm_describe(left + k * 32, 16, 1024, 128),
     spmm_describe(right + k * 16 * BANDS_ROW, SPMM_GPU_BAND_DEPTH * BANDS_ROW, 8 * BANDS_ROW, BANDS_ROW));
    spmm_group_commit();
}

// Leaves the sums of a part; true in the block of the part that came last, with the sums of all parts.
__device__ __forceinline__ int BANDS_PASTE(BANDS_NAME, _meet)(const spmm_gpu_operands *operands,
                                                              spmm_gpu_part part, int number, int tile,
                                                              unsigned *shared, float *sum) {
    spmm_words *partial = (spmm_words *)operands->partial + threadIdx.x;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS / 4; k++) {
        spmm_words some;
        SPMM_UNROLL
        for (int word = 0; word < 4; word++)
            some.word[word] = spmm_bits(sum[4 * k + word]);
        partial[(((long long)number * operands->tiles + tile) * (BANDS_SUMS / 4) + k) *
                SPMM_GPU_BAND_THREADS] = some;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        *shared = atomicAdd(&operands->arrived[(long long)part.first * operands->tiles + tile], 1u);
        if ((int)*shared == part.count - 1)
            operands->arrived[(long long)part.first * operands->tiles + tile] = 0;
    }
    __syncthreads();
    if ((int)*shared != part.count - 1)
        return 0;
    __threadfence();
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k++)
        sum[k] = 0;
    SPMM_NO_UNROLL
    for (int p = part.first; p < part.first + part.count; p++) {
        SPMM_UNROLL
        for (int k = 0; k < BANDS_SUMS / 4; k++) {
            const spmm_words some =
                spmm_load_sums(partial + (((long long)p * operands->tiles + tile) * (BANDS_SUMS / 4) + k) *
                                             SPMM_GPU_BAND_THREADS);
            SPMM_UNROLL
            for (int word = 0; word < 4; word++)
                sum[4 * k + word] += spmm_float(some.word[word]);
        }
    }
    return 1;
}

// By way of shared memory, whose other contents nobody needs any more.
__device__ __forceinline__ void BANDS_PASTE(BANDS_NAME, _store)(const spmm_gpu_bands *bands, int band,
                                                                int tile, float *staged, const float *sum) {
    enum { VECTORS = BANDS_COLUMNS / 8 };
    const spmm_gpu_operands *operands = &bands->operands;
    const int lane = threadIdx.x % 32;
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k += 2) {
        const int row = threadIdx.x / 32 * 16 + lane / 4 + k % 4 / 2 * 8, column = k / 4 * 8 + lane % 4 * 2;
        *(float2 *)(staged + row * BANDS_STAGED + column) = make_float2(sum[k], sum[k + 1]);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < SPMM_GPU_BAND_ROWS * VECTORS; at += SPMM_GPU_BAND_THREADS) {
        const long long row = (long long)band * SPMM_GPU_BAND_ROWS + at / VECTORS;
        const int vector = tile * VECTORS + at % VECTORS;
        float numbers[8];
        SPMM_UNROLL
        for (int k = 0; k < 8; k++)
            numbers[k] = staged[at / VECTORS * BANDS_STAGED + at % VECTORS * 8 + k];
        if (row < bands->nrow && vector < operands->vectors)
            BANDS_PASTE(spmm_store_, BANDS_TYPE)
        ((char *)operands->c + row * operands->c_stride, vector, numbers, operands->alpha, operands->beta,
         operands->wide);
    }
}

SHIM_KERNEL void __launch_bounds__(SPMM_GPU_BAND_THREADS, BANDS_RESIDENT)
    BANDS_NAME(const __grid_constant__ spmm_gpu_bands bands) {
    SPMM_GROUP_SHARED(shared); /* tiles: three of A, four of B */
    char *a = shared, *b = a + 3 * BANDS_A;
    const spmm_gpu_operands *operands = &bands.operands;
    const spmm_gpu_piece piece = bands.pieces[blockIdx.x / operands->tiles];
    const int tile = (int)(blockIdx.x % operands->tiles), count = piece.count;
    const int step = piece.first % bands.steps;
    const int *start =
        bands.start + ((long long)(piece.first / bands.steps) * 8 + threadIdx.x / 32) * bands.steps + step;
    BANDS_PASTE(BANDS_NAME, _entries) entries;
    float sum[BANDS_SUMS];
    int next = 0; /* end of the slab after the one that is in registers */
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k++)
        sum[k] = 0;
    entries.end = count > 0 ? __ldg(start) : 0;
    BANDS_PASTE(BANDS_NAME, _read_ahead)(&bands, count > 0 ? __ldg(start + 1) : 0, &entries);
    if (count > 1)
        next = __ldg(start + 2);
    BANDS_PASTE(BANDS_NAME, _copy_b)(&bands, tile, (long long)step * SPMM_GPU_BAND_DEPTH, count > 0, b);
    BANDS_PASTE(BANDS_NAME, _copy_b)
    (&bands, tile, (long long)(step + 1) * SPMM_GPU_BAND_DEPTH, count > 1, b + BANDS_B);
    BANDS_PASTE(BANDS_NAME, _expand)(&bands, &entries, a);
    if (count > 1)
        BANDS_PASTE(BANDS_NAME, _read_ahead)(&bands, next, &entries);
    if (count > 2)
        next = __ldg(start + 3);
    SPMM_NO_UNROLL
    for (int k = 0; k < count; k++) {
        spmm_copy_wait();
        spmm_group_publish();
        __syncthreads();
        BANDS_PASTE(BANDS_NAME, _multiply)(a + k % 3 * BANDS_A, b + k % 4 * BANDS_B, sum);
        spmm_group_wait_one();
        BANDS_PASTE(BANDS_NAME, _copy_b)
        (&bands, tile, (long long)(step + k + 2) * SPMM_GPU_BAND_DEPTH, k + 2 < count,
         b + (k + 2) % 4 * BANDS_B);
        if (k + 1 < count)
            BANDS_PASTE(BANDS_NAME, _expand)(&bands, &entries, a + (k + 1) % 3 * BANDS_A);
        if (k + 2 < count)
            BANDS_PASTE(BANDS_NAME, _read_ahead)(&bands, next, &entries);
        if (k + 3 < count)
            next = __ldg(start + k + 4);
    }
    spmm_group_wait();
    SPMM_UNROLL
    for (int k = 0; k < BANDS_SUMS; k++)
        spmm_group_hold(&sum[k]);
    __syncthreads();
    int band = piece.window;
    if (band < 0) {
        const spmm_gpu_part part = bands.parts[-1 - band];
        if (!BANDS_PASTE(BANDS_NAME, _meet)(operands, part, -1 - band, tile, (unsigned *)shared, sum))
            return;
        band = part.target;
        __syncthreads();
    }
    BANDS_PASTE(BANDS_NAME, _store)(&bands, band, tile, (float *)shared, sum);
}

#undef BANDS_PASTE
#undef BANDS_PASTE2
#undef BANDS_JOIN
#undef BANDS_JOIN2
#undef BANDS_NAME
#undef BANDS_SUMS
#undef BANDS_ROW
#undef BANDS_A
#undef BANDS_B
#undef BANDS_AHEAD
#undef BANDS_STAGED
#undef BANDS_COLUMNS
#undef BANDS_RESIDENT
