/* SPDX-License-Identifier: BSD-3-Clause */
// Device kernels that bring A into the format of the kernels rowpairs_… (pack.h).

// A merge of the two rows of a pair: the entries that it has not reached yet.
typedef struct pack_rowpair {
    long long at[SPMM_GPU_ROWPAIR_ROWS], end[SPMM_GPU_ROWPAIR_ROWS];
    int column[SPMM_GPU_ROWPAIR_ROWS]; // of each row's next entry; PACK_ROWPAIR_END after its last
} pack_rowpair;

enum { PACK_ROWPAIR_END = 0x7fffffff };

__device__ __forceinline__ void pack_rowpair_read(const spmm_pack_rowpairs *pack, pack_rowpair *rows, int r) {
    rows->column[r] = rows->at[r] < rows->end[r] ? __ldg(pack->a.column + rows->at[r]) : PACK_ROWPAIR_END;
}

__device__ __forceinline__ void pack_rowpair_begin(const spmm_pack_rowpairs *pack, long long pair,
                                                   pack_rowpair *rows) {
    SPMM_UNROLL
    for (int r = 0; r < SPMM_GPU_ROWPAIR_ROWS; r++) {
        const long long place = pair * SPMM_GPU_ROWPAIR_ROWS + r;
        rows->at[r] = rows->end[r] = 0;
        if (place < pack->a.place_count) {
            const long long row = pack_row(&pack->a, place);
            rows->at[r] = pack->a.start[row];
            rows->end[r] = pack->a.start[row + 1];
        }
        pack_rowpair_read(pack, rows, r);
    }
}

// The smallest column among the next entries; PACK_ROWPAIR_END if there is none.
__device__ __forceinline__ int pack_rowpair_column(const pack_rowpair *rows) {
    int least = PACK_ROWPAIR_END;
    SPMM_UNROLL
    for (int r = 0; r < SPMM_GPU_ROWPAIR_ROWS; r++)
        least = rows->column[r] < least ? rows->column[r] : least;
    return least;
}

// Whether the next entry of row r is in that column; if so, the row goes on to the entry after it.
__device__ __forceinline__ int pack_rowpair_has(const spmm_pack_rowpairs *pack, pack_rowpair *rows, int r,
                                                int column) {
    if (column == PACK_ROWPAIR_END || rows->column[r] != column)
        return 0;
    rows->at[r]++;
    pack_rowpair_read(pack, rows, r);
    return 1;
}

// A thread a pair: the steps that it takes for the union of the columns of its rows, four a step.
SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_rowpairs_count(const __grid_constant__ spmm_pack_rowpairs pack) {
    const long long pair = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (pair * SPMM_GPU_ROWPAIR_ROWS >= pack.a.place_count)
        return;
    pack_rowpair rows;
    long long columns = 0;
    pack_rowpair_begin(&pack, pair, &rows);
    for (int column = pack_rowpair_column(&rows); column != PACK_ROWPAIR_END;
         column = pack_rowpair_column(&rows), columns++) {
        SPMM_UNROLL
        for (int r = 0; r < SPMM_GPU_ROWPAIR_ROWS; r++)
            pack_rowpair_has(&pack, &rows, r, column);
    }
    pack.count[pair] = (columns + 3) / 4;
}

SHIM_KERNEL void __launch_bounds__(SPMM_PACK_THREADS)
    pack_rowpairs(const __grid_constant__ spmm_pack_rowpairs pack) {
    const long long pair = (long long)blockIdx.x * SPMM_PACK_THREADS + threadIdx.x;
    if (pair * SPMM_GPU_ROWPAIR_ROWS >= pack.a.place_count)
        return;
    const int step_bytes = 16 + 4 * SPMM_GPU_ROWPAIR_ROWS * pack_bytes(&pack.a);
    const long long steps = pack.count[pair + 1] - pack.count[pair];
    char *step = (char *)pack.step + pack.count[pair] * step_bytes;
    pack_rowpair rows;
    int column = 0;
    pack_rowpair_begin(&pack, pair, &rows);
    for (long long k = 0; k < steps; k++, step += step_bytes) {
        int columns[4];
        SPMM_UNROLL
        for (int c = 0; c < 4; c++) {
            const int next = pack_rowpair_column(&rows);
            // Behind the last column it is repeated, with zeros: its row of B is there already.
            columns[c] = column = next != PACK_ROWPAIR_END ? next : column;
            SPMM_UNROLL
            for (int r = 0; r < SPMM_GPU_ROWPAIR_ROWS; r++) {
                const long long from = rows.at[r];
                if (pack_rowpair_has(&pack, &rows, r, next))
                    pack_put(&pack.a, from, step + 16, c * SPMM_GPU_ROWPAIR_ROWS + r);
                else
                    pack_put_zero(&pack.a, step + 16, c * SPMM_GPU_ROWPAIR_ROWS + r);
            }
        }
        ((int2 *)step)[0] = make_int2(columns[0], columns[1]);
        ((int2 *)step)[1] = make_int2(columns[2], columns[3]);
    }
    pack.start[pair] = (int)pack.count[pair];
    pack.row[pair] = (int)pack_row(&pack.a, pair * SPMM_GPU_ROWPAIR_ROWS);
    if ((pair + 1) * SPMM_GPU_ROWPAIR_ROWS >= pack.a.place_count)
        pack.start[pair + 1] = (int)pack.count[pair + 1];
}
