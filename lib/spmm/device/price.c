/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/device/price.h"
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"

#include <math.h>
#include <stdio.h>

/* Of preparations on the device: what the smallest takes, a window, each 32 columns that it spans, an entry
 * and a byte of the format. */
static const double pack_seconds = 40e-6, pack_window_seconds = 8e-9, pack_word_seconds = 9e-12,
                    pack_entry_seconds = 5e-12, pack_byte_seconds = 0.5e-12;

/* ---- what does not fit ---- */

static const char *find_reason_of_precision(const spmm_device_family *family, spmm_precision precision) {
    if ((family->precisions >> precision & 1) != 0)
        return NULL;
    if (precision == SPMM_FP32)
        return "fp32 is not exact on matrix units; see 3xtf32";
    if (family->precisions == SPMM_OF_SHORT)
        return "for 16 bits only";
    return precision == SPMM_FP64 ? "not for fp64" : "not for 16 bits";
}

static const char *find_reason(const spmm_device_family *family, const base_device_properties *device,
                               const spmm_problem *problem, const spmm_device_code *code) {
    const char *reason = NULL;
    if (device->architecture < 80)
        return "the device has no matrix instructions of that kind";
    if (family->reason != NULL)
        reason = family->reason(device, problem);
    if (reason == NULL && code != NULL && code->needs_90a && !spmm_device_has_90a(device))
        reason = "for compute capability 9.0 alone";
    return reason != NULL ? reason : find_reason_of_precision(family, problem->precision);
}

/* ---- prices ---- */

/* Of the device that the rates are those of: bytes of another's memory, and of its second-level cache if it
 * is of the same generation, count as more or fewer. */
static const double h200_memory_rate = 4.917e12, h200_l2_bytes = 60 << 20, h200_multiprocessors = 132;
enum { H200_ARCHITECTURE = 90 };

/* How much longer a byte takes from the second-level cache. Each slice of it has its own rate, so it takes
 * longer where the cache has fewer bytes for each multiprocessor. An H100 has 50 MB for 132, and took 1.16
 * times as long for products that these bytes bound. */
static double count_l2_share(const base_device_properties *device) {
    if (device->architecture != H200_ARCHITECTURE || device->l2_bytes == 0)
        return 1;
    return fmin(2, fmax(0.5, h200_l2_bytes / h200_multiprocessors * device->multiprocessors /
                                 (double)device->l2_bytes));
}

void spmm_device_count(const spmm_device_family *family, const base_device_properties *device,
                       const spmm_problem *problem, const spmm_device_variant *variant,
                       double count[SPMM_TERMS]) {
    const double b_bytes =
                     problem->profile.columns_used * (double)(problem->n * spmm_device_number_bytes(problem)),
                 bytes = family->format_bytes(problem, variant) + b_bytes + spmm_count_c_bytes(problem),
                 room = 0.5 * (double)device->l2_bytes; /* what stays there from product to product */
    for (int term = 0; term < SPMM_TERMS; term++)
        count[term] = 0;
    count[SPMM_TERM_START] = 1;
    count[SPMM_TERM_WARM] = fmin(bytes, room);
    count[SPMM_TERM_COLD] = bytes - count[SPMM_TERM_WARM];
    family->count(device, problem, variant, count);
    if (!family->reads_b_once && family->engine == NULL)
        count[SPMM_TERM_COLD] += spmm_count_lost(device, problem, variant);
    if (device->memory_rate > 0)
        count[SPMM_TERM_COLD] *= h200_memory_rate / device->memory_rate;
    count[SPMM_TERM_FAR] *= count_l2_share(device);
}

static const double *find_rates(const spmm_device_family *family, const spmm_problem *problem,
                                const spmm_device_variant *variant) {
    static const double none[SPMM_TERMS] = {0};
    const int kind = family->kind != NULL ? family->kind(problem, variant) : 0;
    for (const spmm_device_rates *of = family->rates; of->precisions != 0; of++)
        if ((of->precisions >> problem->precision & 1) != 0 && of->kind == kind)
            return of->rate;
    return none;
}

static double add_terms(const double *count, const double *rates, spmm_device_term first,
                        spmm_device_term last) {
    double sum = 0;
    for (int term = (int)first; term <= (int)last; term++)
        sum += count[term] * rates[term];
    return sum;
}

double spmm_device_seconds(const spmm_device_family *family, const base_device_properties *device,
                           const spmm_problem *problem, const spmm_device_variant *variant) {
    const double *rates = find_rates(family, problem, variant);
    double count[SPMM_TERMS];
    spmm_device_count(family, device, problem, variant, count);
    return add_terms(count, rates, SPMM_TERM_START, SPMM_TERM_REDUCTION) * 1e-6 +
           add_terms(count, rates, SPMM_TERM_FAR, SPMM_TERM_COLD) * 1e-12;
}

/* But for rounding: prices are added up in different orders. */
static bool is_above(const spmm_problem *problem, double seconds) {
    return problem->above_seconds == 0 || seconds > problem->above_seconds * (1 + 1e-9);
}

void spmm_device_take_cheaper(const spmm_device_family *family, const base_device_properties *device,
                              const spmm_problem *problem, const spmm_device_variant *candidate,
                              double *least, spmm_device_variant *variant) {
    const double seconds = spmm_device_seconds(family, device, problem, candidate);
    if (seconds < *least && is_above(problem, seconds)) {
        *least = seconds;
        *variant = *candidate;
    }
}

