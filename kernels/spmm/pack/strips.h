// Device kernels that bring A into the format of the kernels strips_… (pack.h).

// The entries of a strip that were not met yet.
typedef struct pack_strip {
    long long at[SPMM_GPU_STRIP_ROWS], end[SPMM_GPU_STRIP_ROWS];
    int column[SPMM_GPU_STRIP_ROWS]; // of the next entry of each row; PACK_STRIP_END after the last
} pack_strip;

enum { PACK_STRIP_END = 0x7fffffff };

__device__ __forceinline__ void pack_strip_read(const spmm_pack_strips *pack, pack_strip *rows, int r) {
    rows->column[r] = rows->at[r] < rows->end[r] ? __ldg(pack->a.column + rows->at[r]) : PACK_STRIP_END;
}

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
        pack_strip_read(pack, rows, r);
    }
}

// The smallest column that was not met; PACK_STRIP_END if all were.
__device__ __forceinline__ int pack_strip_column(const pack_strip *rows) {
    int least = PACK_STRIP_END;
    SPMM_UNROLL
    for (int r = 0; r < SPMM_GPU_STRIP_ROWS; r++)
        least = rows->column[r] < least ? rows->column[r] : least;
    return least;
}

// Whether row r has an entry in that column, which is met then.
__device__ __forceinline__ int pack_strip_meets(const spmm_pack_strips *pack, pack_strip *rows, int r,
                                                int column) {
    if (column == PACK_STRIP_END || rows->column[r] != column)
        return 0;
    rows->at[r]++;
    pack_strip_read(pack, rows, r);
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
    for (int column = pack_strip_column(&rows); column != PACK_STRIP_END;
         column = pack_strip_column(&rows), columns++) {
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
    for (long long k = 0; k < steps; k++, step += step_bytes) {
        int columns[4];
        SPMM_UNROLL
        for (int c = 0; c < 4; c++) {
            const int next = pack_strip_column(&rows);
            columns[c] = column = next != PACK_STRIP_END ? next : column; // the last one is repeated
            SPMM_UNROLL
            for (int r = 0; r < SPMM_GPU_STRIP_ROWS; r++) {
                const long long from = rows.at[r];
                if (pack_strip_meets(&pack, &rows, r, next))
                    pack_put(&pack.a, from, step + 16, c * SPMM_GPU_STRIP_ROWS + r);
                else
                    pack_put_zero(&pack.a, step + 16, c * SPMM_GPU_STRIP_ROWS + r);
            }
        }
        ((int2 *)step)[0] = make_int2(columns[0], columns[1]);
        ((int2 *)step)[1] = make_int2(columns[2], columns[3]);
    }
    pack.start[strip] = (int)pack.count[strip];
    pack.row[strip] = (int)pack_row(&pack.a, strip * SPMM_GPU_STRIP_ROWS);
    if ((strip + 1) * SPMM_GPU_STRIP_ROWS >= pack.a.place_count)
        pack.start[strip + 1] = (int)pack.count[strip + 1];
}
