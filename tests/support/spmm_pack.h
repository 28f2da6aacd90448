/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels pack_… (kernels/spmm/pack/pack.h) on the CPU: A in the formats of the other device
 * kernels. Included after shim.h, once in a program. */
#ifndef TESTS_SUPPORT_SPMM_PACK_H
#define TESTS_SUPPORT_SPMM_PACK_H

#include "spmm/pack/gpu.cu"

#include "spmm/common/kernel.h"

typedef struct packed {
    int64_t worker_count, long_count, part_count, windows, chunks, steps; /* long ones come first */
    void *worker;                                                         /* segments, partitions or pieces */
    spmm_gpu_part *part;
    int *row, *column, *first_group;
    long long *start;
    unsigned short *position; /* of panels; columns of B-stationary */
    void *value;
    void *entry;
} packed;

static SHIM_UNUSED void packed_free(packed *it) {
    free(it->worker);
    free(it->part);
    free(it->row);
    free(it->column);
    free(it->first_group);
    free(it->start);
    free(it->position);
    free(it->value);
    free(it->entry);
}

/* ---- launches ---- */

#define PACK_THREAD(x, kernel, type)                                                                         \
    static SHIM_UNUSED void x##kernel(void *argument) {                                                      \
        kernel(*(const type *)argument);                                                                     \
    }
SPMM_PACK_KERNELS(PACK_THREAD, call_)
#undef PACK_THREAD

/* `call`: call_… of the kernel. */
static void pack_launch(void (*call)(void *argument), const void *argument, int64_t blocks, int threads,
                        int64_t shared_bytes) {
    shim_launch(call, (void *)argument, (shim_index){(unsigned)blocks, 1, 1},
                (shim_index){(unsigned)threads, 1, 1}, (size_t)shared_bytes);
}

static int64_t pack_blocks(int64_t threads) {
    return (threads + SPMM_PACK_THREADS - 1) / SPMM_PACK_THREADS;
}

static void pack_scan_counts(long long *first, long long *second, int64_t length, long long total[2]) {
    const int64_t blocks = (length + SPMM_PACK_SCAN_COUNTS - 1) / SPMM_PACK_SCAN_COUNTS + (length == 0),
                  arrays = second != NULL ? 2 : 1;
    const spmm_pack_scan scan = {{first, second}, total, calloc((size_t)blocks, 16), length, blocks};
    if (blocks > 1)
        pack_launch(call_pack_scan_sums, &scan, arrays * blocks, SPMM_PACK_SCAN_THREADS, 0);
    pack_launch(call_pack_scan, &scan, arrays * blocks, SPMM_PACK_SCAN_THREADS, 0);
    free(scan.sum);
}

static void *pack_room(int64_t count, int64_t size) {
    void *room = malloc((size_t)((count + 1) * size));
    memset(room, 0xa5, (size_t)((count + 1) * size));
    return room;
}

/* All rows of A. */
static SHIM_UNUSED spmm_pack_matrix pack_matrix_of(const spmm_csr *a, spmm_precision precision) {
    return (spmm_pack_matrix){.start = (const long long *)a->start,
                              .column = a->index,
                              .value = a->value,
                              .nrow = a->nrow,
                              .ncol = a->ncol,
                              .nnz = a->nnz,
                              .place_count = a->nrow,
                              .format = (int)spmm_format_of(precision)};
}

/* ---- formats ---- */

/* Doubles: as they are in A. */
static SHIM_UNUSED void *packed_entries(const spmm_pack_matrix *a) {
    const int64_t count = a->nnz + SPMM_GPU_ENTRIES_BEHIND;
    const spmm_pack_entries pack = {*a, pack_room(count, sizeof(spmm_gpu_entry))};
    if (a->format == SPMM_FORMAT_FP64)
        return memcpy(pack.entry, a->value, (size_t)a->nnz * sizeof(double));
    pack_launch(call_pack_entries, &pack, pack_blocks(count), SPMM_PACK_THREADS, 0);
    return pack.entry;
}

