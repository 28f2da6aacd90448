/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/families/dense.h"
#include "base/core/memory.h"
#include "spmm/device/configuration.h"
#include "spmm/families/families.h"

#include <math.h>
#include <stdlib.h>

enum { TILE_BYTES = 32 << 10 }; /* of a row that is made in shared memory at a time */

/* Rows begin at multiples of 16 bytes. */
static int64_t row_numbers(int64_t columns, int64_t bytes) {
    const int64_t many = 16 / bytes;
    return ((columns > 0 ? columns : 1) + many - 1) / many * many;
}

base_status spmm_device_dense_open(base_context *context, base_device *device, spmm_device_dense *dense) {
    *dense = (spmm_device_dense){.blas = NULL};
    return base_device_blas_open(context, device, &dense->blas);
}

base_status spmm_device_dense_fill(base_context *context, spmm_device_matrix *matrix,
                                   spmm_precision precision, spmm_device_dense *dense) {
    base_status status;
    const spmm_pack_matrix *a = &matrix->a;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(precision));
    dense->precision = precision;
    dense->m = a->nrow;
    dense->k = a->ncol;
    dense->stride = row_numbers(a->ncol, bytes);
    const spmm_device_slice slice = {&dense->a, a->nrow * dense->stride * bytes};
    const int64_t tile = dense->stride * bytes < TILE_BYTES ? dense->stride : TILE_BYTES / bytes;
    BASE_TRY(spmm_device_take(context, matrix, &slice, 1, &dense->own));
    spmm_pack_dense pack = {
        .a = *a, .stride = dense->stride, .tile = (int)tile, .value = (void *)(uintptr_t)dense->a};
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_dense",
                              &(base_device_launch_config){.grid = {(unsigned)a->nrow},
                                                           .block = {SPMM_PACK_THREADS},
                                                           .shared_bytes = tile * bytes},
                              &pack));
    BASE_TRY(base_device_wait(context, matrix->device));
done:
    return status;
}

void spmm_device_dense_free(spmm_device_dense *dense) {
    if (dense == NULL)
        return;
    base_device_blas_close(dense->blas);
    base_device_free(&dense->own);
    *dense = (spmm_device_dense){.blas = NULL};
}

base_status spmm_device_dense_run(base_context *context, const spmm_device_dense *dense,
                                  const spmm_device_operands *operands, base_device_stream *stream) {
    static const base_device_number numbers[] = {BASE_DEVICE_FP16, BASE_DEVICE_BF16, BASE_DEVICE_TF32,
                                                 BASE_DEVICE_FP32, BASE_DEVICE_FP32, BASE_DEVICE_FP64};
    const int64_t bytes = spmm_format_bytes(spmm_format_of(dense->precision)),
                  c_bytes = bytes == 2 && operands->wide ? 4 : bytes;
    const base_device_gemm gemm = {.number = numbers[dense->precision],
                                   .wide = operands->wide,
                                   .m = dense->m,
                                   .n = operands->n,
                                   .k = dense->k,
                                   .a = dense->a,
                                   .b = operands->b,
                                   .c = operands->c,
                                   .a_stride = dense->stride,
                                   .b_stride = operands->b_stride / bytes,
                                   .c_stride = operands->c_stride / c_bytes,
                                   .alpha = operands->alpha,
                                   .beta = operands->beta};
    if (gemm.m == 0 || gemm.n == 0)
        return BASE_OK;
    return base_device_blas_multiply(context, dense->blas, &gemm, stream);
}

/* ---- the family ---- */

static base_status open_own(base_context *context, base_device *device, spmm_precision precision,
                            void **own) {
    spmm_device_dense *dense = base_alloc_zero(context, 1, sizeof *dense);
    (void)precision;
    *own = dense;
    return dense != NULL ? spmm_device_dense_open(context, device, dense) : BASE_MACHINE;
}

static base_status fill_own(base_context *context, const spmm_device_family *family,
                            spmm_device_matrix *matrix, const spmm_problem *problem, void *own) {
    (void)family;
    return spmm_device_dense_fill(context, matrix, problem->precision, own);
}

static base_status run_own(base_context *context, const void *own, const spmm_device_operands *operands) {
    return spmm_device_dense_run(context, own, operands, NULL);
}

static void close_own(void *own) {
    spmm_device_dense_free(own);
    free(own);
}

static const spmm_device_engine engine = {open_own, fill_own, run_own, close_own};

static const char *reason(const base_device_properties *device, const spmm_problem *problem) {
    (void)device;
    (void)problem;
    return base_device_blas_missing();
}

/* Few columns of B take as long as some. Thousands of columns of A are added up in parts, which a worker has
 * one after the other. Rows of A that do not end at a multiple of 8 numbers cost the library's fastest
 * kernels, most of all for short ones; so many rows do not. */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    static const double fewest[SPMM_PRECISIONS] = {32, 32, 16, 64, 64, 32},
                        odd[SPMM_PRECISIONS] = {2.2, 2.2, 3.5, 1.3, 1.3, 1.6};
    /* Columns whose products hide behind the reading of A. */
    static const double hidden[SPMM_PRECISIONS] = {200, 200, 0, 0, 0, 0};
    const bool is_odd = problem->a.ncol % 8 != 0;
    /* The library computes doubles in tiles of 64 columns. */
    const int64_t tiled =
        problem->precision == SPMM_FP64 && problem->n > 64 ? (problem->n + 63) / 64 * 64 : problem->n;
    const double n = fmax((double)tiled, fewest[problem->precision]);
    (void)device;
    (void)v;
    count[SPMM_TERM_CHAIN] = 1e-3 * (double)problem->a.ncol;
    count[SPMM_TERM_FLOP] =
        2e-3 * (double)problem->a.nrow * (double)problem->a.ncol *
        (is_odd ? (n + 64) * odd[problem->precision] : fmax(0, n - hidden[problem->precision]));
}

static double format_bytes(const spmm_problem *problem, const spmm_device_variant *v) {
    (void)v;
    return (double)problem->a.nrow * (double)problem->a.ncol * (double)spmm_device_number_bytes(problem);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, 0, {6.188, 0.4313, 0, 0, 0, 0, 0, 0.9909, 0.1917, 0.2992}},
    {SPMM_OF_TF32, 0, {8, 0, 0, 0, 0, 0, 0, 1.807, 0.2726, 0.1898}},
    {SPMM_OF_FULL, 0, {10.47, 0.5493, 0, 0, 0, 0, 0, 21.53, 0.0933, 0.1}},
    {SPMM_OF_DOUBLE, 0, {7.544, 0.3229, 0, 0, 0, 0, 0, 14.9, 0.1067, 0.1505}},
    {0},
};

const spmm_device_family spmm_family_dense = {.name = "dense",
                                              .precisions = SPMM_OF_ALL,
                                              .whole = true,
                                              .reason = reason,
                                              .count = count,
                                              .format_bytes = format_bytes,
                                              .rates = rates,
                                              .engine = &engine};
