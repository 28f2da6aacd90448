/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/pieces.h"
#include "base/core/memory.h"
#include "base/core/thread.h"
#include "mm/coding/inflate.h"
#include "mm/coding/piece_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    AHEAD_BYTES = 16 * 1024 * 1024, /* of input */
    MOST_PIECES = AHEAD_BYTES / MM_PIECE_LEAST_BYTES,
    MOST_GROWTH = 8 /* of output over input; what grows more is decoded in its place */
};

typedef struct slot {
    mm_piece piece;
    mm_piece_buffer in, out;
    enum { WAITING, TAKEN, DONE } state;
    struct slot *next; /* of those that are free */
} slot;

struct mm_pieces {
    int threads, started;
    pthread_t *thread;
    pthread_mutex_t lock; /* of the slots' states, first, count, is_closing */
    pthread_cond_t work, done;
    bool is_closing;
    mm_inflate *inflate; /* the taker's own */

    slot *ring[MOST_PIECES];
    unsigned first, count; /* those in use */
    bool has_given;        /* the first one is with the taker */
    slot *spare;

    /* the taker's, who reads */
    mm_piece_reader reader;
    size_t ahead_bytes;
    bool is_ahead; /* the last piece is decoded ahead */
};

static slot *get_slot(mm_pieces *pieces, unsigned index) {
    return pieces->ring[(pieces->first + index) % MOST_PIECES];
}

/* ---- decoding ahead ---- */

/* False where the piece is no whole number of members, or grows too much. */
static bool decode(mm_inflate *inflate, slot *slot) {
    const unsigned char *in = slot->piece.in;
    size_t left = slot->piece.in_bytes, made = 0;
    const size_t most = MOST_GROWTH * slot->piece.in_bytes;
    mm_inflate_result result = MM_INFLATE_END;
    while (left > 0 || result == MM_INFLATE_MORE) {
        if (result == MM_INFLATE_END) {
            if (*in != 0x1f)
                return false;
            inflate->begin(inflate);
        }
        if (made == slot->out.room &&
            (made >= most || !mm_piece_buffer_grow(&slot->out, made == 0 ? most / 2 : most)))
            return false;
        unsigned char *out = slot->out.data + made;
        size_t room = slot->out.room - made;
        const size_t left_before = left, room_before = room;
        result = inflate->run(inflate, &in, &left, &out, &room);
        made += room_before - room;
        if ((result != MM_INFLATE_MORE && result != MM_INFLATE_END) ||
            (result == MM_INFLATE_MORE && left == left_before && room == room_before))
            return false;
    }
    slot->piece.out = slot->out.data;
    slot->piece.out_bytes = made;
    return true;
}

/* With the lock, which is open while it decodes. */
static void decode_slot(mm_pieces *pieces, mm_inflate *inflate, slot *slot) {
    slot->state = TAKEN;
    pthread_mutex_unlock(&pieces->lock);
    slot->piece.is_decoded = inflate != NULL && decode(inflate, slot);
    pthread_mutex_lock(&pieces->lock);
    slot->state = DONE;
    pthread_cond_broadcast(&pieces->done);
}

static slot *find_waiting(mm_pieces *pieces) {
    for (unsigned k = 0; k < pieces->count; k++)
        if (get_slot(pieces, k)->state == WAITING)
            return get_slot(pieces, k);
    return NULL;
}

static void *run_thread(void *data) {
    mm_pieces *pieces = data;
    mm_inflate *inflate = mm_inflate_open();
    pthread_mutex_lock(&pieces->lock);
    while (inflate != NULL && !pieces->is_closing) {
        slot *slot = find_waiting(pieces);
        if (slot != NULL)
            decode_slot(pieces, inflate, slot);
        else
            pthread_cond_wait(&pieces->work, &pieces->lock);
    }
    pthread_mutex_unlock(&pieces->lock);
    mm_inflate_close(inflate);
    return NULL;
}

/* Where they cannot start, the taker decodes. */
static void start_threads(mm_pieces *pieces) {
    if (pieces->thread != NULL || pieces->threads == 1)
        return;
    pieces->thread = base_alloc_silent(pieces->threads - 1, sizeof *pieces->thread);
    while (pieces->thread != NULL && pieces->started < pieces->threads - 1 &&
           base_thread_start(&pieces->thread[pieces->started], run_thread, pieces) == 0)
        pieces->started++;
}

/* ---- reading ahead ---- */

