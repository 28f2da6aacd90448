#include "spmm/windows.h"
#include "base/memory.h"
#include "spmm/format.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = SPMM_GPU_CHUNK, MOST_HEIGHT = 128 };

int spmm_windows_position(spmm_precision precision, int row, int column) {
    const int bytes = (int)spmm_format_bytes(spmm_format_of(precision)), side = 16 / bytes;
    const int half = row / 8 % 2, low = column % 2, high = column / 2 % 2;
    const int element = bytes == 2   ? high * 4 + half * 2 + low
                        : bytes == 4 ? high * 4 + low * 2 + half
                                     : column % 4 * 2 + half;
    return ((row / 16 * 8 / side + element / side) * 32 + row % 8 * 4 + column / 4) * side + element % side;
}

/* ---- one window ---- */

/* Entries of a window by column, then by row: column << 32 | number of the entry in the window. */
typedef struct window_entries {
    uint64_t *key, *other;
    int64_t capacity, count;
    int64_t first[MOST_HEIGHT + 1]; /* entry of each row, and the end */
} window_entries;

static int64_t row_of(const spmm_windows *windows, const spmm_csr *a, int64_t at) {
    if (at >= a->nrow)
        return -1;
    return windows->shape.order != NULL ? windows->shape.order[at] : at;
}

static void merge(const uint64_t *left, const uint64_t *middle, const uint64_t *right, uint64_t *to) {
    const uint64_t *other = middle;
    while (left < middle && other < right)
        *to++ = *left <= *other ? *left++ : *other++;
    while (left < middle)
        *to++ = *left++;
    while (other < right)
        *to++ = *other++;
}

/* False: no memory. */
static bool sort_window(const spmm_windows *windows, const spmm_csr *a, int64_t window,
                        window_entries *entries) {
    const int height = windows->shape.height;
    int64_t edge[MOST_HEIGHT + 1];
    entries->first[0] = 0;
    for (int r = 0; r < height; r++) {
        const int64_t row = row_of(windows, a, window * height + r);
        entries->first[r + 1] = entries->first[r] + (row < 0 ? 0 : a->start[row + 1] - a->start[row]);
    }
    entries->count = entries->first[height];
    if (entries->count > entries->capacity) {
        entries->capacity = entries->count + entries->count / 2;
        free(entries->key);
        free(entries->other);
        entries->key = malloc((size_t)entries->capacity * sizeof *entries->key);
        entries->other = malloc((size_t)entries->capacity * sizeof *entries->other);
        if (entries->key == NULL || entries->other == NULL)
            return false;
    }
    for (int r = 0; r < height; r++) {
        const int64_t row = row_of(windows, a, window * height + r);
        for (int64_t k = entries->first[r]; k < entries->first[r + 1]; k++)
            entries->key[k] = (uint64_t)a->index[a->start[row] + k - entries->first[r]] << 32 | (uint64_t)k;
    }
    memcpy(edge, entries->first, sizeof edge);
    for (int runs = height; runs > 1; runs /= 2) {
        for (int run = 0; run < runs / 2; run++) {
            merge(entries->key + edge[2 * run], entries->key + edge[2 * run + 1],
                  entries->key + edge[2 * run + 2], entries->other + edge[2 * run]);
            edge[run] = edge[2 * run];
        }
        edge[runs / 2] = entries->count;
        uint64_t *swap = entries->key;
        entries->key = entries->other;
        entries->other = swap;
    }
    return true;
}

static int64_t count_columns(const window_entries *entries) {
    int64_t count = 0;
    for (int64_t k = 0; k < entries->count; k++)
        count += k == 0 || entries->key[k] >> 32 != entries->key[k - 1] >> 32;
    return count;
}

/* Entry `at` with its position in bytes. */
static void put_entry(spmm_precision precision, const void *value, int64_t from, int position, void *to,
                      int64_t at) {
    uint16_t *halves = (uint16_t *)to + 2 * at;
    switch (spmm_format_of(precision)) {
    case SPMM_FORMAT_FP64:
        ((spmm_gpu_double_entry *)to)[at] =
            (spmm_gpu_double_entry){.column = 8 * position, .value = ((const double *)value)[from]};
        break;
    case SPMM_FORMAT_FP32:
        ((spmm_gpu_entry *)to)[at].column = 4 * position;
        spmm_pack_value(precision, value, from, &((spmm_gpu_entry *)to)[at].value, 0);
        break;
    default: halves[0] = (uint16_t)(2 * position); spmm_pack_value(precision, value, from, halves, 1);
    }
}

