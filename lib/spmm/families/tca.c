/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/families/tca.h"
#include "base/core/memory.h"
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/tca/tca.h"

#include <math.h>
#include <stdlib.h>

extern const base_device_fatbin spmm_tca_gpu_fatbin;

base_status spmm_device_tca_open(base_context *context, base_device *device, spmm_precision precision,
                                 spmm_device_tca *tca) {
    base_status status;
    base_device_module *module;
    *tca = (spmm_device_tca){.blocks = 0};
    BASE_TRY(base_device_get_module(context, device, &spmm_tca_gpu_fatbin, &module));
    BASE_TRY(base_device_get_function(context, module, precision == SPMM_FP16 ? "tca_half" : "tca_bfloat",
                                      &tca->function));
done:
    return status;
}

static base_status fill_values(base_context *context, spmm_device_matrix *matrix, spmm_device_tca *tca) {
    base_status status;
    const spmm_device_slice slice = {&tca->value, matrix->a.nnz * 2};
    BASE_TRY(spmm_device_take(context, matrix, &slice, 1, &tca->own[0]));
    spmm_pack_entries pack = {.a = matrix->a, .entry = SPMM_DEVICE_PLACE(tca->value)};
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_values",
                              &(base_device_launch_config){.grid = {spmm_device_blocks(matrix->a.nnz)},
                                                           .block = {SPMM_PACK_THREADS}},
                              &pack));
done:
    return status;
}

static base_status fill_warps(base_context *context, spmm_device_matrix *matrix, int64_t n, bool several,
                              spmm_device_tca *tca) {
    base_status status;
    const int64_t groups = (matrix->a.nrow + SPMM_PACK_TCA_ROWS - 1) / SPMM_PACK_TCA_ROWS;
    const base_device_launch_config shape = {.grid = {spmm_device_blocks(groups)},
                                             .block = {SPMM_PACK_THREADS}};
    spmm_pack_tca pack = {.a = matrix->a,
                          .tiles = (int)(n > SPMM_TCA_TILE ? (n + SPMM_TCA_TILE - 1) / SPMM_TCA_TILE : 1),
                          .several = several,
                          .count = SPMM_DEVICE_PLACE(matrix->count[0])};
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_tca_count", &shape, &pack));
    BASE_TRY(spmm_device_scan(context, matrix, groups, 1, &tca->blocks));
    const int64_t bytes = tca->blocks * SPMM_TCA_WARPS * 4;
    const spmm_device_slice slices[] = {{&tca->row, bytes}, {&tca->warps, bytes}, {&tca->within, bytes}};
    BASE_TRY(spmm_device_take(context, matrix, slices, 3, &tca->own[1]));
    pack.row = SPMM_DEVICE_PLACE(tca->row);
    pack.warps = SPMM_DEVICE_PLACE(tca->warps);
    pack.within = SPMM_DEVICE_PLACE(tca->within);
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_tca", &shape, &pack));
done:
    return status;
}

base_status spmm_device_tca_fill(base_context *context, spmm_device_matrix *matrix, int64_t n, bool several,
                                 spmm_device_tca *tca) {
    base_status status;
    tca->a = matrix->a;
    BASE_TRY(fill_values(context, matrix, tca));
    BASE_TRY(fill_warps(context, matrix, n, several, tca));
    BASE_TRY(base_device_wait(context, matrix->device));
done:
    return status;
}

void spmm_device_tca_free(spmm_device_tca *tca) {
    if (tca == NULL)
        return;
    base_device_free(&tca->own[0]);
    base_device_free(&tca->own[1]);
    *tca = (spmm_device_tca){.blocks = 0};
}

