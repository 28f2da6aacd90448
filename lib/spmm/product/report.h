/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines about kernels and products. */
#ifndef SPMM_PRODUCT_REPORT_H
#define SPMM_PRODUCT_REPORT_H

#include "mm/stream/report.h"
#include "spmm/plan/plan.h"
#include "spmm/product/bench.h"

/* A line for each kernel of the plan: its price, or why it does not fit. */
base_status spmm_report_plan(base_context *context, const char *name, const spmm_problem *problem,
                             const spmm_plan *plan, mm_report *report, base_output *output);

/* A line about a product that was measured; `error` as in bench.h. */
base_status spmm_report_times(base_context *context, const char *name, const spmm_product *product,
                              const spmm_times *times, double error, mm_report *report, base_output *output);

/* Calls `log` with lines for people: the profile and the table of kernels. */
void spmm_explain(const char *name, const spmm_problem *problem, const spmm_plan *plan, spmm_log *log,
                  void *data);

#endif
