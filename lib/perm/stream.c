#include "perm/stream.h"
#include "base/memory.h"
#include "base/progress.h"
#include <pthread.h>
#include <stdlib.h>

/* What waits for a batch waits so long at most. */
static const double most_wait_seconds = 0.1;

/* Rows of matrices that are not worth waiting for others. */
enum { LARGE_ROWS = 40 };

/* A batch, filled or solved by the thread. */
typedef struct side {
    perm_batch *batch;
    base_context context; /* of the thread */
    base_status status;
    bool is_given; /* to the thread, and not collected yet */
    bool is_done;
} side;

struct perm_stream {
    perm_dense_batch devices;
    perm_batch_put *put;
    void *data;
    side side[2];
    int filling;
    bool has_failed;
    int64_t records;
    double first_seconds; /* when the first record came that waits */

    pthread_t thread;
    bool has_thread, is_over;
    pthread_mutex_t lock; /* of is_over and each side's is_given and is_done */
    pthread_cond_t change;
};

base_status perm_stream_open(base_context *context, const perm_options *options, perm_batch_put *put,
                             void *data, perm_stream **stream) {
    base_status status = BASE_MACHINE;
    *stream = base_alloc_zero(context, 1, sizeof **stream);
    if (!*stream)
        goto done;
    (*stream)->put = put;
    (*stream)->data = data;
    for (int k = 0; k < 2; k++)
        BASE_TRY(perm_batch_open(context, options, &(*stream)->devices, &(*stream)->side[k].batch));
done:
    if (status != BASE_OK) {
        perm_stream_close(context, *stream);
        *stream = NULL;
    }
    return status;
}

/* The side that waits to be solved, when there is one; NULL when there will be none. */
static side *take(perm_stream *stream) {
    side *found = NULL;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        for (int k = 0; k < 2; k++)
            if (stream->side[k].is_given && !stream->side[k].is_done)
                found = &stream->side[k];
        if (found || stream->is_over)
            break;
        pthread_cond_wait(&stream->change, &stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
    return found;
}

static void *solve(void *data) {
    perm_stream *stream = data;
    for (side *side; (side = take(stream));) {
        side->status = perm_batch_solve(&side->context, side->batch);
        pthread_mutex_lock(&stream->lock);
        side->is_done = true;
        pthread_cond_broadcast(&stream->change);
        pthread_mutex_unlock(&stream->lock);
    }
    return NULL;
}

/* Waits for the other side and gives its results out. */
static base_status collect(base_context *context, perm_stream *stream) {
    side *other = &stream->side[1 - stream->filling];
    if (!other->is_given)
        return BASE_OK;
    pthread_mutex_lock(&stream->lock);
    while (!other->is_done)
        pthread_cond_wait(&stream->change, &stream->lock);
    other->is_given = other->is_done = false;
    pthread_mutex_unlock(&stream->lock);
    if (other->status != BASE_OK) {
        context->error = other->context.error;
        return other->status;
    }
    return perm_batch_empty(context, other->batch, stream->put, stream->data);
}

static base_status start_thread(base_context *context, perm_stream *stream) {
    if (stream->has_thread)
        return BASE_OK;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->change, NULL);
    stream->has_thread = pthread_create(&stream->thread, NULL, solve, stream) == 0;
    return stream->has_thread ? BASE_OK : base_fail(context, BASE_MACHINE, "cannot start a thread");
}

static void end_thread(perm_stream *stream) {
    if (!stream->has_thread)
        return;
    pthread_mutex_lock(&stream->lock);
    stream->is_over = true;
    pthread_cond_broadcast(&stream->change);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
}

/* Starts to solve what is there, by a thread less where more is read meanwhile; the other side is filled
 * next. */
static base_status turn(base_context *context, perm_stream *stream, bool reads) {
    base_status status;
    BASE_TRY(collect(context, stream));
    side *side = &stream->side[stream->filling];
    if (perm_batch_count(side->batch) == 0)
        goto done;
    BASE_TRY(start_thread(context, stream));
    side->context = *context;
    side->context.threads -= reads && context->threads > 1;
    pthread_mutex_lock(&stream->lock);
    side->is_given = true;
    pthread_cond_broadcast(&stream->change);
    pthread_mutex_unlock(&stream->lock);
    stream->filling = 1 - stream->filling;
done:
    return status;
}

void perm_stream_close(base_context *context, perm_stream *stream) {
    if (!stream)
        return;
    const base_error first = context->error;
    if (stream->side[1].batch)
        perm_stream_finish(context, stream);
    context->error = first;
    end_thread(stream);
    for (int k = 0; k < 2; k++)
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
    else if (stream->records % PERM_SPENT_WINDOW == 0 ||
             base_clock_seconds() - stream->first_seconds > most_wait_seconds)
        BASE_TRY(turn(context, stream, true));
done:
    stream->has_failed = status != BASE_OK;
    return status;
}

base_status perm_stream_finish(base_context *context, perm_stream *stream) {
    base_status status = BASE_OK;
    if (stream->has_failed)
        return BASE_OK;
    BASE_TRY(turn(context, stream, false));
    BASE_TRY(collect(context, stream));
done:
    stream->has_failed = status != BASE_OK;
    return status;
}
