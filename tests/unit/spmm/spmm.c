/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kernel of processors beside sums in long double, on random shapes and patterns: within the bound of
 * kernel.h, the same bits for any number of threads, nothing touched beside C. Formats by brute force. */
#include "tests/support/tap.h"
#include "tests/unit/spmm/example.h"

enum { SEED = 5, SHAPES = 60 };

/* ---- formats ---- */

static bool is_nearest(spmm_precision precision, double x) {
    const spmm_format format = spmm_format_of(precision);
    uint16_t word;
    spmm_pack(precision, &x, 1, 1, &word);
    const double rounded = spmm_unpack(format, &word, 0), far = fabs(rounded - x);
    for (int step = -1; step <= 1; step += 2) {
        const uint16_t next = (uint16_t)(word + step);
        const double other = spmm_unpack(format, &next, 0);
        if (!isfinite(other) || (word & 0x7fff) + step < 0)
            continue;
        if (fabs(other - x) < far || (fabs(other - x) == far && word % 2 == 1))
            return false;
    }
    return spmm_round(precision, x) == rounded && signbit(rounded) == signbit(x);
}

static void check_formats(void) {
    int wrong[2] = {0, 0}, back[2] = {0, 0};
    for (int which = 0; which < 2; which++) {
        const spmm_precision precision = which == 0 ? SPMM_FP16 : SPMM_BF16;
        for (int bits = 0; bits < 65536; bits++) {
            const uint16_t word = (uint16_t)bits;
            uint16_t again;
            const double x = spmm_unpack(spmm_format_of(precision), &word, 0);
            if (isnan(x))
                continue;
            spmm_pack(precision, &x, 1, 1, &again);
            back[which] += again != word;
            const uint16_t next = (uint16_t)(word + 1);
            const double y = spmm_unpack(spmm_format_of(precision), &next, 0);
            if (!isfinite(x) || !isfinite(y))
                continue;
            wrong[which] += !is_nearest(precision, x / 2 + y / 2) +
                            !is_nearest(precision, x + (y - x) * base_random_uniform(&randoms));
        }
    }
    tap_ok(back[0] == 0 && back[1] == 0, "fp16 and bf16: every word comes back");
    tap_ok(wrong[0] == 0, "fp16: nearest numbers, ties to even (%d wrong)", wrong[0]);
    tap_ok(wrong[1] == 0, "bf16: nearest numbers, ties to even (%d wrong)", wrong[1]);
    tap_ok(isinf(spmm_round(SPMM_FP16, 65520)) && spmm_round(SPMM_FP16, 65519) == 65504,
           "fp16 ends at 65504");
    tap_ok(spmm_round(SPMM_TF32, 1 + 0x1p-11) == 1 && spmm_round(SPMM_TF32, 1 + 0x1.8p-10) == 1 + 0x1p-9,
           "tf32: ties to even at 11 bits");
    tap_ok(spmm_round(SPMM_TF32, -0x1.8p-136) == -0x1p-135 && isinf(spmm_round(SPMM_TF32, 0x1.ffdp127)) == 0,
           "tf32: its smallest and largest numbers");
    tap_ok(isinf(spmm_round(SPMM_FP32, 1e39)) && spmm_round(SPMM_3XTF32, 0.1) == (double)0.1F,
           "fp32 and 3xtf32 as float");
    const double numbers[] = {1, 2, 1e5, 1e6};
    uint16_t packed[4];
    tap_ok(spmm_pack(SPMM_FP16, numbers, 1, 4, packed) == 2, "numbers beyond the range are told");
}

/* ---- products ---- */

