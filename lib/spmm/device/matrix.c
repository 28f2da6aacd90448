/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/device/matrix.h"
#include "base/run/progress.h"

#include <string.h>

extern const base_device_fatbin spmm_pack_gpu_fatbin;

bool spmm_device_is_built(void) {
    return base_device_has_code(&spmm_pack_gpu_fatbin);
}

/* Puts slices one after the other from an address on; returns their bytes. */
static int64_t place(const spmm_device_slice *slices, int count, uint64_t address) {
    int64_t bytes = 0;
    for (int k = 0; k < count; k++) {
        *slices[k].address = address + (uint64_t)bytes;
        bytes += (slices[k].bytes + 255) / 256 * 256;
    }
    return bytes;
}

base_status spmm_device_take(base_context *context, spmm_device_matrix *matrix,
                             const spmm_device_slice *slices, int count, base_device_buffer *own) {
    base_status status = BASE_OK;
    const int64_t bytes = place(slices, count, matrix->room);
    *own = (base_device_buffer){.device = NULL};
    if (matrix->room + (uint64_t)bytes <= matrix->buffer.address + (uint64_t)matrix->buffer.bytes) {
        matrix->room += (uint64_t)bytes;
        goto done;
    }
    BASE_TRY(base_device_alloc(context, matrix->device, bytes + 1, 1, own));
    place(slices, count, own->address);
done:
    return status;
}

base_status spmm_device_clear(base_context *context, const spmm_device_matrix *matrix,
                              const base_device_buffer *own, uint64_t address, int64_t bytes) {
    const base_device_buffer *buffer = own->address != 0 ? own : &matrix->buffer;
    if (bytes == 0)
        return BASE_OK;
    return base_device_fill(context, buffer, (int64_t)(address - buffer->address), 0, bytes, NULL);
}

base_status spmm_device_load_packs(base_context *context, base_device *device) {
#define NAME(x, kernel, type) #kernel,
    static const char *const names[] = {SPMM_PACK_KERNELS(NAME, )};
#undef NAME
    base_status status;
    base_device_module *module;
    base_device_function function;
    BASE_TRY(base_device_get_module(context, device, &spmm_pack_gpu_fatbin, &module));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        BASE_TRY(base_device_get_function(context, module, names[k], &function));
done:
    return status;
}

base_status spmm_device_pack(base_context *context, base_device *device, const char *name,
                             const base_device_launch_config *shape, void *argument) {
    base_status status;
    base_device_module *module;
    base_device_function function;
    if (shape->grid[0] == 0)
        return BASE_OK;
    BASE_TRY(base_device_get_module(context, device, &spmm_pack_gpu_fatbin, &module));
    BASE_TRY(base_device_get_function(context, module, name, &function));
    if (shape->shared_bytes > 48 << 10)
        BASE_TRY(base_device_allow_shared(context, &function, shape->shared_bytes));
    BASE_TRY(base_device_launch(context, &function, shape, NULL, (void *[]){argument}));
done:
    return status;
}

/* Blocks of pack_scan, or of pack_scan_sums, for so many counts. */
static int64_t count_scans(int64_t length) {
    return length > 0 ? (length + SPMM_PACK_SCAN_COUNTS - 1) / SPMM_PACK_SCAN_COUNTS : 1;
}

base_status spmm_device_scan(base_context *context, const spmm_device_matrix *matrix, int64_t length,
                             int arrays, int64_t *total) {
    base_status status;
    spmm_pack_scan pack = {.total = (long long *)matrix->total,
                           .sum = (long long *)(uintptr_t)matrix->sum,
                           .length = length,
                           .blocks = count_scans(length)};
    const base_device_launch_config shape = {.grid = {(unsigned)(arrays * pack.blocks)},
                                             .block = {SPMM_PACK_SCAN_THREADS}};
    for (int k = 0; k < arrays; k++)
        pack.count[k] = (long long *)(uintptr_t)matrix->count[k];
    if (pack.blocks > 1)
        BASE_TRY(spmm_device_pack(context, matrix->device, "pack_scan_sums", &shape, &pack));
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_scan", &shape, &pack));
    BASE_TRY(spmm_device_totals(context, matrix, arrays, total));
done:
    return status;
}

base_status spmm_device_totals(base_context *context, const spmm_device_matrix *matrix, int arrays,
                               int64_t *total) {
    base_status status;
    BASE_TRY(base_device_wait(context, matrix->device));
    memcpy(total, matrix->total, (size_t)arrays * sizeof *total);
done:
    return status;
}

/* ---- compressed rows ---- */