/* Segments, or partitions. */
/* Long segments have at most 3 `most` entries. */
static SHIM_UNUSED packed packed_rows(const spmm_pack_matrix *a, bool merges, int most) {
    packed it = {0};
    long long total[2] = {0, 0};
    spmm_pack_rows pack = {.a = *a,
                           .most = most,
                           .long_most = 3 * most,
                           .stretch = 2 * most,
                           .count = pack_room(a->place_count + 1, 8),
                           .long_count = pack_room(a->place_count + 1, 8)};
    const int64_t blocks = pack_blocks(a->place_count);
    pack_launch(merges ? call_pack_merge_count : call_pack_segments_count, &pack, blocks, SPMM_PACK_THREADS,
                0);
    pack_scan_counts(pack.count, merges ? NULL : pack.long_count, a->place_count, total);
    it.worker_count = total[0] & 0xffffffff;
    it.part_count = total[merges ? 0 : 1] >> 32;
    it.long_count = pack.long_total = merges ? 0 : total[1] & 0xffffffff;
    pack.worker = it.worker = pack_room(it.worker_count + it.long_count, sizeof(spmm_gpu_merge_partition));
    pack.part = it.part = pack_room(it.part_count, sizeof *it.part);
    pack_launch(merges ? call_pack_merge : call_pack_segments, &pack, blocks, SPMM_PACK_THREADS, 0);
    free(pack.count);
    free(pack.long_count);
    return it;
}

static SHIM_UNUSED packed packed_rowpairs(const spmm_pack_matrix *a) {
    packed it = {.windows = (a->place_count + SPMM_GPU_ROWPAIR_ROWS - 1) / SPMM_GPU_ROWPAIR_ROWS};
    long long total[2];
    spmm_pack_rowpairs pack = {.a = *a, .count = pack_room(it.windows + 1, 8)};
    pack_launch(call_pack_rowpairs_count, &pack, pack_blocks(it.windows), SPMM_PACK_THREADS, 0);
    pack_scan_counts(pack.count, NULL, it.windows, total);
    it.steps = total[0];
    pack.start = it.first_group = pack_room(it.windows + 1, 4);
    pack.row = it.row = pack_room(it.windows, 4);
    pack.step = it.value = pack_room(it.steps + 1, 16 + 4 * SPMM_GPU_ROWPAIR_ROWS * 8);
    pack_launch(call_pack_rowpairs, &pack, pack_blocks(it.windows), SPMM_PACK_THREADS, 0);
    free(pack.count);
    return it;
}

static SHIM_UNUSED packed packed_splits(const spmm_pack_matrix *a) {
    packed it = {.windows = (a->nrow + SPMM_PACK_BAND - 1) / SPMM_PACK_BAND};
    it.steps = (a->ncol * 4 + SPMM_GPU_BAND_BYTES - 1) / SPMM_GPU_BAND_BYTES;
    it.value = calloc((size_t)(it.windows * it.steps + 1), 2 * SPMM_PACK_BAND * SPMM_GPU_BAND_BYTES);
    const spmm_pack_splits pack = {.a = *a, .steps = it.steps, .value = it.value};
    pack_launch(call_pack_splits, &pack, pack_blocks(32 * a->nrow), SPMM_PACK_THREADS, 0);
    return it;
}

/* Entries of each row before the end of each chunk of columns. */
static SHIM_UNUSED int *packed_before(const spmm_pack_matrix *a, int chunk, int chunks) {
    const spmm_pack_chunks pack = {
        .a = *a, .chunk = chunk, .chunks = chunks, .before = pack_room(a->nrow * chunks, sizeof(int))};
    pack_launch(call_pack_chunks, &pack, pack_blocks(a->nrow * chunks), SPMM_PACK_THREADS, 0);
    return pack.before;
}

