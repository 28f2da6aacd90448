/* SPDX-License-Identifier: BSD-3-Clause */
/* When devices are looked for, and the prices of the methods on them. */
#include "perm/dense/batch.h"
#include "perm/dense/device.h"
#include "perm/plan/internal.h"
#include "perm/sparse/sparse.h"

#include <string.h>

/* For which there is code (configure.ac). */
enum { LEAST_ARCHITECTURE = 80 };

/* A sum on a device that takes less than a search for an order. */
static const double direct_seconds = 3e-4;

static bool is_named(const perm_plan_options *options) {
    const perm_method *method = options->kernel != NULL ? perm_method_find(options->kernel) : NULL;
    return method != NULL && perm_method_has(method, PERM_METHOD_ON_DEVICE);
}

/* Whether a device that is there would be chosen for the sum of dense/dense.h. */
static bool is_quicker_there(const perm_prices *prices, const perm_candidate *cheapest) {
    const perm_candidate there = {.method = &perm_dense_cuda_method,
                                  .seconds = perm_prices_start_seconds(prices->options, true),
                                  .lacking_seconds = perm_prices_digits_seconds(prices)};
    return prices->options->started &&
           perm_prices_weigh(prices, &there) < perm_prices_weigh(prices, cheapest);
}

/* Where somebody asks, or the best of the processor's methods takes long. */
static base_status look_whether_wanted(base_context *context, perm_prices *prices, bool *wanted) {
    base_status status = BASE_OK;
    double guess;
    const perm_plan_options *options = prices->options;
    const base_device_search *devices = options->devices;
    *wanted = devices != NULL && (options->list || is_named(options));
    if (devices == NULL || *wanted || devices->choice == BASE_DEVICE_CPU ||
        (options->kernel != NULL && devices->choice != BASE_DEVICE_CUDA))
        goto done;
    const perm_candidate *cheapest = perm_prices_cheapest(prices, NULL);
    *wanted = devices->choice == BASE_DEVICE_CUDA || cheapest == NULL ||
              perm_candidate_seconds_with_digits(cheapest) > PERM_PLAN_WORTH_SECONDS ||
              is_quicker_there(prices, cheapest);
    if (!*wanted || options->started || devices->choice == BASE_DEVICE_CUDA ||
        perm_sparse_has_few_zeros(prices->matrix) ||
        !perm_method_computes(&perm_sparse_method, prices->matrix, options))
        goto done;
    BASE_TRY(perm_sparse_guess_seconds(context, prices, &guess));
    *wanted = guess == 0 || guess > PERM_PLAN_WORTH_SECONDS;
done:
    return status;
}

/* Why no device can be used; NULL: they can. */
static const char *find_reason(base_context *context, base_device_search *devices) {
    if (devices->choice == BASE_DEVICE_CPU)
        return "--device cpu";
    if (base_devices_find(context, devices) != BASE_OK)
        return context->error.cause;
    for (int k = 0; k < base_devices_count(devices->found); k++)
        if (base_device_get_properties(base_devices_get(devices->found, k))->architecture <
            LEAST_ARCHITECTURE)
            return "a device is older than compute capability 8.0";
    return base_devices_count(devices->found) > 0 ? NULL : base_devices_reason(devices->found);
}

bool perm_plan_finds_devices(base_context *context, base_device_search *devices) {
    base_context silent = *context;
    return devices != NULL && find_reason(&silent, devices) == NULL;
}

double perm_plan_direct_seconds(base_context *context, int64_t n, mm_field field,
                                const perm_plan_options *options) {
    const perm_precision_kind kind = options->precision.kind;
    const perm_dense_problem problem = {.n = n, .is_complex = field == MM_COMPLEX};
    const perm_plan_options started = {.started = true};
    if (!options->many || options->kernel != NULL || options->list || options->certify ||
        (field != MM_REAL && field != MM_COMPLEX) ||
        (kind != PERM_PRECISION_ANY && kind != PERM_PRECISION_DOUBLE) || n > PERM_DENSE_BATCH_LARGEST ||
        !perm_dense_device_is_built() || !perm_plan_finds_devices(context, options->devices))
        return 0;
    const double seconds = perm_prices_start_seconds(&started, true) +
                           perm_dense_device_seconds(&problem, perm_devices_rate(options->devices));
    return seconds < direct_seconds ? seconds : 0;
}

/* Whether a method is listed, named, alone or with its family, computes as asked, or may come after one that
 * does. */
static bool is_priced(const perm_prices *prices, const perm_method *method) {
    const perm_plan_options *options = prices->options;
    if (options->list)
        return true;
    if (options->kernel != NULL)
        return strncmp(method->name, options->kernel, strlen(options->kernel)) == 0 ||
               perm_method_is_called(method, options->kernel);
    if (perm_method_has(method, PERM_METHOD_MORE_DIGITS) && perm_prices_may_repeat(prices))
        return true;
    return !perm_method_has(method, PERM_METHOD_IS_PUBLISHED) &&
           perm_method_computes(method, prices->matrix, options);
}

base_status perm_plan_price_devices(base_context *context, perm_prices *prices) {
    base_status status;
    bool wanted;
    BASE_TRY(look_whether_wanted(context, prices, &wanted));
    if (!wanted)
        goto done;
    const char *reason = find_reason(context, prices->options->devices);
    for (const perm_method *const *method = perm_methods(); *method != NULL; method++) {
        if ((*method)->stage != PERM_STAGE_DEVICES || !is_priced(prices, *method))
            continue;
        const bool is_too_large = (*method)->largest > 0 && prices->matrix->n > (*method)->largest;
        if (reason != NULL || is_too_large)
            perm_candidate_refuse(perm_prices_add(prices, *method),
                                  reason != NULL ? reason : "n is too large");
        else
            BASE_TRY((*method)->price(context, *method, prices));
    }
done:
    return status;
}
