/* SPDX-License-Identifier: BSD-3-Clause */
/* A search as bytes: counters, islands, walkers, pools, as they lie in memory of this machine. */
#include "flip/scheme/verify.h"
#include "flip/search/bytes.h"
#include "flip/search/internal.h"

#include <stddef.h>
#include <string.h>

/* What must agree: the search was opened with the same options. */
typedef struct header {
    int64_t size[3], most_rank, room, count, islands, most;
    int64_t round_steps, steps, flips;
} header;

static header make_header(const flip_search *search) {
    const flip_round *round = &search->round;
    return (header){{round->size[0], round->size[1], round->size[2]},
                    search->most_rank,
                    round->room,
                    round->count,
                    search->options.islands,
                    search->pools.most,
                    round->steps,
                    search->steps,
                    search->flips};
}

base_status flip_search_save(base_context *context, const flip_search *search, char **buffer, int64_t *bytes,
                             int64_t *capacity) {
    flip_bytes_out to = {context, buffer, bytes, capacity, BASE_OK};
    const flip_round *round = &search->round;
    const header head = make_header(search);
    flip_bytes_put(&to, &head, sizeof head);
    for (int64_t k = 0; k < head.islands; k++) {
        const flip_island *island = &search->islands[k];
        const int64_t place[6] = {island->rank, island->spent, island->low,
                                  island->back, island->given, island->begin};
        flip_bytes_put(&to, place, sizeof place);
        for (int64_t rank = 0; rank <= search->most_rank; rank++) {
            flip_bytes_put(&to, &island->has_saved[rank], 1);
            if (island->has_saved[rank])
                flip_bytes_put(&to, flip_island_saved(island, rank), 24 * rank);
        }
    }
    for (int64_t w = 0; w < round->count; w++) {
        const flip_walker_state *walker = &round->states[w];
        const int64_t state[3] = {(int64_t)walker->random, walker->since, walker->rank};
        flip_bytes_put(&to, state, sizeof state);
        flip_bytes_put(&to, round->masks + w * 3 * round->room, 24 * walker->rank);
    }
    flip_bytes_put_pools(&to, &search->pools);
    return to.status;
}

static void get_island(flip_bytes_in *from, flip_search *search, int64_t index) {
    flip_island *island = &search->islands[index];
    int64_t place[6];
    flip_bytes_get(from, place, sizeof place);
    for (int64_t rank = 0; rank <= search->most_rank; rank++) {
        char has_saved;
        flip_bytes_get(from, &has_saved, 1);
        island->has_saved[rank] = has_saved == 1;
        if (island->has_saved[rank])
            flip_bytes_get(from, island->saved + 3 * rank * (rank - 1) / 2, 24 * rank);
    }
    from->good = from->good && place[0] >= 0 && place[0] <= search->most_rank &&
                 island->has_saved[place[0]] && place[2] >= 0 && place[2] <= search->most_rank &&
                 place[3] > 0 && place[3] < 1 << 30 && place[5] >= 0 && place[5] <= search->most_rank;
    if (from->good)
        flip_island_start(search, index, place[0]);
    island->spent = place[1];
    island->low = place[2];
    island->back = place[3];
    island->given = place[4];
    island->begin = place[5];
}

static void get_walker(flip_bytes_in *from, flip_round *round, int64_t w) {
    flip_walker_state *walker = &round->states[w];
    int64_t state[3];
    flip_bytes_get(from, state, sizeof state);
    walker->random = (uint64_t)state[0];
    walker->since = state[1];
    walker->rank = (int32_t)state[2];
    from->good = from->good && state[2] >= 0 && state[2] <= round->room;
    if (from->good)
        flip_bytes_get(from, round->masks + w * 3 * round->room, 24 * walker->rank);
    from->good =
        from->good && flip_verify_masks(round->size, walker->rank, round->masks + w * 3 * round->room);
}

base_status flip_search_restore(base_context *context, flip_search *search, const char *data, int64_t bytes) {
    base_status status = BASE_OK;
    flip_bytes_in from = {data, bytes, 0, true};
    header head, own = make_header(search);
    flip_bytes_get(&from, &head, sizeof head);
    from.good = from.good && memcmp(&head, &own, offsetof(header, round_steps)) == 0;
    search->round.steps = head.round_steps;
    search->steps = head.steps;
    search->flips = head.flips;
    for (int64_t k = 0; k < search->options.islands && from.good; k++)
        get_island(&from, search, k);
    for (int64_t w = 0; w < search->round.count && from.good; w++)
        get_walker(&from, &search->round, w);
    if (from.good)
        BASE_TRY(flip_bytes_get_pools(context, &from, &search->pools));
    for (int64_t k = 0; k < search->options.islands && from.good; k++)
        from.good = search->pools.pool[search->islands[k].begin].count > 0;
    if (!from.good || from.at != from.bytes)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the state of the search is damaged"));
done:
    return status;
}
