/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/job/work.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/record/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

base_status flip_work_open(base_context *context, flip_work *work) {
    char note[512];
    base_checkpoint_init(&work->pool_file, work->pool);
    work->state.identity = work->identity;
    work->state.pool = work->pool;
    const base_status status = flip_state_open(context, &work->state, note);
    if (note[0] != '\0' && work->note != NULL)
        work->note(work->data, note);
    return status;
}

void flip_work_close(flip_work *work) {
    flip_state_close(&work->state);
}

static base_status save_finished(base_context *context, void *data, bool is_last,
                                 char said[BASE_SAID_BYTES]) {
    flip_work *work = data;
    return flip_state_save_finished(context, &work->state, is_last, said);
}

static void release(void *data) {
    flip_work_close(data);
}

base_saver flip_work_saver(flip_work *work, const char *checkpoint) {
    work->state.pool = work->pool;
    flip_state_name(&work->state, checkpoint);
    return (base_saver){save_finished, release, work};
}

flip_work_kind flip_work_next_kind(const flip_work *work) {
    return flip_state_next_kind(&work->state);
}

/* The search of one record. */
typedef struct flip_work_job {
    flip_work *work;
    const flip_work_method *method;
    const int64_t *size;
} job;

/* Logs a line when the rank has dropped, else every LOG_SECONDS, and at the end if the last is a second old.
 */
static void log_progress(base_context *context, const job *job, bool is_end) {
    flip_work *work = job->work;
    const flip_work_method *method = job->method;
    enum { LOG_SECONDS = 10 };
    const double now = base_clock_seconds();
    const int64_t rank = flip_pools_least(method->pools(method->data));
    char line[320], format[64];
    const bool is_due = rank != work->logged_rank || now - work->logged_seconds >= (is_end ? 1 : LOG_SECONDS);
    if (work->log == NULL || !is_due)
        return;
    snprintf(line, sizeof line, "%s: ", flip_format_name(job->size, format));
    method->describe(method->data, line + strlen(line), sizeof line - strlen(line));
    if (now > work->start_seconds)
        snprintf(line + strlen(line), sizeof line - strlen(line), ", %.3g flips/s, %.1f s",
                 (double)(method->flips(method->data) - work->start_flips) / (now - work->start_seconds),
                 now - work->start_seconds);
    work->logged_seconds = now;
    work->logged_rank = rank;
    work->log(work->data, line);
    snprintf(line, sizeof line, "rank %lld", (long long)rank);
    base_progress_rename(context, line);
}

static base_status save_pool(base_context *context, const job *job) {
    if (job->work->pool == NULL)
        return BASE_OK;
    return flip_pools_save(context, &job->work->pool_file, job->size, job->method->pools(job->method->data));
}

static base_status pause_search(base_context *context, void *data, bool *is_over) {
    const job *job = data;
    flip_work *work = job->work;
    const flip_work_method *method = job->method;
    base_status status = BASE_OK;
    /* The limit counts only after one round: otherwise a run on a busy machine might be stopped and started
     * again for ever without getting on. */
    const bool late = work->deadline_seconds > 0 && base_clock_seconds() >= work->deadline_seconds &&
                      method->flips(method->data) > work->start_flips;
    const bool has_file = work->state.checkpoint.path != NULL || work->pool != NULL;
    const bool stop = has_file && (late || (context->progress != NULL && context->progress->stop_signal)) &&
                      !method->has_reached(method->data);
    log_progress(context, job, false);
    if (work->state.checkpoint.path != NULL && (stop || base_checkpoint_is_due(&work->state.checkpoint)))
        BASE_TRY(flip_state_save(context, &work->state, method));
    if (stop || base_checkpoint_is_due(&work->pool_file))
        BASE_TRY(save_pool(context, job));
    if (stop)
        BASE_TRY(base_fail(context, BASE_STOPPED, "stopped%s at rank %lld; run it again to go on from %s",
                           late ? " at the time limit" : "",
                           (long long)flip_pools_least(method->pools(method->data)),
                           work->state.checkpoint.path != NULL ? work->state.checkpoint.path : work->pool));
    *is_over = late;
done:
    return status;
}

/* Reads the schemes of an earlier search from the pool's file, or from FILE.old where a kill left only that.
 */
static base_status read_pool(base_context *context, const flip_work *work, const int64_t size[3],
                             flip_pools *pools) {
    base_status status = BASE_OK;
    char *old = NULL;
    if (work->pool == NULL)
        goto done;
    old = base_checkpoint_sibling(context, work->pool, ".old");
    if (old == NULL)
        BASE_TRY(BASE_MACHINE);
    const char *path = access(work->pool, F_OK) == 0 ? work->pool : old;
    if (access(path, F_OK) == 0)
        BASE_TRY(flip_pools_read(context, path, size, pools));
done:
    free(old);
    return status;
}