/* With its buffers, so that as many are allocated as are in use at once. */
static slot *get_spare(mm_pieces *pieces) {
    slot *slot = pieces->spare;
    if (slot != NULL)
        pieces->spare = slot->next;
    else if ((slot = base_alloc_silent(1, sizeof *slot)) != NULL)
        memset(slot, 0, sizeof *slot);
    return slot;
}

static void put_spare(mm_pieces *pieces, slot *slot) {
    slot->next = pieces->spare;
    pieces->spare = slot;
}

/* Reads a piece, and more as long as they can be decoded ahead. */
static void fill(mm_pieces *pieces) {
    mm_piece_reader *reader = &pieces->reader;
    while (!reader->at_end && (pieces->count == 0 || pieces->is_ahead) && pieces->count < MOST_PIECES &&
           pieces->ahead_bytes < AHEAD_BYTES) {
        slot *slot = get_spare(pieces);
        if (slot == NULL) {
            reader->error = ENOMEM;
            reader->at_end = true;
            return;
        }
        const size_t bytes = mm_piece_reader_next(reader, &slot->in, &pieces->is_ahead);
        if (bytes == 0) {
            put_spare(pieces, slot);
            return;
        }
        slot->piece = (mm_piece){.in = slot->in.data, .in_bytes = bytes};
        pieces->ahead_bytes += slot->piece.in_bytes;
        pthread_mutex_lock(&pieces->lock);
        slot->state = pieces->is_ahead ? WAITING : DONE;
        pieces->ring[(pieces->first + pieces->count++) % MOST_PIECES] = slot;
        pthread_cond_signal(&pieces->work);
        pthread_mutex_unlock(&pieces->lock);
        if (pieces->is_ahead && pieces->count > 1)
            start_threads(pieces);
    }
}

static void give_back(mm_pieces *pieces) {
    if (!pieces->has_given)
        return;
    pieces->ahead_bytes -= get_slot(pieces, 0)->piece.in_bytes;
    put_spare(pieces, get_slot(pieces, 0));
    pthread_mutex_lock(&pieces->lock);
    pieces->first = (pieces->first + 1) % MOST_PIECES;
    pieces->count--;
    pthread_mutex_unlock(&pieces->lock);
    pieces->has_given = false;
}

int mm_pieces_next(mm_pieces *pieces, const mm_piece **piece, const char **damage) {
    *damage = NULL;
    *piece = NULL;
    give_back(pieces);
    fill(pieces);
    if (pieces->count == 0) {
        *damage = pieces->reader.damage;
        errno = pieces->reader.error;
        return pieces->reader.error != 0 ? -1 : 0;
    }
    slot *front = get_slot(pieces, 0);
    pthread_mutex_lock(&pieces->lock);
    if (front->state == WAITING)
        decode_slot(pieces, pieces->inflate, front);
    while (front->state != DONE)
        pthread_cond_wait(&pieces->done, &pieces->lock);
    pthread_mutex_unlock(&pieces->lock);
    pieces->has_given = true;
    *piece = &front->piece;
    return 0;
}

/* ---- opening and closing ---- */

mm_pieces *mm_pieces_open(mm_bytes from, int threads) {
    mm_pieces *pieces = base_alloc_silent(1, sizeof *pieces);
    if (pieces == NULL)
        return NULL;
    *pieces = (mm_pieces){.threads = threads};
    mm_piece_reader_init(&pieces->reader, from, threads > 1);
    pieces->inflate = threads > 1 ? mm_inflate_open() : NULL;
    pthread_mutex_init(&pieces->lock, NULL);
    pthread_cond_init(&pieces->work, NULL);
    pthread_cond_init(&pieces->done, NULL);
    return pieces;
}

void mm_pieces_close(mm_pieces *pieces) {
    if (pieces == NULL)
        return;
    pthread_mutex_lock(&pieces->lock);
    pieces->is_closing = true;
    pthread_cond_broadcast(&pieces->work);
    pthread_mutex_unlock(&pieces->lock);
    for (int k = 0; k < pieces->started; k++)
        pthread_join(pieces->thread[k], NULL);
    pthread_mutex_destroy(&pieces->lock);
    pthread_cond_destroy(&pieces->work);
    pthread_cond_destroy(&pieces->done);
    for (unsigned k = 0; k < pieces->count; k++)
        put_spare(pieces, get_slot(pieces, k));
    while (pieces->spare != NULL) {
        slot *slot = get_spare(pieces);
        free(slot->in.data);
        free(slot->out.data);
        free(slot);
    }
    mm_inflate_close(pieces->inflate);
    free(pieces->thread);
    free(pieces);
}
