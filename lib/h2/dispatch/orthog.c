/* The step that makes bases orthonormal. */
#include "h2/change/orthog.h"
#include "h2/device/orthog.h"
#include "h2/dispatch/internal.h"

static double seconds(const h2_matrix *matrix, const void *call, int threads) {
    (void)call;
    return h2_change_seconds(matrix, 4, threads);
}

static base_status on_cpu(base_context *context, void *call) {
    return h2_orthogonalize(context, call);
}

static base_status on_device(base_context *context, h2_device_matrix *on_device, void *call) {
    return h2_device_orthogonalize(context, on_device, call, NULL);
}

static const h2_step step = {
    .uploads = true,
    .downloads = true,
    .seconds = seconds,
    .bytes = h2_change_bytes,
    .reason = h2_change_reason,
    .on_cpu = on_cpu,
    .on_device = on_device,
};

base_status h2_dispatch_orthogonalize(base_context *context, h2_dispatch *dispatch, h2_matrix *matrix) {
    return h2_dispatch_step(context, dispatch, &step, matrix, matrix);
}
