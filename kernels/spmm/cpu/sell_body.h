/* SPDX-License-Identifier: BSD-3-Clause */
/* Products by slices (common/kernel.h): SPMM_SELL_ROWS rows side by side, a block of columns at a time,
 * whose rows of B stay in the second-level cache as a panel. Included by the file of each instruction set
 * after body.h for floats and doubles, with its definitions and
 *
 *     SPMM_STREAM(p, v)   a vector to an address that is a multiple of its bytes, past the caches,
 *
 * and SPMM_FENCE(), which comes after them. Steps of a row without an entry have the value 0 and a row of the
 * panel that is -0: that changes no sum, not even the sign of a zero. */
#ifndef SPMM_NUMBERS
#define SPMM_NUMBERS (SPMM_SELL_BYTES / (int)sizeof(SPMM_REAL)) /* of a row of a panel */
#define SPMM_PARTS (SPMM_NUMBERS / SPMM_LANES)
#if defined(__clang__)
#define SPMM_UNROLL_ROWS _Pragma("clang loop unroll(full)")
#else
#define SPMM_UNROLL_ROWS _Pragma("GCC unroll 16")
#endif
enum {
    SPMM_SELL_AHEAD = 4,   /* whose sums are fetched ahead */
    SPMM_PANEL_AHEAD = 128 /* rows of B that are */
};
#endif

/* Where the sums of a row are kept between blocks of columns of A. */
SPMM_INLINE SPMM_REAL *SPMM_NAME(partial)(const spmm_sell_job *job, int64_t row) {
    return (SPMM_REAL *)job->partial + (row - job->first_row) * SPMM_NUMBERS;
}

/* Whether finished sums are streamed to C past the caches: C is not read, and its rows are aligned and whole.
 */
SPMM_INLINE bool SPMM_NAME(streams)(const spmm_sell_job *job) {
    const spmm_job *whole = job->whole;
    const SPMM_REAL *c = (const SPMM_REAL *)whole->c + job->column;
    return job->is_last && job->columns == SPMM_NUMBERS && whole->beta == 0 &&
           ((uintptr_t)c | (uintptr_t)(whole->c_row * (int64_t)sizeof *c)) % SPMM_SELL_BYTES == 0;
}

/* Adds the products of a slice in this block to the sums of its rows. */
SPMM_INLINE void SPMM_NAME(slice)(const spmm_sell_job *job, const bool is_first, const bool streams,
                                  const spmm_sell_slice *slice, const char *entry) {
    const SPMM_REAL *panel = job->panel;
    SPMM_VECTOR sum[SPMM_SELL_ROWS][SPMM_PARTS];
    SPMM_UNROLL
    for (int i = 0; i < SPMM_SELL_ROWS; i++) {
        const SPMM_REAL *from = SPMM_NAME(partial)(job, slice->row[i]);
        SPMM_UNROLL
        for (int v = 0; v < SPMM_PARTS; v++)
            sum[i][v] = is_first ? SPMM_SPLAT(0) : SPMM_GET(from + v * SPMM_LANES);
    }
    for (int32_t step = 0; step < slice->steps; step++) {
        /* One load for all places: the processor loads less often than it can shift. */
        const uint64_t places = *(const uint64_t *)(const void *)entry;
        const SPMM_REAL *value = (const SPMM_REAL *)(const void *)(entry + sizeof places);
        SPMM_UNROLL
        for (int i = 0; i < SPMM_SELL_ROWS; i++) {
            const SPMM_VECTOR factor = SPMM_SPLAT(value[i]);
            const SPMM_REAL *from = panel + (places >> 16 * i & UINT16_MAX) * SPMM_NUMBERS;
            SPMM_UNROLL
            for (int v = 0; v < SPMM_PARTS; v++)
                sum[i][v] = SPMM_FMA(factor, SPMM_GET(from + v * SPMM_LANES), sum[i][v]);
        }
        entry = (const char *)(value + SPMM_SELL_ROWS);
    }
    const SPMM_VECTOR alpha = SPMM_SPLAT((SPMM_REAL)job->whole->alpha);
    SPMM_UNROLL
    for (int i = 0; i < SPMM_SELL_ROWS; i++) {
        SPMM_REAL *c = (SPMM_REAL *)job->whole->c + slice->row[i] * job->whole->c_row + job->column,
                  *to = SPMM_NAME(partial)(job, slice->row[i]);
        if (i >= slice->rows)
            break;
        SPMM_UNROLL
        for (int v = 0; v < SPMM_PARTS; v++)
            if (streams)
                SPMM_STREAM(c + v * SPMM_LANES, alpha * sum[i][v]);
            else
                *(SPMM_VECTOR *)(void *)(to + v * SPMM_LANES) = sum[i][v];
    }
}

