/* SPDX-License-Identifier: BSD-3-Clause */
/* rowstaged_…: whole rows, whose entries come to all threads through shared memory. A variant's `lanes` and
 * `groups` are those of kernels/spmm/rowstaged. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/families/segments.h"
#include "spmm/rowstaged/contract.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_rowstaged_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "rowstaged_%s_%d_%d", spmm_device_plain_type(precision), variant->lanes,
             variant->groups);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return variant->lanes * variant->groups * 16 / spmm_format_bytes(spmm_format_of(precision));
}

static base_status prepare(const spmm_device_packing *it) {
    return spmm_segments_prepare(it, INT32_MAX);
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int threads = SPMM_GPU_ROWSTAGED_THREADS(product->variant.lanes);
    const int64_t workers = threads / product->variant.lanes;
    const base_device_launch_config shape = {
        .grid = {(unsigned)((product->worker_count + workers - 1) / workers * operands->tiles)},
        .block = {(unsigned)threads}};
    spmm_gpu_rows rows = {.segments = SPMM_DEVICE_PLACE(product->worker),
                          .entry = SPMM_DEVICE_PLACE(product->entries.entry),
                          .column = SPMM_DEVICE_PLACE(product->entries.column),
                          .segment_count = product->worker_count,
                          .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&rows});
}

#define SPMM_ENTRY(type, lanes_, groups_)                                                                    \
    {SPMM_PLAIN_TYPE(type), {.code = &spmm_code_rowstaged, .lanes = lanes_, .groups = groups_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/rowstaged/entry.h"
#include "spmm/rowstaged/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_rowstaged = {.variants = variants,
                                              .fatbin = &spmm_rowstaged_gpu_fatbin,
                                              .name = name,
                                              .columns = columns,
                                              .prepare = prepare,
                                              .takes_entries = true,
                                              .submit = submit};

/* ---- the family ---- */

/* Few threads side by side with several groups each, for what all of them read alike takes the cache as long
 * as B. Where neighbouring rows share columns more of them together find these in the cache: large blocks, or
 * wide tiles of short rows. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    (void)family;
    (void)device;
    v->code = &spmm_code_rowstaged;
    const int64_t bytes = spmm_device_number_bytes(problem), vectors = spmm_device_vectors(problem);
    const bool is_near = problem->profile.vectors[SPMM_HEIGHTS - 2] < 0.8 * (double)problem->a.nnz;
    v->lanes = 8;
    v->groups = bytes == 8 && vectors <= 16 ? 2 : 4;
    if (is_near && vectors > 16 && spmm_device_row_length(problem) > 24) {
        v->lanes = 32;
        v->groups = bytes == 8 ? 2 : 1;
    } else if (is_near && vectors > 32)
        v->lanes = 16;
    v->most = INT32_MAX;
    v->tiles_first = true;
}

static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    (void)device;
    spmm_count_rows(problem, v, (double)problem->a.nnz, count);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SINGLE, false, {4.082, 0.05235, 0, 0.04968, 0.015, 12.46, 0, 0, 0.05128, 0.2195}},
    {SPMM_OF_DOUBLE, false, {4, 0.06076, 0, 0.06522, 0.0186, 6.126, 0, 0, 0.0679, 0.2082}},
    {0},
};

const spmm_device_family spmm_family_rowstaged = {.name = "rowstaged",
                                                  .precisions = SPMM_OF_ALL & ~SPMM_OF_SHORT,
                                                  .configure = configure,
                                                  .count = count,
                                                  .format_bytes = spmm_count_row_bytes,
                                                  .rates = rates};
