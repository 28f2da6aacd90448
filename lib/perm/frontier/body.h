/* SPDX-License-Identifier: BSD-3-Clause */
/* The step from one layer of states to the next, included once for each kind of mask and value
 * (kernels.c). Parameters:
 *   NAME(x)           names of this instance
 *   MASK              unsigned type of the masks
 *   UNIT, STRIDE      type of a value's units and their number: a constant or step->stride
 *   FACTOR            type of an entry's factor
 *   ADD_PRODUCT(s, f, v)  adds the product of factor and value to the sum at s
 *   TRACK(max, v)     raises the exponent `max` to that of the value at v
 * merge_body.h computes the states of a range of sets; here the sets are cut into ranges, which threads
 * share. No include guard: it is meant to be included again. */

#include "perm/frontier/merge_body.h"

/* The widest window whose sums fit the cache and hold at least one state for each word of marks, judged by a
 * sample of the layer before. */
static int NAME(choose_window)(const perm_frontier_step *step) {
    const perm_layer *from = step->from;
    const int64_t value_bytes = (int64_t)sizeof(UNIT) * (STRIDE);
    const int64_t sums_bytes = perm_frontier_sums_bytes(value_bytes, step->open);
    int most = LEAST_WINDOW;
    while (most < MOST_WINDOW && most < step->open && sums_bytes >= value_bytes << (most + 1))
        most++;
    for (int bits = most; bits > LEAST_WINDOW; bits -= 3) {
        int64_t windows = 0, states = 0;
        for (int64_t i = 0; i < from->count; i += from->count / 4 + 1) {
            const MASK *mask = from->segment[i]->mask;
            for (int64_t p = 1; p < from->segment[i]->count; p++)
                windows += mask[p] >> bits != mask[p - 1] >> bits;
            windows++;
            states += from->segment[i]->count;
        }
        if (states * 64 >= windows << bits)
            return bits;
    }
    return LEAST_WINDOW;
}

static int NAME(compare)(const void *a, const void *b) {
    MASK x = *(const MASK *)a, y = *(const MASK *)b;
    return (x > y) - (x < y);
}

enum { NAME(chunks_most) = 256, NAME(samples) = 32 };

/* Cuts the sets into `chunks` ranges of about the same work: from[i] … from[i + 1] - 1, at window borders. */
static void NAME(cut)(NAME(chunk) * c, int chunks, MASK *from) {
    const perm_frontier_step *step = c->step;
    MASK key[128 * NAME(samples)];
    int keys = 0;
    for (int j = 0; j < step->count; j++)
        for (int i = 0; i < NAME(samples); i++) {
            const perm_segment *segment = step->from->segment[step->from->count * i / NAME(samples)];
            MASK mask = ((const MASK *)segment->mask)[segment->count * (i % 8) / 8];
            if ((mask & c->stream[j].test) == c->stream[j].need)
                key[keys++] = NAME(squeeze)(c, mask | c->stream[j].bit);
        }
    qsort(key, (size_t)keys, sizeof *key, NAME(compare));
    for (int i = 1; i < chunks; i++)
        from[i] = keys ? key[keys * i / chunks] >> c->window_bits << c->window_bits : 0;
    from[0] = 0;
}

static void NAME(begin)(NAME(chunk) * c, const perm_frontier_step *step, NAME(stream) * stream,
                        int window_bits, uint64_t *touched) {
    MASK closing = 0;
    *c = (NAME(chunk)){.step = step, .stream = stream, .window_bits = window_bits, .touched = touched};
    c->max_exponent = INT_MIN;
    c->below[0] = ~(MASK)0; /* nothing closes: every bit stays */
    for (int i = 0; i < step->close_count; i++) {
        MASK bit = (MASK)1 << step->close[i];
        closing |= bit;
        c->below[i] = bit - 1;
    }
    for (int j = 0; j < step->count; j++) {
        MASK bit = (MASK)1 << step->bit[j];
        /* The column must be free, and every other column that closes must be used: this was its last row. */
        stream[j].bit = bit;
        stream[j].need = closing & ~bit;
        stream[j].test = stream[j].need | bit;
        stream[j].entry = (const FACTOR *)step->entry + j * FACTOR_COUNT;
    }
}

/* The states whose sets are in first … last, as a layer of their own, by one of step->threads. */
static base_status NAME(run_range)(const perm_frontier_step *step, int thread, int window_bits, MASK first,
                                   MASK last, perm_layer *to, int64_t *transitions, int *max_exponent) {
    NAME(chunk) c;
    NAME(stream) stream[128];
    uint64_t touched[64] = {0};
    NAME(begin)(&c, step, stream, window_bits, touched);
    c.sums = step->sums[thread];
    base_status status = NAME(run_chunk)(&c, first, last);
    *to = c.to;
    *transitions += c.transitions;
    if (c.max_exponent > *max_exponent)
        *max_exponent = c.max_exponent;
    return status;
}

static base_status NAME(run)(perm_frontier_step *step) {
    base_status status = BASE_OK;
    MASK from[NAME(chunks_most) + 1];
    perm_layer to[NAME(chunks_most)];
    int window_bits = NAME(choose_window)(step), chunks = 1;
    int64_t transitions = 0;
    int max_exponent = INT_MIN;
    if (step->threads > 1 && step->from->count >= 4) {
        NAME(chunk) c;
        NAME(stream) stream[128];
        chunks = 8 * step->threads < NAME(chunks_most) ? 8 * step->threads : NAME(chunks_most);
        NAME(begin)(&c, step, stream, window_bits, NULL);
        NAME(cut)(&c, chunks, from);
    }
    memset(to, 0, (size_t)chunks * sizeof *to);
    from[chunks] = 0;  /* the last one ends at the largest set */
    if (chunks == 1) { /* most layers are small: no region of OpenMP, not even one of a single thread */
        status = NAME(run_range)(step, 0, window_bits, 0, ~(MASK)0, &to[0], &transitions, &max_exponent);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(step->threads) reduction(+ : transitions)          \
    reduction(max : max_exponent)
        for (int i = 0; i < chunks; i++) {
            if (i + 1 < chunks && from[i + 1] == from[i])
                continue;
            base_status outcome = NAME(run_range)(step, omp_get_thread_num(), window_bits, from[i],
                                                  from[i + 1] - 1, &to[i], &transitions, &max_exponent);
            if (outcome != BASE_OK) {
#pragma omp atomic write
                status = outcome;
            }
        }
    }
    for (int i = 0; i < chunks; i++) {
        if (status == BASE_OK)
            status = perm_layer_append(step->pool, step->to, &to[i]);
        perm_layer_clear(step->pool, &to[i]);
        perm_layer_free(&to[i]);
    }
    step->transitions = transitions;
    step->max_exponent = max_exponent;
    return status;
}

#undef NAME
#undef MASK
#undef UNIT
#undef STRIDE
#undef FACTOR
#undef FACTOR_COUNT
#undef ADD_PRODUCT
#undef TRACK
