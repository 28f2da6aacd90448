/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipelines/bench_gpu_spmm.h"
#include "spmm/device/price.h"
#include "spmm/plan/plan.h"
#include "spmm/product/tune.h"

#include <math.h>
#include <stdio.h>

/* A variant that may be the fastest. */
typedef struct tuned_variant {
    spmm_precision precision;
    const spmm_device_family *family;
    int number;           /* among those of its family, by price */
    double above_seconds; /* as spmm_problem has it */
    spmm_price price;
    bool is_timed;
} tuned_variant;

enum { MOST_TUNED = 2 * SPMM_FAMILY_COUNT + SPMM_TUNED };

typedef struct tuned_list {
    tuned_variant variant[MOST_TUNED];
    int count;
} tuned_list;

static spmm_problem make_problem(const bench *it, const tuned_variant *variant) {
    spmm_problem problem = it->problem;
    problem.precision = variant->precision;
    problem.above_seconds = variant->above_seconds;
    return problem;
}

static void add(const bench *it, spmm_precision precision, const spmm_device_family *family, int number,
                double above_seconds, tuned_list *list) {
    tuned_variant *added = &list->variant[list->count];
    spmm_device_variant unused;
    *added = (tuned_variant){
        .precision = precision, .family = family, .number = number, .above_seconds = above_seconds};
    const spmm_problem problem = make_problem(it, added);
    spmm_device_price(family, base_device_get_properties(it->device), &problem, &unused, &added->price);
    if (added->price.seconds > 0)
        list->count++;
}

static tuned_variant *find_next(tuned_list *list) {
    tuned_variant *next = NULL;
    double least = INFINITY;
    for (tuned_variant *v = list->variant; v < list->variant + list->count; v++) {
        const double rank = spmm_tune_rank(spmm_plan_weigh(&v->price), v->number);
        if (!v->is_timed && rank < least) {
            next = v;
            least = rank;
        }
    }
    return next;
}

/* Prepares a variant and times it; it->tuned is its time. */
static base_status time_variant(bench *it, const tuned_variant *variant, const char *name) {
    base_status status;
    spmm_device_work work = {.device = NULL};
    spmm_preparation took;
    const spmm_problem problem = make_problem(it, variant);
    it->tuned = 0;
    BASE_TRY(spmm_device_work_init(&it->context, it->device, &problem, variant->family, &work, &took));
    BASE_TRY(bench_spmm_try(it, &(candidate){TUNED, &work, NULL, NULL}, name, took.format_seconds));
done:
    spmm_device_work_free(&work);
    return status;
}

base_status bench_spmm_try_tuned(bench *it) {
    base_status status = BASE_OK;
    tuned_list list = {.count = 0};
    const tuned_variant *best = NULL;
    double least = 0;
    for (int f = 0; f < SPMM_FAMILY_COUNT; f++) {
        const spmm_device_family *family = spmm_device_families[f];
        if (family->paper != NULL)
            continue;
        add(it, it->precision, family, 0, 0, &list);
        if (it->precision == SPMM_FP32)
            add(it, SPMM_3XTF32, family, 0, 0, &list); /* which counts as fp32 */
    }
    for (int k = 0; k < SPMM_TUNED; k++) {
        char name[80];
        tuned_variant *next = find_next(&list);
        if (next == NULL)
            break;
        snprintf(name, sizeof name, "try%d %s (%.1f)", k + 1, next->family->name, next->price.seconds * 1e6);
        next->is_timed = true;
        BASE_TRY(time_variant(it, next, name));
        if (it->tuned > 0 && (best == NULL || it->tuned < least)) {
            best = next;
            least = it->tuned;
        }
        if (next->family->engine == NULL)
            add(it, next->precision, next->family, next->number + 1, next->price.seconds, &list);
    }
    if (best != NULL) /* the least of several times is too small: the choice is timed anew */
        BASE_TRY(time_variant(it, best, "tuned"));
done:
    return status;
}
