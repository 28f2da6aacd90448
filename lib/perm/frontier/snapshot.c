/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/frontier/snapshot.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PIECE_BYTES = 4 << 20 };

/* The first piece; behind it the scale's lost and growth. */
typedef struct head {
    uint64_t hash; /* of the schedule */
    int64_t arithmetic, step, mask_bytes, value_bytes;
    int64_t layer_states, exponent, max_exponent;
    double states, transitions, peak_states;
} head;

static uint64_t hash_schedule(const perm_schedule *schedule) {
    XXH3_state_t state;
    const size_t n = (size_t)schedule->n, nnz = (size_t)schedule->nnz;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, schedule->entry_start, (n + 1) * sizeof *schedule->entry_start);
    XXH3_64bits_update(&state, schedule->close_start, (n + 1) * sizeof *schedule->close_start);
    XXH3_64bits_update(&state, schedule->entry, nnz * sizeof *schedule->entry);
    XXH3_64bits_update(&state, schedule->bit, nnz * sizeof *schedule->bit);
    XXH3_64bits_update(&state, schedule->close, (size_t)schedule->close_start[n] * sizeof *schedule->close);
    return XXH3_64bits_digest(&state);
}

static void append(char *piece, const void *data, int64_t bytes, int64_t *at) {
    memcpy(piece + *at, data, (size_t)bytes);
    *at += bytes;
}

static base_status give_head(base_context *context, perm_frontier_snapshot *s, char **piece, int64_t *bytes) {
    const int64_t scale = s->scale->steps * (int64_t)sizeof(double);
    const head head = {hash_schedule(s->schedule), s->arithmetic,          s->step,
                       s->pool->mask_bytes,        s->pool->value_bytes,   s->layer->states,
                       s->scale->exponent,         s->scale->max_exponent, s->stats->states,
                       s->stats->transitions,      s->stats->peak_states};
    *piece = base_alloc(context, (int64_t)sizeof head + 2 * scale, 1);
    *bytes = 0;
    if (*piece == NULL)
        return BASE_MACHINE;
    append(*piece, &head, sizeof head, bytes);
    append(*piece, s->scale->lost, scale, bytes);
    append(*piece, s->scale->growth, scale, bytes);
    s->segment = 0;
    return BASE_OK;
}

/* So many segments as fit: the number of their states, all masks, all values. */
static base_status give_states(base_context *context, perm_frontier_snapshot *s, char **piece,
                               int64_t *bytes) {
    const perm_pool *pool = s->pool;
    const int64_t state_bytes = pool->mask_bytes + pool->value_bytes, first = s->segment;
    perm_segment *const *segment = s->layer->segment;
    int64_t count = 0;
    for (; s->segment < s->layer->count && count * state_bytes < PIECE_BYTES; s->segment++)
        count += segment[s->segment]->count;
    *piece = base_alloc(context, (int64_t)sizeof count + count * state_bytes, 1);
    *bytes = 0;
    if (*piece == NULL)
        return BASE_MACHINE;
    append(*piece, &count, sizeof count, bytes);
    for (int64_t k = first; k < s->segment; k++)
        append(*piece, segment[k]->mask, segment[k]->count * pool->mask_bytes, bytes);
    for (int64_t k = first; k < s->segment; k++)
        append(*piece, segment[k]->value, segment[k]->count * pool->value_bytes, bytes);
    return BASE_OK;
}

base_status perm_frontier_snapshot_give(base_context *context, void *self, int64_t number, char **piece,
                                        int64_t *bytes) {
    perm_frontier_snapshot *snapshot = self;
    *piece = NULL;
    if (number == 0)
        return give_head(context, snapshot, piece, bytes);
    if (snapshot->segment < snapshot->layer->count)
        return give_states(context, snapshot, piece, bytes);
    return BASE_OK;
}

/* ---- back ---- */

static bool read_head(const mm_state_pieces *pieces, head *head) {
    if (pieces->count == 0 || pieces->piece[0].bytes < (int64_t)sizeof *head)
        return false;
    memcpy(head, pieces->piece[0].data, sizeof *head);
    return true;
}

bool perm_frontier_snapshot_is_of(const mm_state_pieces *pieces, perm_arithmetic arithmetic) {
    head head;
    return read_head(pieces, &head) && head.arithmetic == (int64_t)arithmetic;
}

static base_status take_states(base_context *context, perm_pool *pool, const char *piece, int64_t bytes,
                               perm_layer *layer) {
    int64_t count = -1;
    if (bytes >= (int64_t)sizeof count)
        memcpy(&count, piece, sizeof count);
    if (count < 0 || count > bytes ||
        bytes != (int64_t)sizeof count + count * (pool->mask_bytes + pool->value_bytes))
        return base_fail(context, BASE_DAMAGED, "the state of a frontier does not hold together");
    const char *mask = piece + sizeof count, *value = mask + count * pool->mask_bytes;
    while (count > 0) {
        base_status status = perm_layer_extend(pool, layer);
        if (status != BASE_OK)
            return status;
        perm_segment *segment = layer->segment[layer->count - 1];
        segment->count = count < pool->segment_states ? count : pool->segment_states;
        memcpy(segment->mask, mask, (size_t)(segment->count * pool->mask_bytes));
        memcpy(segment->value, value, (size_t)(segment->count * pool->value_bytes));
        mask += segment->count * pool->mask_bytes;
        value += segment->count * pool->value_bytes;
        count -= segment->count;
        layer->states += segment->count;
    }
    return BASE_OK;
}

base_status perm_frontier_snapshot_take(base_context *context, mm_state_pieces *pieces,
                                        perm_frontier_snapshot *s, perm_layer *layer) {
    base_status status = BASE_OK;
    const int64_t scale = s->scale->steps * (int64_t)sizeof(double);
    head head;
    if (!read_head(pieces, &head) || pieces->piece[0].bytes != (int64_t)sizeof head + 2 * scale ||
        head.hash != hash_schedule(s->schedule) || head.arithmetic != (int64_t)s->arithmetic ||
        head.mask_bytes != s->pool->mask_bytes || head.value_bytes != s->pool->value_bytes || head.step < 0 ||
        head.step > s->schedule->n)
        BASE_TRY(base_fail(context, BASE_USAGE, "the state is of another order or arithmetic"));
    s->step = head.step;
    s->scale->exponent = head.exponent;
    s->scale->max_exponent = (int)head.max_exponent;
    memcpy(s->scale->lost, pieces->piece[0].data + sizeof head, (size_t)scale);
    memcpy(s->scale->growth, pieces->piece[0].data + sizeof head + scale, (size_t)scale);
    s->stats->states = head.states;
    s->stats->transitions = head.transitions;
    s->stats->peak_states = head.peak_states;
    for (int64_t k = 1; k < pieces->count; k++) {
        BASE_TRY(take_states(context, s->pool, pieces->piece[k].data, pieces->piece[k].bytes, layer));
        free(pieces->piece[k].data);
        pieces->piece[k].data = NULL;
    }
    if (layer->states != head.layer_states)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the state of a frontier does not hold together"));
done:
    mm_state_pieces_free(pieces);
    return status;
}
