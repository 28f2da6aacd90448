#include "perm/frontier/solve.h"
#include "base/core/memory.h"
#include "perm/frontier/device.h"
#include "perm/frontier/snapshot.h"
#include <stdlib.h>

/* Exact arithmetic is used for more digits only up to this many word operations; then 113 bits must do. */
static const double exact_limit = 2e10;

/* Bits that tell a value in 113 bits from one in doubles. */
enum { MORE_THAN_DOUBLE = 60 };

/* How often a frontier is tried that does not agree with the second one. */
enum { TRIES = 3 };

typedef struct frontier {
    base_context *context;
    const perm_matrix *matrix;
    const perm_plan *plan;
    const perm_candidate *way;
    const perm_options *options;
    base_device *device; /* NULL: on the processor */
} frontier;

static base_status run(const frontier *f, base_device *device, const perm_schedule *schedule,
                       perm_arithmetic arithmetic, perm_value *value, perm_frontier_stats *stats) {
    return device
               ? perm_frontier_device_run(f->context, device, f->matrix, schedule, arithmetic, value, stats)
               : perm_frontier_run(f->context, f->matrix, schedule, arithmetic, f->options->work, value,
                                   stats);
}

/* What comes after doubles: exact numbers, on the device if that can hold them, else 113 bits. */
static base_status choose_more_digits(const frontier *f, const perm_frontier_stats *stats,
                                      base_device **device, perm_arithmetic *arithmetic) {
    base_status status;
    base_context *context = f->context;
    const perm_schedule *schedule = &f->plan->schedule;
    perm_frontier_device_cost cost;
    int64_t bytes;
    *arithmetic = PERM_EXACT;
    if (*device) {
        BASE_TRY(perm_frontier_device_price(context, f->matrix, schedule, PERM_EXACT, &cost));
        if (perm_frontier_device_fits(*device, &cost))
            return BASE_OK;
        *device = NULL;
    }
    BASE_TRY(perm_frontier_state_bytes(context, f->matrix, schedule, PERM_EXACT, &bytes));
    if (stats->transitions * (double)bytes / 8 >= exact_limit ||
        stats->peak_states * (double)bytes >= (double)context->memory_bytes / 2)
        *arithmetic = PERM_QUAD;
done:
    return status;
}

/* Whether a state has tables, which are not those of the first arithmetic: then that left too few digits. */
static bool is_second(const frontier *f) {
    const mm_state_pieces *tables = f->options->work ? &f->options->work->resumed_tables : NULL;
    return tables && tables->count > 0 && !perm_frontier_snapshot_is_of(tables, f->way->arithmetic);
}

static base_status compute(const frontier *f, perm_value *value, perm_attempt *attempt) {
    base_status status = BASE_OK;
    perm_frontier_stats stats = {0};
    const perm_schedule *schedule = &f->plan->schedule;
    base_device *device = f->device;
    const bool may_repeat =
        f->way->method == PERM_FRONTIER || (device && f->options->precision.kind == PERM_PRECISION_ANY);
    bool again = may_repeat && is_second(f);
    perm_arithmetic arithmetic = PERM_QUAD;
    perm_solve_tell(f->options, true, "frontier: about %.3g states, %.3g transitions, %.3g MiB",
                    schedule->expected.states, schedule->expected.transitions, f->way->bytes / 0x1p20);
    if (again) {
        if (perm_frontier_snapshot_is_of(&f->options->work->resumed_tables, PERM_EXACT))
            arithmetic = PERM_EXACT;
        device = NULL; /* whose tables are not in states */
    } else {
        BASE_TRY(run(f, device, schedule, f->way->arithmetic, value, &stats));
        again = may_repeat && !perm_answer_is_good(value, PERM_ANSWER_BITS);
        if (again)
            BASE_TRY(choose_more_digits(f, &stats, &device, &arithmetic));
    }
    if (again) {
        perm_solve_tell(f->options, true, "frontier: doubles leave too few digits, again %s",
                        arithmetic == PERM_EXACT ? "with exact numbers" : "with 113 bits");
        BASE_TRY(run(f, device, schedule, arithmetic, value, &stats));
    }
    attempt->states = stats.states;
    attempt->transitions = stats.transitions;
    attempt->bytes = stats.peak_bytes;
done:
    return status;
}

