/* SPDX-License-Identifier: BSD-3-Clause */
/* Large copies between pageable memory and a device, through two pieces of pinned memory, which the device
 * keeps: pinning them takes longer than copying them. */
#include "base/device/internal.h"

#include <string.h>

enum { PIECE_BYTES = 16 << 20, PIECES = 2, FEW_BYTES = 1 << 20 };

/* A piece is copied by all threads between the host's and pinned memory while the other one is on its way. */
static void copy_piece(int threads, char *to, const char *from, int64_t bytes) {
    const int64_t share = (bytes + threads - 1) / threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < threads; i++)
        if (i * share < bytes)
            memcpy(to + i * share, from + i * share,
                   (size_t)(share < bytes - i * share ? share : bytes - i * share));
}

static base_status transfer(base_context *context, const base_device_buffer *buffer, char *host,
                            int64_t bytes, bool up) {
    base_status status = BASE_OK;
    base_device *device = buffer->device;
    char **pinned = device->piece;
    base_device_stream *stream[PIECES] = {NULL};
    void *memory = NULL;
    int64_t waiting[PIECES], count = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
    for (int i = 0; i < PIECES; i++) {
        waiting[i] = -1;
        BASE_TRY(base_device_stream_open(context, device, &stream[i]));
        if (pinned[i] == NULL) {
            BASE_TRY(base_device_alloc_pinned(context, device, PIECE_BYTES, 1, &memory));
            pinned[i] = memory;
        }
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
            BASE_TRY(base_device_upload(context, buffer, place, pinned[turn], size, stream[turn]));
        } else {
            BASE_TRY(base_device_download(context, buffer, place, pinned[turn], size, stream[turn]));
            waiting[turn] = place;
        }
    }
done:
    for (int i = 0; i < PIECES; i++)
        base_device_stream_close(stream[i]);
    return status;
}

base_status base_device_upload_pieces(base_context *context, const base_device_buffer *buffer,
                                      const void *host, int64_t bytes) {
    return bytes < FEW_BYTES ? base_device_upload(context, buffer, 0, host, bytes, NULL)
                             : transfer(context, buffer, (char *)host, bytes, true);
}

base_status base_device_download_pieces(base_context *context, const base_device_buffer *buffer, void *host,
                                        int64_t bytes) {
    return bytes < FEW_BYTES ? base_device_download(context, buffer, 0, host, bytes, NULL)
                             : transfer(context, buffer, host, bytes, false);
}
