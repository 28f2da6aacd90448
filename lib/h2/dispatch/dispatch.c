/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/dispatch/dispatch.h"
#include "base/device/costs.h"
#include "h2/device/change.h"
#include "h2/device/parts.h"
#include "h2/dispatch/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Measured, roughly, with 16 threads: flop a second of a thread. 0.8e10 to 2.6e10 of nine matrices of 30,000
 * to 130,000 points. */
static const double flop_rate = 1.5e10;

/* What a device takes for the smallest matrix. On an H200 the steps took 0.1 to 1.2 ms longer than on 16
 * processors, for 64 and 256 points in the plane. */
static const double least_seconds = 1e-3;

/* Matrices of less go through the host's memory: pinned memory for pieces takes some milliseconds. */
static const int64_t least_left = 1 << 20, least_brought = 16 << 20;

int64_t h2_value_bytes(const h2_matrix *matrix) {
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    return sizes.leaf_bytes + sizes.transfer_bytes + sizes.coupling_bytes + sizes.dense_bytes;
}

double h2_change_seconds(const h2_matrix *matrix, double flop, int threads) {
    const double numbers = (double)matrix->coupling.offset[matrix->coupling.count];
    return flop * numbers * (double)h2_most_rank(matrix) / (flop_rate * threads);
}

int64_t h2_change_bytes(const h2_matrix *matrix, const void *call) {
    const int64_t rank = h2_most_rank(matrix);
    (void)call;
    /* Kernels for small ranks have stacks and vectors of the same length for all of them. */
    const int64_t room = h2_device_is_large(matrix) ? 0 : 34816 + 1024 * rank + 8 * rank * rank;
    const int64_t node_bytes = 48 * rank * rank > room ? 48 * rank * rank : room;
    return 2 * matrix->payload_bytes + node_bytes * (matrix->tree.nodes + 2) + 512 * matrix->coupling.count;
}

int64_t h2_change_part_bytes(const h2_matrix *matrix, const void *call) {
    (void)call;
    return h2_device_parts_bytes(matrix);
}

const char *h2_change_reason(const h2_matrix *matrix, const void *call) {
    (void)call;
    return h2_device_can_change(matrix) ? NULL : "ranks beyond 256 or leaves beyond 512 points";
}

void h2_dispatch_begin(h2_dispatch *dispatch, base_run *run) {
    dispatch->devices = &run->devices;
    dispatch->phases_path = run->phases;
    dispatch->brings = run->form != BASE_FORM_RESIDENT;
    dispatch->leaves = (dispatch->brings || !run->verify) && run->checkpoint == NULL;
    if (run->devices.choice == BASE_DEVICE_CUDA)
        base_devices_find_first_early(&run->context, &run->devices);
}

/* The device that has the matrix, or else the first. */
static base_device *find_device(const h2_dispatch *dispatch, const h2_matrix *matrix) {
    base_devices *found = dispatch->devices->found;
    base_device *own =
        matrix->on_device.descriptor > 0 ? base_devices_find_uuid(found, matrix->on_device.uuid) : NULL;
    return own != NULL ? own : base_devices_get(found, 0);
}

static bool is_on(const h2_matrix *matrix, const base_device *device) {
    return matrix->on_device.descriptor > 0 && device != NULL &&
           memcmp(matrix->on_device.uuid, base_device_get_properties(device)->uuid, 16) == 0;
}

/* Whether a step leaves its result on the device: for the next program, or until it is written. */
static bool leaves(const h2_dispatch *dispatch, const h2_matrix *matrix) {
    return dispatch->leaves && matrix->payload_bytes >= (dispatch->brings ? least_brought : least_left);
}

/* What the CPU takes longer than a device that is started; 0 at least. The CPU makes a matrix in new memory;
 * one that a device makes comes to such memory, or through two pieces of pinned memory, or stays there. */
static double find_loss(const h2_dispatch *dispatch, const h2_step *step, const h2_matrix *matrix,
                        const void *call, int threads) {
    const base_device_costs *costs = base_device_get_costs();
    const double bytes = (double)h2_value_bytes(matrix);
    const double fresh = step->makes ? base_device_fresh_seconds(costs, bytes) : 0;
    const double up = step->uploads ? bytes / costs->up_rate : 0;
    const bool is_left = leaves(dispatch, matrix), stays = is_left && !dispatch->brings;
    const double down = stays ? 0 : bytes / costs->down_rate + (is_left ? 0 : fresh);
    const double there = least_seconds + up + (step->downloads ? down : 0);
    return fmax(0, step->seconds(matrix, call, threads) + fresh - there);
}