/* Collects the schemes to start from besides the record's own: those of `starts` and of the pool's file. */
static base_status collect(base_context *context, const job *job, flip_pools *others) {
    base_status status = BASE_OK;
    const flip_work *work = job->work;
    if (work->starts == NULL && work->pool == NULL)
        goto done;
    BASE_TRY(flip_pools_open(context, FLIP_LARGEST_RANK, INT64_MAX, others));
    if (work->starts != NULL)
        BASE_TRY(flip_pools_add_all(context, others, &work->starts->pools));
    BASE_TRY(read_pool(context, work, job->size, others));
done:
    return status;
}

static base_status run(base_context *context, job *job) {
    flip_work *work = job->work;
    const flip_work_method *method = job->method;
    const bool can_stop =
        context->progress != NULL && (work->state.checkpoint.path != NULL || work->pool != NULL);
    work->start_seconds = work->logged_seconds = base_clock_seconds();
    work->start_flips = method->flips(method->data);
    work->logged_rank = flip_pools_least(method->pools(method->data));
    if (can_stop)
        context->progress->can_stop = 1;
    base_status status = method->run(context, method->data, pause_search, job);
    if (can_stop)
        context->progress->can_stop = 0;
    if (status == BASE_OK) {
        log_progress(context, job, true);
        status = save_pool(context, job);
    }
    return status;
}

/* Copies the first `most` schemes of a rank. */
static base_status copy_result(base_context *context, int64_t rank, int64_t count, int64_t most,
                               const uint64_t *masks, flip_pools *result) {
    base_status status = flip_pools_open(context, rank, most, result);
    for (int64_t k = 0; k < count && status == BASE_OK; k++)
        status = flip_pools_add(context, result, rank, masks + k * 3 * rank);
    return status;
}

/* Searches, from the state if there is one. */
static base_status search(base_context *context, job *job, const flip_scheme *scheme, int64_t keep,
                          const char *state, int64_t bytes, flip_pools *result, bool *reached) {
    base_status status = BASE_OK;
    const flip_work_method *method = job->method;
    flip_pools others = {0};
    if (state == NULL)
        BASE_TRY(collect(context, job, &others));
    BASE_TRY(method->open(context, method->data, scheme, &others, state, bytes));
    BASE_TRY(run(context, job));
    const flip_pools *pools = method->pools(method->data);
    const int64_t rank = flip_pools_least(pools);
    BASE_TRY(
        copy_result(context, rank, pools->pool[rank].count, keep, flip_pools_get(pools, rank, 0), result));
    *reached = method->has_reached(method->data);
done:
    flip_pools_close(&others);
    return status;
}

base_status flip_work_search(base_context *context, flip_work *work, const mm_record *record,
                             const flip_scheme *scheme, int64_t keep, const flip_work_method *method,
                             flip_pools *result, bool *reached) {
    base_status status = BASE_OK;
    job job = {work, method, scheme->size};
    uint64_t *masks = NULL;
    flip_state_heading head = {.kind = method->kind};
    const char *data;
    *result = (flip_pools){0};
    memset(work->state.hash, 0, sizeof work->state.hash);
    if (work->starts != NULL)
        memcpy(work->state.hash, work->starts->hash, sizeof work->starts->hash);
    else
        mm_record_hash(record, work->state.hash);
    BASE_TRY(flip_state_recall(context, &work->state, &head, &data));
    if (head.kind == FLIP_WORK_DONE) {
        masks = base_alloc(context, head.bytes, 1); /* The state's bytes need not be aligned. */
        if (masks == NULL)
            BASE_TRY(BASE_MACHINE);
        memcpy(masks, data, (size_t)head.bytes);
        BASE_TRY(copy_result(context, head.rank, head.count, keep, masks, result));
        *reached = head.reached;
    } else if (head.kind != (int64_t)method->kind) {
        BASE_TRY(base_fail(context, BASE_USAGE, "%s is the state of a search that was not made on %s",
                           work->state.checkpoint.path, method->hardware));
    } else {
        BASE_TRY(search(context, &job, scheme, keep, data, head.bytes, result, reached));
    }
    BASE_TRY(flip_state_finish(context, &work->state, result, *reached, head.kind != FLIP_WORK_DONE));
done:
    free(masks);
    method->close(method->data);
    if (status != BASE_OK)
        flip_pools_close(result);
    return status;
}
