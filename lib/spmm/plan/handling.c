/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/plan/handling.h"
#include "base/device/costs.h"

#include <math.h>

/* How many matrices B there are, and as many C. All products of a power share one of each. */
static double count_sides(const spmm_problem *problem, const spmm_handling *handling) {
    return (double)handling->products / (double)(problem->power > 1 ? problem->power : 1);
}

static double count_b_bytes(const spmm_problem *problem, const spmm_handling *handling) {
    return count_sides(problem, handling) * (double)problem->a.ncol * (double)problem->n *
           (double)spmm_format_bytes(spmm_format_of(problem->precision));
}

/* C as a record. */
static double count_record_bytes(const spmm_problem *problem) {
    return (double)problem->a.nrow * (double)problem->n * (double)sizeof(double);
}

double spmm_handling_cpu_seconds(const spmm_problem *problem, const spmm_handling *handling, double seconds) {
    if (!handling->makes_records)
        return seconds;
    const base_device_costs *costs = base_device_get_costs();
    return seconds +
           count_sides(problem, handling) * (base_device_fresh_seconds(costs, spmm_count_c_bytes(problem)) +
                                             base_device_fresh_seconds(costs, count_record_bytes(problem)));
}

/* C to the host by rows, for every side. */
static double find_row_seconds(const spmm_problem *problem, const spmm_handling *handling) {
    const double down = spmm_count_c_bytes(problem) / base_device_get_costs()->down_rate;
    return spmm_handling_cpu_seconds(problem, handling, count_sides(problem, handling) * down);
}

double spmm_handling_device_seconds(const spmm_problem *problem, const spmm_handling *handling,
                                    bool as_record, double seconds) {
    const base_device_costs *costs = base_device_get_costs();
    const double record = count_record_bytes(problem), sides = count_sides(problem, handling),
                 b = handling->keeps_b ? 0 : count_b_bytes(problem, handling);
    seconds += (spmm_count_a_bytes(problem) + b) / costs->up_rate;
    if (!handling->makes_records || !as_record)
        return seconds + find_row_seconds(problem, handling);
    switch (handling->goal) {
    case SPMM_LEFT: return seconds;
    case SPMM_ARRIVING: return fmax(seconds, sides * record / costs->pinned_down);
    default: return seconds + sides * (record / costs->down_rate + base_device_fresh_seconds(costs, record));
    }
}

double spmm_handling_start_seconds(const spmm_problem *problem, const spmm_handling *handling) {
    const base_device_costs *costs = base_device_get_costs();
    const double b =
        handling->keeps_b && !handling->has_b ? count_b_bytes(problem, handling) / costs->up_rate : 0;
    return fmax(0, (handling->is_started ? 0 : costs->start_seconds) + b - handling->lost_seconds);
}
