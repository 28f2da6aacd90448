/* SPDX-License-Identifier: BSD-3-Clause */
/* A block by dynamic programming over a frontier, on the processor or a device: with more digits where
 * doubles leave too few, and done a second time where work is to be verified. */
#include "base/core/memory.h"
#include "perm/frontier/device.h"
#include "perm/frontier/pricing.h"
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
    const perm_task *task;
    const perm_frontier_choice *choice;
    base_device *device; /* NULL: on the processor */
} frontier;

static perm_arithmetic get_arithmetic(const frontier *f) {
    return (perm_arithmetic)f->task->candidate->parameter;
}

static base_status run(const frontier *f, base_device *device, const perm_schedule *schedule,
                       perm_arithmetic arithmetic, perm_value *value, perm_frontier_stats *stats) {
    return device != NULL ? perm_frontier_device_run(f->context, device, f->task->matrix, schedule,
                                                     arithmetic, f->task->work, value, stats)
                          : perm_frontier_run(f->context, f->task->matrix, schedule, arithmetic,
                                              f->task->work, value, stats);
}

/* What comes after doubles: exact numbers, on the device if that can hold them, else 113 bits. */
static perm_arithmetic choose_more_digits(const frontier *f, const perm_frontier_stats *stats,
                                          base_device **device) {
    const perm_schedule *schedule = &f->choice->schedule;
    perm_frontier_device_cost cost;
    if (*device != NULL) {
        perm_frontier_device_price(schedule, PERM_EXACT, &cost);
        if (perm_frontier_device_fits(*device, &cost))
            return PERM_EXACT;
        *device = NULL;
    }
    const double bytes = (double)perm_frontier_state_bytes(schedule, PERM_EXACT);
    const bool is_much = stats->transitions * bytes / 8 >= exact_limit ||
                         stats->peak_states * bytes >= (double)f->context->memory_bytes / 2;
    return is_much ? PERM_QUAD : PERM_EXACT;
}

/* Whether a state has tables, which are not those of the first arithmetic: then that left too few digits. */
static bool is_second(const frontier *f) {
    const mm_state_pieces *tables = f->task->work != NULL ? &f->task->work->resumed_tables : NULL;
    return tables != NULL && tables->count > 0 && !perm_frontier_snapshot_is_of(tables, get_arithmetic(f));
}

/* Whether a result of doubles has too few digits for what more of them would cost. */
static bool has_too_few(const frontier *f, const perm_value *value) {
    double seconds = f->device != NULL ? f->task->candidate->more_seconds : f->choice->more_seconds;
    if (perm_partial_result_is_good(value, PERM_RESULT_BITS))
        return false;
    /* The planner asks for no price where nothing cancels; there underflow alone loses digits. */
    if (f->device != NULL && seconds == 0)
        seconds = perm_frontier_device_more(f->device, f->choice);
    return seconds > 0 && seconds < PERM_FEW_DIGITS_SECONDS &&
           !perm_partial_result_is_good(value, seconds <= PERM_DIGITS_SECONDS ? PERM_RESULT_BITS
                                                                              : PERM_RESULT_FEW_BITS);
}

static base_status compute(const frontier *f, perm_value *value, perm_block_run *block_run) {
    base_status status = BASE_OK;
    perm_frontier_stats stats = {0};
    const perm_schedule *schedule = &f->choice->schedule;
    base_device *device = f->device;
    /* Not the methods of one arithmetic. */
    const bool may_repeat = !perm_method_has(f->task->candidate->method, PERM_METHOD_NEEDS_PRECISION) ||
                            (device != NULL && f->task->precision.kind == PERM_PRECISION_ANY);
    bool again = may_repeat && is_second(f);
    perm_arithmetic arithmetic = PERM_QUAD;
    perm_log_line(&f->task->log, true, "frontier: about %.3g states, %.3g transitions, %.3g MiB",
                  schedule->expected.states, schedule->expected.transitions,
                  f->task->candidate->bytes / 0x1p20);
    if (again) {
        if (perm_frontier_snapshot_is_of(&f->task->work->resumed_tables, PERM_EXACT))
            arithmetic = PERM_EXACT;
        device = NULL; /* whose tables are not in states */
    } else {
        BASE_TRY(run(f, device, schedule, get_arithmetic(f), value, &stats));
        again = may_repeat && has_too_few(f, value);
        if (again)
            arithmetic = choose_more_digits(f, &stats, &device);
    }
    if (again) {
        perm_log_line(&f->task->log, true, "frontier: doubles leave too few digits, again %s",
                      arithmetic == PERM_EXACT ? "with exact numbers" : "with 113 bits");
        BASE_TRY(run(f, device, schedule, arithmetic, value, &stats));
    }
    block_run->states = stats.states;
    block_run->transitions = stats.transitions;
    block_run->bytes = stats.peak_bytes;
done:
    return status;
}

