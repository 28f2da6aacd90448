/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/job/state.h"
#include "base/core/memory.h"
#include "mm/stream/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the heading of the block at `at` of the state that was loaded; false if no whole block is there. */
static bool read_heading(const flip_state *state, int64_t at, flip_state_heading *head) {
    if (state->resumed == NULL || state->resumed_bytes - at < (int64_t)sizeof *head)
        return false;
    memcpy(head, state->resumed + at, sizeof *head);
    return head->bytes >= 0 && head->bytes <= state->resumed_bytes - at - (int64_t)sizeof *head;
}

static int64_t count_done(const flip_state *state) {
    int64_t count = 0;
    flip_state_heading head;
    for (int64_t at = 0; read_heading(state, at, &head); at += (int64_t)sizeof head + head.bytes)
        count += head.kind == FLIP_WORK_DONE;
    return count;
}

void flip_state_name(flip_state *state, const char *path) {
    if (path == NULL)
        return;
    pthread_mutex_init(&state->lock, NULL);
    base_checkpoint_init(&state->checkpoint, path);
}

base_status flip_state_open(base_context *context, flip_state *state, char note[512]) {
    const char *path = state->checkpoint.path;
    note[0] = '\0';
    if (path == NULL)
        return BASE_OK;
    base_status status = mm_state_load(context, path, state->identity, &state->resumed, &state->resumed_bytes,
                                       NULL, &state->damaged, note);
    if (status != BASE_OK || !state->damaged)
        note[0] = '\0';
    pthread_mutex_lock(&state->lock);
    state->has_state = state->resumed != NULL;
    state->resumed_records = count_done(state);
    state->is_loaded = status == BASE_OK;
    pthread_mutex_unlock(&state->lock);
    return status;
}

void flip_state_close(flip_state *state) {
    if (state->checkpoint.path != NULL)
        pthread_mutex_destroy(&state->lock);
    state->checkpoint.path = NULL;
    free(state->finished);
    free(state->resumed);
    state->finished = state->resumed = NULL;
}

static base_status append(base_context *context, flip_state *state, const void *data, int64_t bytes) {
    base_status status =
        base_reserve(context, &state->finished, &state->finished_capacity, state->finished_bytes + bytes, 1);
    if (status != BASE_OK)
        return status;
    memcpy(state->finished + state->finished_bytes, data, (size_t)bytes);
    state->finished_bytes += bytes;
    return BASE_OK;
}

static base_status save_records(base_context *context, flip_state *state) {
    base_status status =
        mm_state_save(context, &state->checkpoint, !state->damaged, state->identity,
                      state->finished != NULL ? state->finished : "", state->finished_bytes, NULL, NULL);
    if (status != BASE_OK)
        return status;
    state->damaged = false;
    state->has_state = true;
    state->unsaved_records = 0;
    return BASE_OK;
}

/* Saves only where the file lacks some records: the file may hold a search,
 * too, which can be saved between its rounds only and would be lost. */
base_status flip_state_save_finished(base_context *context, flip_state *state, bool is_last,
                                     char said[BASE_SAID_BYTES]) {
    base_status status = BASE_OK;
    const char *path = state->checkpoint.path != NULL ? state->checkpoint.path : state->pool;
    if (path == NULL)
        return BASE_OK;
    int64_t records = state->finished_records;
    if (state->checkpoint.path != NULL) {
        pthread_mutex_lock(&state->lock);
        records = state->is_loaded ? state->finished_records + state->resumed_records : -1;
        if (records >= 0 && (state->unsaved_records > 0 || !state->has_state))
            status = save_records(context, state);
        /* After the last save the lock is kept: no thread may save anything older. */
        if (!is_last)
            pthread_mutex_unlock(&state->lock);
    }
    if (records >= 0)
        snprintf(said, BASE_SAID_BYTES, "run it again to go on from %s, with %lld finished record%s", path,
                 (long long)records, records == 1 ? "" : "s");
    return status;
}

base_status flip_state_save(base_context *context, flip_state *state, const flip_work_method *method) {
    base_status status = BASE_OK;
    const int64_t finished = state->finished_bytes;
    flip_state_heading head = {.kind = method->kind};
    pthread_mutex_lock(&state->lock);
    memcpy(head.hash, state->hash, sizeof head.hash);
    BASE_TRY(append(context, state, &head, sizeof head));
    BASE_TRY(method->save(context, method->data, &state->finished, &state->finished_bytes,
                          &state->finished_capacity));
    head.bytes = state->finished_bytes - finished - (int64_t)sizeof head;
    memcpy(state->finished + finished, &head, sizeof head);
    BASE_TRY(save_records(context, state));
done:
    state->finished_bytes = finished;
    pthread_mutex_unlock(&state->lock);
    return status;
}

base_status flip_state_finish(base_context *context, flip_state *state, const flip_pools *result,
                              bool reached, bool is_new) {
    base_status status = BASE_OK;
    const int64_t rank = flip_pools_least(result), count = result->pool[rank].count;
    flip_state_heading head = {.rank = rank, .count = count, .reached = reached, .bytes = 24 * rank * count};
    memcpy(head.hash, state->hash, sizeof head.hash);
    if (state->checkpoint.path == NULL)
        return BASE_OK;
    pthread_mutex_lock(&state->lock);
    const int64_t before = state->finished_bytes;
    BASE_TRY(append(context, state, &head, sizeof head));
    BASE_TRY(append(context, state, flip_pools_get(result, rank, 0), head.bytes));
    state->finished_records++;
    state->unsaved_records += is_new;
    state->resumed_records -= !is_new;
done:
    if (status != BASE_OK)
        state->finished_bytes = before;
    pthread_mutex_unlock(&state->lock);
    return status;
}

base_status flip_state_recall(base_context *context, flip_state *state, flip_state_heading *head,
                              const char **data) {
    *data = NULL;
    if (state->resumed == NULL || state->resumed_at == state->resumed_bytes)
        return BASE_OK;
    if (!read_heading(state, state->resumed_at, head) ||
        (head->kind == FLIP_WORK_DONE &&
         (head->rank < 0 || head->count < 1 || head->bytes / 24 != head->rank * head->count)))
        return base_fail(context, BASE_DAMAGED, "%s is damaged", state->checkpoint.path);
    if (memcmp(head->hash, state->hash, sizeof head->hash) != 0)
        return base_fail(context, BASE_USAGE, "%s is the state of another input", state->checkpoint.path);
    *data = state->resumed + state->resumed_at + sizeof *head;
    state->resumed_at += (int64_t)sizeof *head + head->bytes;
    return BASE_OK;
}

flip_work_kind flip_state_next_kind(const flip_state *state) {
    flip_state_heading head;
    return read_heading(state, state->resumed_at, &head) ? (flip_work_kind)head.kind : FLIP_WORK_DONE;
}
