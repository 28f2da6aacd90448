#include "base/memory.h"
#include "base/progress.h"
#include "perm/frontier.h"
#include "perm/frontier_layer.h"
#include "perm/frontier_load.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits by which one step may lift the values: with entries up to 1 the products stay in range. */
enum { LARGEST_SHIFT = 1000 };

typedef struct run {
    base_context *context;
    const perm_schedule *schedule;
    perm_numbers numbers;
    perm_pool pool;
    perm_layer layer[2];
    void **sums;
    void *factors; /* one step's */
    /* of floating-point values */
    int64_t exponent; /* true value = value·2^exponent, but for the scaling of the matrix */
    double *lost;     /* n: log2 of what underflow may lose in a step, as the step's values are scaled */
    double *growth;   /* n: log2 of what the step may multiply it by */
} run;

static base_status run_init(run *r, int threads) {
    base_context *context = r->context;
    int64_t n = r->schedule->n;
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
    r->lost = base_alloc(context, n, sizeof *r->lost);
    r->growth = base_alloc(context, n, sizeof *r->growth);
    if (!r->sums || !r->factors || !r->lost || !r->growth)
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
    free(r->lost);
    free(r->growth);
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

static base_status take_step(run *r, int64_t k, int threads, int *max_exponent, perm_frontier_stats *stats) {
    const perm_schedule *schedule = r->schedule;
    perm_layer *from = &r->layer[k % 2], *to = &r->layer[(k + 1) % 2];
    int64_t first = schedule->entry_start[k], count = schedule->entry_start[k + 1] - first;
    int shift = *max_exponent == INT_MIN ? 0 : -*max_exponent;
    shift = shift > LARGEST_SHIFT ? LARGEST_SHIFT : shift;
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
    r->exponent -= shift;
    r->growth[k] = shift + perm_numbers_growth_log2(&r->numbers, schedule->entry + first, count);
    r->lost[k] = log2(4.0 * (double)(step.transitions + 1)) + r->numbers.least_log2;
    *max_exponent = step.max_exponent;
    stats->transitions += (double)step.transitions;
    stats->states += (double)to->states;
    double both = (double)(from->states + to->states);
    stats->peak_states = both > stats->peak_states ? both : stats->peak_states;
    perm_layer_clear(&r->pool, from);
    return BASE_OK;
}

/* What underflows may have taken from the last value, as that is scaled. */
static perm_bound lost_to_underflow(const run *r) {
    perm_bound lost = {0, 0};
    double later = 0;
    for (int64_t k = r->schedule->n - 1; k >= 0; k--) {
        double log = r->lost[k] + later;
        lost = perm_bound_add(lost, (perm_bound){1, (int64_t)ceil(log)});
        later += r->growth[k];
    }
    return lost;
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
    int threads = context->threads > 1 ? context->threads : 1, max_exponent = INT_MIN;
    run r = {.context = context, .schedule = schedule};
    bool told = schedule->bound.transitions > 1e7;
    *stats = (perm_frontier_stats){0};
    if (told)
        base_progress_start(context, "frontier", schedule->bound.transitions, "transitions");
    BASE_TRY(perm_numbers_plan(context, matrix, arithmetic, &r.numbers));
    BASE_TRY(perm_numbers_load(context, matrix, &r.numbers));
    BASE_TRY(run_init(&r, threads));
    BASE_TRY(first_layer(&r));
    for (int64_t k = 0; k < schedule->n; k++) {
        double before = stats->transitions;
        BASE_TRY(take_step(&r, k, threads, &max_exponent, stats));
        if (told)
            base_progress_add(context, stats->transitions - before);
    }
    stats->peak_bytes = (int64_t)stats->peak_states * (r.pool.mask_bytes + r.pool.value_bytes);
    stats->limbs = r.numbers.limbs;
    if (arithmetic == PERM_COUNT)
        goto done;
    const perm_layer *last = &r.layer[schedule->n % 2];
    if (last->states == 0) {
        perm_value_set_integer(value, 0);
        goto done;
    }
    perm_numbers_result(&r.numbers, last->segment[0]->value, schedule->n, value);
    if (r.numbers.least_log2 != 0)
        value->error = perm_bound_add(value->error, lost_to_underflow(&r));
    perm_value_scale(value, r.exponent + r.numbers.exponent);
    perm_value_round(value);
done:
    if (told)
        base_progress_finish(context);
    run_free(&r, threads);
    return status;
}
