/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/progress.h"
#include "pipelines/bench_gpu_spmm.h"
#include "spmm/device/price.h"
#include "spmm/plan/plan.h"
#include "spmm/problem/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREPARED = 3 }; /* preparations of which the median is taken */

/* The cheapest family, and what it costs; 0 seconds: none. */
static const spmm_device_family *choose(const base_device_properties *device, const spmm_problem *problem,
                                        spmm_price *least, char name[80]) {
    const spmm_device_family *best = NULL;
    *least = (spmm_price){0};
    for (int k = 0; k < SPMM_FAMILY_COUNT; k++) {
        const spmm_device_family *family = spmm_device_families[k];
        spmm_device_variant variant;
        spmm_price price;
        if (family->paper != NULL)
            continue;
        spmm_device_price(family, device, problem, &variant, &price);
        if (price.seconds == 0 || (least->seconds > 0 && spmm_plan_weigh(&price) >= spmm_plan_weigh(least)))
            continue;
        *least = price;
        best = family;
        if (family->engine != NULL)
            snprintf(name, 80, "%s", family->name);
        else
            spmm_device_variant_name(problem->precision, &variant, name);
    }
    return best;
}

/* The median of some preparations, and the last of them. */
static base_status prepare(bench *it, const spmm_problem *problem, const spmm_device_family *family,
                           spmm_device_work *work) {
    base_status status = BASE_OK;
    spmm_preparation took;
    double seconds[PREPARED];
    for (int k = 0; k <= PREPARED; k++) { /* the first loads the code */
        spmm_device_work_free(work);
        BASE_TRY(spmm_device_work_init(&it->context, it->device, problem, family, work, &took));
        if (k > 0)
            seconds[k - 1] = took.format_seconds;
    }
    qsort(seconds, PREPARED, sizeof *seconds, bench_spmm_compare);
    it->prepare_seconds = seconds[PREPARED / 2];
done:
    return status;
}

/* One family; it->ours is the time of the best in the end. */
static base_status try_family(bench *it, const spmm_problem *problem, const spmm_device_family *family,
                              const char *name) {
    base_status status;
    spmm_device_work work = {.device = NULL};
    const double best = it->ours;
    const int runs = it->runs;
    char best_name[sizeof it->ours_name];
    memcpy(best_name, it->ours_name, sizeof best_name);
    it->ours = 0;
    if (family->paper != NULL)
        it->runs = 3;
    BASE_TRY(prepare(it, problem, family, &work));
    BASE_TRY(bench_spmm_try(it, &(candidate){OURS, &work, NULL, NULL}, name, it->prepare_seconds));
    const double seconds = it->ours;
    const size_t length = strlen(it->late_names);
    it->families++;
    if (it->prepare_seconds > 10 * seconds) {
        it->late_families++;
        snprintf(it->late_names + length, sizeof it->late_names - length, " %s/%lld/%s/%s(%.2f)", it->name,
                 (long long)it->n, spmm_precision_name(it->precision), name,
                 it->prepare_seconds / seconds / 10);
    }
done:
    it->runs = runs;
    if (it->ours == 0 || family->paper != NULL || (best > 0 && best < it->ours)) {
        it->ours = best;
        memcpy(it->ours_name, best_name, sizeof best_name);
    }
    spmm_device_work_free(&work);
    return status;
}

void bench_spmm_print_counts(const bench *it, const spmm_problem *problem, const spmm_device_family *family,
                             const spmm_device_variant *variant) {
    double count[SPMM_TERMS];
    spmm_device_count(family, base_device_get_properties(it->device), problem, variant, count);
    printf("  %s %lld %s counts %s %d", it->name, (long long)it->n, spmm_precision_name(problem->precision),
           family->name, family->kind != NULL ? family->kind(problem, variant) : 0);
    for (int term = 0; term < SPMM_TERMS; term++)
        printf(" %.6g", count[term]);
    printf("\n");
}

/* How many times the least price is too much to be tried. */
static const double hopeless = 4;

base_status bench_spmm_try_families(bench *it) {
    base_status status = BASE_OK;
    const base_device_properties *device = base_device_get_properties(it->device);
    const double prepared = it->prepare_seconds;
    const spmm_precision as[] = {it->precision, SPMM_3XTF32}; /* which counts as fp32 */
    for (int k = 0; k < (it->precision == SPMM_FP32 ? 2 : 1); k++) {
        spmm_problem problem = it->problem;
        spmm_price least, price;
        char unused[80], name[80];
        problem.precision = as[k];
        choose(device, &problem, &least, unused);
        for (int f = 0; f < SPMM_FAMILY_COUNT; f++) {
            const spmm_device_family *family = spmm_device_families[f];
            spmm_device_variant variant;
            spmm_device_price(family, device, &problem, &variant, &price);
            if (price.seconds == 0 || (price.seconds > hopeless * least.seconds && family->paper == NULL))
                continue;
            if (it->all)
                bench_spmm_print_counts(it, &problem, family, &variant);
            snprintf(name, sizeof name, "%s%s (%.1f)", family->name, k == 1 ? " 3xtf32" : "",
                     price.seconds * 1e6);
            BASE_TRY(try_family(it, &problem, family, name));
        }
    }
done:
    it->prepare_seconds = prepared;
    return status;
}

base_status bench_spmm_try_chosen(bench *it) {
    base_status status;
    const base_device_properties *device = base_device_get_properties(it->device);
    spmm_problem problem = {.precision = it->precision, .a = it->a, .n = it->n, .narrow_c = true}, other;
    spmm_device_work work = {.device = NULL};
    spmm_price price, second;
    char name[80] = "", second_name[80] = "";
    const double start = base_clock_seconds();
    BASE_TRY(spmm_inspect(&it->context, &problem));
    const spmm_device_family *family = choose(device, &problem, &price, name);
    it->inspect_seconds = base_clock_seconds() - start;
    other = problem;
    other.precision = SPMM_3XTF32; /* counts as fp32 */
    const spmm_device_family *second_family = choose(device, &other, &second, second_name);
    if (it->precision == SPMM_FP32 && second.seconds > 0 &&
        spmm_plan_weigh(&second) < spmm_plan_weigh(&price)) {
        problem = other;
        family = second_family;
        memcpy(name, second_name, sizeof name);
    }
    BASE_TRY(prepare(it, &problem, family, &work));
    BASE_TRY(bench_spmm_try(it, &(candidate){CHOSEN, &work, NULL, NULL}, name, it->prepare_seconds));
done:
    spmm_device_work_free(&work);
    return status;
}
