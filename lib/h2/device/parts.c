/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/parts.h"
#include "h2/device/large.h"

enum { LIST_BYTES = 256, NODE_BYTES = 2048 }; /* of a block and of a node in lists for the device */

int64_t h2_device_parts_bytes(const h2_matrix *matrix) {
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    const int64_t rank = h2_most_rank(matrix), nodes = matrix->tree.nodes;
    int64_t squares = 0;
    for (int64_t node = 0; node < nodes; node++) {
        const int64_t row = matrix->row.rank[node],
                      col = h2_is_symmetric(matrix) ? 0 : matrix->col.rank[node];
        squares += row * row + col * col;
    }
    return 2 * (sizes.leaf_bytes + sizes.transfer_bytes) +
           (int64_t)sizeof(double) * (3 * squares + 32 * rank * rank) + NODE_BYTES * nodes;
}

/* For blocks of the matrix. */
static base_status alloc_part(base_context *context, base_device *device, const h2_matrix *matrix,
                              h2_device_matrix *part) {
    base_status status;
    int64_t free_bytes = 0;
    BASE_TRY(base_device_get_memory(context, device, &free_bytes, NULL, NULL));
    const int64_t bytes = free_bytes / 4 < H2_DEVICE_PART_BYTES ? free_bytes / 4 : H2_DEVICE_PART_BYTES;
    BASE_TRY(h2_device_alloc_part(context, device, matrix, bytes, part));
done:
    return status;
}

/* The part has coupling blocks first … end - 1. */
static void set_blocks(h2_device_matrix *part, int64_t first, int64_t end) {
    const h2_matrix *matrix = part->matrix;
    const char *begin = h2_block(matrix, &matrix->coupling, first);
    part->first = begin - matrix->payload;
    part->bytes = (char *)h2_block(matrix, &matrix->coupling, end) - begin;
}

/* The end of as many blocks from `first` on as the part has room for, with their lists as much again. */
static int64_t find_end(const h2_device_matrix *part, int64_t first) {
    const h2_block_list *list = &part->matrix->coupling;
    const int64_t bytes = part->values.bytes, numbers = bytes / part->matrix->head.value_bytes;
    int64_t end = first;
    while (end < list->count && list->offset[end + 1] - list->offset[first] <= numbers &&
           (end + 1 - first) * LIST_BYTES <= bytes)
        end++;
    return end;
}

/* Blocks from `first` on go to the part; *end: how far. */
static base_status fetch_blocks(base_context *context, h2_device_matrix *part, int64_t first, int64_t *end) {
    base_status status = BASE_OK;
    *end = find_end(part, first);
    if (*end == first && first < part->matrix->coupling.count)
        BASE_TRY(base_fail(
            context, BASE_MACHINE, "the device has no memory for a block of %lld bytes",
            (long long)((part->matrix->coupling.offset[first + 1] - part->matrix->coupling.offset[first]) *
                        part->matrix->head.value_bytes)));
    set_blocks(part, first, *end);
    if (part->bytes > 0)
        BASE_TRY(h2_device_upload(context, part));
done:
    return status;
}

base_status h2_device_change_in_parts(base_context *context, base_device *device, const h2_matrix *matrix,
                                      const h2_device_change *row, const h2_device_change *col,
                                      h2_matrix *result) {
    base_status status;
    h2_device_matrix from = {.matrix = NULL}, to = {.matrix = NULL};
    BASE_TRY(alloc_part(context, device, matrix, &from));
    BASE_TRY(h2_device_alloc_part(context, device, result, from.values.bytes, &to)); /* ranks do not grow */
    for (int64_t first = 0, end; first < matrix->coupling.count; first = end) {
        BASE_TRY(fetch_blocks(context, &from, first, &end));
        set_blocks(&to, first, end);
        BASE_TRY(h2_device_change_large_blocks(context, &from, row, col, &to, first, end));
        if (to.bytes > 0)
            BASE_TRY(h2_device_download(context, &to));
    }
done:
    h2_device_free(&from);
    h2_device_free(&to);
    return status;
}

base_status h2_device_weigh_in_parts(base_context *context, const h2_device_truncation *truncation) {
    base_status status;
    const h2_matrix *matrix = truncation->from->matrix;
    h2_device_matrix part = {.matrix = NULL};
    int64_t first = 0, end;
    BASE_TRY(alloc_part(context, truncation->from->device, matrix, &part));
    do { /* Without any block weights become 0. */
        BASE_TRY(fetch_blocks(context, &part, first, &end));
        BASE_TRY(h2_device_weigh_large_blocks(context, truncation, &part, first, end));
        first = end;
    } while (first < matrix->coupling.count);
    h2_device_free(&part);
    BASE_TRY(h2_device_weigh_large_parents(context, truncation));
done:
    h2_device_free(&part);
    return status;
}
