/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/job/grow.h"
#include "flip/derive/combine.h"
#include "flip/scheme/known.h"

#include <string.h>

#define DEVICE_STEPS INT64_C(20000000000) /* about three seconds of an H200 */
enum {
    STEPS = 16384, /* times (n·m·p)²: half a second for 3x4x4 on two cores */
    KEEP = 64,
    /* Schemes that are a few flips from each other lead to the same ones: many islands, few of each. */
    ISLANDS = 64,
    WALKERS = 4,
    OF_ISLAND = 4,
    SMALL = 30 /* n·m·p: smaller formats take processors as long as a device takes to be made ready */
};

/* The axis along which the format before this one is smaller by one: the last of the largest; -1 for 1×1×1.
 */
static int find_axis(const int64_t size[3]) {
    int axis = 0;
    for (int k = 1; k < 3; k++)
        axis = size[k] >= size[axis] ? k : axis;
    return size[axis] > 1 ? axis : -1;
}

static base_status add(base_context *context, flip_starts *starts, flip_scheme *scheme) {
    base_status status;
    mm_record record;
    mm_record_init(&record);
    BASE_TRY(flip_scheme_to_record(context, scheme, &record));
    BASE_TRY(flip_starts_add(context, starts, &record, scheme));
done:
    mm_record_free(&record);
    return status;
}

/* Adds the schemes of the least rank, extended along the axis. */
static base_status extend_all(base_context *context, const int64_t size[3], const flip_pools *pools, int axis,
                              flip_starts *starts) {
    base_status status = BASE_OK;
    flip_scheme scheme = {0}, extended = {0};
    const int64_t rank = flip_pools_least(pools);
    for (int64_t k = 0; k < pools->pool[rank].count; k++) {
        BASE_TRY(flip_scheme_from_masks(context, size, rank, flip_pools_get(pools, rank, k), &scheme));
        BASE_TRY(flip_extend(context, &scheme, axis, &extended));
        BASE_TRY(add(context, starts, &extended));
        flip_scheme_free(&scheme);
        flip_scheme_free(&extended);
    }
done:
    flip_scheme_free(&scheme);
    flip_scheme_free(&extended);
    return status;
}

/* Searches from these schemes of a smaller format, unless their rank is the least known. */
static base_status search(base_context *context, const flip_dispatch *dispatch, flip_work *work,
                          const flip_growth *growth, const flip_search_options *options, flip_starts *starts,
                          flip_pools *found) {
    base_status status = BASE_OK;
    const flip_starts *hold = work->starts;
    const char *pool = work->pool;
    const int64_t *size = starts->scheme.size;
    const int64_t known = flip_known_rank(size, FLIP_F2, NULL);
    flip_search_options wanted = *options;
    flip_dispatch chosen = *dispatch;
    bool reached;
    if (known == 0 || flip_pools_least(&starts->pools) <= known) {
        BASE_TRY(flip_pools_open(context, starts->pools.most_rank, starts->count, found));
        BASE_TRY(flip_pools_add_all(context, found, &starts->pools));
        goto done;
    }
    wanted.target = known;
    const int64_t volume = size[0] * size[1] * size[2];
    if (volume < SMALL && dispatch->on_processors != NULL)
        chosen.found = NULL;
    const bool on_devices = flip_dispatch_has_devices(&chosen);
    const int64_t steps = on_devices ? DEVICE_STEPS : STEPS * volume * volume;
    if (!on_devices && wanted.islands == 0 && wanted.walkers == 0) {
        wanted.islands = ISLANDS;
        wanted.walkers = WALKERS;
    }
    wanted.keep = growth->keep > 0 ? growth->keep : KEEP;
    wanted.most_of_island = OF_ISLAND;
    wanted.steps = growth->steps > 0 ? growth->steps : steps;
    work->starts = starts;
    work->pool = NULL;
    status = flip_dispatch_search(context, &chosen, work, &starts->record, &starts->scheme, &wanted, found,
                                  &reached);
    work->starts = hold;
    work->pool = pool;
done:
    return status;
}

/* Adds to `starts` schemes of a format: finds those of the format before it, first, and extends them. */
static base_status grow_to(base_context *context, const flip_dispatch *dispatch, flip_work *work,
                           const flip_growth *growth, const flip_search_options *options,
                           const int64_t size[3], flip_starts *starts) {
    base_status status = BASE_OK;
    const int axis = find_axis(size);
    int64_t before[3] = {size[0], size[1], size[2]};
    flip_starts smaller = {0};
    flip_pools found = {0};
    uint64_t one[3] = {1, 1, 1};
    flip_scheme scheme = {0};
    if (axis < 0) {
        BASE_TRY(flip_scheme_from_masks(context, size, 1, one, &scheme));
        BASE_TRY(add(context, starts, &scheme));
        goto done;
    }
    before[axis]--;
    BASE_TRY(grow_to(context, dispatch, work, growth, options, before, &smaller));
    BASE_TRY(search(context, dispatch, work, growth, options, &smaller, &found));
    BASE_TRY(extend_all(context, before, &found, axis, starts));
done:
    flip_scheme_free(&scheme);
    flip_pools_close(&found);
    flip_starts_free(&smaller);
    return status;
}

base_status flip_grow(base_context *context, const flip_dispatch *dispatch, flip_work *work,
                      const flip_growth *growth, const flip_search_options *options, flip_starts *starts) {
    const int64_t size[3] = {starts->scheme.size[0], starts->scheme.size[1], starts->scheme.size[2]};
    if (dispatch->cyclic || dispatch->reversed)
        return base_fail(context, BASE_USAGE, "smaller formats give no schemes with a symmetry");
    return grow_to(context, dispatch, work, growth, options, size, starts);
}
