/* SPDX-License-Identifier: BSD-3-Clause */
/* A frontier dynamic program from its first step to its last, on the processor (frontier.h). */
#include "base/core/fault.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/chunks/work.h"
#include "perm/frontier/frontier.h"
#include "perm/frontier/layer.h"
#include "perm/frontier/scale.h"
#include "perm/frontier/snapshot.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    base_context *context;
    const perm_schedule *schedule;
    perm_numbers numbers;
    perm_pool pool;
    perm_layer layer[2];
    void **sums;
    void *factors; /* one step's */
    perm_frontier_scale scale;
    perm_work *work;                 /* may be NULL */
    perm_frontier_snapshot snapshot; /* of the layer that the next step begins with */
    bool shows_progress, has_stepped;
} run;

/* Runs with fewer transitions end before a bar of progress is of use. */
static const double shown_transitions = 1e7;

static base_status run_init(run *r, int threads) {
    base_context *context = r->context;
    r->pool = (perm_pool){.context = context,
                          .mask_bytes = r->schedule->width <= 64 ? 8 : 16,
                          .value_bytes = r->numbers.value_bytes,
                          .limit_bytes = context->memory_bytes};
    /* Segments of 64 kB, of fewer states where the two layers need no more, and of more where there is room
     * for a few only. */
    r->pool.segment_states = (64 << 10) / (r->pool.mask_bytes + r->pool.value_bytes);
    if ((double)r->pool.segment_states > r->schedule->expected.peak_states)
        r->pool.segment_states = (int64_t)r->schedule->expected.peak_states;
    if (r->pool.segment_states < 16)
        r->pool.segment_states = 16;
    r->sums = base_alloc_zero(context, threads, sizeof *r->sums);
    r->factors = base_alloc_aligned(context, PERM_FRONTIER_WIDEST, r->numbers.factor_bytes);
    if (r->sums == NULL || r->factors == NULL ||
        perm_frontier_scale_init(context, r->schedule->n, &r->scale) != BASE_OK)
        return BASE_MACHINE;
    const int64_t bytes = perm_frontier_sums_bytes(r->numbers.value_bytes, r->schedule->width);
    for (int t = 0; t < threads; t++) {
        r->sums[t] = base_alloc_aligned(context, 1, bytes);
        if (r->sums[t] == NULL)
            return BASE_MACHINE;
        memset(r->sums[t], 0, (size_t)bytes);
    }
    return BASE_OK;
}

static void run_free(run *r, int threads) {
    for (int i = 0; i < 2; i++) {
        perm_layer_clear(&r->pool, &r->layer[i]);
        perm_layer_free(&r->layer[i]);
    }
    perm_pool_free(&r->pool);
    for (int t = 0; r->sums != NULL && t < threads; t++)
        free(r->sums[t]);
    free(r->sums);
    free(r->factors);
    perm_frontier_scale_free(&r->scale);
    perm_numbers_free(&r->numbers);
}

/* The one state before the first row: the empty set, with the value 1. */
static base_status first_layer(run *r) {
    base_status status = perm_layer_extend(&r->pool, &r->layer[0]);
    if (status != BASE_OK)
        return status;
    perm_segment *segment = r->layer[0].segment[0];
    memset(segment->mask, 0, (size_t)r->pool.mask_bytes);
    perm_numbers_one(&r->numbers, segment->value);
    segment->count = r->layer[0].states = 1;
    return BASE_OK;
}

/* Whether to stop in the middle of a step. Where a state is saved, limits wait for the first one, so that
 * each run comes nearer to the end. */
static bool is_stopping(const base_context *context, const void *data) {
    const run *r = data;
    return perm_work_is_stopping(context, r->work) &&
           (r->has_stepped || !perm_work_has_state(r->work) || base_is_stopping(context));
}

