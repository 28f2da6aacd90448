/* SPDX-License-Identifier: BSD-3-Clause */
/* The states of a range of sets, by one thread: each entry of the row makes a sorted stream of the states
 * that it leads to, and the streams are merged window by window. Included by body.h alone, whose parameters
 * it takes. */

typedef struct NAME(stream) {
    MASK bit;            /* of the entry's column */
    MASK test, need;     /* a state is taken where state & test == need */
    const FACTOR *entry; /* its factor */
    int64_t segment, position;
    MASK key; /* the set that the state at this position leads to */
    bool live;
} NAME(stream);

typedef struct NAME(chunk) {
    const perm_frontier_step *step;
    NAME(stream) * stream; /* step->count */
    MASK below[128];       /* the bits below each one that closes */
    int window_bits;
    UNIT *sums;
    uint64_t *touched; /* one bit for each sum */
    perm_layer to;
    int64_t transitions, shown; /* the ones that progress has been shown */
    int max_exponent;
} NAME(chunk);

/* Drops the bits that close; those above move down. */
static inline MASK NAME(squeeze)(const NAME(chunk) * c, MASK set) {
    for (int i = 0; i < c->step->close_count; i++)
        set = ((set >> 1) & ~c->below[i]) | (set & c->below[i]);
    return set;
}

static inline MASK NAME(unsqueeze)(const NAME(chunk) * c, MASK set) {
    for (int i = c->step->close_count - 1; i >= 0; i--)
        set = ((set & ~c->below[i]) << 1) | (set & c->below[i]) | (c->below[i] + 1);
    return set;
}

/* Adds what the stream brings to this window of sets and stops at its first state beyond. `few`: at most one
 * column closes, the common case, whose mask then stays in a register. */
static inline __attribute__((always_inline)) void NAME(pull_states)(NAME(chunk) * c, NAME(stream) * s,
                                                                    MASK window, const bool few) {
    const perm_frontier_step *step = c->step;
    const perm_layer *from = step->from;
    const int window_bits = c->window_bits;
    const MASK low = ((MASK)1 << window_bits) - 1, below = c->below[0];
    const MASK bit = s->bit, test = s->test, need = s->need;
    const FACTOR *entry = s->entry;
    UNIT *sums = c->sums;
    uint64_t *touched = c->touched;
    int64_t transitions = 0;
    for (; s->segment < from->count; s->segment++, s->position = 0) {
        const perm_segment *segment = from->segment[s->segment];
        const MASK *mask = segment->mask;
        const UNIT *value = segment->value;
        const int64_t count = segment->count;
        for (int64_t p = s->position; p < count; p++) {
            MASK key = mask[p];
            if ((key & test) != need)
                continue;
            /* The set with the row's column in it; the columns that close, all used now, leave the mask. */
            key |= bit;
            key = few ? ((key >> 1) & ~below) | (key & below) : NAME(squeeze)(c, key);
            if (key >> window_bits != window) {
                s->position = p;
                s->key = key;
                c->transitions += transitions;
                return;
            }
            uint64_t i = (uint64_t)(key & low);
            touched[i >> 6] |= (uint64_t)1 << (i & 63);
            transitions++;
            ADD_PRODUCT(sums + (int64_t)i * (STRIDE), entry, value + p * (STRIDE));
        }
    }
    c->transitions += transitions;
    s->live = false;
}

static void NAME(pull)(NAME(chunk) * c, NAME(stream) * s, MASK window) {
    if (c->step->close_count <= 1)
        NAME(pull_states)(c, s, window, true);
    else
        NAME(pull_states)(c, s, window, false);
}

