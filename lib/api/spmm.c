/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of sparse matrices with dense ones. */
#include "mmpipe/spmm.h"
#include "api/internal.h"
#include "base/core/memory.h"
#include "spmm/dispatch/work.h"
#include "spmm/plan/plan.h"
#include "spmm/problem/format.h"
#include "spmm/problem/inspect.h"
#include "spmm/product/operands.h"
#include "spmm/product/product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)MMPIPE_FP16 == SPMM_FP16 && (int)MMPIPE_FP64 == SPMM_FP64, "precisions are the same");

struct mmpipe_spmm {
    mmpipe_spmm_options options;
    spmm_matrix matrix; /* owns what was made of A; its csr is A in any case */
    spmm_machine machine;
    spmm_problem problem;
    const spmm_kernel *kernel;
    spmm_product product;
    spmm_device_work work; /* with `resident`, instead of a product */
};

/* ---- A ---- */

static base_status check_csr(base_context *context, const mmpipe_csr *a) {
    if (a->nrow < 0 || a->ncol < 0 || a->ncol > INT32_MAX || a->start == NULL || a->start[0] != 0)
        return base_fail(context, BASE_USAGE, "A is %lld by %lld, and its rows begin at 0",
                         (long long)a->nrow, (long long)a->ncol);
    for (int64_t row = 0; row < a->nrow; row++) {
        if (a->start[row + 1] < a->start[row])
            return base_fail(context, BASE_USAGE, "row %lld of A ends before it begins", (long long)row);
        for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
            if (a->index[k] < 0 || a->index[k] >= a->ncol ||
                (k > a->start[row] && a->index[k] <= a->index[k - 1]))
                return base_fail(context, BASE_USAGE, "row %lld of A: columns do not ascend from 0 to %lld",
                                 (long long)row, (long long)a->ncol - 1);
    }
    return BASE_OK;
}

/* The precisions whose floats are not all numbers of them get a rounded copy. */
static base_status take_values(base_context *context, const mmpipe_csr *a, spmm_precision precision,
                               mmpipe_spmm *spmm) {
    const int64_t nnz = a->start[a->nrow];
    const bool is_rounded = precision != SPMM_FP64 && precision != SPMM_FP32 && precision != SPMM_3XTF32;
    spmm->matrix.csr = (spmm_csr){a->nrow, a->ncol, nnz, a->start, a->index, a->value};
    if (!is_rounded)
        return BASE_OK;
    float *value = base_alloc(context, nnz, sizeof *value);
    if (value == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < nnz; k++)
        value[k] = (float)spmm_round(precision, ((const float *)a->value)[k]);
    spmm->matrix.csr.value = spmm->matrix.value = value;
    return BASE_OK;
}

/* ---- the choice ---- */

static base_status find_machine(mmpipe_context *context, mmpipe_spmm *spmm) {
    base_status status;
    BASE_TRY(spmm_machine_find(&context->base, &context->devices, 0, &spmm->machine));
    if (!spmm->options.resident)
        goto done;
    if (spmm->machine.device == NULL)
        BASE_TRY(base_fail(&context->base, BASE_MACHINE, "no device: %s", spmm->machine.no_device));
    spmm->machine.device_only = true;
    spmm->machine.devices = NULL;
done:
    return status;
}

static base_status prepare(mmpipe_context *context, spmm_precision precision, int64_t n, mmpipe_spmm *spmm) {
    base_status status;
    base_context *base = &context->base;
    const int64_t products = spmm->options.products > 0 ? spmm->options.products : 1;
    spmm_plan plan;
    spmm_preparation took;
    spmm->problem =
        (spmm_problem){.precision = precision, .a = spmm->matrix.csr, .n = n, .products = products};
    BASE_TRY(spmm_inspect(base, &spmm->problem));
    /* Products that begin and end on the device are weighed as if there were very many. */
    base_device *device = spmm->machine.device;
    const spmm_handling handling = {.products = spmm->options.resident ? 0 : products,
                                    .is_started = device != NULL && base_device_is_started(device)};
    BASE_TRY(spmm_plan_make(base, &spmm->machine, &spmm->problem, spmm->options.kernel, &handling, &plan));
    spmm->kernel = plan.chosen->kernel;
    spmm->options.kernel = NULL; /* the caller's */
    if (spmm->options.resident && strcmp(spmm->kernel->device, "cuda") != 0)
        BASE_TRY(base_fail(base, BASE_USAGE, "the kernel %s is not one of devices", spmm->kernel->name));
    if (!spmm->options.resident)
        BASE_TRY(spmm_product_open(base, &spmm->machine, &spmm->problem, spmm->kernel, &spmm->product));
    else if (spmm->problem.a.nrow > 0 && n > 0)
        BASE_TRY(spmm_device_work_init(base, spmm->machine.device, &spmm->problem, spmm->kernel->data,
                                       &spmm->work, &took));
done:
    return status;
}

/* Opens a product of a CSR matrix or of a record, whichever is not NULL. */
static base_status open(mmpipe_context *context, const mmpipe_csr *a, const mmpipe_record *record,
                        bool transposed, mmpipe_precision precision, int64_t n,
                        const mmpipe_spmm_options *options, mmpipe_spmm *spmm) {
    base_status status;
    base_context *base = &context->base;
    BASE_TRY(api_begin(context));
    if ((unsigned)precision > MMPIPE_FP64 || n < 0 || n > INT32_MAX)
        BASE_TRY(base_fail(base, BASE_USAGE, "precision %d, %lld columns", (int)precision, (long long)n));
    BASE_TRY(api_options(base, options, &spmm->options, sizeof spmm->options));
    BASE_TRY(spmm_plan_check_kernel(base, spmm->options.kernel));
    if (a != NULL) {
        BASE_TRY(check_csr(base, a));
        BASE_TRY(take_values(base, a, (spmm_precision)precision, spmm));
    } else {
        if (record->record.kind != MM_MATRIX)
            BASE_TRY(base_fail(base, BASE_FAILED, "not a matrix"));
        BASE_TRY(spmm_matrix_from_record(base, &record->record, transposed, (spmm_precision)precision,
                                         &spmm->matrix));
    }
    BASE_TRY(find_machine(context, spmm));
    BASE_TRY(prepare(context, (spmm_precision)precision, n, spmm));
done:
    return status;
}