/* Nothing of the start is left to pay once devices were looked for. */
bool h2_dispatch_wants_device(h2_dispatch *dispatch, const h2_step *step, const h2_matrix *matrix,
                              const void *call, int threads) {
    const double loss = find_loss(dispatch, step, matrix, call, threads);
    const double start = base_device_get_costs()->start_seconds - dispatch->lost_seconds;
    const bool wants = loss > (dispatch->devices->found != NULL ? 0 : fmax(0, start));
    if (!wants)
        dispatch->lost_seconds += loss;
    return wants;
}

/* The device, if it has room for the numbers or for parts of them. */
static base_status pick_by_room(base_context *context, h2_dispatch *dispatch, const h2_step *step,
                                const h2_matrix *matrix, const void *call, base_device **device,
                                bool *in_parts) {
    base_status status;
    base_device *found = find_device(dispatch, matrix);
    const int64_t bytes = step->bytes(matrix, call);
    int64_t free_bytes = 0;
    BASE_TRY(base_device_get_memory(context, found, &free_bytes, NULL, NULL));
    if (is_on(matrix, found))
        free_bytes += matrix->on_device.bytes;
    *in_parts = bytes > free_bytes && step->in_parts != NULL && step->part_bytes(matrix, call) <= free_bytes;
    if (bytes <= free_bytes || *in_parts)
        *device = found;
    if (bytes > free_bytes)
        snprintf(dispatch->note, sizeof dispatch->note,
                 "the matrix takes %.3g GiB on the device, which has %.3g GiB free: %s",
                 (double)bytes / (1 << 30), (double)free_bytes / (1 << 30),
                 *in_parts ? "it goes there in parts" : "the CPU does it");
done:
    return status;
}

/* The device, or NULL for the CPU. */
static base_status pick(base_context *context, h2_dispatch *dispatch, const h2_step *step,
                        const h2_matrix *matrix, const void *call, base_device **device, bool *in_parts) {
    base_status status = BASE_OK;
    const base_device_choice choice = dispatch->devices->choice;
    const char *reason = step->reason != NULL ? step->reason(matrix, call) : NULL;
    *device = NULL;
    *in_parts = false;
    dispatch->note[0] = 0;
    if (reason != NULL) {
        if (choice == BASE_DEVICE_CUDA && *reason != '\0')
            snprintf(dispatch->note, sizeof dispatch->note, "%s: the CPU does it", reason);
        goto done;
    }
    if (choice == BASE_DEVICE_CPU ||
        (choice == BASE_DEVICE_AUTO && matrix->on_device.descriptor == 0 &&
         (!h2_device_is_built() ||
          !h2_dispatch_wants_device(dispatch, step, matrix, call, context->threads))))
        goto done;
    BASE_TRY(base_devices_find(context, dispatch->devices));
    if (base_devices_count(dispatch->devices->found) == 0)
        goto done;
    /* --device cuda fails where the code is missed. */
    if (choice == BASE_DEVICE_AUTO && !h2_device_is_built())
        goto done;
    BASE_TRY(pick_by_room(context, dispatch, step, matrix, call, device, in_parts));
done:
    return status;
}

base_status h2_dispatch_step(base_context *context, h2_dispatch *dispatch, const h2_step *step,
                             h2_matrix *matrix, void *call) {
    base_status status;
    bool left = false, in_parts;
    base_device *device = NULL;
    h2_device_matrix on_device = {.matrix = NULL};
    BASE_TRY(pick(context, dispatch, step, matrix, call, &device, &in_parts));
    const bool is_there = !in_parts && is_on(matrix, device);
    if (!is_there)
        BASE_TRY(h2_matrix_fetch(context, matrix));
    if (device == NULL) {
        BASE_TRY(step->on_cpu(context, call));
        goto done;
    }
    if (in_parts) {
        BASE_TRY(step->in_parts(context, device, call));
        goto done;
    }
    if (is_there)
        BASE_TRY(h2_device_take(context, device, matrix, &on_device));
    else
        BASE_TRY(h2_device_alloc(context, device, matrix, &on_device));
    if (step->uploads && !is_there)
        BASE_TRY(h2_device_upload(context, &on_device));
    BASE_TRY(step->on_device(context, &on_device, call));
    if (step->downloads && leaves(dispatch, matrix))
        BASE_TRY(h2_device_leave(context, &on_device, matrix, &left));
    if (step->downloads && !left) {
        BASE_TRY(h2_matrix_own(context, matrix));
        BASE_TRY(h2_device_download(context, &on_device));
        mm_device_memory_close(&matrix->on_device);
    }
done:
    h2_device_free(&on_device);
    return status;
}