void spmm_device_take_cheaper_order(const spmm_device_family *family, const base_device_properties *device,
                                    const spmm_problem *problem, const spmm_device_variant *candidate,
                                    double *least, spmm_device_variant *variant) {
    spmm_device_variant ordered = *candidate;
    ordered.tiles_first = true;
    spmm_device_take_cheaper(family, device, problem, &ordered, least, variant);
    ordered.tiles_first = false;
    if (spmm_count_tiles(problem, &ordered) > 1 && spmm_count_fits(device, problem))
        spmm_device_take_cheaper(family, device, problem, &ordered, least, variant);
}

void spmm_device_choose_cheapest(const spmm_device_family *family, const base_device_properties *device,
                                 const spmm_problem *problem, const spmm_device_listed *listed,
                                 bool (*is_candidate)(const spmm_problem *problem,
                                                      const spmm_device_variant *variant),
                                 spmm_device_variant *variant) {
    double least = INFINITY;
    for (; listed->precisions != 0; listed++)
        if ((listed->precisions >> problem->precision & 1) != 0 && is_candidate(problem, &listed->variant))
            spmm_device_take_cheaper_order(family, device, problem, &listed->variant, &least, variant);
}

static double count_windows(const spmm_problem *problem, const spmm_device_variant *v) {
    return v->code != NULL && v->code->window_rows != NULL ? (double)problem->a.nrow / v->code->window_rows(v)
                                                           : 0;
}

/* Whether a variant is the cheapest of all, or above what the problem says. */
static bool is_other(const spmm_device_family *family, const base_device_properties *device,
                     const spmm_problem *problem, const spmm_device_variant *variant) {
    return problem->above_seconds == 0 ||
           (variant->code != NULL &&
            is_above(problem, spmm_device_seconds(family, device, problem, variant)));
}

static void find_price(const spmm_device_family *family, const base_device_properties *device,
                       const spmm_problem *problem, spmm_device_variant *variant, spmm_price *price) {
    const spmm_problem *whole = problem->whole != NULL ? problem->whole : problem;
    *price = (spmm_price){0};
    *variant = (spmm_device_variant){.code = NULL};
    if (family->configure != NULL)
        family->configure(family, device, whole, variant);
    const bool is_found = is_other(family, device, whole, variant);
    if (!is_found && whole != problem) { /* a device of another model has other prices */
        spmm_problem any = *whole;
        any.above_seconds = 0;
        family->configure(family, device, &any, variant);
    }
    const char *reason = find_reason(family, device, problem, variant->code);
    if (reason == NULL && !is_found && whole == problem)
        reason = "no other variant";
    const double format = family->format_bytes(problem, variant);
    const double b_bytes =
        (double)problem->a.ncol * (double)((problem->n + 7) / 8 * 8 * spmm_device_number_bytes(problem));
    const double c_bytes =
        (double)problem->a.nrow * (double)((problem->n + 7) / 8 * 8 * spmm_c_bytes(problem));
    const double csr_bytes =
        (double)problem->a.nnz * (problem->precision == SPMM_FP64 ? 12 : 8) + 24 * (double)problem->a.nrow;
    /* The format's size is an estimate: a quarter more is most often enough to pack it in one pass. */
    price->format_bytes = (int64_t)(1.25 * format) + 64 * problem->a.nrow + (1 << 20);
    /* A power takes one more B, which the product becomes. */
    const double arrays = b_bytes * (problem->power > 1 ? 2 : 1) + c_bytes;
    price->bytes = (int64_t)(csr_bytes + arrays) + price->format_bytes + (64 << 20);
    if (reason != NULL) {
        snprintf(price->reason, sizeof price->reason, "%s", reason);
        return;
    }
    const double *rates = find_rates(family, problem, variant);
    double count[SPMM_TERMS];
    spmm_device_count(family, device, problem, variant, count);
    price->start_seconds = add_terms(count, rates, SPMM_TERM_START, SPMM_TERM_REDUCTION) * 1e-6;
    price->gather_seconds = add_terms(count, rates, SPMM_TERM_FAR, SPMM_TERM_STEP) * 1e-12;
    price->math_seconds = add_terms(count, rates, SPMM_TERM_FLOP, SPMM_TERM_FLOP) * 1e-12;
    price->memory_seconds = add_terms(count, rates, SPMM_TERM_WARM, SPMM_TERM_COLD) * 1e-12;
    price->seconds =
        price->start_seconds + price->gather_seconds + price->math_seconds + price->memory_seconds;
    price->prepare_seconds = pack_seconds +
                             count_windows(problem, variant) *
                                 (pack_window_seconds + problem->profile.span / 32 * pack_word_seconds) +
                             (double)problem->a.nnz * pack_entry_seconds + format * pack_byte_seconds;
}

/* No columns count as one, as no variant suits none. */
void spmm_device_price(const spmm_device_family *family, const base_device_properties *device,
                       const spmm_problem *problem, spmm_device_variant *variant, spmm_price *price) {
    if (problem->n > 0) {
        find_price(family, device, problem, variant, price);
        return;
    }
    spmm_problem one = *problem, whole = problem->whole != NULL ? *problem->whole : *problem;
    one.n = whole.n = 1;
    if (problem->whole != NULL)
        one.whole = &whole;
    find_price(family, device, &one, variant, price);
}
