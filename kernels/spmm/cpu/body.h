/* SPDX-License-Identifier: BSD-3-Clause */
/* Products row by row, included once by the file of each instruction set for each format of B after defining
 *
 *     SPMM_TARGET              the function attribute that turns the instructions on, or nothing
 *     SPMM_STORED, SPMM_REAL   types of the numbers of B, and of the sums, of A and of C
 *     SPMM_LANES               sums in a vector
 *     SPMM_NAME(x)             x with a suffix of the format
 *     SPMM_VECTOR              the vector's type
 *     SPMM_GET(p), SPMM_GET_PART(p, n)                   numbers of B as sums, all or the first n >= 1
 *     SPMM_LOAD_PART(p, n), SPMM_STORE_PART(p, v, n)     numbers of C, the first n
 *     SPMM_SPLAT(x), SPMM_FMA(a, b, c)
 *     SPMM_TILE                vectors of each of 4 rows that fit the registers
 *
 * A block of columns of a row of C, up to 8 vectors wide, stays in registers while the row's entries pass by;
 * rows of B are fetched some entries ahead, across the ends of rows, as their places are random. */
#ifndef SPMM_INLINE
#define SPMM_INLINE static inline __attribute__((always_inline)) SPMM_TARGET
#if defined(__clang__)
#define SPMM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SPMM_UNROLL _Pragma("GCC unroll 8")
#endif
enum { SPMM_BLOCK_VECTORS = 8, SPMM_LINE_BYTES = 64, SPMM_SUPERNODES = 4 /* rows that are done at once */ };
#endif

#define SPMM_TILE_ROWS SPMM_NAME(tile)

/* Prefetches a block of columns of the row of B that entry k needs. */
SPMM_INLINE void SPMM_NAME(fetch)(const spmm_job *job, int64_t k, int64_t column, const int vectors) {
    const char *line = (const char *)((const SPMM_STORED *)job->b + job->a->index[k] * job->b_row + column);
    SPMM_UNROLL
    for (int byte = 0; byte < vectors * SPMM_LANES * (int)sizeof(SPMM_STORED); byte += SPMM_LINE_BYTES)
        __builtin_prefetch(line + byte, 0, 3);
}

/* C = alpha sum + beta C; the last vector has `tail` numbers. */
SPMM_INLINE void SPMM_NAME(finish)(const spmm_job *job, const SPMM_VECTOR *sum, const int vectors,
                                   int64_t tail, SPMM_REAL *c) {
    const SPMM_VECTOR alpha = SPMM_SPLAT((SPMM_REAL)job->alpha), beta = SPMM_SPLAT((SPMM_REAL)job->beta);
    SPMM_UNROLL
    for (int v = 0; v < vectors; v++) {
        const int64_t lanes = v < vectors - 1 ? SPMM_LANES : tail;
        SPMM_VECTOR result = alpha * sum[v];
        if (job->beta != 0)
            result = SPMM_FMA(beta, SPMM_LOAD_PART(c + v * SPMM_LANES, lanes), result);
        SPMM_STORE_PART(c + v * SPMM_LANES, result, lanes);
    }
}

/* One row of a block of columns; the last of its vectors has `tail` numbers. */
SPMM_INLINE void SPMM_NAME(row)(const spmm_job *job, int64_t row, int64_t column, const int vectors,
                                int64_t tail, int64_t last_fetch) {
    const spmm_csr *a = job->a;
    const SPMM_REAL *value = a->value;
    const SPMM_STORED *b = (const SPMM_STORED *)job->b + column;
    SPMM_REAL *c = (SPMM_REAL *)job->c + row * job->c_row + column;
    SPMM_VECTOR sum[SPMM_BLOCK_VECTORS];
    SPMM_UNROLL
    for (int v = 0; v < vectors; v++)
        sum[v] = SPMM_SPLAT(0);
    for (int64_t k = a->start[row]; k < a->start[row + 1]; k++) {
        const SPMM_VECTOR factor = SPMM_SPLAT(value[k]);
        const SPMM_STORED *from = b + a->index[k] * job->b_row;
        if (k < last_fetch)
            SPMM_NAME(fetch)(job, k + SPMM_AHEAD, column, vectors);
        SPMM_UNROLL
        for (int v = 0; v < vectors - 1; v++)
            sum[v] = SPMM_FMA(factor, SPMM_GET(from + v * SPMM_LANES), sum[v]);
        sum[vectors - 1] =
            SPMM_FMA(factor, SPMM_GET_PART(from + (vectors - 1) * SPMM_LANES, tail), sum[vectors - 1]);
    }
    SPMM_NAME(finish)(job, sum, vectors, tail, c);
}

/* SPMM_SUPERNODES rows with the same columns, up to SPMM_TILE vectors: a number of B that is read serves all.
 */
