#include "perm/solve/stream.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/plan/plan.h"

#include <pthread.h>
#include <stdlib.h>

/* What waits for a batch waits so long at most. */
static const double most_wait_seconds = 0.1;

/* Rows of matrices that are not worth waiting for others. */
enum { LARGE_ROWS = 40 };

/* While a batch is read, those before it are prepared, computed and finished, each by a thread. */
typedef enum step { READ, PREPARE, COMPUTE, FINISH, DONE } step;
enum { SIDES = 5, WORKERS = FINISH - READ };

typedef struct side {
    perm_batch *batch;
    base_context context; /* of the threads */
    base_status status;
    step step; /* to come */
} side;

/* A thread that does one step of the sides, in their order. */
typedef struct worker {
    perm_stream *stream;
    base_status (*work)(base_context *context, perm_batch *batch);
    step step;
    pthread_t thread;
    bool has_thread;
} worker;

struct perm_stream {
    perm_dense_batch devices;
    perm_batch_put *put;
    void *data;
    side side[SIDES];
    int filling, oldest; /* the sides behind the oldest one, up to the one that is filled, are under way */
    bool has_failed;
    int64_t records;
    double first_seconds; /* when the first record came that waits */

    worker worker[WORKERS];
    const perm_cost_history *cost_history; /* by the records that were collected; NULL: nobody asks */
    bool has_lock, is_over;
    pthread_mutex_t lock; /* of is_over and each side's step */
    pthread_cond_t change;
};

base_status perm_stream_open(base_context *context, const perm_options *options, perm_batch_put *put,
                             void *data, perm_stream **stream) {
    base_status status = BASE_MACHINE;
    *stream = base_alloc_zero(context, 1, sizeof **stream);
    if (*stream == NULL)
        goto done;
    (*stream)->put = put;
    (*stream)->data = data;
    (*stream)->cost_history = options->cost_history;
    (*stream)->worker[0] = (worker){.stream = *stream, .work = perm_batch_prepare, .step = PREPARE};
    (*stream)->worker[1] = (worker){.stream = *stream, .work = perm_batch_compute, .step = COMPUTE};
    (*stream)->worker[2] = (worker){.stream = *stream, .work = perm_batch_finish, .step = FINISH};
    for (int k = 0; k < SIDES; k++)
        BASE_TRY(perm_batch_open(context, options, &(*stream)->devices, &(*stream)->side[k].batch));
done:
    if (status != BASE_OK) {
        perm_stream_close(context, *stream);
        *stream = NULL;
    }
    return status;
}

static int next_side(int k) {
    return (k + 1) % SIDES;
}

/* The side that is at the step, when there is one; NULL when there will be none. */
static side *wait_for(perm_stream *stream, int k, step step) {
    pthread_mutex_lock(&stream->lock);
    while (stream->side[k].step != step && !stream->is_over)
        pthread_cond_wait(&stream->change, &stream->lock);
    const bool is_there = stream->side[k].step == step;
    pthread_mutex_unlock(&stream->lock);
    return is_there ? &stream->side[k] : NULL;
}

static void move_on(perm_stream *stream, side *side, step step) {
    pthread_mutex_lock(&stream->lock);
    side->step = step;
    pthread_cond_broadcast(&stream->change);
    pthread_mutex_unlock(&stream->lock);
}

static void *work(void *data) {
    worker *worker = data;
    side *side;
    for (int k = 0; (side = wait_for(worker->stream, k, worker->step)) != NULL; k = next_side(k)) {
        if (side->status == BASE_OK)
            side->status = worker->work(&side->context, side->batch);
        move_on(worker->stream, side, worker->step + 1);
    }
    return NULL;
}

/* Waits for the oldest side under way and gives its results out. */
static base_status collect(base_context *context, perm_stream *stream) {
    side *side = wait_for(stream, stream->oldest, DONE);
    stream->oldest = next_side(stream->oldest);
    move_on(stream, side, READ);
    if (side->status != BASE_OK) {
        context->error = side->context.error;
        return side->status;
    }
    return perm_batch_empty(context, side->batch, stream->put, stream->data);
}

static base_status start_threads(base_context *context, perm_stream *stream) {
    if (stream->has_lock)
        return BASE_OK;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->change, NULL);
    stream->has_lock = true;
    for (int k = 0; k < WORKERS; k++) {
        worker *worker = &stream->worker[k];
        worker->has_thread = pthread_create(&worker->thread, NULL, work, worker) == 0;
        if (!worker->has_thread)
            return base_fail(context, BASE_MACHINE, "cannot start a thread");
    }
    return BASE_OK;
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
}

/* How many sides may be under way when the next one starts. The choice of devices asks what the records
 * before the last side have cost, until that is enough: so long they are collected first. */
static int count_allowed(const perm_stream *stream, int64_t first) {
    const bool matters =
        stream->cost_history != NULL &&
        perm_cost_history_before(stream->cost_history, first).seconds <= PERM_PLAN_WORTH_SECONDS;
    return matters ? 1 : SIDES - 2;
}

/* Starts to solve what is there; the next side is filled then. */
static base_status turn(base_context *context, perm_stream *stream) {
    base_status status = BASE_OK;
    side *side = &stream->side[stream->filling];
    const int64_t count = perm_batch_count(side->batch);
    if (count == 0)
        goto done;
    BASE_TRY(start_threads(context, stream));
    while ((stream->filling - stream->oldest + SIDES) % SIDES >
           count_allowed(stream, stream->records - count))
        BASE_TRY(collect(context, stream));
    side->context = *context;
    side->status = BASE_OK;
    perm_batch_begin(side->batch, stream->records - count);
    stream->filling = next_side(stream->filling);
    move_on(stream, side, PREPARE);
done:
    return status;
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
    perm_batch *batch = stream->side[stream->filling].batch;
    if (perm_batch_count(batch) == 0)
        stream->first_seconds = base_clock_seconds();
    perm_batch_add(context, batch, record);
    stream->records++;
    if (is_large)
        BASE_TRY(perm_stream_finish(context, stream));
    else if (perm_cost_history_is_end(stream->records) ||
             base_clock_seconds() - stream->first_seconds > most_wait_seconds)
        BASE_TRY(turn(context, stream));
done:
    stream->has_failed = status != BASE_OK;
    return status;
}

base_status perm_stream_finish(base_context *context, perm_stream *stream) {
    base_status status = BASE_OK;
    if (stream->has_failed)
        return BASE_OK;
    BASE_TRY(turn(context, stream));
    while (stream->oldest != stream->filling)
        BASE_TRY(collect(context, stream));
done:
    stream->has_failed = status != BASE_OK;
    return status;
}