base_status spmm_device_matrix_init(base_context *context, base_device *device, const spmm_csr *a,
                                    spmm_precision precision, int64_t room_bytes,
                                    spmm_device_matrix *matrix) {
    base_status status;
    const double begin = base_clock_seconds();
    /* Kernels read entries of doubles where they lie, and ahead; others are copied with room (pack_entries).
     */
    const int64_t behind = precision == SPMM_FP64 ? SPMM_GPU_ENTRIES_BEHIND : 0;
    const int64_t value_bytes = precision == SPMM_FP64 ? 8 : 4, starts = (a->nrow + 1) * 8,
                  windows = (a->nrow + SPMM_PACK_LOW_ROWS - 1) / SPMM_PACK_LOW_ROWS;
    uint64_t start, column, value;
    *matrix = (spmm_device_matrix){.device = device};
    const spmm_device_slice slices[] = {{&start, starts},
                                        {&column, (a->nnz + behind) * 4},
                                        {&value, (a->nnz + behind) * value_bytes},
                                        {&matrix->count[0], starts},
                                        {&matrix->count[1], starts},
                                        {&matrix->sum, 16 * count_scans(a->nrow + SPMM_PACK_BAND)},
                                        {&matrix->before, windows * 16}};
    enum { SLICES = sizeof slices / sizeof *slices };
    const int64_t bytes = place(slices, SLICES, 0);
    BASE_TRY(base_device_alloc(context, device, bytes + room_bytes + 256, 1, &matrix->buffer));
    matrix->room = matrix->buffer.address + (uint64_t)place(slices, SLICES, matrix->buffer.address);
    const base_device_buffer *buffer = &matrix->buffer;
    const uint64_t base = buffer->address;
    BASE_TRY(base_device_upload(context, buffer, (int64_t)(start - base), a->start, starts, NULL));
    BASE_TRY(base_device_upload(context, buffer, (int64_t)(column - base), a->index, a->nnz * 4, NULL));
    BASE_TRY(
        base_device_upload(context, buffer, (int64_t)(value - base), a->value, a->nnz * value_bytes, NULL));
    BASE_TRY(spmm_device_clear(context, matrix, buffer, column + (uint64_t)(a->nnz * 4), behind * 4));
    BASE_TRY(spmm_device_clear(context, matrix, buffer, value + (uint64_t)(a->nnz * value_bytes),
                               behind * value_bytes));
    matrix->a = (spmm_pack_matrix){.start = (const long long *)(uintptr_t)start,
                                   .column = (const int *)(uintptr_t)column,
                                   .value = (const void *)(uintptr_t)value,
                                   .nrow = a->nrow,
                                   .ncol = a->ncol,
                                   .nnz = a->nnz,
                                   .place_count = a->nrow,
                                   .format = (int)spmm_format_of(precision)};
    BASE_TRY(base_device_get_mailbox(context, device, &matrix->total));
    BASE_TRY(spmm_device_clear(context, matrix, &(base_device_buffer){.address = 0}, matrix->before,
                               windows * 16));
    matrix->is_before_clear = true;
    matrix->send_seconds = base_clock_seconds() - begin;
done:
    if (status != BASE_OK)
        spmm_device_matrix_free(matrix);
    return status;
}

void spmm_device_matrix_free(spmm_device_matrix *matrix) {
    if (matrix == NULL)
        return;
    base_device_free(&matrix->buffer);
    *matrix = (spmm_device_matrix){.device = NULL};
}

/* ---- entries ---- */

base_status spmm_device_entries_init(base_context *context, spmm_device_matrix *matrix,
                                     spmm_device_entries *entries) {
    base_status status;
    const spmm_pack_matrix *a = &matrix->a;
    const int64_t count = a->nnz + SPMM_GPU_ENTRIES_BEHIND;
    const int64_t bytes = count * (int64_t)sizeof(spmm_gpu_entry);
    *entries = (spmm_device_entries){.start = (uint64_t)(uintptr_t)a->start,
                                     .entry = (uint64_t)(uintptr_t)a->value,
                                     .column = (uint64_t)(uintptr_t)a->column};
    if (a->format == SPMM_FORMAT_FP64)
        return BASE_OK;
    BASE_TRY(
        spmm_device_take(context, matrix, &(spmm_device_slice){&entries->entry, bytes}, 1, &entries->own));
    spmm_pack_entries pack = {.a = *a, .entry = (void *)(uintptr_t)entries->entry};
    BASE_TRY(spmm_device_pack(
        context, matrix->device, "pack_entries",
        &(base_device_launch_config){.grid = {spmm_device_blocks(count)}, .block = {SPMM_PACK_THREADS}},
        &pack));
done:
    if (status != BASE_OK)
        spmm_device_entries_free(entries);
    return status;
}

void spmm_device_entries_free(spmm_device_entries *entries) {
    if (entries == NULL)
        return;
    base_device_free(&entries->own);
    *entries = (spmm_device_entries){.start = 0};
}
