/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "base/device/cache.h"
#include "spmm/product/bench.h"
#include "spmm/product/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static base_device_cache_key make_key(const spmm_machine *machine, const spmm_problem *problem) {
    const spmm_csr *a = &problem->a;
    char shape[160], pattern[40], where[128];
    const XXH64_hash_t start = XXH3_64bits(a->start, (size_t)(a->nrow + 1) * sizeof *a->start);
    const XXH64_hash_t index = XXH3_64bits(a->index, (size_t)a->nnz * sizeof *a->index);
    snprintf(pattern, sizeof pattern, "%016llx%016llx", (unsigned long long)start, (unsigned long long)index);
    snprintf(shape, sizeof shape, "%lld %lld %lld %lld %s %d", (long long)a->nrow, (long long)a->ncol,
             (long long)a->nnz, (long long)problem->n, spmm_precision_name(problem->precision),
             problem->narrow_c);
    snprintf(where, sizeof where, "%u %d %s", machine->features, machine->threads,
             machine->device != NULL ? base_device_get_properties(machine->device)->name : "-");
    return base_device_cache_make_key((const char *[]){"spmm tune", PACKAGE_VERSION, pattern, shape, where},
                                      5);
}

/* Kernels that reproduce a publication are taken by name only. */
static bool may_take(const spmm_candidate *c) {
    return c->price.seconds > 0 && spmm_kernel_publication(c->kernel) == NULL;
}

/* What is remembered: a kernel's name, and the number of its variant. */
static void write_choice(const spmm_candidate *candidate, char text[64]) {
    snprintf(text, 64, "%s %d", candidate->kernel->name, candidate->variant);
}

/* The variant of that number, counted from a kernel's cheapest one on. */
static const spmm_candidate *find_variant(const spmm_machine *machine, const spmm_problem *problem,
                                          const spmm_handling *handling, const spmm_candidate *candidate,
                                          int number, spmm_plan *plan) {
    while (candidate != NULL && candidate->variant < number)
        candidate = spmm_plan_add_variant(machine, problem, handling, candidate, plan);
    return candidate;
}

static const spmm_candidate *find_remembered(base_context *context, const spmm_machine *machine,
                                             const spmm_problem *problem, const spmm_handling *handling,
                                             const base_device_cache_key *key, spmm_plan *plan) {
    char text[64] = "", name[64];
    const int count = plan->count;
    int number;
    void *data;
    int64_t bytes;
    if (!base_device_cache_read(context, key, &data, &bytes))
        return NULL;
    if (bytes < (int64_t)sizeof text)
        memcpy(text, data, (size_t)bytes);
    free(data);
    if (sscanf(text, "%63s %d", name, &number) != 2)
        return NULL;
    const spmm_candidate *found = NULL;
    for (int k = 0; k < count && found == NULL; k++)
        if (may_take(&plan->candidate[k]) && strcmp(plan->candidate[k].kernel->name, name) == 0)
            found = find_variant(machine, problem, handling, &plan->candidate[k], number, plan);
    if (found == NULL)
        plan->count = count;
    return found;
}

/* The most promising one that was not measured yet. */
static spmm_candidate *next_candidate(spmm_plan *plan) {
    spmm_candidate *next = NULL;
    double least = INFINITY;
    for (spmm_candidate *c = plan->candidate; c < plan->candidate + plan->count; c++) {
        const double rank = spmm_tune_rank(c->total_seconds, c->variant);
        if (may_take(c) && c->measured_seconds == 0 && rank < least) {
            next = c;
            least = rank;
        }
    }
    return next;
}

/* A variant's products are measured for this long, 3 to 20 of them: times of microseconds vary by some
 * percent. */
static const double most_seconds = 5e-4;

static base_status measure(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                           const spmm_operands *operands, spmm_candidate *candidate) {
    base_status status;
    spmm_problem variant = *problem;
    spmm_product product;
    double seconds;
    variant.above_seconds = candidate->above_seconds;
    BASE_TRY(spmm_product_open(context, machine, &variant, candidate->kernel, &product));
    status = spmm_bench_warm(context, &product, operands, most_seconds, &seconds);
    candidate->measured_seconds = fmax(seconds, 1e-9); /* 0 means not measured */
    spmm_product_close(&product);
done:
    return status;
}

base_status spmm_tune(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                      const spmm_handling *handling, const spmm_operands *operands, spmm_plan *plan,
                      bool *remembered) {
    base_status status = BASE_OK;
    const base_device_cache_key key = make_key(machine, problem);
    const spmm_candidate *best = find_remembered(context, machine, problem, handling, &key, plan);
    spmm_operands fresh = *operands;
    char text[64];
    fresh.beta = 0;
    *remembered = best != NULL;
    for (int k = 0; k < SPMM_TUNED && !*remembered; k++) {
        spmm_candidate *next = next_candidate(plan);
        if (next == NULL)
            break;
        BASE_TRY(measure(context, machine, problem, &fresh, next));
        spmm_plan_add_variant(machine, problem, handling, next, plan);
        if (best == NULL || next->measured_seconds < best->measured_seconds)
            best = next;
    }
    if (best == NULL)
        goto done;
    plan->chosen = best;
    if (!*remembered) {
        write_choice(best, text);
        base_device_cache_write(context, &key, text, (int64_t)strlen(text));
    }
done:
    return status;
}