static base_status take_step(run *r, int threads, perm_frontier_stats *stats) {
    const int64_t k = r->snapshot.step;
    const perm_schedule *schedule = r->schedule;
    perm_layer *from = &r->layer[k % 2], *to = &r->layer[(k + 1) % 2];
    /* Step k takes row k: a state is a set of used columns, and f(S ∪ {j}) gains a_kj f(S) for each j that is
     * not in S (frontier.h). Factors carry a power of two that keeps the values in range. */
    int64_t first = schedule->entry_start[k], count = schedule->entry_start[k + 1] - first;
    const int shift = perm_frontier_scale_shift(&r->scale, &r->numbers);
    for (int64_t j = 0; j < count; j++)
        perm_numbers_factor(&r->numbers, schedule->entry[first + j], shift,
                            (char *)r->factors + j * r->numbers.factor_bytes);
    /* Waking the threads takes longer than a step with few transitions. */
    bool alone = from->states * count < 20000;
    perm_frontier_step step = {
        .pool = &r->pool,
        .from = from,
        .to = to,
        .threads = alone ? 1 : threads,
        .count = (int)count,
        .bit = schedule->bit + first,
        .entry = r->factors,
        .close_count = (int)(schedule->close_start[k + 1] - schedule->close_start[k]),
        .close = schedule->close + schedule->close_start[k],
        .open = schedule->open[k],
        .stride = r->numbers.stride,
        .sums = r->sums,
        .shows_progress = r->shows_progress,
        .is_stopping = is_stopping,
        .data = r,
    };
    base_status status = perm_frontier_kernels[r->numbers.kind][schedule->width > 64](&step);
    if (status == BASE_STOPPED) /* the step is made anew when the run goes on; `from` is what is saved */
        perm_layer_clear(&r->pool, to);
    if (status != BASE_OK)
        return status;
    if (base_fault(BASE_FAULT_KERNEL) && to->states > 0 && r->pool.value_bytes > 0)
        ((char *)to->segment[0]->value)[5] ^= 1;
    perm_frontier_scale_add(&r->scale, &r->numbers, schedule, k, (double)step.transitions, step.max_exponent);
    stats->transitions += (double)step.transitions;
    stats->states += (double)to->states;
    double both = (double)(from->states + to->states);
    stats->peak_states = both > stats->peak_states ? both : stats->peak_states;
    perm_layer_clear(&r->pool, from);
    return BASE_OK;
}

int64_t perm_frontier_state_bytes(const perm_schedule *schedule, perm_arithmetic arithmetic) {
    perm_numbers numbers;
    perm_numbers_plan(schedule, arithmetic, &numbers);
    return numbers.value_bytes + (schedule->width <= 64 ? 8 : 16);
}

/* The layer to begin with: that of the state, or the first one. */
static base_status begin(run *r) {
    base_context *context = r->context;
    mm_state_pieces *pieces = r->work != NULL ? &r->work->resumed_tables : NULL;
    base_status status;
    perm_layer layer = {0};
    if (pieces == NULL || pieces->count == 0)
        return first_layer(r);
    BASE_TRY(perm_frontier_snapshot_take(context, pieces, &r->snapshot, &layer));
done:
    r->layer[r->snapshot.step % 2] = layer;
    return status;
}

/* All steps that are left. */
static base_status run_steps(run *r, int threads, perm_frontier_stats *stats) {
    base_status status = BASE_OK;
    base_context *context = r->context;
    const double left = r->schedule->expected.transitions - stats->transitions;
    r->shows_progress = left > shown_transitions;
    if (r->shows_progress)
        base_progress_start(context, "frontier", left, "transitions");
    while (r->snapshot.step < r->schedule->n) {
        status = take_step(r, threads, stats);
        if (status != BASE_OK && status != BASE_STOPPED)
            goto done;
        r->snapshot.step += status == BASE_OK;
        r->has_stepped |= status == BASE_OK;
        r->snapshot.layer = &r->layer[r->snapshot.step % 2];
        BASE_TRY(perm_work_pause(context, r->work));
    }
done:
    if (r->shows_progress)
        base_progress_finish(context);
    return status;
}

base_status perm_frontier_run(base_context *context, const perm_matrix *matrix, const perm_schedule *schedule,
                              perm_arithmetic arithmetic, perm_work *work, perm_value *value,
                              perm_frontier_stats *stats) {
    base_status status = BASE_OK;
    const int threads = context->threads > 1 ? context->threads : 1;
    const bool can_stop = work != NULL && work->checkpoint.path != NULL && context->progress != NULL;
    run r = {.context = context, .schedule = schedule, .work = work};
    *stats = (perm_frontier_stats){0};
    perm_numbers_plan(schedule, arithmetic, &r.numbers);
    BASE_TRY(perm_numbers_load(context, matrix, &r.numbers));
    BASE_TRY(run_init(&r, threads));
    r.snapshot = (perm_frontier_snapshot){.schedule = schedule,
                                          .arithmetic = arithmetic,
                                          .pool = &r.pool,
                                          .layer = &r.layer[0],
                                          .scale = &r.scale,
                                          .stats = stats};
    BASE_TRY(begin(&r));
    perm_work_keep(work, perm_frontier_snapshot_give, &r.snapshot);
    if (can_stop)
        context->progress->can_stop = 1;
    status = run_steps(&r, threads, stats);
    if (can_stop)
        context->progress->can_stop = 0;
    perm_work_keep(work, NULL, NULL);
    BASE_TRY(status);
    stats->peak_bytes = (int64_t)stats->peak_states * (r.pool.mask_bytes + r.pool.value_bytes);
    stats->limbs = r.numbers.limbs;
    if (arithmetic == PERM_COUNT)
        goto done;
    const perm_layer *last = &r.layer[schedule->n % 2];
    perm_frontier_scale_finish(&r.scale, &r.numbers, last->states > 0 ? last->segment[0]->value : NULL,
                               value);
done:
    run_free(&r, threads);
    return status;
}
