/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/solve/stream.h"
#include "base/core/memory.h"
#include "base/core/thread.h"
#include "base/run/progress.h"
#include "perm/plan/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* What waits for a batch waits so long at most. */
static const double most_wait_seconds = 0.1;

/* Rows of matrices that are not worth waiting for others. */
enum { LARGE_ROWS = 40 };

/* While a batch is read, those before it are prepared, computed, finished and given out, each by a thread. A
 * side is READ while it is filled or waits to be. */
typedef enum step { READ, PREPARE, COMPUTE, FINISH, GIVE } step;
enum { SIDES = 5, WORKERS = GIVE };

typedef struct side {
    perm_batch *batch;
    base_context context; /* of the threads */
    base_status status;
    step step; /* to come */
} side;

/* A thread that does one step of the sides, in their order. */
typedef struct worker {
    perm_stream *stream;
    base_status (*work)(base_context *context, perm_batch *batch); /* NULL: gives out */
    step step;
    pthread_t thread;
    bool has_thread;
} worker;

struct perm_stream {
    perm_dense_batch devices;
    perm_stream_out out;
    bool has_lock, has_threads, is_over, has_failed;
    worker worker[WORKERS];

    /* under the lock where there are threads */
    pthread_mutex_t lock;
    pthread_cond_t change;
    side side[SIDES];
    int filling, oldest; /* the sides behind the oldest one, up to the one that is filled, are under way */
    int64_t records;
    double first_seconds;            /* when the first record came that waits */
    base_context context;            /* of the first record of the side that is filled */
    base_status status;              /* of what was given out */
    perm_cost_history *cost_history; /* by the records that were given out; NULL: nobody asks */
};

base_status perm_stream_open(base_context *context, const perm_options *options, const perm_stream_out *out,
                             perm_stream **stream) {
    base_status status = BASE_MACHINE;
    *stream = base_alloc_zero(context, 1, sizeof **stream);
    if (*stream == NULL)
        goto done;
    (*stream)->out = *out;
    (*stream)->cost_history = options->cost_history;
    (*stream)->worker[0] = (worker){.stream = *stream, .work = perm_batch_prepare, .step = PREPARE};
    (*stream)->worker[1] = (worker){.stream = *stream, .work = perm_batch_compute, .step = COMPUTE};
    (*stream)->worker[2] = (worker){.stream = *stream, .work = perm_batch_finish, .step = FINISH};
    (*stream)->worker[3] = (worker){.stream = *stream, .step = GIVE};
    for (int k = 0; k < SIDES; k++)
        BASE_TRY(perm_batch_open(context, options, &(*stream)->devices, &(*stream)->side[k].batch));
done:
    if (status != BASE_OK) {
        perm_stream_close(context, *stream);
        *stream = NULL;
    }
    return status;
}

static void lock(perm_stream *stream) {
    if (stream->has_threads)
        pthread_mutex_lock(&stream->lock);
}

static void unlock(perm_stream *stream) {
    if (stream->has_threads)
        pthread_mutex_unlock(&stream->lock);
}

static int next_side(int k) {
    return (k + 1) % SIDES;
}

/* ---- under the lock ---- */

/* How many sides may be under way when the next one starts. The choice of devices asks what the records
 * before the last side have cost, until that is enough: so long they are given out first. */
static int count_allowed(const perm_stream *stream, int64_t first) {
    const bool matters =
        stream->cost_history != NULL &&
        perm_cost_history_before(stream->cost_history, first).seconds <= PERM_PLAN_WORTH_SECONDS;
    return matters ? 1 : SIDES - 2;
}

static int64_t count_waiting(const perm_stream *stream) {
    return perm_batch_count(stream->side[stream->filling].batch);
}

static bool may_turn(const perm_stream *stream) {
    return (stream->filling - stream->oldest + SIDES) % SIDES <=
           count_allowed(stream, stream->records - count_waiting(stream));
}

/* Starts to solve what is there; the next side is filled then. */
static void turn(perm_stream *stream) {
    side *side = &stream->side[stream->filling];
    side->context = stream->context;
    side->status = BASE_OK;
    side->step = PREPARE;
    perm_batch_begin(side->batch, stream->records - perm_batch_count(side->batch));
    stream->filling = next_side(stream->filling);
    if (stream->has_threads)
        pthread_cond_broadcast(&stream->change);
}

/* Waits for a change: until the time when what waits has waited long enough, where something does. */
static void wait_for_change(perm_stream *stream) {
    if (count_waiting(stream) == 0 || !may_turn(stream)) {
        pthread_cond_wait(&stream->change, &stream->lock);
        return;
    }
    const double until = stream->first_seconds + most_wait_seconds;
    const struct timespec time = {.tv_sec = (time_t)until,
                                  .tv_nsec = (long)(1e9 * (until - (double)(time_t)until))};
    pthread_cond_clockwait(&stream->change, &stream->lock, CLOCK_MONOTONIC, &time);
}

static bool is_stale(const perm_stream *stream) {
    return count_waiting(stream) > 0 && may_turn(stream) &&
           base_clock_seconds() - stream->first_seconds > most_wait_seconds;
}

/* The side that is at the worker's step; NULL when there will be none. The first worker begins what waits
 * while the reader is waiting for its input. */
static side *wait_for(const worker *worker, int k) {
    perm_stream *stream = worker->stream;
    pthread_mutex_lock(&stream->lock);
    while (stream->side[k].step != worker->step && !stream->is_over) {
        if (worker->step == PREPARE && is_stale(stream))
            turn(stream);
        else if (worker->step == PREPARE)
            wait_for_change(stream);
        else
            pthread_cond_wait(&stream->change, &stream->lock);
    }
    const bool is_there = stream->side[k].step == worker->step;
    pthread_mutex_unlock(&stream->lock);
    return is_there ? &stream->side[k] : NULL;
}