SPMM_INLINE void SPMM_NAME(block)(const spmm_sell_job *job, const bool is_first, const bool streams) {
    const char *entry = job->entry;
    for (int64_t k = 0; k < job->slices; k++) {
        const spmm_sell_slice *slice = &job->slice[k];
        /* The sums of a slice further on are fetched for writing; the first block does not read them, but
         * writes them just so. */
        if (k + SPMM_SELL_AHEAD < job->slices)
            for (int i = 0; i < SPMM_SELL_ROWS; i++)
                __builtin_prefetch(SPMM_NAME(partial)(job, slice[SPMM_SELL_AHEAD].row[i]), 1, 3);
        SPMM_NAME(slice)(job, is_first, streams, slice, entry);
        entry += slice->steps * (int64_t)(SPMM_SELL_ROWS * (sizeof(uint16_t) + sizeof(SPMM_REAL)));
    }
    SPMM_FENCE();
}

/* Computes C from the finished sums where these are not streamed. */
static SPMM_TARGET void SPMM_NAME(end_slices)(const spmm_sell_job *job) {
    for (int64_t k = 0; k < job->slices; k++)
        for (int i = 0; i < job->slice[k].rows; i++) {
            const int64_t row = job->slice[k].row[i];
            const SPMM_REAL *from = SPMM_NAME(partial)(job, row);
            SPMM_REAL *c = (SPMM_REAL *)job->whole->c + row * job->whole->c_row + job->column;
            for (int64_t at = 0; at < job->columns; at += SPMM_LANES) {
                const SPMM_VECTOR sum = SPMM_GET(from + at);
                const int64_t left = job->columns - at;
                SPMM_NAME(finish)(job->whole, &sum, 1, left < SPMM_LANES ? left : SPMM_LANES, c + at);
            }
        }
}

static SPMM_TARGET void SPMM_NAME(run_sell)(const spmm_sell_job *job) {
    const bool streams = SPMM_NAME(streams)(job);
    if (job->is_first && streams)
        SPMM_NAME(block)(job, true, true);
    else if (job->is_first)
        SPMM_NAME(block)(job, true, false);
    else if (streams)
        SPMM_NAME(block)(job, false, true);
    else
        SPMM_NAME(block)(job, false, false);
    if (job->is_last && !streams)
        SPMM_NAME(end_slices)(job);
}

/* Copies some rows of B to the panel, all loads before all stores: a load waits for an earlier store whose
 * address has the same last 12 bits. */
SPMM_INLINE void SPMM_NAME(spread_rows)(const SPMM_REAL *from, int64_t stride, SPMM_REAL *to) {
    enum { ROWS = SPMM_PARTS == 1 ? 16 : 4 };
    SPMM_VECTOR numbers[ROWS][SPMM_PARTS];
    SPMM_UNROLL_ROWS
    for (int r = 0; r < ROWS; r++) {
        SPMM_UNROLL
        for (int v = 0; v < SPMM_PARTS; v++)
            numbers[r][v] = SPMM_GET(from + r * stride + v * SPMM_LANES);
    }
    SPMM_UNROLL_ROWS
    for (int r = 0; r < ROWS; r++) {
        SPMM_UNROLL
        for (int v = 0; v < SPMM_PARTS; v++)
            *(SPMM_VECTOR *)(void *)(to + r * SPMM_NUMBERS + v * SPMM_LANES) = numbers[r][v];
    }
}

/* Rows first … end-1 of B, the job's columns, into a panel. */
static SPMM_TARGET void SPMM_NAME(spread)(const spmm_sell_job *job, int64_t first, int64_t end, void *panel) {
    enum { ROWS = SPMM_PARTS == 1 ? 16 : 4 };
    const int64_t stride = job->whole->b_row;
    const SPMM_REAL *from = (const SPMM_REAL *)job->whole->b + first * stride + job->column;
    SPMM_REAL *to = panel;
    int64_t row = first;
    for (; job->columns == SPMM_NUMBERS && row + ROWS <= end; row += ROWS) {
        if (row + SPMM_PANEL_AHEAD + ROWS <= end)
            for (int r = 0; r < ROWS; r++) {
                __builtin_prefetch(from + (SPMM_PANEL_AHEAD + r) * stride, 0, 2);
                __builtin_prefetch(to + (2 * ROWS + r) * SPMM_NUMBERS, 1, 3);
            }
        SPMM_NAME(spread_rows)(from, stride, to);
        from += ROWS * stride;
        to += ROWS * SPMM_NUMBERS;
    }
    for (; row < end; row++, from += stride, to += SPMM_NUMBERS) {
        SPMM_UNROLL
        for (int v = 0; v < SPMM_PARTS; v++) {
            const int64_t left = job->columns - v * SPMM_LANES;
            const SPMM_VECTOR numbers = left >= SPMM_LANES ? SPMM_GET(from + v * SPMM_LANES)
                                        : left > 0         ? SPMM_GET_PART(from + v * SPMM_LANES, left)
                                                           : SPMM_SPLAT(0);
            *(SPMM_VECTOR *)(void *)(to + v * SPMM_LANES) = numbers;
        }
    }
}
