/* SPDX-License-Identifier: BSD-3-Clause */
/* The step that multiplies a matrix with vectors. */
#include "h2/device/product.h"
#include "h2/dispatch/internal.h"
#include "h2/product/mv.h"

/* Measured, roughly: bytes a second of a matrix that a thread's products read. */
static const double product_rate = 10e9;

typedef struct product_call {
    const h2_matrix *matrix;
    bool transposed;
    double alpha, beta;
    const double *x;
    double *y;
    int64_t vectors;
    h2_phases *phases;
} product_call;

static double seconds(const h2_matrix *matrix, const void *call, int threads) {
    const product_call *c = call;
    const double groups = (double)((c->vectors + 15) / 16);
    return groups * (double)h2_value_bytes(matrix) / (product_rate * threads);
}

static int64_t bytes(const h2_matrix *matrix, const void *call) {
    return h2_device_bytes(matrix, ((const product_call *)call)->vectors);
}

static base_status on_cpu(base_context *context, void *call) {
    const product_call *c = call;
    base_status status;
    h2_product_plan *plan = NULL;
    BASE_TRY(h2_mv_open(context, c->matrix, c->vectors, &plan));
    h2_mv_note(plan, c->phases);
    h2_mv(plan, c->transposed, c->alpha, c->x, c->beta, c->y, c->vectors);
    if (c->phases != NULL)
        h2_mv_count(c->matrix, c->transposed, c->vectors, true, c->phases);
done:
    h2_mv_close(plan);
    return status;
}

/* The device's kernels do all levels of a phase in a few launches, with the phases side by side: it runs them
 * once more, one after another. */
static base_status note_phases(base_context *context, h2_device_plan *plan, const product_call *c) {
    static const char *const name[H2_PRODUCT_PHASES] = {"up",   "coupling", "coupling", "down",
                                                        "down", "dense",    "dense"};
    double seconds[H2_PRODUCT_PHASES];
    base_status status = h2_device_mv_measure(context, plan, seconds);
    for (int k = 0; k < H2_PRODUCT_PHASES && status == BASE_OK; k++)
        h2_phases_add(c->phases, name[k], -1, seconds[k]);
    /* The measured run has one group of vectors. */
    if (status == BASE_OK)
        h2_mv_count(c->matrix, c->transposed, h2_product_width(c->vectors), false, c->phases);
    return status;
}

static base_status on_device(base_context *context, h2_device_matrix *on_device, void *call) {
    const product_call *c = call;
    base_status status;
    h2_device_plan *plan = NULL;
    BASE_TRY(h2_device_mv_open(context, on_device, c->transposed, c->vectors, &plan));
    BASE_TRY(h2_device_mv(context, plan, c->alpha, c->x, c->beta, c->y, c->vectors));
    if (c->phases != NULL)
        BASE_TRY(note_phases(context, plan, c));
done:
    h2_device_mv_close(plan);
    return status;
}

static const h2_step step = {
    .uploads = true,
    .seconds = seconds,
    .bytes = bytes,
    .on_cpu = on_cpu,
    .on_device = on_device,
};

base_status h2_dispatch_mv(base_context *context, h2_dispatch *dispatch, h2_matrix *matrix, bool transposed,
                           double alpha, const double *x, double beta, double *y, int64_t vectors) {
    product_call call = {matrix, transposed, alpha, beta, x, y, vectors, dispatch->phases};
    return h2_dispatch_step(context, dispatch, &step, matrix, &call);
}
