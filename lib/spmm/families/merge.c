/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_…: short rows put together and long ones cut, whose parts reduction_… adds. A variant's `lanes` and
 * `depth` are those of kernels/spmm/merge; `threads`: of a block; `most`: entries of a partition. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/families/segments.h"
#include "spmm/merge/contract.h"
#include "spmm/reduction/contract.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_merge_gpu_fatbin, spmm_reduction_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "merge_%s_%d_%d", spmm_device_plain_type(precision), variant->lanes, variant->depth);
}

static const char *second_name(spmm_precision precision) {
    static const char *const names[] = {"reduction_half",  "reduction_bfloat", "reduction_float",
                                        "reduction_float", "reduction_float",  "reduction_double"};
    return names[precision];
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return variant->lanes * 16 / spmm_format_bytes(spmm_format_of(precision));
}

/* The kernel reduction_… adds the parts: none is counted. */
static int counters(const spmm_device_variant *variant) {
    (void)variant;
    return 0;
}

/* Adds the parts of rows. It is launched while the kernel before still runs, and waits for it on the device
 * (`follows`). */
static base_status run_reduction(base_context *context, const spmm_device_product *product,
                                 const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int each = operands->vectors > 16  ? 1
                     : operands->vectors > 8 ? 2
                                             : 4,
              parts = SPMM_GPU_THREADS / 32 * each; /* of a block */
    const base_device_launch_config shape = {.grid = {(unsigned)((product->part_count + parts - 1) / parts)},
                                             .block = {SPMM_GPU_THREADS},
                                             .follows = true};
    spmm_gpu_reduction reduction = {.parts = SPMM_DEVICE_PLACE(product->part),
                                    .part_count = product->part_count,
                                    .each = each,
                                    .operands = *operands};
    if (product->part_count == 0)
        return BASE_OK;
    return base_device_launch(context, &product->second, &shape, stream, (void *[]){&reduction});
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    base_status status;
    const spmm_device_variant *variant = &product->variant;
    const int64_t workers = variant->threads / variant->lanes;
    const base_device_launch_config shape = {
        .grid = {(unsigned)((product->worker_count + workers - 1) / workers * operands->tiles)},
        .block = {(unsigned)variant->threads}};
    spmm_gpu_merge merge = {.partitions = SPMM_DEVICE_PLACE(product->worker),
                            .start = SPMM_DEVICE_PLACE(product->entries.start),
                            .entry = SPMM_DEVICE_PLACE(product->entries.entry),
                            .column = SPMM_DEVICE_PLACE(product->entries.column),
                            .partition_count = product->worker_count,
                            .operands = *operands};
    BASE_TRY(base_device_launch(context, &product->function, &shape, stream, (void *[]){&merge}));
    BASE_TRY(run_reduction(context, product, operands, stream));
done:
    return status;
}

