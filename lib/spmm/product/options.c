/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/options.h"

#include <math.h>
#include <string.h>

spmm_precision spmm_precision_of_c(spmm_precision precision) {
    return precision == SPMM_FP64 ? SPMM_FP64 : SPMM_FP32;
}

bool spmm_options_ask_prices(const spmm_options *options) {
    return options->kernel != NULL && strcmp(options->kernel, "list") == 0;
}

static bool is_for_all(const spmm_options *options) {
    return options->bench && options->kernel != NULL && strcmp(options->kernel, "all") == 0;
}

bool spmm_options_ask_lines(const spmm_options *options) {
    return spmm_options_ask_prices(options) || options->bench;
}

base_status spmm_options_check(base_context *context, const spmm_options *options) {
    if (options->b_path != NULL && options->random_columns > 0)
        return base_fail(context, BASE_USAGE,
                         "-B FILE and --random-b contradict each other; give one of them");
    if (options->b_path == NULL && options->random_columns <= 0)
        return base_fail(context, BASE_USAGE,
                         "the other factor is missing: give -B FILE, or --random-b N with N of at least 1");
    if ((options->beta != 0) != (options->c_path != NULL))
        return base_fail(context, BASE_USAGE, "-C FILE and --beta need each other");
    if (options->power < 1)
        return base_fail(context, BASE_USAGE, "--power: %lld is less than 1", (long long)options->power);
    if (options->power > 1 && spmm_options_ask_lines(options))
        return base_fail(context, BASE_USAGE, "--power is for products, not for --bench and --kernel list");
    if (options->saves && spmm_options_ask_lines(options))
        return base_fail(context, BASE_USAGE,
                         "--checkpoint is for products, not for --bench and --kernel list");
    if (options->bench && options->beta != 0)
        return base_fail(context, BASE_USAGE, "--bench measures without C and --beta");
    if (spmm_precision_of_c(options->precision) == SPMM_FP32 &&
        (isinf((float)options->alpha) || isinf((float)options->beta)))
        return base_fail(context, BASE_USAGE,
                         "--alpha and --beta must be within the range of fp32 with -p %s",
                         spmm_precision_name(options->precision));
    if (options->json && !spmm_options_ask_lines(options))
        return base_fail(context, BASE_USAGE, "--json is for --bench and --kernel list");
    return spmm_options_ask_prices(options) || is_for_all(options)
               ? BASE_OK
               : spmm_plan_check_kernel(context, options->kernel);
}
