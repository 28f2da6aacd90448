#include "spmm/device/price.h"
#include "base/device/blas.h"

#include <stdio.h>

/* Of preparations on the device: what the smallest takes, a window, each 32 columns that it spans, an entry
 * and a byte of the format. */
static const double pack_seconds = 40e-6, pack_window_seconds = 8e-9, pack_word_seconds = 9e-12,
                    pack_entry_seconds = 5e-12, pack_byte_seconds = 0.5e-12;

/* ---- what does not fit ---- */

static const char *find_reason(spmm_device_family family, const base_device_properties *device,
                               const spmm_problem *problem, const spmm_device_variant *v) {
    const bool narrow = spmm_device_number_bytes(problem) == 2, exact = problem->precision == SPMM_FP32;
    if (device->architecture < 80)
        return "the device has no matrix instructions of that kind";
    if (family == SPMM_FAMILY_DENSE)
        return base_device_blas_missing();
    if (spmm_device_is_tca(family) && !narrow)
        return "for 16 bits only";
    if (family == SPMM_FAMILY_SPLITS && problem->precision != SPMM_3XTF32)
        return "for 3xtf32 only";
    if ((v->kind == SPMM_DEVICE_BANDS || v->kind == SPMM_DEVICE_RINGS || v->kind == SPMM_DEVICE_SPLITS) &&
        !spmm_device_has_90a(device))
        return "for compute capability 9.0 alone";
    if (v->kind == SPMM_DEVICE_SLABS &&
        problem->a.ncol * SPMM_GPU_SLAB_BYTES > device->shared_bytes_per_block - 1024)
        return "B's columns exceed the shared memory";
    if ((v->kind == SPMM_DEVICE_WINDOWS || v->kind == SPMM_DEVICE_RINGS || v->kind == SPMM_DEVICE_PANELS ||
         v->kind == SPMM_DEVICE_BANDS) &&
        exact)
        return "fp32 is not exact on matrix units; see 3xtf32";
    if (v->kind == SPMM_DEVICE_STAGES && narrow)
        return "not for 16 bits";
    if (v->kind == SPMM_DEVICE_BANDS && problem->precision == SPMM_FP64)
        return "not for fp64";
    if (((v->kind == SPMM_DEVICE_WINDOWS && (v->tall == 0 || v->tall == 4)) ||
         v->kind == SPMM_DEVICE_RINGS) &&
        !narrow)
        return "for 16 bits only";
    return NULL;
}

/* ---- prices ---- */

static double add_terms(const double *count, const double *rates, spmm_device_term first,
                        spmm_device_term last) {
    double sum = 0;
    for (int term = (int)first; term <= (int)last; term++)
        sum += count[term] * rates[term];
    return sum;
}

static double count_windows(const spmm_problem *problem, const spmm_device_variant *v) {
    return v->kind == SPMM_DEVICE_WINDOWS || v->kind == SPMM_DEVICE_RINGS
               ? (double)problem->a.nrow / spmm_device_window_rows(v)
               : 0;
}

void spmm_device_price(spmm_device_family family, const base_device_properties *device,
                       const spmm_problem *problem, spmm_device_variant *variant, spmm_price *price) {
    *price = (spmm_price){0};
    spmm_device_find_shape(family, device, problem->whole != NULL ? problem->whole : problem, variant);
    const char *reason = find_reason(family, device, problem, variant);
    const double format = spmm_device_format_bytes(family, problem, variant);
    const double b_bytes =
        (double)problem->a.ncol * (double)((problem->n + 7) / 8 * 8 * spmm_device_number_bytes(problem));
    const double c_bytes =
        (double)problem->a.nrow * (double)((problem->n + 7) / 8 * 8 * spmm_c_bytes(problem));
    const double csr_bytes =
        (double)problem->a.nnz * (problem->precision == SPMM_FP64 ? 12 : 8) + 24 * (double)problem->a.nrow;
    price->format_bytes = (int64_t)(1.25 * format) + 64 * problem->a.nrow + (1 << 20);
    price->bytes = (int64_t)(csr_bytes + b_bytes + c_bytes) + price->format_bytes + (64 << 20);
    if (reason != NULL) {
        snprintf(price->reason, sizeof price->reason, "%s", reason);
        return;
    }
    const double *rates = spmm_device_rates(family, problem->precision, variant);
    double count[SPMM_TERMS];
    spmm_device_count(family, device, problem, variant, count);
    price->start_seconds = add_terms(count, rates, SPMM_TERM_START, SPMM_TERM_MEET) * 1e-6;
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
