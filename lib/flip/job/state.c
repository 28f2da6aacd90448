/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of searches (work.h): what it holds, how it is saved and read. */
#include "flip/job/state.h"
#include "base/core/memory.h"
#include "mm/stream/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the heading of the block at `at` of the state that was loaded; false if no whole block is there. */
static bool read_heading(const flip_work *work, int64_t at, flip_state_heading *head) {
    if (work->resumed == NULL || work->resumed_bytes - at < (int64_t)sizeof *head)
        return false;
    memcpy(head, work->resumed + at, sizeof *head);
    return head->bytes >= 0 && head->bytes <= work->resumed_bytes - at - (int64_t)sizeof *head;
}

static int64_t count_done(const flip_work *work) {
    int64_t count = 0;
    flip_state_heading head;
    for (int64_t at = 0; read_heading(work, at, &head); at += (int64_t)sizeof head + head.bytes)
        count += head.kind == FLIP_WORK_DONE;
    return count;
}

base_status flip_work_open(base_context *context, flip_work *work, const char *checkpoint) {
    char note[512];
    base_checkpoint_init(&work->pool_file, work->pool);
    if (checkpoint == NULL)
        return BASE_OK;
    pthread_mutex_init(&work->lock, NULL);
    base_checkpoint_init(&work->checkpoint, checkpoint);
    base_status status = mm_state_load(context, checkpoint, work->identity, &work->resumed,
                                       &work->resumed_bytes, NULL, &work->damaged, note);
    if (status == BASE_OK && work->damaged && work->note != NULL)
        work->note(work->data, note);
    pthread_mutex_lock(&work->lock);
    work->has_state = work->resumed != NULL;
    work->resumed_records = count_done(work);
    work->is_loaded = status == BASE_OK;
    pthread_mutex_unlock(&work->lock);
    return status;
}

void flip_work_close(flip_work *work) {
    if (work->checkpoint.path != NULL)
        pthread_mutex_destroy(&work->lock);
    work->checkpoint.path = NULL;
    free(work->finished);
    free(work->resumed);
    work->finished = work->resumed = NULL;
}

static base_status append(base_context *context, flip_work *work, const void *data, int64_t bytes) {
    base_status status =
        base_reserve(context, &work->finished, &work->finished_capacity, work->finished_bytes + bytes, 1);
    if (status != BASE_OK)
        return status;
    memcpy(work->finished + work->finished_bytes, data, (size_t)bytes);
    work->finished_bytes += bytes;
    return BASE_OK;
}

static base_status save_finished(base_context *context, flip_work *work) {
    base_status status =
        mm_state_save(context, &work->checkpoint, !work->damaged, work->identity,
                      work->finished != NULL ? work->finished : "", work->finished_bytes, NULL, NULL);
    if (status != BASE_OK)
        return status;
    work->damaged = false;
    work->has_state = true;
    work->unsaved_records = 0;
    return BASE_OK;
}

/* Saves the finished records at any moment, but only where the file lacks some: the file may hold a search,
 * too, which can be saved between its rounds only and would be lost. */
static base_status save_at_any_moment(base_context *context, void *data, bool is_last,
                                      char said[BASE_SAID_BYTES]) {
    flip_work *work = data;
    base_status status = BASE_OK;
    const char *path = work->checkpoint.path != NULL ? work->checkpoint.path : work->pool;
    if (path == NULL)
        return BASE_OK;
    int64_t records = work->finished_records;
    if (work->checkpoint.path != NULL) {
        pthread_mutex_lock(&work->lock);
        records = work->is_loaded ? work->finished_records + work->resumed_records : -1;
        if (records >= 0 && (work->unsaved_records > 0 || !work->has_state))
            status = save_finished(context, work);
        /* After the last save the lock is kept: no thread may save anything older. */
        if (!is_last)
            pthread_mutex_unlock(&work->lock);
    }
    if (records >= 0)
        snprintf(said, BASE_SAID_BYTES, "run it again to go on from %s, with %lld finished record%s", path,
                 (long long)records, records == 1 ? "" : "s");
    return status;
}

static void release(void *data) {
    flip_work_close(data);
}

base_saver flip_work_saver(flip_work *work) {
    return (base_saver){save_at_any_moment, release, work};
}

/* Saves the finished records, and the search behind them, which is then taken off again. */
base_status flip_state_save(base_context *context, flip_work *work, const flip_work_method *method) {
    base_status status = BASE_OK;
    const int64_t finished = work->finished_bytes;
    flip_state_heading head = {.kind = method->kind};
    pthread_mutex_lock(&work->lock);
    memcpy(head.hash, work->hash, sizeof head.hash);
    BASE_TRY(append(context, work, &head, sizeof head));
    BASE_TRY(method->save(context, method->data, &work->finished, &work->finished_bytes,
                          &work->finished_capacity));
    head.bytes = work->finished_bytes - finished - (int64_t)sizeof head;
    memcpy(work->finished + finished, &head, sizeof head);
    BASE_TRY(save_finished(context, work));
done:
    work->finished_bytes = finished;
    pthread_mutex_unlock(&work->lock);
    return status;
}

base_status flip_state_finish(base_context *context, flip_work *work, const flip_pools *result, bool reached,
                              bool is_new) {
    base_status status = BASE_OK;
    const int64_t rank = flip_pools_least(result), count = result->pool[rank].count;
    flip_state_heading head = {.rank = rank, .count = count, .reached = reached, .bytes = 24 * rank * count};
    memcpy(head.hash, work->hash, sizeof head.hash);
    if (work->checkpoint.path == NULL)
        return BASE_OK;
    pthread_mutex_lock(&work->lock);
    const int64_t before = work->finished_bytes;
    BASE_TRY(append(context, work, &head, sizeof head));
    BASE_TRY(append(context, work, flip_pools_get(result, rank, 0), head.bytes));
    work->finished_records++;
    work->unsaved_records += is_new;
    work->resumed_records -= !is_new;
done:
    if (status != BASE_OK)
        work->finished_bytes = before;
    pthread_mutex_unlock(&work->lock);
    return status;
}

/* Finds the block of the state that belongs to this record; *data is NULL when there is none. */
base_status flip_state_recall(base_context *context, flip_work *work, flip_state_heading *head,
                              const char **data) {
    *data = NULL;
    if (work->resumed == NULL || work->resumed_at == work->resumed_bytes)
        return BASE_OK;
    if (!read_heading(work, work->resumed_at, head) ||
        (head->kind == FLIP_WORK_DONE &&
         (head->rank < 0 || head->count < 1 || head->bytes / 24 != head->rank * head->count)))
        return base_fail(context, BASE_DAMAGED, "%s is damaged", work->checkpoint.path);
    if (memcmp(head->hash, work->hash, sizeof head->hash) != 0)
        return base_fail(context, BASE_USAGE, "%s is the state of another input", work->checkpoint.path);
    *data = work->resumed + work->resumed_at + sizeof *head;
    work->resumed_at += (int64_t)sizeof *head + head->bytes;
    return BASE_OK;
}

flip_work_kind flip_work_next_kind(const flip_work *work) {
    flip_state_heading head;
    return read_heading(work, work->resumed_at, &head) ? (flip_work_kind)head.kind : FLIP_WORK_DONE;
}