/* Places the stream at its first state that leads to `key` or beyond. */
static void NAME(seek)(NAME(chunk) * c, NAME(stream) * s, MASK key) {
    const perm_layer *from = c->step->from;
    MASK least = NAME(unsqueeze)(c, key);
    /* The least state without the bit that becomes ≥ `least` with it. */
    if (!(least & s->bit))
        least = (least & ~(s->bit - 1)) | s->bit;
    least &= ~s->bit;
    int64_t low = 0, high = from->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const perm_segment *segment = from->segment[middle];
        if (((const MASK *)segment->mask)[segment->count - 1] < least)
            low = middle + 1;
        else
            high = middle;
    }
    s->segment = low;
    s->position = 0;
    s->live = true;
    if (low < from->count) {
        const MASK *mask = from->segment[low]->mask;
        high = from->segment[low]->count;
        for (low = 0; low < high;) {
            int64_t middle = low + (high - low) / 2;
            if (mask[middle] < least)
                low = middle + 1;
            else
                high = middle;
        }
        s->position = low;
    }
    NAME(pull)(c, s, ~(MASK)0); /* no window has this number: stops at the first state taken */
}

/* Writes the sums of a window as states and clears them. */
static base_status NAME(push)(NAME(chunk) * c, MASK window) {
    const perm_frontier_step *step = c->step;
    int64_t words = ((int64_t)1 << c->window_bits) / 64;
    perm_segment *segment = c->to.count ? c->to.segment[c->to.count - 1] : NULL;
    for (int64_t w = 0; w < words; w++) {
        for (uint64_t rest = c->touched[w]; rest; rest &= rest - 1) {
            int64_t i = w * 64 + __builtin_ctzll(rest);
            if (segment == NULL || segment->count == step->pool->segment_states) {
                base_status status = perm_layer_extend(step->pool, &c->to);
                if (status != BASE_OK)
                    return status;
                segment = c->to.segment[c->to.count - 1];
            }
            ((MASK *)segment->mask)[segment->count] = window << c->window_bits | (MASK)i;
            UNIT *sum = c->sums + i * (STRIDE), *value = (UNIT *)segment->value + segment->count * (STRIDE);
            TRACK(c->max_exponent, sum);
            for (int64_t k = 0; k < (STRIDE); k++) {
                value[k] = sum[k];
                sum[k] = 0;
            }
            segment->count++;
            c->to.states++;
        }
        c->touched[w] = 0;
    }
    return BASE_OK;
}

/* Transitions between two looks at the clock: a few milliseconds. */
enum { NAME(unwatched_most) = 1 << 20 };

/* Lets others know of what is done, and learns whether to stop. */
static base_status NAME(pause)(NAME(chunk) * c) {
    const perm_frontier_step *step = c->step;
    if (step->shows_progress)
        base_progress_add(step->pool->context, c->transitions - c->shown);
    c->shown = c->transitions;
    return step->is_stopping != NULL && step->is_stopping(step->pool->context, step->data) ? BASE_STOPPED
                                                                                           : BASE_OK;
}

/* The states whose sets are in first … last. */
static base_status NAME(run_chunk)(NAME(chunk) * c, MASK first, MASK last) {
    int count = c->step->count;
    MASK end = last >> c->window_bits;
    for (int j = 0; j < count; j++)
        NAME(seek)(c, &c->stream[j], first);
    for (;;) {
        bool any = false;
        MASK window = 0;
        for (int j = 0; j < count; j++)
            if (c->stream[j].live && (!any || c->stream[j].key >> c->window_bits < window)) {
                window = c->stream[j].key >> c->window_bits;
                any = true;
            }
        /* The lowest window that any stream leads to: what is below it is complete, since streams are sorted.
         */
        if (!any || window > end)
            return NAME(pause)(c);
        for (int j = 0; j < count; j++)
            if (c->stream[j].live && c->stream[j].key >> c->window_bits == window)
                NAME(pull)(c, &c->stream[j], window);
        base_status status = NAME(push)(c, window);
        if (status == BASE_OK && c->transitions - c->shown >= NAME(unwatched_most))
            status = NAME(pause)(c);
        if (status != BASE_OK)
            return status;
    }
}