/* In chunks of so many columns. Bundles are windows, those of all chunks; batches are chunks. */
static SHIM_UNUSED packed packed_bstationary(const spmm_pack_matrix *a, int chunk) {
    enum { BATCH = SPMM_GPU_BSTATIONARY_ROWS * 4 };
    const int chunks = (int)((a->ncol + chunk - 1) / chunk);
    packed it = {.windows = (a->nrow + SPMM_GPU_BSTATIONARY_ROWS - 1) / SPMM_GPU_BSTATIONARY_ROWS * chunks};
    long long total[2];
    int *before = packed_before(a, chunk, chunks);
    spmm_pack_bstationary pack = {.a = *a,
                                  .chunk = chunk,
                                  .chunks = chunks,
                                  .before = before,
                                  .count = pack_room(it.windows + 1, 8),
                                  .order = pack_room(a->nrow * chunks, sizeof(int))};
    pack_launch(call_pack_bstationary_sort, &pack, pack_blocks(a->nrow) * chunks, SPMM_PACK_THREADS, 0);
    pack_scan_counts(pack.count, NULL, it.windows, total);
    it.chunks = total[0];
    pack.start = it.first_group = pack_room(it.windows + 1, 4);
    pack.row = it.row = pack_room(a->nrow * chunks, 4);
    pack.column = it.position = pack_room((it.chunks + SPMM_GPU_BSTATIONARY_BEHIND) * BATCH, 2);
    pack.value = it.value = pack_room((it.chunks + SPMM_GPU_BSTATIONARY_BEHIND) * BATCH, 8);
    pack_launch(call_pack_bstationary, &pack, pack_blocks(32 * SPMM_GPU_BSTATIONARY_ROWS * it.windows),
                SPMM_PACK_THREADS, 0);
    free(pack.count);
    free(pack.order);
    free(before);
    return it;
}

/* `words` of columns at a time. With no room at first, which tells how much is needed. */
static SHIM_UNUSED packed packed_rowwindows(const spmm_pack_matrix *a, int height, bool dense, int most,
                                            int words, int threads) {
    packed it = {.windows = (a->place_count + height - 1) / height};
    long long total[2] = {0, 0};
    spmm_pack_rowwindows pack = {.a = *a,
                                 .height = height,
                                 .dense = dense,
                                 .words = words,
                                 .most = most,
                                 .sum = calloc((size_t)it.windows + 1, 16),
                                 .total = total};
    const int shared_bytes = words * 4 + words / SPMM_PACK_GROUP * 4;
    /* what windows without columns leave */
    pack.row = pack_room(it.windows * height, 4);
    pack.start = pack_room(1, 8);
    pack.piece = pack_room(it.windows, sizeof(spmm_gpu_piece));
    pack_launch(call_pack_rowwindows, &pack, it.windows, threads, shared_bytes);
    free(pack.row);
    free(pack.start);
    free(pack.piece);
    it.chunks = pack.room = total[0];
    it.worker_count = total[1] & 0xffffffff;
    it.part_count = total[1] >> 32;
    const int64_t values = dense ? it.chunks * height * SPMM_GPU_CHUNK : a->nnz;
    memset(pack.sum, 0, (size_t)it.windows * 16);
    pack.row = it.row = pack_room(it.windows * height, 4);
    pack.column = it.column = pack_room(it.chunks * SPMM_GPU_CHUNK, 4);
    pack.start = it.start = pack_room(it.chunks + 1, 8);
    pack.cursor = pack_room(it.chunks, 4);
    pack.value = it.value = pack_room(values, 16);
    pack.piece = it.worker = pack_room(it.worker_count, sizeof(spmm_gpu_piece));
    pack.part = it.part = pack_room(it.part_count, sizeof *it.part);
    pack_launch(call_pack_rowwindows, &pack, it.windows, threads, shared_bytes);
    free(pack.sum);
    free(pack.cursor);
    return it;
}

static SHIM_UNUSED packed packed_panels(const spmm_pack_matrix *a, int depth, int parts) {
    packed it = {.windows = (a->place_count + SPMM_PACK_BAND - 1) / SPMM_PACK_BAND,
                 .steps = (a->ncol + depth - 1) / depth};
    it.worker_count = it.windows * parts;
    it.part_count = parts > 1 ? it.worker_count : 0;
    it.worker = pack_room(it.worker_count, sizeof(spmm_gpu_piece));
    it.part = pack_room(it.part_count, sizeof *it.part);
    it.start = pack_room(it.windows * it.steps + 1, 8);
    it.position = pack_room(a->nnz, 2);
    it.value = pack_room(a->nnz, 8);
    const spmm_pack_tiles pack = {.a = *a,
                                  .depth = depth,
                                  .steps = (int)it.steps,
                                  .parts = parts,
                                  .start = it.start,
                                  .position = it.position,
                                  .value = it.value,
                                  .piece = it.worker,
                                  .part = it.part};
    pack_launch(call_pack_panels, &pack, it.windows, SPMM_PACK_PANEL_THREADS, it.steps * 4);
    return it;
}

