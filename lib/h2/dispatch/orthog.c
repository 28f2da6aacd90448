/* SPDX-License-Identifier: BSD-3-Clause */
/* The step that makes bases orthonormal. */
#include "h2/change/orthog.h"
#include "h2/device/orthog.h"
#include "h2/dispatch/internal.h"

typedef struct orthog_call {
    h2_matrix *matrix;
    h2_phases *phases;
} orthog_call;

static double seconds(const h2_matrix *matrix, const void *call, int threads) {
    (void)call;
    return h2_change_seconds(matrix, 4, threads);
}

static base_status on_cpu(base_context *context, void *call) {
    const orthog_call *c = call;
    return h2_orthogonalize_noting(context, c->matrix, c->phases);
}

static void note_times(const orthog_call *call, const h2_device_times *times) {
    if (call->phases == NULL)
        return;
    h2_phases_add(call->phases, "bases", -1, times->bases);
    h2_phases_add(call->phases, "blocks", -1, times->blocks);
}

static base_status on_device(base_context *context, h2_device_matrix *on_device, void *call) {
    const orthog_call *c = call;
    h2_device_times times = {0};
    const base_status status =
        h2_device_orthogonalize(context, on_device, c->matrix, c->phases != NULL ? &times : NULL);
    note_times(c, &times);
    return status;
}

static base_status in_parts(base_context *context, base_device *device, void *call) {
    const orthog_call *c = call;
    h2_device_times times = {0};
    const base_status status = h2_device_orthogonalize_in_parts(context, device, c->matrix, &times);
    note_times(c, &times);
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

base_status h2_dispatch_orthogonalize(base_context *context, h2_dispatch *dispatch, h2_matrix *matrix) {
    orthog_call call = {matrix, dispatch->phases};
    return h2_dispatch_step(context, dispatch, &step, matrix, &call);
}
