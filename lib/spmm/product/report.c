/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/report.h"

#include <stdio.h>
#include <string.h>

static void begin_line(mm_report *report, const char *name, const spmm_problem *problem,
                       const spmm_kernel *kernel) {
    mm_report_text(report, "name", name);
    mm_report_integer(report, "nrow", problem->a.nrow);
    mm_report_integer(report, "ncol", problem->a.ncol);
    mm_report_integer(report, "nnz", problem->a.nnz);
    mm_report_integer(report, "n", problem->n);
    mm_report_text(report, "precision", spmm_precision_name(problem->precision));
    mm_report_text(report, "kernel", kernel->name);
    mm_report_text(report, "device", kernel->device);
}

/* Prices have few digits that mean anything. */
static void put_seconds(mm_report *report, const char *key, double seconds, bool known) {
    char digits[32];
    double rounded = 0;
    snprintf(digits, sizeof digits, "%.3g", seconds);
    if (known && sscanf(digits, "%lf", &rounded) == 1)
        mm_report_real(report, key, rounded);
    else
        mm_report_unknown(report, key);
}

base_status spmm_report_plan(base_context *context, const char *name, const spmm_problem *problem,
                             const spmm_plan *plan, mm_report *report, base_output *output) {
    base_status status = BASE_OK;
    for (const spmm_candidate *c = plan->candidate; c < plan->candidate + plan->count; c++) {
        const spmm_price *price = &c->price;
        const bool fits = price->seconds > 0;
        begin_line(report, name, problem, c->kernel);
        put_seconds(report, "seconds", price->seconds, fits);
        put_seconds(report, "memory_seconds", price->memory_seconds, fits);
        put_seconds(report, "gather_seconds", price->gather_seconds, fits);
        put_seconds(report, "math_seconds", price->math_seconds, fits);
        put_seconds(report, "prepare_seconds", price->prepare_seconds, fits);
        const char *publication = spmm_kernel_publication(c->kernel);
        char reason[96];
        snprintf(reason, sizeof reason, "as in %s: by name only", publication != NULL ? publication : "");
        if (!fits || publication != NULL)
            mm_report_text(report, "reason", fits ? reason : price->reason);
        else
            mm_report_unknown(report, "reason");
        BASE_TRY(mm_report_write(context, report, output));
    }
done:
    return status;
}

base_status spmm_report_times(base_context *context, const char *name, const spmm_product *product,
                              const spmm_times *times, double error, mm_report *report, base_output *output) {
    const spmm_problem *problem = product->problem;
    const double flop = 2.0 * (double)problem->a.nnz * (double)problem->n;
    begin_line(report, name, problem, product->kernel);
    put_seconds(report, "warm_seconds", times->warm_seconds, true);
    put_seconds(report, "cold_seconds", times->cold_seconds, true);
    put_seconds(report, "gflops", flop / times->warm_seconds * 1e-9, times->warm_seconds > 0);
    put_seconds(report, "gbytes_per_second", spmm_least_bytes(problem) / times->warm_seconds * 1e-9,
                times->warm_seconds > 0);
    put_seconds(report, "prepare_seconds", product->took.format_seconds, true);
    put_seconds(report, "send_seconds", product->took.send_seconds, true);
    put_seconds(report, "error", error, true);
    return mm_report_write(context, report, output);
}

/* The length of the longest name, so that columns align. */
static int measure_names(const spmm_plan *plan) {
    size_t width = strlen("kernel");
    for (int k = 0; k < plan->count; k++) {
        char name[48];
        spmm_candidate_name(&plan->candidate[k], name);
        const size_t length = strlen(name);
        width = length > width ? length : width;
    }
    return (int)width;
}

void spmm_explain(const char *name, const spmm_problem *problem, const spmm_plan *plan, spmm_log *log,
                  void *data) {
    char line[256], label[48];
    const spmm_profile *profile = &problem->profile;
    snprintf(line, sizeof line, "%s: %lld x %lld, %lld entries, times %lld columns in %s", name,
             (long long)problem->a.nrow, (long long)problem->a.ncol, (long long)problem->a.nnz,
             (long long)problem->n, spmm_precision_name(problem->precision));
    log(data, line);
    int length = snprintf(line, sizeof line, "%s: entries to a column of windows%s:", name,
                          profile->sampled ? " (sample)" : "");
    for (int h = 0; h < SPMM_HEIGHTS && length > 0 && length < (int)sizeof line; h++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %.2f (%d rows)",
                           profile->vectors[h] > 0 ? (double)problem->a.nnz / profile->vectors[h] : 0,
                           spmm_height[h]);
    log(data, line);
    const int width = measure_names(plan);
    snprintf(line, sizeof line, "%-*s %-5s %9s %9s %9s %9s %9s", width, "kernel", "where", "seconds",
             "memory", "gather", "math", "prepare");
    log(data, line);
    for (const spmm_candidate *c = plan->candidate; c < plan->candidate + plan->count; c++) {
        const spmm_price *p = &c->price;
        const char *mark = c == plan->chosen ? " *" : "";
        spmm_candidate_name(c, label);
        if (p->seconds == 0)
            snprintf(line, sizeof line, "%-*s %-5s %s", width, label, c->kernel->device, p->reason);
        else if (c->measured_seconds > 0)
            snprintf(line, sizeof line, "%-*s %-5s %9.3g %9.3g %9.3g %9.3g %9.3g  measured %.3g%s", width,
                     label, c->kernel->device, p->seconds, p->memory_seconds, p->gather_seconds,
                     p->math_seconds, p->prepare_seconds, c->measured_seconds, mark);
        else
            snprintf(line, sizeof line, "%-*s %-5s %9.3g %9.3g %9.3g %9.3g %9.3g%s", width, label,
                     c->kernel->device, p->seconds, p->memory_seconds, p->gather_seconds, p->math_seconds,
                     p->prepare_seconds, mark);
        log(data, line);
    }
}