/* ---- the second time ---- */

/* The lines in the reverse order: all states are other ones, unless these are far more. */
static base_status make_reverse(const frontier *f, perm_schedule *schedule) {
    base_status status;
    base_context *context = f->context;
    const order_frontier *order = &f->plan->order;
    const int64_t *line = order->by_columns ? order->col : order->row;
    int64_t *reverse = base_alloc(context, order->n, sizeof *reverse);
    if (!reverse)
        return BASE_MACHINE;
    for (int64_t k = 0; k < order->n; k++)
        reverse[k] = line[order->n - 1 - k];
    BASE_TRY(perm_schedule_make(context, f->matrix, reverse, order->by_columns, schedule));
    BASE_TRY(perm_schedule_expect(context, f->matrix, reverse, order->by_columns, schedule));
    if (schedule->expected.peak_states > 2 * f->plan->schedule.expected.peak_states) {
        perm_schedule_free(schedule);
        BASE_TRY(perm_schedule_make(context, f->matrix, line, order->by_columns, schedule));
        schedule->expected = f->plan->schedule.expected;
    }
done:
    free(reverse);
    return status;
}

static perm_arithmetic choose_check(const frontier *f, const perm_value *value) {
    if (value->error.mantissa == 0)
        return f->device || perm_matrix_look(f->matrix).complex ? PERM_EXACT : PERM_RESIDUE;
    return !f->device && perm_answer_is_good(value, MORE_THAN_DOUBLE) ? PERM_QUAD : PERM_DOUBLE;
}

/* Whether they differ by no more than both errors. */
static bool are_close(const perm_value *a, const perm_value *b) {
    const perm_bound allowed = perm_bound_add(a->error, b->error);
    perm_value difference;
    perm_value_init(&difference);
    perm_value_set_integer(&difference, -1);
    perm_value_multiply(&difference, b);
    perm_value_add(&difference, a);
    difference.error = (perm_bound){0, 0};
    const bool close = perm_bound_at_most(perm_bound_of(&difference), allowed);
    perm_value_free(&difference);
    return close;
}

static base_status verify(const frontier *f, const perm_value *value, bool *agrees) {
    base_status status;
    perm_schedule schedule = {0};
    perm_frontier_stats stats;
    perm_value check;
    const perm_arithmetic arithmetic = choose_check(f, value);
    perm_value_init(&check);
    BASE_TRY(make_reverse(f, &schedule));
    perm_solve_tell(f->options, true, "frontier: once more, %s, in the reverse order",
                    arithmetic == PERM_RESIDUE ? "modulo 2^61 - 1" : "in the same arithmetic");
    BASE_TRY(run(f, f->device, &schedule, arithmetic, &check, &stats));
    *agrees = arithmetic == PERM_RESIDUE ? perm_frontier_is_residue(&check, value) : are_close(&check, value);
done:
    perm_schedule_free(&schedule);
    perm_value_free(&check);
    return status;
}

base_status perm_solve_frontier(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                                const perm_candidate *way, const perm_options *options,
                                perm_attempt *attempt) {
    base_status status = BASE_OK;
    perm_sum *sum = &attempt->sum;
    const perm_work *work = options->work ? options->work : options->notes;
    const frontier f = {
        context, matrix,
        plan,    way,
        options, way->method == PERM_FRONTIER_CUDA ? base_devices_get(options->devices->found, 0) : NULL};
    bool agrees = sum->end == sum->first;
    perm_value value;
    perm_value_init(&value);
    for (int try = 1; !agrees; try++) {
        if (sum->left > 0) {
            BASE_TRY(compute(&f, &value, attempt));
            perm_sum_add(sum, 0, &value, NULL);
        }
        agrees = true;
        if (work && work->verify) {
            perm_sum_finish(sum, &value);
            BASE_TRY(verify(&f, &value, &agrees));
        }
        if (!agrees && try == TRIES)
            BASE_TRY(base_fail(context, BASE_MACHINE,
                               "a frontier gives another value in the reverse order, %d times: this machine "
                               "computes wrongly",
                               TRIES));
        if (!agrees) {
            if (work->note)
                work->note(work->data, "a frontier gives another value in the reverse order: computed again");
            sum->done[0] = 0;
            sum->left = 1;
        }
    }
done:
    perm_value_free(&value);
    return status;
}