static mmpipe_status make(mmpipe_context *context, const mmpipe_csr *a, const mmpipe_record *record,
                          bool transposed, mmpipe_precision precision, int64_t n,
                          const mmpipe_spmm_options *options, mmpipe_spmm **result) {
    base_status status;
    mmpipe_spmm *spmm = base_alloc_zero(&context->base, 1, sizeof *spmm);
    *result = NULL;
    if (spmm == NULL)
        return MMPIPE_MACHINE;
    BASE_TRY(open(context, a, record, transposed, precision, n, options, spmm));
    *result = spmm;
    spmm = NULL;
done:
    mmpipe_spmm_close(spmm);
    return api_status(status);
}

mmpipe_status mmpipe_spmm_open(mmpipe_context *context, const mmpipe_csr *a, mmpipe_precision precision,
                               int64_t n, const mmpipe_spmm_options *options, mmpipe_spmm **spmm) {
    return make(context, a, NULL, false, precision, n, options, spmm);
}

mmpipe_status mmpipe_spmm_open_record(mmpipe_context *context, const mmpipe_record *a, bool transposed,
                                      mmpipe_precision precision, int64_t n,
                                      const mmpipe_spmm_options *options, mmpipe_spmm **spmm) {
    return make(context, NULL, a, transposed, precision, n, options, spmm);
}

void mmpipe_spmm_close(mmpipe_spmm *spmm) {
    if (spmm == NULL)
        return;
    spmm_product_close(&spmm->product);
    spmm_device_work_free(&spmm->work);
    spmm_matrix_free(&spmm->matrix);
    free(spmm);
}

const char *mmpipe_spmm_kernel(const mmpipe_spmm *spmm) {
    return spmm->kernel->name;
}

/* ---- products ---- */

/* Kernels read rows of B in vectors of 16 bytes, and write as many numbers of C. */
static base_status check_resident(base_context *context, const spmm_problem *problem,
                                  const spmm_device_operands *on_device, int64_t b_bytes, int64_t c_bytes) {
    const int64_t vector = 16 / b_bytes, columns = (problem->n + vector - 1) / vector * vector;
    const uint64_t places =
        on_device->b | on_device->c | (uint64_t)on_device->b_stride | (uint64_t)on_device->c_stride;
    if (places % 16 == 0 && on_device->b_stride >= columns * b_bytes &&
        on_device->c_stride >= columns * c_bytes)
        return BASE_OK;
    return base_fail(
        context, BASE_USAGE,
        "on a device rows of B and C begin at multiples of 16 bytes, and have room for %lld numbers",
        (long long)columns);
}

static base_status multiply_resident(base_context *context, mmpipe_spmm *spmm,
                                     const mmpipe_spmm_operands *operands) {
    base_status status;
    const spmm_problem *problem = &spmm->problem;
    const int64_t b_bytes = spmm_format_bytes(spmm_format_of(problem->precision)),
                  c_bytes = spmm_c_bytes(problem);
    const spmm_device_operands on_device = {.b = (uint64_t)(uintptr_t)operands->b,
                                            .c = (uint64_t)(uintptr_t)operands->c,
                                            .n = problem->n,
                                            .b_stride = operands->b_row * b_bytes,
                                            .c_stride = operands->c_row * c_bytes,
                                            .alpha = operands->alpha,
                                            .beta = operands->beta,
                                            .wide = !problem->narrow_c};
    BASE_TRY(check_resident(context, problem, &on_device, b_bytes, c_bytes));
    BASE_TRY(spmm_device_work_run(context, &spmm->work, &on_device));
    BASE_TRY(base_device_wait(context, spmm->machine.device));
done:
    return status;
}

mmpipe_status mmpipe_spmm_multiply(mmpipe_context *context, mmpipe_spmm *spmm,
                                   const mmpipe_spmm_operands *operands) {
    base_status status;
    base_context *base = &context->base;
    const spmm_problem *problem = &spmm->problem;
    const spmm_operands own = {.b = operands->b,
                               .b_row = operands->b_row,
                               .c = operands->c,
                               .c_row = operands->c_row,
                               .alpha = operands->alpha,
                               .beta = operands->beta};
    BASE_TRY(api_begin(context));
    if (own.b_row < problem->n || own.c_row < problem->n || !isfinite(own.alpha) || !isfinite(own.beta))
        BASE_TRY(base_fail(base, BASE_USAGE,
                           "rows are at least %lld numbers apart; alpha and beta are finite",
                           (long long)problem->n));
    if (problem->a.nrow == 0 || problem->n == 0)
        goto done;
    if (own.c == NULL || (own.b == NULL && problem->a.ncol > 0))
        BASE_TRY(base_fail(base, BASE_USAGE, "B or C is missing"));
    if (spmm->options.resident)
        BASE_TRY(multiply_resident(base, spmm, operands));
    else
        BASE_TRY(spmm_product_run(base, &spmm->product, &own));
done:
    return api_status(status);
}

int64_t mmpipe_spmm_pack(mmpipe_precision precision, const double *from, int64_t count, void *to) {
    return spmm_pack((spmm_precision)precision, from, 1, count, to);
}
