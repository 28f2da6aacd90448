/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/products.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin h2_large_gpu_fatbin;

base_status h2_device_get_kernels(base_context *context, base_device *device, h2_device_kernels *kernels) {
    base_status status;
    base_device_module *module;
    kernels->device = device;
    BASE_TRY(base_device_get_module(context, device, &h2_large_gpu_fatbin, &module));
    BASE_TRY(base_device_get_function(context, module, "h2_gpu_sum_products", &kernels->sum));
    BASE_TRY(base_device_get_function(context, module, "h2_gpu_factor", &kernels->factor));
    BASE_TRY(base_device_get_function(context, module, "h2_gpu_weigh_rows", &kernels->weigh));
    BASE_TRY(base_device_get_function(context, module, "h2_gpu_resolve", &kernels->resolve));
    BASE_TRY(base_device_get_function(context, module, "h2_gpu_settle", &kernels->settle));
done:
    return status;
}

/* ---- sums of products ---- */

base_status h2_device_products_open(base_context *context, int64_t sums, int64_t terms,
                                    h2_device_products *list) {
    memset(list, 0, sizeof *list);
    list->sum = base_alloc(context, sums + 1, sizeof *list->sum);
    list->term = base_alloc(context, terms + 1, sizeof *list->term);
    return list->sum != NULL && list->term != NULL ? BASE_OK : BASE_MACHINE;
}

void h2_device_products_close(h2_device_products *list) {
    base_device_free(&list->sum_buffer);
    base_device_free(&list->term_buffer);
    free(list->sum);
    free(list->term);
    memset(list, 0, sizeof *list);
}

void h2_device_products_begin(h2_device_products *list, uint64_t c, int64_t m, int64_t n, int flags) {
    if (m > 0 && n > 0)
        list->sum[list->sums++] = (h2_gpu_products){
            .c = c, .first = list->terms, .m = (int)m, .n = (int)n, .stride = (int)n, .flags = flags};
}

void h2_device_products_add(h2_device_products *list, int64_t p, h2_device_factor a, h2_device_factor b) {
    list->sum[list->sums - 1].count++;
    list->term[list->terms++] =
        (h2_gpu_term){.a = a.address,
                      .b = b.address,
                      .p = (int)p,
                      .flags = (a.single ? H2_GPU_LEFT_SINGLE : 0) | (b.single ? H2_GPU_RIGHT_SINGLE : 0),
                      .a_row = (int)a.row,
                      .a_col = (int)a.col,
                      .b_row = (int)b.row,
                      .b_col = (int)b.col};
}

base_status h2_device_products_send(base_context *context, base_device *device, h2_device_products *list) {
    base_status status;
    BASE_TRY(h2_device_send(context, device, list->sum, list->sums, sizeof *list->sum, &list->sum_buffer));
    BASE_TRY(
        h2_device_send(context, device, list->term, list->terms, sizeof *list->term, &list->term_buffer));
done:
    return status;
}

base_status h2_device_products_launch(base_context *context, const h2_device_kernels *kernels,
                                      const h2_device_products *list, int64_t first, int64_t end) {
    int64_t most = 0;
    uint64_t sums = list->sum_buffer.address + (uint64_t)first * sizeof *list->sum,
             terms = list->term_buffer.address;
    if (first == end)
        return BASE_OK;
    for (int64_t k = first; k < end; k++) {
        const int64_t rows = (list->sum[k].m + H2_GPU_SUM_EDGE - 1) / H2_GPU_SUM_EDGE,
                      cols = (list->sum[k].n + H2_GPU_SUM_EDGE - 1) / H2_GPU_SUM_EDGE;
        most = rows * cols > most ? rows * cols : most;
    }
    const base_device_launch_config shape = {.grid = {(unsigned)(end - first), (unsigned)most},
                                             .block = {H2_GPU_SUM_THREADS}};
    return base_device_launch(context, &kernels->sum, &shape, NULL, (void *[]){&sums, &terms});
}

/* ---- pieces ---- */

base_status h2_device_pieces_open(base_context *context, base_device *device, int64_t tasks, int64_t most,
                                  int64_t all, h2_device_pieces *pieces) {
    base_status status;
    int64_t free_bytes = 0;
    memset(pieces, 0, sizeof *pieces);
    BASE_TRY(base_device_get_memory(context, device, &free_bytes, NULL, NULL));
    const int64_t part = free_bytes / 4 < (1 << 30) ? free_bytes / 4 : 1 << 30;
    const int64_t numbers = part / (int64_t)sizeof(double);
    pieces->room = all <= numbers ? all : most > numbers ? most : numbers;
    pieces->piece = base_alloc(context, tasks + 2, sizeof *pieces->piece);
    if (pieces->piece == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(base_device_alloc(context, device, pieces->room + 1, sizeof(double), &pieces->work));
done:
    return status;
}

void h2_device_pieces_close(h2_device_pieces *pieces) {
    base_device_free(&pieces->work);
    free(pieces->piece);
    memset(pieces, 0, sizeof *pieces);
}

uint64_t h2_device_pieces_take(h2_device_pieces *pieces, int64_t numbers, bool apart, bool *begins) {
    *begins = apart || pieces->count == 0 || pieces->used + numbers > pieces->room;
    if (*begins) {
        pieces->count++;
        pieces->used = 0;
    }
    const uint64_t address = pieces->work.address + (uint64_t)pieces->used * sizeof(double);
    pieces->used += (numbers + 1) / 2 * 2; /* even, so that pairs are aligned */
    return address;
}
