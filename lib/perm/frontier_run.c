#include "base/memory.h"
#include "base/progress.h"
#include "perm/frontier.h"
#include "perm/frontier_layer.h"
#include "perm/frontier_scale.h"
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
} run;

static base_status run_init(run *r, int threads) {
    base_context *context = r->context;
    r->pool = (perm_pool){.context = context,
                          .mask_bytes = r->schedule->width <= 64 ? 8 : 16,
                          .value_bytes = r->numbers.value_bytes,
                          .limit_bytes = context->memory_bytes};
    /* Segments of 64 kB, and more states where there is room for a few only. */
    r->pool.segment_states = (64 << 10) / (r->pool.mask_bytes + r->pool.value_bytes);
    if (r->pool.segment_states < 16)
        r->pool.segment_states = 16;
    r->sums = base_alloc_zero(context, threads, sizeof *r->sums);
    r->factors = base_alloc_aligned(context, PERM_FRONTIER_WIDEST, r->numbers.factor_bytes);
    if (!r->sums || !r->factors || perm_frontier_scale_init(context, r->schedule->n, &r->scale) != BASE_OK)
        return BASE_MACHINE;
    int64_t bytes = perm_frontier_sums_bytes(r->numbers.value_bytes);
    for (int t = 0; t < threads; t++) {
        r->sums[t] = base_alloc_aligned(context, 1, bytes);
        if (!r->sums[t])
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
    for (int t = 0; r->sums && t < threads; t++)
        free(r->sums[t]);
    free(r->sums);
    free(r->factors);
    perm_frontier_scale_free(&r->scale);
    perm_numbers_free(&r->numbers);
}

/* The one state before the first line: the empty set, with the value 1. */
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

static base_status take_step(run *r, int64_t k, int threads, perm_frontier_stats *stats) {
    const perm_schedule *schedule = r->schedule;
    perm_layer *from = &r->layer[k % 2], *to = &r->layer[(k + 1) % 2];
    int64_t first = schedule->entry_start[k], count = schedule->entry_start[k + 1] - first;
    const int shift = perm_frontier_scale_shift(&r->scale);
    for (int64_t j = 0; j < count; j++)
        perm_numbers_factor(&r->numbers, schedule->entry[first + j], shift,
                            (char *)r->factors + j * r->numbers.factor_bytes);
    /* Few states are not worth waking the threads. */
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
    };
    base_status status = perm_frontier_kernels[r->numbers.kind][schedule->width > 64](&step);
    if (status != BASE_OK)
        return status;
    perm_frontier_scale_add(&r->scale, &r->numbers, schedule, k, (double)step.transitions, step.max_exponent);
    stats->transitions += (double)step.transitions;
    stats->states += (double)to->states;
    double both = (double)(from->states + to->states);
    stats->peak_states = both > stats->peak_states ? both : stats->peak_states;
    perm_layer_clear(&r->pool, from);
    return BASE_OK;
}

base_status perm_frontier_state_bytes(base_context *context, const perm_matrix *matrix,
                                      const perm_schedule *schedule, perm_arithmetic arithmetic,
                                      int64_t *bytes) {
    perm_numbers numbers = {0};
    base_status status = perm_numbers_plan(context, matrix, arithmetic, &numbers);
    *bytes = numbers.value_bytes + (schedule->width <= 64 ? 8 : 16);
    return status;
}

base_status perm_frontier_run(base_context *context, const perm_matrix *matrix, const perm_schedule *schedule,
                              perm_arithmetic arithmetic, perm_value *value, perm_frontier_stats *stats) {
    base_status status = BASE_OK;
    int threads = context->threads > 1 ? context->threads : 1;
    run r = {.context = context, .schedule = schedule};
    bool told = schedule->expected.transitions > 1e7;
    *stats = (perm_frontier_stats){0};
    if (told)
        base_progress_start(context, "frontier", schedule->expected.transitions, "transitions");
    BASE_TRY(perm_numbers_plan(context, matrix, arithmetic, &r.numbers));
    BASE_TRY(perm_numbers_load(context, matrix, &r.numbers));
    BASE_TRY(run_init(&r, threads));
    BASE_TRY(first_layer(&r));
    for (int64_t k = 0; k < schedule->n; k++) {
        double before = stats->transitions;
        BASE_TRY(take_step(&r, k, threads, stats));
        if (told)
            base_progress_add(context, stats->transitions - before);
    }
    stats->peak_bytes = (int64_t)stats->peak_states * (r.pool.mask_bytes + r.pool.value_bytes);
    stats->limbs = r.numbers.limbs;
    if (arithmetic == PERM_COUNT)
        goto done;
    const perm_layer *last = &r.layer[schedule->n % 2];
    perm_frontier_scale_finish(&r.scale, &r.numbers, last->states > 0 ? last->segment[0]->value : NULL,
                               value);
done:
    if (told)
        base_progress_finish(context);
    run_free(&r, threads);
    return status;
}
