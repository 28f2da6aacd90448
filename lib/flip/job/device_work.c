/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/job/device_work.h"
#include "base/run/progress.h"
#include "flip/scheme/known.h"

#include <stdio.h>

static bool has_reached(void *data) {
    const flip_work_devices *it = data;
    const int64_t rank = flip_pools_least(&it->pools);
    return rank <= it->target && it->pools.pool[rank].count >= it->keep;
}

/* The target is the given one, or the least known rank where nothing else ends the search. */
static base_status set_limits(base_context *context, flip_work_devices *it, const int64_t size[3]) {
    const flip_search_options *options = it->options;
    it->steps = options->steps;
    it->keep = options->keep > 0 ? options->keep : 1;
    it->target = options->target;
    if (it->target > 0 || it->steps > 0 || options->is_limited)
        return BASE_OK;
    it->target = flip_known_rank(size, FLIP_F2, NULL);
    if (it->target == 0)
        return base_fail(context, BASE_USAGE, "no rank is known for this format: give a target or a limit");
    return BASE_OK;
}

/* Puts the given schemes into pools that are large enough for them. */
static base_status fill_pools(base_context *context, flip_work_devices *it, const flip_scheme *scheme,
                              const flip_pools *others) {
    base_status status = BASE_OK;
    int64_t most = it->options->pool_size > 0 ? it->options->pool_size : 64;
    most = it->keep > most ? it->keep : most;
    for (int64_t rank = 0; others->pool != NULL && rank <= others->most_rank; rank++)
        most = others->pool[rank].count > most ? others->pool[rank].count : most;
    BASE_TRY(flip_pools_open(context, FLIP_LARGEST_RANK, most, &it->pools));
    BASE_TRY(flip_pools_add_scheme(context, &it->pools, scheme));
    if (others->pool != NULL)
        BASE_TRY(flip_pools_add_all(context, &it->pools, others));
done:
    return status;
}

static base_status open_search(base_context *context, void *data, const flip_scheme *scheme,
                               const flip_pools *others, const char *state, int64_t bytes) {
    base_status status = BASE_OK;
    flip_work_devices *it = data;
    BASE_TRY(set_limits(context, it, scheme->size));
    if (state != NULL)
        BASE_TRY(flip_device_read_first(context, state, bytes, &it->pools));
    else
        BASE_TRY(fill_pools(context, it, scheme, others));
    BASE_TRY(flip_device_open(context, it->devices, scheme->size, &it->pools, it->options, it->device_options,
                              &it->search));
    if (state != NULL)
        BASE_TRY(flip_device_restore(context, it->search, state, bytes, &it->pools));
done:
    return status;
}

static base_status run(base_context *context, void *data, flip_work_pause *pause, void *pause_data) {
    base_status status = BASE_OK;
    flip_work_devices *it = data;
    bool is_over = false;
    const bool is_limited = it->steps > 0;
    base_progress_start(context, "flips",
                        is_limited ? (double)(it->steps - flip_device_steps(it->search)) : 0,
                        is_limited ? "steps" : "flips");
    for (;;) {
        const int64_t flips = flip_device_flips(it->search), steps = flip_device_steps(it->search);
        BASE_TRY(pause(context, pause_data, &is_over));
        is_over |= has_reached(it) || flip_device_is_over(it->search) ||
                   (it->steps > 0 && flip_device_steps(it->search) >= it->steps);
        if (is_over)
            break;
        BASE_TRY(flip_device_run(context, it->search, &it->pools));
        base_progress_add(context, is_limited ? flip_device_steps(it->search) - steps
                                              : flip_device_flips(it->search) - flips);
    }
done:
    base_progress_finish(context);
    return status;
}

static base_status save(base_context *context, void *data, char **buffer, int64_t *bytes, int64_t *capacity) {
    flip_work_devices *it = data;
    return flip_device_save(context, it->search, &it->pools, buffer, bytes, capacity);
}

static const flip_pools *pools(void *data) {
    return &((flip_work_devices *)data)->pools;
}

static int64_t flips(void *data) {
    return flip_device_flips(((flip_work_devices *)data)->search);
}

static void describe(void *data, char *line, size_t size) {
    const flip_work_devices *it = data;
    const int64_t rank = flip_pools_least(&it->pools);
    char islands[128];
    flip_device_describe(it->search, islands, sizeof islands);
    snprintf(line, size, "rank %lld (%lld of it), %s", (long long)rank, (long long)it->pools.pool[rank].count,
             islands);
}

static void close_search(void *data) {
    flip_work_devices *it = data;
    flip_device_close(it->search);
    flip_pools_close(&it->pools);
    it->search = NULL;
}

flip_work_method flip_work_on_devices(flip_work_devices *data) {
    return (flip_work_method){FLIP_WORK_DEVICES, "devices", data,        open_search, run, save, pools, flips,
                              has_reached,       describe,  close_search};
}
