/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/pieces.h"
#include "base/core/memory.h"
#include "base/core/thread.h"
#include "mm/coding/inflate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEP_BYTES = 128 * 1024,        /* read at once, and the least of a piece that is decoded ahead */
    MOST_BYTES = 4 * 1024 * 1024,   /* of a piece */
    AHEAD_BYTES = 16 * 1024 * 1024, /* of all pieces */
    MOST_PIECES = 128,
    MOST_GROWTH = 8, /* of output over input; what grows more is decoded in its place */
    HEAD_BYTES = 4   /* of a member, by which it is found */
};

typedef struct slot {
    mm_piece piece;
    unsigned char *in, *out;
    size_t in_room, out_room;
    enum { WAITING, TAKEN, DONE } state;
    struct slot *next; /* of those that are free */
} slot;

struct mm_pieces {
    mm_bytes from;
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
    size_t ahead_bytes;
    unsigned char kept[STEP_BYTES + HEAD_BYTES]; /* read behind the last piece */
    size_t kept_bytes;
    bool at_member;  /* a member seems to begin with what comes next */
    bool is_patient; /* a piece grows until another member begins */
    bool is_ahead;   /* the last piece may be decoded ahead */
    bool at_end;
    int error; /* errno of the end, with the damage; 0: none */
    const char *damage;
};

static slot *get_slot(mm_pieces *pieces, unsigned index) {
    return pieces->ring[(pieces->first + index) % MOST_PIECES];
}

/* ---- decoding ahead ---- */

static bool grow(unsigned char **buffer, size_t *room, size_t wanted) {
    if (wanted <= *room)
        return true;
    unsigned char *larger = base_alloc_silent((int64_t)wanted, 1);
    if (larger == NULL)
        return false;
    if (*room > 0)
        memcpy(larger, *buffer, *room);
    free(*buffer);
    *buffer = larger;
    *room = wanted;
    return true;
}

/* False where the piece is no whole number of members, or grows too much. */
static bool decode(mm_inflate *inflate, slot *slot) {
    const unsigned char *in = slot->piece.in;
    size_t left = slot->piece.in_bytes, made = 0;
    const size_t most = MOST_GROWTH * slot->piece.in_bytes;
    mm_isal_result result = MM_ISAL_END;
    while (left > 0 || result == MM_ISAL_MORE) {
        if (result == MM_ISAL_END) {
            if (*in != 0x1f)
                return false;
            mm_inflate_begin(inflate);
        }
        if (made == slot->out_room &&
            (made >= most || !grow(&slot->out, &slot->out_room, made == 0 ? most / 2 : most)))
            return false;
        unsigned char *out = slot->out + made;
        size_t room = slot->out_room - made;
        const size_t left_before = left, room_before = room;
        result = mm_inflate_run(inflate, &in, &left, &out, &room);
        made += room_before - room;
        if ((result != MM_ISAL_MORE && result != MM_ISAL_END) ||
            (result == MM_ISAL_MORE && left == left_before && room == room_before))
            return false;
    }
    slot->piece.out = slot->out;
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

/* ---- reading ---- */

/* Where a member seems to begin (RFC 1952: two bytes that identify it, deflate, no reserved flag), at
 * `start` or behind it; `size` if none does. */
static size_t find_member(const unsigned char *in, size_t start, size_t size) {
    for (size_t k = start; k + HEAD_BYTES <= size; k++) {
        const unsigned char *found = memchr(in + k, 0x1f, size - HEAD_BYTES + 1 - k);
        if (found == NULL)
            return size;
        k = (size_t)(found - in);
        if (found[1] == 0x8b && found[2] == 8 && (found[3] & 0xe0) == 0)
            return k;
    }
    return size;
}

/* One more step of input; false at the end. */
static bool read_step(mm_pieces *pieces, slot *slot, size_t *size) {
    if (!grow(&slot->in, &slot->in_room, *size + STEP_BYTES)) {
        pieces->error = ENOMEM;
        pieces->at_end = true;
    }
    if (pieces->at_end)
        return false;
    const ssize_t count = pieces->from.read(pieces->from.self, slot->in + *size, STEP_BYTES, &pieces->damage);
    if (count < 0)
        pieces->error = errno != 0 ? errno : EIO;
    pieces->at_end = count <= 0;
    *size += count > 0 ? (size_t)count : 0;
    return count > 0;
}

/* The first member behind the least of a piece ends it. 0: there is none in it. */
static size_t read_to_member(mm_pieces *pieces, slot *slot, size_t *size) {
    size_t searched = STEP_BYTES;
    while (read_step(pieces, slot, size) && pieces->threads > 1) {
        const size_t end = find_member(slot->in, searched, *size);
        if (end < *size)
            return end;
        if (*size >= MOST_BYTES || !pieces->is_patient)
            return 0;
        if (*size > STEP_BYTES + HEAD_BYTES)
            searched = *size - HEAD_BYTES + 1;
    }
    return 0;
}

/* An empty piece is none. */
static void read_piece(mm_pieces *pieces, slot *slot) {
    size_t size = 0;
    if (pieces->kept_bytes > 0 && grow(&slot->in, &slot->in_room, pieces->kept_bytes)) {
        memcpy(slot->in, pieces->kept, pieces->kept_bytes);
        size = pieces->kept_bytes;
        pieces->kept_bytes = 0;
    }
    const size_t end = read_to_member(pieces, slot, &size);
    slot->piece = (mm_piece){.in = slot->in, .in_bytes = end > 0 ? end : size};
    if (end > 0) {
        pieces->kept_bytes = size - end;
        memcpy(pieces->kept, slot->in + end, pieces->kept_bytes);
    }
    pieces->is_ahead = pieces->threads > 1 && pieces->at_member && (end > 0 || pieces->at_end);
    pieces->at_member = pieces->is_patient = end > 0;
}

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
    while (!pieces->at_end && (pieces->count == 0 || pieces->is_ahead) && pieces->count < MOST_PIECES &&
           pieces->ahead_bytes < AHEAD_BYTES) {
        slot *slot = get_spare(pieces);
        if (slot == NULL) {
            pieces->error = ENOMEM;
            pieces->at_end = true;
            return;
        }
        read_piece(pieces, slot);
        if (slot->piece.in_bytes == 0) {
            put_spare(pieces, slot);
            return;
        }
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
        *damage = pieces->damage;
        errno = pieces->error;
        return pieces->error != 0 ? -1 : 0;
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
    *pieces = (mm_pieces){.from = from, .threads = threads, .at_member = true, .is_patient = true};
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
        free(slot->in);
        free(slot->out);
        free(slot);
    }
    mm_inflate_close(pieces->inflate);
    free(pieces->thread);
    free(pieces);
}
