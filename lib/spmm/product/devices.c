/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/devices.h"

bool spmm_stream_may_wait(const spmm_stream *stream) {
    const spmm_options *options = stream->options;
    for (int64_t k = 0; k < stream->b.count; k++)
        if (stream->b.side[k].left.on_device.descriptor > 0)
            return false;
    return options->devices->choice == BASE_DEVICE_AUTO && options->kernel == NULL && !options->tune &&
           !options->bench;
}

/* B may have a quarter of a device's memory as long as the stream lasts; what is read anew for each matrix is
 * bounded by the rest. A device that has a B already is the one to work on. */
static void place_sides(spmm_stream *stream) {
    spmm_machine *machine = &stream->machine;
    const spmm_sides *b = &stream->b;
    int64_t bytes = 0;
    if (machine->device == NULL)
        return;
    for (int64_t k = 0; k < b->count; k++) {
        const mm_device_memory *memory = &b->side[k].left.on_device;
        base_device *there = memory->descriptor > 0 && machine->devices != NULL
                                 ? base_devices_find_uuid(machine->devices, memory->uuid)
                                 : NULL;
        bytes += spmm_side_bytes(&b->side[k]);
        if (there != NULL) {
            machine->device = there;
            machine->devices = NULL;
            machine->prefers_device = true;
        }
    }
    stream->keeps_b = machine->memory_bytes == 0 || bytes <= machine->memory_bytes / 4;
    if (stream->keeps_b && machine->memory_bytes > 0)
        machine->memory_bytes -= bytes;
}

base_status spmm_stream_find_devices(base_context *context, spmm_stream *stream) {
    base_status status = BASE_OK;
    const spmm_options *options = stream->options;
    if (!stream->looks_later)
        goto done;
    stream->looks_later = false;
    BASE_TRY(spmm_machine_find(context, options->devices, options->device_memory_bytes, &stream->machine));
    if (!spmm_options_ask_lines(options))
        place_sides(stream);
done:
    return status;
}