base_status spmm_device_tca_run(base_context *context, const spmm_device_tca *tca,
                                const spmm_device_operands *operands, base_device_stream *stream) {
    const base_device_launch_config shape = {.grid = {(unsigned)tca->blocks}, .block = {SPMM_TCA_WARPS * 32}};
    spmm_tca_product product = {.row = SPMM_DEVICE_PLACE(tca->row),
                                .warps = SPMM_DEVICE_PLACE(tca->warps),
                                .within = SPMM_DEVICE_PLACE(tca->within),
                                .start = tca->a.start,
                                .column = tca->a.column,
                                .value = SPMM_DEVICE_PLACE(tca->value),
                                .b = SPMM_DEVICE_PLACE(operands->b),
                                .c = SPMM_DEVICE_PLACE(operands->c),
                                .b_stride = (int)operands->b_stride,
                                .c_stride = (int)operands->c_stride,
                                .vectors = (int)((operands->n + 7) / 8),
                                .n = (int)operands->n,
                                .wide = operands->wide,
                                .alpha = operands->alpha,
                                .beta = operands->beta};
    return base_device_launch(context, &tca->function, &shape, stream, (void *[]){&product});
}

/* ---- the families ---- */

static base_status open_own(base_context *context, base_device *device, spmm_precision precision,
                            void **own) {
    spmm_device_tca *tca = base_alloc_zero(context, 1, sizeof *tca);
    *own = tca;
    return tca != NULL ? spmm_device_tca_open(context, device, precision, tca) : BASE_MACHINE;
}

static base_status fill_own(base_context *context, const spmm_device_family *family,
                            spmm_device_matrix *matrix, const spmm_problem *problem, void *own) {
    return spmm_device_tca_fill(context, matrix, problem->n, family == &spmm_family_tca, own);
}

static base_status run_own(base_context *context, const void *own, const spmm_device_operands *operands) {
    return spmm_device_tca_run(context, own, operands, NULL);
}

static void close_own(void *own) {
    spmm_device_tca_free(own);
    free(own);
}

static const spmm_device_engine engine = {open_own, fill_own, run_own, close_own};

static const char *reason(const base_device_properties *device, const spmm_problem *problem) {
    (void)device;
    return spmm_device_is_short(problem) ? NULL : "for 16 bits only";
}

/* Every column of B passes through shared memory for each row; a row that has a block takes as long as one of
 * 64 entries. */
static void count_reads(const spmm_problem *problem, double least_entries, double *count) {
    count[SPMM_TERM_NEAR] = fmax((double)problem->a.nnz, least_entries) * (double)problem->n * 2;
    count[SPMM_TERM_STEP] = (double)problem->a.nrow * (double)problem->n;
}

static void count_several(const base_device_properties *device, const spmm_problem *problem,
                          const spmm_device_variant *v, double count[SPMM_TERMS]) {
    (void)device;
    (void)v;
    count_reads(problem, 0, count);
}

static void count_row(const base_device_properties *device, const spmm_problem *problem,
                      const spmm_device_variant *v, double count[SPMM_TERMS]) {
    (void)device;
    (void)v;
    count_reads(problem, 64 * (double)problem->a.nrow, count);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, 0, {15.77, 0, 0, 0, 1.301, 0, 2.856, 0, 0, 0}},
    {0},
};

static const spmm_device_rates row_rates[] = {
    {SPMM_OF_SHORT, 0, {19.58, 0, 0, 0, 1.081, 0, 0, 0, 0, 0}},
    {0},
};

#define PAPER "TCA-SpMM"

const spmm_device_family spmm_family_tca = {.name = "tca",
                                            .precisions = SPMM_OF_SHORT,
                                            .paper = PAPER,
                                            .reason = reason,
                                            .count = count_several,
                                            .format_bytes = spmm_count_row_bytes,
                                            .rates = rates,
                                            .engine = &engine};

const spmm_device_family spmm_family_tca_row = {.name = "tca_row",
                                                .precisions = SPMM_OF_SHORT,
                                                .paper = PAPER,
                                                .reason = reason,
                                                .count = count_row,
                                                .format_bytes = spmm_count_row_bytes,
                                                .rates = row_rates,
                                                .engine = &engine};
