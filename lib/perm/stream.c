#include "perm/stream.h"
#include "base/memory.h"
#include "base/progress.h"
#include <pthread.h>
#include <stdlib.h>

/* What waits for a batch waits so long at most. */
static const double most_wait_seconds = 0.1;

/* Rows of matrices that are not worth waiting for others. */
enum { LARGE_ROWS = 40 };

/* A batch, filled or solved by a thread. */
typedef struct side {
    perm_batch *batch;
    base_context context; /* of the thread */
    base_status status;
    pthread_t thread;
    bool is_running;
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

void perm_stream_close(base_context *context, perm_stream *stream) {
    if (!stream)
        return;
    const base_error first = context->error;
    if (stream->side[1].batch)
        perm_stream_finish(context, stream);
    context->error = first;
    for (int k = 0; k < 2; k++)
        perm_batch_close(stream->side[k].batch);
    perm_dense_batch_free(&stream->devices);
    free(stream);
}

static void *solve(void *data) {
    side *side = data;
    side->status = perm_batch_solve(&side->context, side->batch);
    return NULL;
}

/* Waits for the other side and gives its results out. */
static base_status collect(base_context *context, perm_stream *stream) {
    side *other = &stream->side[1 - stream->filling];
    if (!other->is_running)
        return BASE_OK;
    pthread_join(other->thread, NULL);
    other->is_running = false;
    if (other->status != BASE_OK) {
        context->error = other->context.error;
        return other->status;
    }
    return perm_batch_empty(context, other->batch, stream->put, stream->data);
}

/* Starts to solve what is there; the other side is filled next. */
static base_status turn(base_context *context, perm_stream *stream) {
    base_status status;
    BASE_TRY(collect(context, stream));
    side *side = &stream->side[stream->filling];
    if (perm_batch_count(side->batch) == 0)
        goto done;
    side->context = *context;
    if (pthread_create(&side->thread, NULL, solve, side) != 0)
        BASE_TRY(base_fail(context, BASE_MACHINE, "cannot start a thread"));
    side->is_running = true;
    stream->filling = 1 - stream->filling;
done:
    return status;
}

base_status perm_stream_add(base_context *context, perm_stream *stream, mm_record *record) {
    base_status status = BASE_OK;
    perm_batch *batch = stream->side[stream->filling].batch;
    const bool is_large = record->nrow > LARGE_ROWS || record->ncol > LARGE_ROWS;
    if (perm_batch_count(batch) == 0)
        stream->first_seconds = base_clock_seconds();
    perm_batch_add(context, batch, record);
    stream->records++;
    if (is_large)
        BASE_TRY(perm_stream_finish(context, stream));
    else if (stream->records % PERM_SPENT_WINDOW == 0 ||
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
    BASE_TRY(collect(context, stream));
done:
    stream->has_failed = status != BASE_OK;
    return status;
}