/* Largest error in units of the bound of kernel.h; infinite when something beside C changed. */
static double worst_error(const example *e) {
    const spmm_operands *o = &e->operands;
    const spmm_csr *a = &e->matrix.csr;
    const spmm_format format = spmm_format_of(e->problem.precision);
    const double u = e->problem.precision == SPMM_FP64 ? 0x1p-53 : 0x1p-24;
    const size_t c_bytes = e->problem.precision == SPMM_FP64 ? 8 : 4;
    double worst = 0;
    for (int64_t at = 0; at < e->c_count; at++) {
        const int64_t i = at == 0 ? a->nrow : (at - 1) / (o->c_row + (o->c_row == 0));
        const int64_t j = at == 0 ? 0 : (at - 1) % (o->c_row + (o->c_row == 0));
        if (i >= a->nrow || j >= e->problem.n) {
            if (memcmp(e->c + (size_t)at * c_bytes, e->old + (size_t)at * c_bytes, c_bytes) != 0)
                return INFINITY;
            continue;
        }
        long double sum = 0, magnitude = 0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            const long double term =
                (long double)value_of(e, k) * spmm_unpack(format, o->b, a->index[k] * o->b_row + j);
            sum += term;
            magnitude += fabsl(term);
        }

        const double m = (double)(a->start[i + 1] - a->start[i]), old = number_of_c(e, e->old, at);
        const long double want = o->alpha * sum + (o->beta != 0 ? (long double)o->beta * old : 0);
        const double bound = (m + 3) * u / (1 - (m + 3) * u) * fabs(o->alpha) * (double)magnitude +
                             (o->beta != 0 ? 3 * u * fabs(o->beta * old) : 0) + 1e-300;
        const double error = (double)fabsl(number_of_c(e, e->c, at) - want) / bound;
        worst = error > worst || isnan(error) ? (isnan(error) ? INFINITY : error) : worst;
    }
    return worst;
}

typedef struct tally {
    double worst;
    int failed, different;
} tally;

static void try_example(base_context *context, const spmm_kernel *kernel, example *e, tally *t) {
    const size_t bytes = (size_t)(e->c_count * (e->problem.precision == SPMM_FP64 ? 8 : 4));
    char *first = malloc(bytes);
    t->failed += !run(context, kernel, 1, e);
    t->worst = fmax(t->worst, worst_error(e));
    memcpy(first, e->c, bytes);
    t->failed += !run(context, kernel, 4, e);
    t->different += memcmp(first, e->c, bytes) != 0;
    free(first);
}

static void check_kernel(base_context *context, const spmm_kernel *kernel) {
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        tally t = {0};
        spmm_problem problem = {.precision = (spmm_precision)p, .n = 1};
        if (!merge_here(kernel, &problem)) {
            tap_skip(2, "this processor has not the instructions");
            continue;
        }
        for (int shape = 0; shape < SHAPES; shape++) {
            example e;
            const double density = shape % 3 == 0 ? 0.02 : 0.3;
            make_example((spmm_precision)p, shape % 7 == 0 ? 0 : pick(60), shape % 11 == 0 ? 0 : pick(90),
                         shape % 13 == 0 ? 0 : pick(shape % 2 == 0 ? 20 : 300), density, &e);
            try_example(context, kernel, &e, &t);
            free_example(&e);
        }
        tap_ok(t.failed == 0 && t.worst <= 1, "%s, %s: within its bound (%.2f of it)", kernel->name,
               spmm_precision_name((spmm_precision)p), t.worst);
        tap_ok(t.different == 0, "%s, %s: the same bits on four threads", kernel->name,
               spmm_precision_name((spmm_precision)p));
    }
}

/* B so large that panels of it are copied; the last of them is narrower. */
static void check_panels(base_context *context, const spmm_kernel *kernel) {
    static const spmm_precision precisions[] = {SPMM_FP16, SPMM_FP32, SPMM_FP64};
    static const int64_t columns[] = {190, 95, 49};
    for (int p = 0; p < 3; p++) {
        tally t = {0};
        example e;
        const int64_t ncol = 6000;
        make_example(precisions[p], 1200, ncol, columns[p], 0.01, &e);
        if (merge_here(kernel, &e.problem)) {
            try_example(context, kernel, &e, &t);
            tap_ok(t.failed == 0 && t.worst <= 1 && t.different == 0, "%s, %s: in panels (%.2f)",
                   kernel->name, spmm_precision_name(precisions[p]), t.worst);
        } else {
            tap_skip(1, "this processor has not the instructions");
        }
        free_example(&e);
    }
}

int main(void) {
    base_context context;
    base_context_init(&context);
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", SEED);
    check_formats();
    for (const spmm_kernel *const *kernel = spmm_kernels(); *kernel != NULL; kernel++) {
        if (strcmp((*kernel)->device, "cpu") != 0)
            continue;
        check_kernel(&context, *kernel);
        check_panels(&context, *kernel);
    }
    return tap_done();
}