#define SPMM_ENTRY(type, lanes_, depth_)                                                                     \
    {SPMM_PLAIN_TYPE(type), {.code = &spmm_code_merge, .lanes = lanes_, .depth = depth_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/merge/entry.h"
#include "spmm/merge/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_merge = {.variants = variants,
                                          .fatbin = &spmm_merge_gpu_fatbin,
                                          .name = name,
                                          .columns = columns,
                                          .second_fatbin = &spmm_reduction_gpu_fatbin,
                                          .second_name = second_name,
                                          .prepare = spmm_merge_prepare,
                                          .takes_entries = true,
                                          .submit = submit,
                                          .counters = counters};

/* ---- the family ---- */

/* Halves partitions that would leave multiprocessors without work; uneven rows need more of them, since the
 * last ones take longer to end. */
static void shorten(const spmm_problem *problem, const base_device_properties *device,
                    spmm_device_variant *v) {
    const double vectors = (double)spmm_device_vectors(problem),
                 wanted = (spmm_device_is_even(problem) ? 192.0 : 400.0) * device->multiprocessors;
    while (v->most > 16 && (double)problem->a.nnz / (double)v->most * vectors < wanted)
        v->most /= 2;
}

/* Long partitions, for the less there is to begin; shorter ones where there would be too few, and for rows of
 * a few entries. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    (void)family;
    v->code = &spmm_code_merge;
    const double length = spmm_device_row_length(problem);
    const bool is_even = spmm_device_is_even(problem), is_wide = spmm_device_lanes(problem, 32) > 8;
    v->tiles_first = true;
    v->lanes = spmm_device_fit_lanes(problem, spmm_device_lanes(problem, 32));
    spmm_count_fit_lanes(device, problem, v);
    v->depth = 4;
    v->threads = 128;
    v->most = length > 24 ? 128 : length > 10 ? 64 : 32;
    if (spmm_device_number_bytes(problem) == 2 && is_wide)
        v->most = length > 24 || !is_even ? 128 : length > 6 ? 64 : 32;
    else if (spmm_device_number_bytes(problem) == 2 && problem->a.nnz > 1000000 && v->most == 32)
        v->most = 48;
    if (!is_even && spmm_device_number_bytes(problem) > 2 &&
        (double)problem->a.nnz / 128 * v->lanes < 1024.0 * device->multiprocessors)
        v->most = 64;
    else if (!is_even && spmm_device_number_bytes(problem) > 2 && problem->n <= 128 && v->most == 128)
        v->most = 96;
    shorten(problem, device, v);
}

/* A long row takes partitions, who share it, about as long as one after the other the entries of one that is
 * so many times shorter. */
static const double sharers = 32;

/* How much longer rows of B take from the second-level cache where rows are cut in pieces, which walk through
 * B on their own. By eight matrices with rows of 450 to 650 entries (H100): 1.2 to 1.5 times the time of
 * others, from 48 vectors on (192 columns in fp32), and from 16 on where rows have 512 entries or more. */
static double count_pieces(const spmm_problem *problem) {
    const double length = spmm_device_row_length(problem);
    return length >= 400 && spmm_device_vectors(problem) >= (length >= 512 ? 16 : 48) ? 1.4 : 1;
}

/* Bytes of the sums of parts of rows, which are written and read: of all partitions where rows are longer in
 * the mean, else of half of them. */
static double count_part_bytes(const spmm_problem *problem, const spmm_device_variant *v) {
    const double number_bytes = spmm_device_number_bytes(problem) == 8 ? 8 : 4,
                 parts = (double)problem->a.nnz / (double)v->most;
    return 2 * parts * (spmm_device_row_length(problem) > (double)v->most ? 1 : 0.5) * (double)problem->n *
           number_bytes;
}

/* Bytes of parts for which the kernel that adds them takes about as long as to begin. */
static const double start_bytes = 1e7;

static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    const spmm_profile *profile = &problem->profile;
    (void)device;
    spmm_count_reads(problem, v, (double)problem->a.nnz, count);
    count[SPMM_TERM_FAR] *= count_pieces(problem);
    count[SPMM_TERM_ENTRY] = (double)problem->a.nnz * spmm_count_tiles(problem, v);
    count[SPMM_TERM_STEP] = (double)profile->rows_used * spmm_count_tiles(problem, v);
    count[SPMM_TERM_CHAIN] = (double)v->most;
    if (profile->longest_row > v->most) {
        count[SPMM_TERM_CHAIN] += (double)profile->longest_row / sharers;
        count[SPMM_TERM_REDUCTION] = 1 + count_part_bytes(problem, v) / start_bytes;
    }
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, SPMM_ROWS_EVEN, {7.36, 0.03208, 3.173, 0.06913, 0.07764, 1.904, 0, 0, 0.05, 0.1543}},
    {SPMM_OF_SINGLE, SPMM_ROWS_EVEN, {7.084, 0.01784, 2.952, 0.05274, 0.05251, 3.293, 0, 0, 0.05, 0.1658}},
    {SPMM_OF_DOUBLE, SPMM_ROWS_EVEN, {7.82, 0.01208, 3.319, 0.05571, 0.06051, 3.567, 0, 0, 0.05, 0.1651}},
    {SPMM_OF_SHORT, SPMM_ROWS_UNIFORM, {8.648, 0.01577, 2.629, 0.07665, 0.1652, 2.941, 0, 0, 0.05, 0.1128}},
    {SPMM_OF_SINGLE, SPMM_ROWS_UNIFORM, {8.004, 0.0268, 1.249, 0.06665, 0.07482, 2.881, 0, 0, 0.05, 0.1816}},
    {SPMM_OF_DOUBLE, SPMM_ROWS_UNIFORM, {5.934, 0.04352, 1.842, 0.07028, 0.1047, 5.366, 0, 0, 0.05, 0.15}},
    {SPMM_OF_SHORT,
     SPMM_ROWS_UNEVEN,
     {5, 0.04397, 5.162, 0.06575, 0.1233, 0.9034, 81.34, 0, 0.07513, 0.1614}},
    {SPMM_OF_SINGLE,
     SPMM_ROWS_UNEVEN,
     {4.028, 0.01363, 5.734, 0.051, 0.01312, 2.89, 119.8, 0, 0.1463, 0.1679}},
    {SPMM_OF_DOUBLE,
     SPMM_ROWS_UNEVEN,
     {9.016, 0.009685, 1.186, 0.0615, 0.2621, 4.728, 17.23, 0, 0.1076, 0.1674}},
    {0},
};

const spmm_device_family spmm_family_merge = {.name = "merge",
                                              .precisions = SPMM_OF_ALL,
                                              .configure = configure,
                                              .count = count,
                                              .format_bytes = spmm_count_row_bytes,
                                              .rates = rates,
                                              .kind = spmm_count_kind};
