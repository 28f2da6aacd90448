/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of dynamic programming over a frontier (frontier.h). */
#include "perm/frontier/pricing.h"

#include <math.h>
#include <stdio.h>

/* Word operations that take about ten milliseconds: with so few, all numbers are computed exactly, so that
 * their doubles are the nearest ones. */
static const double exact_at_once = 1e7;

/* Nanoseconds of one core, fitted to the counts and times of 60 runs on bands, circulants, random and real
 * matrices: their prices by these counts are 0.8 to 1.2 times what was measured. With masks of 64 bits and of
 * 128: to look whether an entry takes a state. For a group of states: its marks are a word, and where states
 * are few, streams are entered anew. For a byte of a state: to write it and to read it from memory. For a
 * byte of the tables: to have it from the system. */
static const double visit_price[2] = {0.82, 3}, group_price = 13, byte_price = 0.2, table_price = 0.5;

/* Of tables that are as often in the caches as not. */
static const double cached_bytes = 4e6;

/* The same for a transition, with values of `units` of 8 bytes. */
static double price_transition(const perm_schedule *schedule, perm_arithmetic arithmetic, double units) {
    const bool is_complex = schedule->traits.complex;
    if (arithmetic == PERM_QUAD) /* a product of complex numbers and their sizes takes six */
        return 39 * (is_complex ? 5.8 : units / 2);
    if (arithmetic == PERM_DOUBLE)
        return is_complex ? 2.9 : 0.15 + 1.2 * units;
    if (is_complex)
        return 1.7 * units;
    return units <= 2 ? 2 * units - 1.5 : 1.2 * units;
}

static double price_run(const perm_schedule *schedule, perm_arithmetic arithmetic, int64_t state_bytes,
                        double table_bytes) {
    const order_frontier_cost *expected = &schedule->expected;
    const bool is_wide = schedule->width > 64;
    const double bytes = (double)state_bytes, value_bytes = bytes - (is_wide ? 16 : 8),
                 missed = table_bytes / (table_bytes + cached_bytes);
    return 1e-6 * (double)schedule->n +
           1e-9 * (expected->visits * visit_price[is_wide] + expected->groups * group_price +
                   expected->transitions * price_transition(schedule, arithmetic, value_bytes / 8) +
                   expected->states * bytes * missed * byte_price + table_bytes * table_price);
}

static const int64_t *get_processed(const perm_frontier_choice *choice) {
    return choice->order.by_columns ? choice->order.col : choice->order.row;
}

static void release(void *data) {
    perm_frontier_choice *choice = data;
    order_frontier_free(&choice->order);
    perm_schedule_free(&choice->schedule);
}

static const perm_shared shared = {sizeof(perm_frontier_choice), release};

