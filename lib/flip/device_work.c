#include "flip/device_work.h"
#include "base/progress.h"
#include "flip/known.h"

#include <stdio.h>

typedef struct device_job {
    flip_work *work;
    const int64_t *size;
    int64_t target, steps, keep;
    flip_device_search *search;
    flip_pools pools;
    double start_seconds, told_seconds;
    int64_t told_rank;
} device_job;

static bool has_reached(const device_job *job) {
    const int64_t rank = flip_pools_least(&job->pools);
    return rank <= job->target && job->pools.pool[rank].count >= job->keep;
}

static void tell(base_context *context, device_job *job) {
    enum { TELL_SECONDS = 10 };
    const double now = base_clock_seconds(), seconds = now - job->start_seconds;
    const int64_t rank = flip_pools_least(&job->pools);
    flip_work *work = job->work;
    char islands[128], line[320], format[64];
    if (work->tell == NULL || (rank == job->told_rank && now - job->told_seconds < TELL_SECONDS))
        return;
    flip_device_describe(job->search, islands, sizeof islands);
    snprintf(line, sizeof line, "%s: rank %lld (%lld of it), %s, %.3g flips/s, %.1f s",
             flip_format_name(job->size, format), (long long)rank, (long long)job->pools.pool[rank].count,
             islands, (double)flip_device_flips(job->search) / (seconds > 0 ? seconds : 1), seconds);
    job->told_seconds = now;
    job->told_rank = rank;
    work->tell(work->data, line);
    snprintf(work->task, sizeof work->task, "rank %lld", (long long)rank);
    if (context->progress != NULL)
        context->progress->task = work->task;
}

static base_status save_pool(base_context *context, device_job *job) {
    if (job->work->pool == NULL)
        return BASE_OK;
    return flip_pools_save(context, &job->work->pool_file, job->size, &job->pools);
}

/* Launch after launch, until a limit is met. */
static base_status run(base_context *context, device_job *job) {
    base_status status = BASE_OK;
    const flip_work *work = job->work;
    bool late = false, stop = false;
    base_progress_start(context, "flips", 0, "flips");
    while (!has_reached(job) && !late && !stop &&
           (job->steps == 0 || flip_device_steps(job->search) < job->steps)) {
        const int64_t flips = flip_device_flips(job->search);
        BASE_TRY(flip_device_run(context, job->search, &job->pools));
        base_progress_add(context, flip_device_flips(job->search) - flips);
        tell(context, job);
        late = work->deadline_seconds > 0 && base_clock_seconds() >= work->deadline_seconds;
        stop = work->pool != NULL && !has_reached(job) &&
               (late || (context->progress != NULL && context->progress->stop_signal));
        if (!stop && base_checkpoint_is_due(&job->work->pool_file))
            BASE_TRY(save_pool(context, job));
    }
    BASE_TRY(save_pool(context, job));
    if (stop)
        BASE_TRY(base_fail(context, BASE_STOPPED, "stopped%s at rank %lld; run it again to go on from %s",
                           late ? " at the time limit" : "", (long long)flip_pools_least(&job->pools),
                           work->pool));
done:
    base_progress_finish(context);
    return status;
}

/* The given schemes, and what the file of the pool has. */
static base_status fill_pools(base_context *context, device_job *job, const flip_scheme *scheme,
                              int64_t pool_size) {
    base_status status = BASE_OK;
    flip_pools earlier = {0};
    BASE_TRY(flip_pools_open(context, FLIP_LARGEST_RANK, pool_size, &job->pools));
    BASE_TRY(flip_pools_add_scheme(context, &job->pools, scheme));
    if (job->work->starts != NULL)
        BASE_TRY(flip_pools_add_all(context, &job->pools, &job->work->starts->pools));
    BASE_TRY(flip_work_read_pool(context, job->work, scheme->size, &earlier));
    if (earlier.pool != NULL)
        BASE_TRY(flip_pools_add_all(context, &job->pools, &earlier));
done:
    flip_pools_close(&earlier);
    return status;
}

base_status flip_device_work(base_context *context, base_devices *devices, flip_work *work,
                             const flip_scheme *scheme, const flip_search_options *options,
                             const flip_device_options *device_options, flip_pools *result, bool *reached) {
    base_status status = BASE_OK;
    const bool has_limit = options->steps > 0 || options->is_limited;
    device_job job = {.work = work,
                      .size = scheme->size,
                      .target = options->target,
                      .steps = options->steps,
                      .keep = options->keep > 0 ? options->keep : 1};
    const bool can_stop = context->progress != NULL && work->pool != NULL;
    *result = (flip_pools){0};
    if (job.target == 0 && !has_limit)
        job.target = flip_known_rank(scheme->size, FLIP_F2, NULL);
    if (job.target == 0 && !has_limit)
        BASE_TRY(
            base_fail(context, BASE_USAGE, "no rank is known for this format: give a target or a limit"));
    int64_t pool_size = options->pool_size > 0 ? options->pool_size : 64;
    if (job.keep > pool_size)
        pool_size = job.keep;
    if (work->starts != NULL && work->starts->count > pool_size)
        pool_size = work->starts->count;
    BASE_TRY(fill_pools(context, &job, scheme, pool_size));
    BASE_TRY(
        flip_device_open(context, devices, scheme->size, &job.pools, options, device_options, &job.search));
    job.start_seconds = job.told_seconds = base_clock_seconds();
    job.told_rank = flip_pools_least(&job.pools);
    if (can_stop)
        context->progress->can_stop = 1;
    status = run(context, &job);
    if (can_stop)
        context->progress->can_stop = 0;
    BASE_TRY(status);
    const int64_t rank = flip_pools_least(&job.pools);
    *reached = has_reached(&job);
    BASE_TRY(flip_pools_open(context, rank, job.keep, result));
    for (int64_t k = 0; k < job.pools.pool[rank].count && k < job.keep; k++)
        BASE_TRY(flip_pools_add(context, result, rank, flip_pools_get(&job.pools, rank, k)));
done:
    flip_device_close(job.search);
    flip_pools_close(&job.pools);
    if (status != BASE_OK)
        flip_pools_close(result);
    return status;
}
