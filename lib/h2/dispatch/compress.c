/* SPDX-License-Identifier: BSD-3-Clause */
/* The step that cuts bases to a tolerance. */
#include "h2/change/compress.h"
#include "h2/device/compress.h"
#include "h2/dispatch/internal.h"

typedef struct compress_call {
    h2_matrix *matrix;
    const h2_compress_options *options;
    h2_compression *compression;
} compress_call;

/* Beside the change all numbers are read, and dense blocks move. */
static double seconds(const h2_matrix *matrix, const void *call, int threads) {
    const double byte_rate = 8e9;
    (void)call;
    return h2_change_seconds(matrix, 8, threads) + (double)h2_value_bytes(matrix) / byte_rate;
}

static base_status on_cpu(base_context *context, void *call) {
    const compress_call *c = call;
    return h2_compress(context, c->matrix, c->options, c->compression);
}

static void note_times(h2_phases *phases, const h2_device_times *times) {
    if (phases == NULL)
        return;
    h2_phases_add(phases, "weights", -1, times->weights);
    h2_phases_add(phases, "bases", -1, times->bases);
    h2_phases_add(phases, "blocks", -1, times->blocks);
}

static base_status on_device(base_context *context, h2_device_matrix *on_device, void *call) {
    const compress_call *c = call;
    h2_device_times times = {0};
    const base_status status =
        h2_device_compress(context, on_device, c->matrix, c->options, c->compression, &times);
    note_times(c->options->phases, &times);
    return status;
}

static base_status in_parts(base_context *context, base_device *device, void *call) {
    const compress_call *c = call;
    h2_device_times times = {0};
    const base_status status =
        h2_device_compress_in_parts(context, device, c->matrix, c->options, c->compression, &times);
    note_times(c->options->phases, &times);
    return status;
}

static const h2_step step = {
    .uploads = true,
    .downloads = true,
    .seconds = seconds,
    .bytes = h2_change_bytes,
    .reason = h2_change_reason,
    .on_cpu = on_cpu,
    .on_device = on_device,
    .part_bytes = h2_change_part_bytes,
    .in_parts = in_parts,
};

base_status h2_dispatch_compress(base_context *context, h2_dispatch *dispatch, h2_matrix *matrix,
                                 const h2_compress_options *options, h2_compression *compression) {
    h2_compress_options with_phases = *options;
    with_phases.phases = dispatch->phases;
    compress_call call = {matrix, &with_phases, compression};
    return h2_dispatch_step(context, dispatch, &step, matrix, &call);
}
