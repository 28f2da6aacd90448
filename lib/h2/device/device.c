#include "h2/device/device.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { PIECE_BYTES = 16 << 20, PIECES = 2 }; /* of pinned memory */

int64_t h2_device_bytes(const h2_matrix *matrix, int64_t vectors) {
    const int64_t width = vectors == 1 ? 1 : vectors <= 8 ? 8 : 16;
    const int64_t blocks =
        matrix->coupling.count * h2_most_rank(matrix) + matrix->dense.count * h2_most_points(matrix);
    const int64_t coefficients =
        matrix->row.start[matrix->tree.nodes] + matrix->col.start[matrix->tree.nodes];
    return matrix->payload_bytes + 8 * width * (blocks + coefficients + 4 * matrix->tree.n);
}

base_status h2_device_alloc(base_context *context, base_device *device, const h2_matrix *matrix,
                            h2_device_matrix *on_device) {
    *on_device = (h2_device_matrix){.matrix = matrix, .device = device};
    on_device->first = (char *)matrix->row.leaf - matrix->payload;
    return base_device_alloc_shared(context, device, matrix->payload_bytes - on_device->first, 1,
                                    &on_device->values);
}

base_status h2_device_take(base_context *context, base_device *device, const h2_matrix *matrix,
                           h2_device_matrix *on_device) {
    const mm_device_memory *memory = &matrix->on_device;
    *on_device = (h2_device_matrix){.matrix = matrix, .device = device};
    on_device->first = (char *)matrix->row.leaf - matrix->payload;
    if (memory->first != on_device->first || memory->bytes != matrix->payload_bytes - memory->first)
        return base_fail(context, BASE_DAMAGED, "H2 matrix: the memory of the device does not fit it");
    on_device->is_taken = true;
    return base_device_import(context, device, memory->descriptor - 1, memory->bytes, &on_device->values);
}

base_status h2_device_leave(base_context *context, const h2_device_matrix *on_device, h2_matrix *matrix,
                            bool *kept) {
    base_status status;
    int descriptor;
    *kept = on_device->is_taken;
    BASE_TRY(base_device_wait(context, on_device->device));
    if (on_device->is_taken) /* matrix->on_device is a descriptor of this memory */
        goto done;
    BASE_TRY(base_device_export(context, &on_device->values, &descriptor));
    *kept = descriptor >= 0;
    if (!*kept)
        goto done;
    mm_device_memory_close(&matrix->on_device);
    matrix->on_device = (mm_device_memory){.descriptor = descriptor + 1,
                                           .first = on_device->first,
                                           .bytes = matrix->payload_bytes - on_device->first};
    memcpy(matrix->on_device.uuid, base_device_get_properties(on_device->device)->uuid,
           sizeof matrix->on_device.uuid);
done:
    return status;
}

void h2_device_free(h2_device_matrix *on_device) {
    base_device_free(&on_device->values);
    memset(on_device, 0, sizeof *on_device);
}

uint64_t h2_device_address(const h2_device_matrix *on_device, const void *array) {
    return on_device->values.address +
           (uint64_t)((const char *)array - on_device->matrix->payload - on_device->first);
}

/* A piece is copied by all threads between payload and pinned memory while the other one is on its way. */
static void copy_piece(int threads, char *to, const char *from, int64_t bytes) {
    const int64_t share = (bytes + threads - 1) / threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < threads; i++)
        if (i * share < bytes)
            memcpy(to + i * share, from + i * share,
                   (size_t)(share < bytes - i * share ? share : bytes - i * share));
}

static base_status transfer(base_context *context, const h2_device_matrix *on_device, bool up) {
    base_status status = BASE_OK;
    const int64_t bytes = on_device->matrix->payload_bytes - on_device->first;
    char *host = on_device->matrix->payload + on_device->first, *pinned[PIECES] = {NULL};
    base_device_stream *stream[PIECES] = {NULL};
    int64_t waiting[PIECES], count = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
    for (int i = 0; i < PIECES; i++) {
        waiting[i] = -1;
        BASE_TRY(base_device_stream_open(context, on_device->device, &stream[i]));
        BASE_TRY(base_device_alloc_pinned(context, on_device->device, PIECE_BYTES, 1, (void **)&pinned[i]));
    }
    for (int64_t piece = 0; piece < count + PIECES; piece++) {
        const int turn = (int)(piece % PIECES);
        const int64_t place = piece * PIECE_BYTES,
                      size = bytes - place < PIECE_BYTES ? bytes - place : PIECE_BYTES;
        BASE_TRY(base_device_stream_wait(context, stream[turn]));
        if (!up && waiting[turn] >= 0) {
            const int64_t old = waiting[turn];
            copy_piece(context->threads, host + old, pinned[turn],
                       bytes - old < PIECE_BYTES ? bytes - old : PIECE_BYTES);
        }
        waiting[turn] = -1;
        if (piece >= count)
            continue;
        if (up) {
            copy_piece(context->threads, pinned[turn], host + place, size);
            BASE_TRY(
                base_device_upload(context, &on_device->values, place, pinned[turn], size, stream[turn]));
        } else {
            BASE_TRY(
                base_device_download(context, &on_device->values, place, pinned[turn], size, stream[turn]));
            waiting[turn] = place;
        }
    }
done:
    for (int i = 0; i < PIECES; i++) {
        base_device_stream_close(stream[i]);
        base_device_free_pinned(on_device->device, pinned[i]);
    }
    return status;
}

base_status h2_device_upload(base_context *context, const h2_device_matrix *on_device) {
    return transfer(context, on_device, true);
}

base_status h2_device_download(base_context *context, const h2_device_matrix *on_device) {
    return transfer(context, on_device, false);
}

base_status h2_device_get_function(base_context *context, base_device_module *module, const h2_matrix *matrix,
                                   const char *name, base_device_function *function) {
    char whole[48];
    snprintf(whole, sizeof whole, "%s_%s", name, matrix->head.value_bytes == 8 ? "fp64" : "fp32");
    return base_device_get_function(context, module, whole, function);
}