perm_frontier_choice *perm_frontier_get_choice(base_context *context, perm_prices *prices) {
    return perm_prices_get_shared(context, prices, &shared);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

base_status perm_frontier_choose(base_context *context, int64_t step_limit, perm_prices *prices,
                                 const perm_frontier_choice **result) {
    base_status status;
    const perm_matrix *matrix = prices->matrix;
    const mm_sparse pattern = perm_matrix_pattern(matrix);
    perm_frontier_choice *choice = perm_frontier_get_choice(context, prices);
    order_frontier_options search = order_frontier_default;
    search.seed = context->seed;
    search.step_limit = least(search.step_limit, step_limit);
    *result = choice;
    BASE_TRY(choice == NULL ? BASE_MACHINE : BASE_OK);
    BASE_TRY(order_frontier_search(context, &pattern, MM_BY_ROWS, &search, &choice->order));
    /* A width that is far beyond the limit is not worth a schedule, which has the last word. */
    if (choice->order.cost.width + 64 < 2 * PERM_FRONTIER_WIDEST &&
        perm_schedule_make(context, matrix, get_processed(choice), choice->order.by_columns,
                           &choice->schedule) == BASE_MACHINE)
        status = BASE_MACHINE;
done:
    return status;
}

base_status perm_frontier_expect(base_context *context, perm_prices *prices) {
    perm_frontier_choice *choice = perm_frontier_get_choice(context, prices);
    return perm_schedule_expect(context, prices->matrix, get_processed(choice), choice->order.by_columns,
                                &choice->schedule);
}

const order_frontier_cost *perm_frontier_get_cost(const perm_frontier_choice *choice) {
    return choice->schedule.n > 0 ? &choice->schedule.expected : &choice->order.cost;
}

/* The first arithmetic of the method that may take more digits later: exact where that is not dearer. */
static perm_arithmetic choose_arithmetic(const perm_matrix *matrix, const perm_schedule *schedule) {
    const int64_t bytes = perm_frontier_state_bytes(schedule, PERM_EXACT);
    return perm_matrix_is_whole(matrix) ||
                   schedule->expected.transitions * (double)(bytes / 8) <= exact_at_once
               ? PERM_EXACT
               : PERM_DOUBLE;
}

static void price_arithmetic(const base_context *context, const perm_schedule *schedule,
                             perm_candidate *candidate) {
    const perm_arithmetic arithmetic = (perm_arithmetic)candidate->parameter;
    const int64_t bytes = perm_frontier_state_bytes(schedule, arithmetic);
    /* Two layers are held at a time. */
    candidate->bytes = 2 * schedule->expected.peak_states * (double)bytes;
    perm_candidate_set_seconds(candidate, 0, price_run(schedule, arithmetic, bytes, candidate->bytes));
    if (candidate->bytes > (double)context->memory_bytes) {
        snprintf(candidate->reason, sizeof candidate->reason, "up to %.3g GiB of tables, %.3g allowed",
                 candidate->bytes / 0x1p30, (double)context->memory_bytes / 0x1p30);
        candidate->seconds = 0;
    }
}

static base_status price_in(base_context *context, const perm_method *method, perm_arithmetic arithmetic,
                            perm_prices *prices) {
    base_status status = BASE_OK;
    const perm_matrix *matrix = prices->matrix;
    perm_candidate *candidate = perm_prices_add(prices, method);
    const perm_frontier_choice *choice = perm_frontier_get_choice(context, prices);
    candidate->prepared = choice;
    candidate->parameter = arithmetic;
    BASE_TRY(choice == NULL ? BASE_MACHINE : BASE_OK);
    if (choice->schedule.n == 0 && matrix->n > 0)
        snprintf(candidate->reason, sizeof candidate->reason, "the frontier is %lld wide, %d is the limit",
                 (long long)choice->order.cost.width, (int)PERM_FRONTIER_WIDEST);
    else
        price_arithmetic(context, &choice->schedule, candidate);
done:
    return status;
}

/* What more digits than those of doubles take. */
static void price_more(const base_context *context, perm_frontier_choice *choice) {
    static const perm_arithmetic more[] = {PERM_EXACT, PERM_QUAD};
    choice->more_seconds = 0;
    for (int k = 0; k < 2; k++) {
        perm_candidate candidate = {.parameter = more[k]};
        price_arithmetic(context, &choice->schedule, &candidate);
        if (candidate.seconds > 0 && (choice->more_seconds == 0 || candidate.seconds < choice->more_seconds))
            choice->more_seconds = candidate.seconds;
    }
}

bool perm_frontier_may_need_more(const perm_matrix *matrix, const perm_frontier_choice *choice,
                                 const perm_candidate *candidate) {
    return choice->arithmetic == PERM_DOUBLE && candidate->seconds > 0 &&
           !perm_matrix_look(matrix).nonnegative;
}

void perm_frontier_add_more(double more_seconds, perm_candidate *candidate) {
    candidate->more_seconds = more_seconds;
    candidate->lacking_seconds = more_seconds > 0 ? more_seconds : PERM_FEW_DIGITS_SECONDS;
}

static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status = BASE_OK;
    perm_frontier_choice *choice = perm_frontier_get_choice(context, prices);
    BASE_TRY(choice == NULL ? BASE_MACHINE : BASE_OK);
    choice->arithmetic = PERM_DOUBLE;
    if (choice->schedule.n > 0 || prices->matrix->n == 0) {
        choice->arithmetic = choose_arithmetic(prices->matrix, &choice->schedule);
        price_more(context, choice);
    }
    BASE_TRY(price_in(context, method, choice->arithmetic, prices));
    perm_candidate *candidate = &prices->candidate[prices->count - 1];
    if (perm_frontier_may_need_more(prices->matrix, choice, candidate))
        perm_frontier_add_more(choice->more_seconds, candidate);
done:
    return status;
}

static base_status price_exact(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_in(context, method, PERM_EXACT, prices);
}

static base_status price_double(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_in(context, method, PERM_DOUBLE, prices);
}

static base_status price_quad(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_in(context, method, PERM_QUAD, prices);
}

/* Doubles, more digits where they do not suffice; integers exactly. */
const perm_method perm_frontier_method = {
    .name = "frontier",
    .stage = PERM_STAGE_FRONTIER,
    .flags = PERM_METHOD_HAS_STATES | PERM_METHOD_MORE_DIGITS,
    .computes = PERM_COMPUTES_INTEGERS | PERM_COMPUTES_NUMBERS | PERM_COMPUTES_CERTIFIED,
    .price = price,
    .run = perm_frontier_task,
};

const perm_method perm_frontier_exact_method = {
    .name = "frontier-exact",
    .family = "frontier",
    .stage = PERM_STAGE_FRONTIER,
    .flags =
        PERM_METHOD_HAS_STATES | PERM_METHOD_NEEDS_PRECISION | PERM_METHOD_MORE_DIGITS | PERM_METHOD_IS_EXACT,
    .computes = PERM_COMPUTES_EXACT,
    .price = price_exact,
    .run = perm_frontier_task,
};

const perm_method perm_frontier_double_method = {
    .name = "frontier-double",
    .family = "frontier",
    .stage = PERM_STAGE_FRONTIER,
    .flags = PERM_METHOD_HAS_STATES | PERM_METHOD_NEEDS_PRECISION,
    .computes = PERM_COMPUTES_DOUBLE,
    .price = price_double,
    .run = perm_frontier_task,
};

const perm_method perm_frontier_quad_method = {
    .name = "frontier-quad",
    .family = "frontier",
    .stage = PERM_STAGE_FRONTIER,
    .flags = PERM_METHOD_HAS_STATES | PERM_METHOD_NEEDS_PRECISION | PERM_METHOD_MORE_DIGITS,
    .computes = PERM_COMPUTES_DD,
    .price = price_quad,
    .run = perm_frontier_task,
};
