// Device kernels that bring A into the format of the kernels strips_… (pack.h).

// The entries of a strip that were not met yet.
typedef struct pack_strip {
    long long at[SPMM_GPU_STRIP_ROWS], end[SPMM_GPU_STRIP_ROWS];
} pack_strip;

__device__ __forceinline__ void pack_strip_begin(const spmm_pack_strips *pack, long long strip,
                                                 pack_strip *rows) {
    SPMM_UNROLL
    for (int r = 0; r < SPMM_GPU_STRIP_ROWS; r++) {
        const long long place = strip * SPMM_GPU_STRIP_ROWS + r;
        rows->at[r] = rows->end[r] = 0;
        if (place < pack->a.place_count) {
            const long long row = pack_row(&pack->a, place);
            rows->at[r] = pack->a.start[row];
            rows->end[r] = pack->a.start[row + 1];
        }
    }
}

// The smallest column that was not met; 2^31 - 1 if all were.
__device__ __forceinline__ int pack_strip_column(const spmm_pack_strips *pack, const pack_strip *rows) {
    int least = 0x7fffffff;
    SPMM_UNROLL
    for (int r = 0; r < SPMM_GPU_STRIP_ROWS; r++)
        if (rows->at[r] < rows->end[r]) {
            const int column = __ldg(pack->a.column + rows->at[r]);
            least = column < least ? column : least;
        }
    return least;
}

// Whether row r has an entry in that column, which is met then.
__device__ __forceinline__ int pack_strip_meets(const spmm_pack_strips *pack, pack_strip *rows, int r,
                                                int column) {
    if (rows->at[r] >= rows->end[r] || __ldg(pack->a.column + rows->at[r]) != column)
        return 0;
    rows->at[r]++;
    return 1;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_strips_count(const __grid_constant__ spmm_pack_strips pack) {
    const long long strip = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (strip * SPMM_GPU_STRIP_ROWS >= pack.a.place_count)
        return;
    pack_strip rows;
    long long columns = 0;
    pack_strip_begin(&pack, strip, &rows);
    for (int column = pack_strip_column(&pack, &rows); column != 0x7fffffff;
         column = pack_strip_column(&pack, &rows), columns++) {
        SPMM_UNROLL
        for (int r = 0; r < SPMM_GPU_STRIP_ROWS; r++)
            pack_strip_meets(&pack, &rows, r, column);
    }
    pack.count[strip] = (columns + 3) / 4;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_strips(const __grid_constant__ spmm_pack_strips pack) {
    const long long strip = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (strip * SPMM_GPU_STRIP_ROWS >= pack.a.place_count)
        return;
    const int step_bytes = 16 + 4 * SPMM_GPU_STRIP_ROWS * pack_bytes(&pack.a);
    const long long steps = pack.count[strip + 1] - pack.count[strip];
    char *step = (char *)pack.step + pack.count[strip] * step_bytes;
    pack_strip rows;
    int column = 0;
    pack_strip_begin(&pack, strip, &rows);
    for (long long k = 0; k < 4 * steps; k++) {
        const int next = pack_strip_column(&pack, &rows);
        column = next != 0x7fffffff ? next : column; /* the last one is repeated */
        ((int *)step)[k % 4] = column;
        SPMM_UNROLL
        for (int r = 0; r < SPMM_GPU_STRIP_ROWS; r++) {
            const long long from = rows.at[r], to = k % 4 * SPMM_GPU_STRIP_ROWS + r;
            if (pack_strip_meets(&pack, &rows, r, next))
                pack_put(&pack.a, from, step + 16, to);
            else
                pack_put_zero(&pack.a, step + 16, to);
        }
        step += k % 4 == 3 ? step_bytes : 0;
    }
    pack.start[strip] = (int)pack.count[strip];
    pack.row[strip] = (int)pack_row(&pack.a, strip * SPMM_GPU_STRIP_ROWS);
    if ((strip + 1) * SPMM_GPU_STRIP_ROWS >= pack.a.place_count)
        pack.start[strip + 1] = (int)pack.count[strip + 1];
}
