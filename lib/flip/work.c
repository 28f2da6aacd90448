#include "flip/work.h"
#include "base/memory.h"
#include "base/progress.h"
#include "mm/hash.h"
#include "mm/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A state is a row of blocks, each a heading and bytes: masks of a finished record's schemes, or a search. */
typedef struct heading {
    char hash[40]; /* of the record */
    int64_t rank, count, reached;
    int64_t bytes;
    int64_t is_search;
} heading;

base_status flip_work_open(base_context *context, flip_work *work, const char *checkpoint) {
    char note[512];
    base_checkpoint_init(&work->checkpoint, checkpoint);
    base_checkpoint_init(&work->pool_file, work->pool);
    if (checkpoint == NULL)
        return BASE_OK;
    base_status status = mm_state_load(context, checkpoint, work->identity, &work->resumed,
                                       &work->resumed_bytes, NULL, &work->damaged, note);
    if (status == BASE_OK && work->damaged && work->note != NULL)
        work->note(work->data, note);
    return status;
}

void flip_work_close(flip_work *work) {
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

/* The finished records, and behind them for the moment the search. */
static base_status save_state(base_context *context, flip_work *work, const flip_search *search) {
    base_status status = BASE_OK;
    const int64_t finished = work->finished_bytes;
    heading head = {.is_search = 1};
    memcpy(head.hash, work->hash, sizeof head.hash);
    BASE_TRY(append(context, work, &head, sizeof head));
    BASE_TRY(
        flip_search_save(context, search, &work->finished, &work->finished_bytes, &work->finished_capacity));
    head.bytes = work->finished_bytes - finished - (int64_t)sizeof head;
    memcpy(work->finished + finished, &head, sizeof head);
    BASE_TRY(mm_state_save(context, &work->checkpoint, !work->damaged, work->identity, work->finished,
                           work->finished_bytes, NULL, NULL));
    work->damaged = false;
done:
    work->finished_bytes = finished;
    return status;
}

static base_status finish_record(base_context *context, flip_work *work, const flip_pools *result,
                                 bool reached) {
    base_status status = BASE_OK;
    const int64_t rank = flip_pools_least(result), count = result->pool[rank].count;
    heading head = {.rank = rank, .count = count, .reached = reached, .bytes = 24 * rank * count};
    memcpy(head.hash, work->hash, sizeof head.hash);
    if (work->checkpoint.path == NULL)
        return BASE_OK;
    BASE_TRY(append(context, work, &head, sizeof head));
    BASE_TRY(append(context, work, flip_pools_get(result, rank, 0), head.bytes));
done:
    return status;
}

/* The block of the state that belongs to this record; *data NULL when there is none. */
static base_status recall(base_context *context, flip_work *work, heading *head, const char **data) {
    const int64_t left = work->resumed_bytes - work->resumed_at;
    *data = NULL;
    if (work->resumed == NULL || left == 0)
        return BASE_OK;
    if (left >= (int64_t)sizeof *head)
        memcpy(head, work->resumed + work->resumed_at, sizeof *head);
    if (left < (int64_t)sizeof *head || head->bytes < 0 || head->bytes > left - (int64_t)sizeof *head ||
        (!head->is_search &&
         (head->rank < 0 || head->count < 1 || head->bytes / 24 != head->rank * head->count)))
        return base_fail(context, BASE_DAMAGED, "%s is damaged", work->checkpoint.path);
    if (memcmp(head->hash, work->hash, sizeof head->hash) != 0)
        return base_fail(context, BASE_USAGE, "%s is the state of another input", work->checkpoint.path);
    *data = work->resumed + work->resumed_at + sizeof *head;
    work->resumed_at += (int64_t)sizeof *head + head->bytes;
    return BASE_OK;
}

static void tell(base_context *context, flip_work *work, const flip_search *search) {
    enum { TELL_SECONDS = 10 };
    const double now = base_clock_seconds();
    char line[320], format[64];
    if (work->tell == NULL ||
        (flip_search_rank(search) == work->told_rank && now - work->told_seconds < TELL_SECONDS))
        return;
    snprintf(line, sizeof line, "%s: ", flip_format_name(flip_search_size(search), format));
    flip_search_describe(search, line + strlen(line), sizeof line - strlen(line));
    if (now > work->start_seconds)
        snprintf(line + strlen(line), sizeof line - strlen(line), ", %.3g flips/s, %.1f s",
                 (double)(flip_search_flips(search) - work->start_flips) / (now - work->start_seconds),
                 now - work->start_seconds);
    work->told_seconds = now;
    work->told_rank = flip_search_rank(search);
    work->tell(work->data, line);
    snprintf(work->task, sizeof work->task, "rank %lld", (long long)work->told_rank);
    if (context->progress != NULL)
        context->progress->task = work->task;
}

static base_status save_pool(base_context *context, flip_work *work, const flip_search *search) {
    if (work->pool == NULL)
        return BASE_OK;
    return flip_pools_save(context, &work->pool_file, flip_search_size(search), flip_search_pools(search));
}

static base_status pause_search(base_context *context, void *data, const flip_search *search, bool *is_over) {
    flip_work *work = data;
    base_status status = BASE_OK;
    const bool late = work->deadline_seconds > 0 && base_clock_seconds() >= work->deadline_seconds;
    const bool has_file = work->checkpoint.path != NULL || work->pool != NULL;
    const bool stop = has_file && (late || (context->progress != NULL && context->progress->stop_signal));
    tell(context, work, search);
    if (work->checkpoint.path != NULL && (stop || base_checkpoint_is_due(&work->checkpoint)))
        BASE_TRY(save_state(context, work, search));
    if (stop || base_checkpoint_is_due(&work->pool_file))
        BASE_TRY(save_pool(context, work, search));
    if (stop)
        BASE_TRY(base_fail(context, BASE_STOPPED, "stopped%s at rank %lld; run it again to go on from %s",
                           late ? " at the time limit" : "", (long long)flip_search_rank(search),
                           work->checkpoint.path != NULL ? work->checkpoint.path : work->pool));
    *is_over = late;
done:
    return status;
}

base_status flip_work_read_pool(base_context *context, flip_work *work, const int64_t size[3],
                                flip_pools *pools) {
    base_status status = BASE_OK;
    char *old = NULL;
    if (work->pool == NULL)
        goto done;
    old = base_checkpoint_sibling(context, work->pool, ".old");
    if (old == NULL)
        BASE_TRY(BASE_MACHINE);
    const char *path = access(work->pool, F_OK) == 0 ? work->pool : old;
    if (access(path, F_OK) != 0)
        goto done;
    BASE_TRY(flip_pools_open(context, FLIP_LARGEST_RANK, INT64_MAX, pools));
    BASE_TRY(flip_pools_read(context, path, size, pools));
done:
    free(old);
    return status;
}

/* What there is besides the scheme. */
static base_status adopt(base_context *context, flip_work *work, const flip_scheme *scheme,
                         flip_search *search) {
    base_status status = BASE_OK;
    flip_pools pools = {0};
    if (work->starts != NULL)
        BASE_TRY(flip_search_adopt(context, search, &work->starts->pools));
    BASE_TRY(flip_work_read_pool(context, work, scheme->size, &pools));
    if (pools.pool != NULL)
        BASE_TRY(flip_search_adopt(context, search, &pools));
done:
    flip_pools_close(&pools);
    return status;
}

static base_status run(base_context *context, flip_work *work, flip_search *search) {
    const bool can_stop = context->progress != NULL && (work->checkpoint.path != NULL || work->pool != NULL);
    work->start_seconds = work->told_seconds = base_clock_seconds();
    work->start_flips = flip_search_flips(search);
    work->told_rank = flip_search_rank(search);
    if (can_stop)
        context->progress->can_stop = 1;
    base_status status = flip_search_run(context, search, pause_search, work);
    if (can_stop)
        context->progress->can_stop = 0;
    if (status == BASE_OK)
        status = save_pool(context, work, search);
    return status;
}

/* The first `most` schemes of a rank. */
static base_status copy_result(base_context *context, int64_t rank, int64_t count, int64_t most,
                               const uint64_t *masks, flip_pools *result) {
    base_status status = flip_pools_open(context, rank, most, result);
    for (int64_t k = 0; k < count && status == BASE_OK; k++)
        status = flip_pools_add(context, result, rank, masks + k * 3 * rank);
    return status;
}

base_status flip_work_search(base_context *context, flip_work *work, const mm_record *record,
                             const flip_scheme *scheme, const flip_search_options *options,
                             const flip_engine *engine, flip_pools *result, bool *reached) {
    base_status status = BASE_OK;
    flip_search *search = NULL;
    uint64_t *masks = NULL;
    heading head;
    const char *data;
    *result = (flip_pools){0};
    memset(work->hash, 0, sizeof work->hash);
    if (work->starts != NULL)
        memcpy(work->hash, work->starts->hash, sizeof work->starts->hash);
    else
        mm_record_hash(record, work->hash);
    BASE_TRY(recall(context, work, &head, &data));
    if (data != NULL && !head.is_search) {
        masks = base_alloc(context, head.bytes, 1); /* the state's bytes may lie anywhere */
        if (masks == NULL)
            BASE_TRY(BASE_MACHINE);
        memcpy(masks, data, (size_t)head.bytes);
        BASE_TRY(copy_result(context, head.rank, head.count, options->keep, masks, result));
        *reached = head.reached;
    } else {
        BASE_TRY(flip_search_open(context, scheme, options, engine, &search));
        if (data != NULL)
            BASE_TRY(flip_search_restore(context, search, data, head.bytes));
        else
            BASE_TRY(adopt(context, work, scheme, search));
        BASE_TRY(run(context, work, search));
        const flip_pools *pools = flip_search_pools(search);
        const int64_t rank = flip_search_rank(search);
        BASE_TRY(copy_result(context, rank, pools->pool[rank].count, options->keep,
                             flip_pools_get(pools, rank, 0), result));
        *reached = flip_search_has_reached(search);
    }
    BASE_TRY(finish_record(context, work, result, *reached));
done:
    free(masks);
    flip_search_close(search);
    if (status != BASE_OK)
        flip_pools_close(result);
    return status;
}