/* ---- the steps ---- */

/* All of a batch are known at once, and go on their way together. */
static base_status put_all(perm_stream *stream, perm_batch *batch) {
    base_status status;
    const perm_stream_out *out = &stream->out;
    BASE_TRY(perm_batch_put_all(out->context, batch, out->put, out->data));
    BASE_TRY(out->flush(out->context, out->data));
done:
    return status;
}

/* Gives the results of the oldest side out, in the context of `out`. */
static void give(perm_stream *stream, side *side) {
    base_status status = side->status;
    if (status != BASE_OK && stream->status == BASE_OK)
        stream->out.context->error = side->context.error;
    if (status == BASE_OK && stream->status == BASE_OK)
        status = put_all(stream, side->batch);
    lock(stream);
    if (stream->cost_history != NULL)
        perm_batch_add_costs(side->batch, stream->cost_history);
    if (stream->status == BASE_OK)
        stream->status = status;
    perm_batch_clear(side->batch);
    stream->oldest = next_side(stream->oldest);
    unlock(stream);
}

static void do_step(const worker *worker, side *side) {
    if (worker->work == NULL)
        give(worker->stream, side);
    else if (side->status == BASE_OK)
        side->status = worker->work(&side->context, side->batch);
    lock(worker->stream);
    side->step = worker->step == GIVE ? READ : worker->step + 1;
    if (worker->stream->has_threads)
        pthread_cond_broadcast(&worker->stream->change);
    unlock(worker->stream);
}

static void *work(void *data) {
    worker *worker = data;
    side *side;
    for (int k = 0; (side = wait_for(worker, k)) != NULL; k = next_side(k))
        do_step(worker, side);
    return NULL;
}

/* Without threads: each step at once. */
static void do_all(perm_stream *stream) {
    side *side = &stream->side[stream->oldest];
    for (int k = 0; k < WORKERS; k++)
        do_step(&stream->worker[k], side);
}

static void end_threads(perm_stream *stream) {
    if (!stream->has_lock)
        return;
    pthread_mutex_lock(&stream->lock);
    stream->is_over = true;
    pthread_cond_broadcast(&stream->change);
    pthread_mutex_unlock(&stream->lock);
    for (int k = 0; k < WORKERS; k++)
        if (stream->worker[k].has_thread)
            pthread_join(stream->worker[k].thread, NULL);
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->change);
    stream->has_lock = stream->has_threads = false;
}

/* Where they cannot start, the work is done without. */
static void start_threads(perm_stream *stream) {
    if (stream->has_lock || base_threads_are_scarce())
        return;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->change, NULL);
    stream->has_lock = stream->has_threads = true;
    for (int k = 0; k < WORKERS; k++) {
        worker *worker = &stream->worker[k];
        worker->has_thread = base_thread_start(&worker->thread, work, worker) == 0;
        if (!worker->has_thread) {
            end_threads(stream);
            return;
        }
    }
}

/* ---- the reader's ---- */

/* The failure of what was given out. */
static base_status check(base_context *context, perm_stream *stream) {
    lock(stream);
    const base_status status = stream->status;
    if (status != BASE_OK)
        context->error = stream->out.context->error;
    unlock(stream);
    stream->has_failed = status != BASE_OK;
    return status;
}

/* Turns as soon as that is allowed. */
static void turn_when_allowed(perm_stream *stream) {
    lock(stream);
    while (stream->has_threads && count_waiting(stream) > 0 && !may_turn(stream))
        pthread_cond_wait(&stream->change, &stream->lock);
    const bool turns = count_waiting(stream) > 0;
    if (turns)
        turn(stream);
    unlock(stream);
    if (turns && !stream->has_threads)
        do_all(stream);
}

void perm_stream_close(base_context *context, perm_stream *stream) {
    if (stream == NULL)
        return;
    const base_error first = context->error;
    if (stream->side[SIDES - 1].batch != NULL)
        perm_stream_finish(context, stream);
    context->error = first;
    end_threads(stream);
    for (int k = 0; k < SIDES; k++)
        perm_batch_close(stream->side[k].batch);
    perm_dense_batch_free(&stream->devices);
    free(stream);
}

base_status perm_stream_add(base_context *context, perm_stream *stream, mm_record *record) {
    base_status status = BASE_OK;
    const bool is_large = record->nrow > LARGE_ROWS || record->ncol > LARGE_ROWS;
    if (is_large)
        BASE_TRY(perm_stream_finish(context, stream));
    if (stream->records == 0)
        start_threads(stream);
    lock(stream);
    const bool is_first = count_waiting(stream) == 0;
    if (is_first) {
        stream->first_seconds = base_clock_seconds();
        stream->context = *context;
    }
    perm_batch_add(context, stream->side[stream->filling].batch, record);
    stream->records++;
    if (is_first && stream->has_threads)
        pthread_cond_broadcast(&stream->change); /* the first worker sees to its time */
    const bool is_due = perm_cost_history_is_end(stream->records) ||
                        base_clock_seconds() - stream->first_seconds > most_wait_seconds;
    unlock(stream);
    if (is_large)
        BASE_TRY(perm_stream_finish(context, stream));
    else if (is_due)
        turn_when_allowed(stream);
    BASE_TRY(check(context, stream));
done:
    return status;
}

base_status perm_stream_finish(base_context *context, perm_stream *stream) {
    if (stream->has_failed)
        return BASE_OK;
    turn_when_allowed(stream);
    lock(stream);
    while (stream->has_threads && stream->oldest != stream->filling)
        pthread_cond_wait(&stream->change, &stream->lock);
    unlock(stream);
    return check(context, stream);
}