/* ---- the second time ---- */

/* The rows in the reverse order: all states are other ones, unless these are far more. */
static base_status make_reverse(const frontier *f, perm_schedule *schedule) {
    base_status status;
    base_context *context = f->context;
    const order_frontier *order = &f->choice->order;
    const int64_t *processed = order->by_columns ? order->col : order->row;
    int64_t *reverse = base_alloc(context, order->n, sizeof *reverse);
    if (reverse == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < order->n; k++)
        reverse[k] = processed[order->n - 1 - k];
    BASE_TRY(perm_schedule_make(context, f->task->matrix, reverse, order->by_columns, schedule));
    BASE_TRY(perm_schedule_expect(context, f->task->matrix, reverse, order->by_columns, schedule));
    if (schedule->expected.peak_states > 2 * f->choice->schedule.expected.peak_states) {
        perm_schedule_free(schedule);
        BASE_TRY(perm_schedule_make(context, f->task->matrix, processed, order->by_columns, schedule));
        schedule->expected = f->choice->schedule.expected;
    }
done:
    free(reverse);
    return status;
}

static perm_arithmetic choose_check(const frontier *f, const perm_value *value) {
    if (value->error.mantissa == 0)
        return f->device != NULL || perm_matrix_look(f->task->matrix).complex ? PERM_EXACT : PERM_RESIDUE;
    return f->device == NULL && perm_partial_result_is_good(value, MORE_THAN_DOUBLE) ? PERM_QUAD
                                                                                     : PERM_DOUBLE;
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
    perm_log_line(&f->task->log, true, "frontier: once more, %s, in the reverse order",
                  arithmetic == PERM_RESIDUE ? "modulo 2^61 - 1" : "in the same arithmetic");
    BASE_TRY(run(f, f->device, &schedule, arithmetic, &check, &stats));
    *agrees = arithmetic == PERM_RESIDUE ? perm_frontier_is_residue(&check, value) : are_close(&check, value);
done:
    perm_schedule_free(&schedule);
    perm_value_free(&check);
    return status;
}

base_status perm_frontier_task(base_context *context, const perm_task *task, perm_block_run *block_run) {
    base_status status = BASE_OK;
    perm_sum *sum = &block_run->sum;
    const perm_work *work = task->notes;
    const bool is_on_device = perm_method_has(task->candidate->method, PERM_METHOD_ON_DEVICE);
    const frontier f = {context, task, task->candidate->prepared,
                        is_on_device ? base_devices_get(task->devices, 0) : NULL};
    bool agrees = sum->end == sum->first;
    perm_value value;
    perm_value_init(&value);
    for (int try = 1; !agrees; try++) {
        if (sum->left > 0) {
            BASE_TRY(compute(&f, &value, block_run));
            perm_sum_add(sum, 0, &value, NULL);
        }
        agrees = true;
        if (task->verify) {
            perm_sum_finish(sum, &value);
            BASE_TRY(verify(&f, &value, &agrees));
        }
        if (!agrees && try == TRIES)
            BASE_TRY(base_fail(context, BASE_MACHINE,
                               "a frontier gives another value in the reverse order, %d times: this machine "
                               "computes wrongly",
                               TRIES));
        if (!agrees) {
            if (work->note != NULL)
                work->note(work->data, "a frontier gives another value in the reverse order: computed again");
            sum->done[0] = 0;
            sum->left = 1;
        }
    }
done:
    perm_value_free(&value);
    return status;
}