SPMM_INLINE void SPMM_TILE_ROWS(const spmm_job *job, int64_t row, int64_t column, const int vectors,
                                int64_t tail, int64_t last_fetch) {
    const spmm_csr *a = job->a;
    const int64_t count = a->start[row + 1] - a->start[row];
    const int32_t *index = a->index + a->start[row];
    const SPMM_REAL *value = (const SPMM_REAL *)a->value + a->start[row];
    const SPMM_STORED *b = (const SPMM_STORED *)job->b + column;
    SPMM_VECTOR sum[SPMM_SUPERNODES][SPMM_TILE];
    SPMM_UNROLL
    for (int i = 0; i < SPMM_SUPERNODES; i++) {
        SPMM_UNROLL
        for (int v = 0; v < vectors; v++)
            sum[i][v] = SPMM_SPLAT(0);
    }
    for (int64_t k = 0; k < count; k++) {
        const SPMM_STORED *from = b + index[k] * job->b_row;
        SPMM_VECTOR part[SPMM_TILE];
        if (a->start[row] + k < last_fetch)
            SPMM_NAME(fetch)(job, a->start[row] + k + SPMM_AHEAD, column, vectors);
        SPMM_UNROLL
        for (int v = 0; v < vectors - 1; v++)
            part[v] = SPMM_GET(from + v * SPMM_LANES);
        part[vectors - 1] = SPMM_GET_PART(from + (vectors - 1) * SPMM_LANES, tail);
        SPMM_UNROLL
        for (int i = 0; i < SPMM_SUPERNODES; i++) {
            const SPMM_VECTOR factor = SPMM_SPLAT(value[i * count + k]);
            SPMM_UNROLL
            for (int v = 0; v < vectors; v++)
                sum[i][v] = SPMM_FMA(factor, part[v], sum[i][v]);
        }
    }
    SPMM_UNROLL
    for (int i = 0; i < SPMM_SUPERNODES; i++)
        SPMM_NAME(finish)(job, sum[i], vectors, tail, (SPMM_REAL *)job->c + (row + i) * job->c_row + column);
}

/* A block of columns of supernode rows, tile by tile. */
SPMM_INLINE void SPMM_NAME(tiles)(const spmm_job *job, int64_t row, int64_t column, const int vectors,
                                  int64_t tail, int64_t last_fetch) {
    SPMM_UNROLL
    for (int v = 0; v < vectors; v += SPMM_TILE) {
        const int rest = vectors - v < SPMM_TILE ? vectors - v : SPMM_TILE;
        SPMM_TILE_ROWS(job, row, column + v * SPMM_LANES, rest, v + rest == vectors ? tail : SPMM_LANES,
                       last_fetch);
    }
}

/* Rows first … end-1 in a block of columns; supernodes of four rows are done at once. */
SPMM_INLINE void SPMM_NAME(rows)(const spmm_job *job, int64_t first, int64_t end, int64_t column,
                                 const int vectors, int64_t tail) {
    const int64_t last_fetch = job->a->nnz - SPMM_AHEAD;
    const uint8_t *supernode = job->supernode;
    for (int64_t row = first; row < end; row++)
        if (supernode != NULL && row + SPMM_SUPERNODES <= end &&
            (supernode[row + 1] & supernode[row + 2] & supernode[row + 3]) != 0) {
            SPMM_NAME(tiles)(job, row, column, vectors, tail, last_fetch);
            row += SPMM_SUPERNODES - 1;
        } else {
            SPMM_NAME(row)(job, row, column, vectors, tail, last_fetch);
        }
}

/* Whole vectors get a loop without masks. */
SPMM_INLINE void SPMM_NAME(column_block)(const spmm_job *job, int64_t first, int64_t end, int64_t column,
                                         const int vectors, int64_t tail) {
    if (tail == SPMM_LANES)
        SPMM_NAME(rows)(job, first, end, column, vectors, SPMM_LANES);
    else
        SPMM_NAME(rows)(job, first, end, column, vectors, tail);
}

/* Each width has a function of its own, in which the sums are registers. */
#define SPMM_WIDTH(vectors)                                                                                  \
    static SPMM_TARGET void SPMM_NAME(column_block##vectors)(const spmm_job *job, int64_t first,             \
                                                             int64_t end, int64_t column, int64_t tail) {    \
        SPMM_NAME(column_block)(job, first, end, column, vectors, tail);                                     \
    }
SPMM_WIDTH(1)
SPMM_WIDTH(2)
SPMM_WIDTH(3)
SPMM_WIDTH(4)
SPMM_WIDTH(5)
SPMM_WIDTH(6)
SPMM_WIDTH(7)
SPMM_WIDTH(8)
#undef SPMM_WIDTH

static SPMM_TARGET void SPMM_NAME(run)(const spmm_job *job, int64_t first, int64_t end) {
    static void (*const blocks[])(const spmm_job *, int64_t, int64_t, int64_t, int64_t) = {
        SPMM_NAME(column_block1), SPMM_NAME(column_block2), SPMM_NAME(column_block3),
        SPMM_NAME(column_block4), SPMM_NAME(column_block5), SPMM_NAME(column_block6),
        SPMM_NAME(column_block7), SPMM_NAME(column_block8)};
    for (int64_t column = 0; column < job->n; column += SPMM_BLOCK_VECTORS * SPMM_LANES) {
        const int64_t left = job->n - column;
        const int64_t lanes = left < SPMM_BLOCK_VECTORS * SPMM_LANES ? left : SPMM_BLOCK_VECTORS * SPMM_LANES;
        const int64_t vectors = (lanes + SPMM_LANES - 1) / SPMM_LANES;
        blocks[vectors - 1](job, first, end, column, lanes - (vectors - 1) * SPMM_LANES);
    }
}
