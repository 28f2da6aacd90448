/* Products by slices (kernel.h): SPMM_SLICE_ROWS rows side by side, a block of columns at a time, whose rows
 * of B stay in the second-level cache as a panel. Included by the file of each instruction set after body.h
 * for floats and doubles, with its definitions and
 *
 *     SPMM_STREAM(p, v)   a vector to an address that is a multiple of its bytes, past the caches,
 *
 * and SPMM_FENCE(), which comes after them. Steps of a row without an entry have the value 0 and a row of the
 * panel that is -0: that changes no sum, not even the sign of a zero. */
#ifndef SPMM_NUMBERS
#define SPMM_NUMBERS (SPMM_SLICE_BYTES / (int)sizeof(SPMM_REAL)) /* of a row of a panel */
#define SPMM_PARTS (SPMM_NUMBERS / SPMM_LANES)
enum {
    SPMM_SLICES_AHEAD = 4, /* whose sums are fetched ahead */
    SPMM_PANEL_AHEAD = 64  /* rows of B that are */
};
#endif

/* The finished sums of a row. */
SPMM_INLINE void SPMM_NAME(end_slice)(const spmm_slice_job *job, const SPMM_VECTOR *sum, int64_t row) {
    const spmm_job *whole = job->whole;
    SPMM_REAL *c = (SPMM_REAL *)whole->c + row * whole->c_row + job->column;
    const SPMM_VECTOR alpha = SPMM_SPLAT((SPMM_REAL)whole->alpha);
    if (job->columns == SPMM_NUMBERS && whole->beta == 0 && (uintptr_t)c % SPMM_SLICE_BYTES == 0) {
        SPMM_UNROLL
        for (int v = 0; v < SPMM_PARTS; v++)
            SPMM_STREAM(c + v * SPMM_LANES, alpha * sum[v]);
        return;
    }
    for (int v = 0; v * SPMM_LANES < job->columns; v++) {
        const int64_t left = job->columns - v * SPMM_LANES;
        SPMM_NAME(finish)(whole, sum + v, 1, left < SPMM_LANES ? left : SPMM_LANES, c + v * SPMM_LANES);
    }
}

SPMM_INLINE void SPMM_NAME(slice)(const spmm_slice_job *job, const spmm_slice *slice, const char *entry) {
    const SPMM_REAL *panel = job->panel;
    SPMM_REAL *partial = job->partial;
    SPMM_VECTOR sum[SPMM_SLICE_ROWS][SPMM_PARTS];
    SPMM_UNROLL
    for (int i = 0; i < SPMM_SLICE_ROWS; i++) {
        const SPMM_REAL *from = partial + (slice->row[i] - job->first_row) * SPMM_NUMBERS;
        SPMM_UNROLL
        for (int v = 0; v < SPMM_PARTS; v++)
            sum[i][v] = job->is_first ? SPMM_SPLAT(0) : SPMM_GET(from + v * SPMM_LANES);
    }
    for (int32_t step = 0; step < slice->steps; step++) {
        const uint16_t *place = (const uint16_t *)(const void *)entry;
        const SPMM_REAL *value = (const SPMM_REAL *)(const void *)(place + SPMM_SLICE_ROWS);
        SPMM_UNROLL
        for (int i = 0; i < SPMM_SLICE_ROWS; i++) {
            const SPMM_VECTOR factor = SPMM_SPLAT(value[i]);
            const SPMM_REAL *from = panel + place[i] * SPMM_NUMBERS;
            SPMM_UNROLL
            for (int v = 0; v < SPMM_PARTS; v++)
                sum[i][v] = SPMM_FMA(factor, SPMM_GET(from + v * SPMM_LANES), sum[i][v]);
        }
        entry = (const char *)(value + SPMM_SLICE_ROWS);
    }
    for (int i = 0; i < slice->rows; i++) {
        SPMM_REAL *to = partial + (slice->row[i] - job->first_row) * SPMM_NUMBERS;
        if (job->is_last)
            SPMM_NAME(end_slice)(job, sum[i], slice->row[i]);
        else
            for (int v = 0; v < SPMM_PARTS; v++)
                SPMM_STORE_PART(to + v * SPMM_LANES, sum[i][v], SPMM_LANES);
    }
}

static SPMM_TARGET void SPMM_NAME(run_slices)(const spmm_slice_job *job) {
    const char *entry = job->entry;
    for (int64_t k = 0; k < job->slices; k++) {
        const spmm_slice *slice = &job->slice[k];
        if (!job->is_first && k + SPMM_SLICES_AHEAD < job->slices)
            for (int i = 0; i < SPMM_SLICE_ROWS; i++)
                __builtin_prefetch((SPMM_REAL *)job->partial +
                                       (slice[SPMM_SLICES_AHEAD].row[i] - job->first_row) * SPMM_NUMBERS,
                                   1, 3);
        SPMM_NAME(slice)(job, slice, entry);
        entry += slice->steps * (int64_t)(SPMM_SLICE_ROWS * (sizeof(uint16_t) + sizeof(SPMM_REAL)));
    }
    SPMM_FENCE();
}

static SPMM_TARGET void SPMM_NAME(spread)(const spmm_slice_job *job, int64_t first, int64_t end,
                                          void *panel) {
    const int64_t stride = job->whole->b_row;
    const SPMM_REAL *from = (const SPMM_REAL *)job->whole->b + first * stride + job->column;
    SPMM_REAL *to = panel;
    for (int64_t row = first; row < end; row++, from += stride, to += SPMM_NUMBERS) {
        if (row + SPMM_PANEL_AHEAD < end)
            __builtin_prefetch(from + SPMM_PANEL_AHEAD * stride, 0, 2);
        SPMM_UNROLL
        for (int v = 0; v < SPMM_PARTS; v++) {
            const int64_t left = job->columns - v * SPMM_LANES;
            const SPMM_VECTOR numbers = left >= SPMM_LANES ? SPMM_GET(from + v * SPMM_LANES)
                                        : left > 0         ? SPMM_GET_PART(from + v * SPMM_LANES, left)
                                                           : SPMM_SPLAT(0);
            SPMM_STORE_PART(to + v * SPMM_LANES, numbers, SPMM_LANES);
        }
    }
}