/* Chunks of a window, from `chunk` on; entries from `entry` on. */
static void fill_window(spmm_windows *windows, const spmm_csr *a, int64_t window,
                        const window_entries *entries, int64_t chunk, int64_t entry) {
    const spmm_windows_shape *shape = &windows->shape;
    const int64_t tile = (int64_t)shape->height * CHUNK;
    int64_t columns = 0; /* met */
    chunk--;
    for (int64_t k = 0; k < entries->count; k++) {
        const int64_t number = (int64_t)(entries->key[k] & 0xffffffff);
        const int32_t column = (int32_t)(entries->key[k] >> 32);
        int r = 0;
        if (k == 0 || entries->key[k] >> 32 != entries->key[k - 1] >> 32) {
            if (columns++ % CHUNK == 0) {
                windows->start[++chunk] = entry;
                for (int q = 0; q < CHUNK; q++)
                    windows->column[chunk * CHUNK + q] = column;
            }
            windows->column[chunk * CHUNK + (columns - 1) % CHUNK] = column;
        }
        for (int step = shape->height / 2; step > 0; step /= 2)
            r += entries->first[r + step] <= number ? step : 0;
        const int position = spmm_windows_position(shape->precision, r, (int)((columns - 1) % CHUNK));
        const int64_t from =
            a->start[row_of(windows, a, window * shape->height + r)] + number - entries->first[r];
        if (shape->dense)
            spmm_pack_value(shape->precision, a->value, from, windows->value, chunk * tile + position);
        else
            put_entry(shape->precision, a->value, from, position, windows->value, entry);
        entry++;
    }
}

/* ---- all windows ---- */

/* Distinct columns of each window into chunks[window + 1] (as chunks), then sums of them. */
static base_status count_chunks(base_context *context, const spmm_windows *windows, const spmm_csr *a,
                                int64_t *chunks) {
    bool ok = true;
#pragma omp parallel num_threads(context->threads) reduction(&& : ok)
    {
        window_entries entries = {.key = NULL};
#pragma omp for schedule(dynamic, 64)
        for (int64_t window = 0; window < windows->window_count; window++) {
            ok = ok && sort_window(windows, a, window, &entries);
            chunks[window + 1] = ok ? (count_columns(&entries) + CHUNK - 1) / CHUNK : 0;
        }
        free(entries.key);
        free(entries.other);
    }
    chunks[0] = 0;
    for (int64_t window = 0; window < windows->window_count; window++)
        chunks[window + 1] += chunks[window];
    return ok ? BASE_OK : base_fail(context, BASE_MACHINE, "no memory for the windows of a matrix");
}

static base_status fill_chunks(base_context *context, spmm_windows *windows, const spmm_csr *a,
                               const int64_t *chunks, const int64_t *first) {
    bool ok = true;
#pragma omp parallel num_threads(context->threads) reduction(&& : ok)
    {
        window_entries entries = {.key = NULL};
#pragma omp for schedule(dynamic, 64)
        for (int64_t window = 0; window < windows->window_count; window++) {
            ok = ok && sort_window(windows, a, window, &entries);
            if (ok)
                fill_window(windows, a, window, &entries, chunks[window], first[window]);
        }
        free(entries.key);
        free(entries.other);
    }
    return ok ? BASE_OK : base_fail(context, BASE_MACHINE, "no memory for the windows of a matrix");
}

base_status spmm_windows_init(base_context *context, const spmm_csr *a, const spmm_windows_shape *shape,
                              spmm_windows *windows) {
    base_status status = BASE_MACHINE;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(shape->precision)), entry_bytes = 2 * bytes;
    int64_t *chunks = NULL, *first = NULL;
    *windows = (spmm_windows){.shape = *shape};
    windows->window_count = (a->nrow + shape->height - 1) / shape->height;
    chunks = base_alloc(context, windows->window_count + 1, sizeof *chunks);
    first = base_alloc(context, windows->window_count + 1, sizeof *first);
    windows->row = base_alloc(context, windows->window_count * shape->height + 1, sizeof *windows->row);
    if (chunks == NULL || first == NULL || windows->row == NULL)
        goto done;
    first[0] = 0;
    for (int64_t at = 0; at < windows->window_count * shape->height; at++) {
        const int64_t row = row_of(windows, a, at), window = at / shape->height;
        windows->row[at] = (int32_t)row;
        if (at % shape->height == 0)
            first[window + 1] = first[window];
        first[window + 1] += row < 0 ? 0 : a->start[row + 1] - a->start[row];
    }
    BASE_TRY(count_chunks(context, windows, a, chunks));
    status = BASE_MACHINE;
    windows->chunk_count = chunks[windows->window_count];
    if (windows->chunk_count > INT32_MAX) {
        status = base_fail(context, BASE_FAILED, "more than 2^31 chunks of columns");
        goto done;
    }
    windows->column = base_alloc(context, windows->chunk_count * CHUNK + 1, sizeof *windows->column);
    windows->start = base_alloc(context, windows->chunk_count + 1, sizeof *windows->start);
    windows->bytes =
        shape->dense ? windows->chunk_count * shape->height * CHUNK * bytes : a->nnz * entry_bytes;
    windows->value = base_alloc_zero(context, windows->bytes + 1, 1);
    if (windows->column == NULL || windows->start == NULL || windows->value == NULL)
        goto done;
    windows->start[windows->chunk_count] = a->nnz;
    BASE_TRY(fill_chunks(context, windows, a, chunks, first));
    BASE_TRY(spmm_pieces_init(context, chunks, windows->window_count, shape->most, &windows->pieces));
done:
    free(chunks);
    free(first);
    if (status != BASE_OK)
        spmm_windows_free(windows);
    return status;
}

void spmm_windows_free(spmm_windows *windows) {
    if (windows == NULL)
        return;
    spmm_pieces_free(&windows->pieces);
    free(windows->row);
    free(windows->column);
    free(windows->start);
    free(windows->value);
    memset(windows, 0, sizeof *windows);
}