static SHIM_UNUSED packed packed_bands(const spmm_pack_matrix *a, int parts) {
    const int depth = SPMM_GPU_BAND_BYTES / (a->format == SPMM_FORMAT_FP32 ? 4 : 2);
    packed it = {.windows = (a->place_count + SPMM_PACK_BAND - 1) / SPMM_PACK_BAND,
                 .steps = (a->ncol + depth - 1) / depth};
    const int64_t subtiles = it.windows * SPMM_PACK_SUBTILES;
    long long total[2];
    it.worker_count = it.windows * parts;
    it.part_count = parts > 1 ? it.worker_count : 0;
    it.worker = pack_room(it.worker_count, sizeof(spmm_gpu_piece));
    it.part = pack_room(it.part_count, sizeof *it.part);
    it.first_group = pack_room(subtiles * it.steps + 1, 4);
    spmm_pack_tiles pack = {.a = *a,
                            .depth = depth,
                            .steps = (int)it.steps,
                            .parts = parts,
                            .count = pack_room(subtiles + 1, 8),
                            .subtile_start = it.first_group,
                            .piece = it.worker,
                            .part = it.part};
    pack_launch(call_pack_bands_count, &pack, subtiles, SPMM_PACK_THREADS, it.steps * 4);
    pack_scan_counts(pack.count, NULL, subtiles, total);
    it.chunks = total[0];
    pack.value = it.value = pack_room(it.chunks, 16);
    pack_launch(call_pack_bands, &pack, subtiles, SPMM_PACK_THREADS, it.steps * 4);
    free(pack.count);
    return it;
}

/* Rows of whole vectors of 16 bytes, made in `tile` vectors at a time; in the place for values. */
static SHIM_UNUSED packed packed_dense(const spmm_pack_matrix *a, int tile) {
    const int64_t many = 16 / spmm_format_bytes((spmm_format)a->format),
                  stride = (a->ncol + many - 1) / many * many;
    packed it = {.steps = stride, .value = pack_room(a->nrow * stride, 8)};
    const spmm_pack_dense pack = {.a = *a, .stride = stride, .tile = (int)(tile * many), .value = it.value};
    pack_launch(call_pack_dense, &pack, a->nrow, SPMM_PACK_THREADS, tile * 16);
    return it;
}

/* Values of 16 bits, and for each warp (`windows` blocks of them) its row, how many the row has, and which of
 * them it is: row, column, first_group. */
static SHIM_UNUSED packed packed_tca(const spmm_pack_matrix *a, int64_t n, bool several) {
    packed it = {.value = pack_room(a->nnz, 2)};
    const int64_t groups = (a->nrow + SPMM_PACK_TCA_ROWS - 1) / SPMM_PACK_TCA_ROWS;
    const int tiles = n > SPMM_TCA_TILE ? (int)((n + SPMM_TCA_TILE - 1) / SPMM_TCA_TILE) : 1;
    long long total[2];
    pack_launch(call_pack_values, &(spmm_pack_entries){*a, it.value}, pack_blocks(a->nnz), SPMM_PACK_THREADS,
                0);
    spmm_pack_tca pack = {.a = *a, .tiles = tiles, .several = several, .count = pack_room(groups + 1, 8)};
    pack_launch(call_pack_tca_count, &pack, pack_blocks(groups), SPMM_PACK_THREADS, 0);
    pack_scan_counts(pack.count, NULL, groups, total);
    it.windows = total[0];
    pack.row = it.row = pack_room(it.windows * SPMM_TCA_WARPS, 4);
    pack.warps = it.column = pack_room(it.windows * SPMM_TCA_WARPS, 4);
    pack.within = it.first_group = pack_room(it.windows * SPMM_TCA_WARPS, 4);
    pack_launch(call_pack_tca, &pack, pack_blocks(groups), SPMM_PACK_THREADS, 0);
    free(pack.count);
    return it;
}

#endif
