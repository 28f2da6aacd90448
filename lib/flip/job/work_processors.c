/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches on processors (search/search.h) as a method of work.h. */
#include "flip/job/work.h"

static base_status open_search(base_context *context, void *data, const flip_scheme *scheme,
                               const flip_pools *others, const char *state, int64_t bytes) {
    flip_work_processors *it = data;
    base_status status = BASE_OK;
    BASE_TRY(flip_search_open(context, scheme, it->options, it->engine, &it->search));
    if (state != NULL)
        BASE_TRY(flip_search_restore(context, it->search, state, bytes));
    else if (others->pool != NULL)
        BASE_TRY(flip_search_adopt(context, it->search, others));
done:
    return status;
}

static base_status pause_search(base_context *context, void *data, const flip_search *search, bool *is_over) {
    const flip_work_processors *it = data;
    (void)search;
    return it->pause(context, it->pause_data, is_over);
}

static base_status run(base_context *context, void *data, flip_work_pause *pause, void *pause_data) {
    flip_work_processors *it = data;
    it->pause = pause;
    it->pause_data = pause_data;
    return flip_search_run(context, it->search, pause_search, it);
}

static base_status save(base_context *context, void *data, char **buffer, int64_t *bytes, int64_t *capacity) {
    const flip_work_processors *it = data;
    return flip_search_save(context, it->search, buffer, bytes, capacity);
}

static const flip_pools *pools(void *data) {
    return flip_search_pools(((flip_work_processors *)data)->search);
}

static int64_t flips(void *data) {
    return flip_search_flips(((flip_work_processors *)data)->search);
}

static bool has_reached(void *data) {
    return flip_search_has_reached(((flip_work_processors *)data)->search);
}

static void describe(void *data, char *line, size_t size) {
    flip_search_describe(((flip_work_processors *)data)->search, line, size);
}

static void close_search(void *data) {
    flip_work_processors *it = data;
    flip_search_close(it->search);
    it->search = NULL;
}

flip_work_method flip_work_on_processors(flip_work_processors *data) {
    return (flip_work_method){
        FLIP_WORK_PROCESSORS, "processors", data,        open_search, run, save, pools, flips,
        has_reached,          describe,     close_search};
}
