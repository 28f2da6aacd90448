/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/device.h"

#include <stdio.h>
#include <string.h>

extern const base_device_fatbin h2_product_gpu_fatbin;

bool h2_device_is_built(void) {
    return base_device_has_code(&h2_product_gpu_fatbin);
}

int64_t h2_device_bytes(const h2_matrix *matrix, int64_t vectors) {
    const int64_t width = vectors == 1 ? 1 : vectors <= 8 ? 8 : 16;
    const int64_t blocks =
        matrix->coupling.count * h2_most_rank(matrix) + matrix->dense.count * h2_most_points(matrix);
    const int64_t coefficients =
        matrix->row.start[matrix->tree.nodes] + matrix->col.start[matrix->tree.nodes];
    return matrix->payload_bytes + 8 * width * (blocks + coefficients + 4 * matrix->tree.n);
}

base_status h2_device_alloc(base_context *context, base_device *device, const h2_matrix *matrix,
                            h2_device_matrix *on_device) {
    base_status status;
    *on_device = (h2_device_matrix){.matrix = matrix, .device = device};
    on_device->first = (char *)matrix->row.leaf - matrix->payload;
    on_device->bytes = matrix->payload_bytes - on_device->first;
    BASE_TRY(base_device_alloc_shared(context, device, on_device->bytes, 1, &on_device->values));
    BASE_TRY(h2_device_clear(context, on_device));
done:
    return status;
}

/* Between the arrays are bytes that nobody writes, and all of it may become a file. */
base_status h2_device_clear(base_context *context, const h2_device_matrix *on_device) {
    return base_device_fill(context, &on_device->values, 0, 0, on_device->bytes, NULL);
}

base_status h2_device_alloc_part(base_context *context, base_device *device, const h2_matrix *matrix,
                                 int64_t bytes, h2_device_matrix *on_device) {
    *on_device = (h2_device_matrix){.matrix = matrix, .device = device};
    return base_device_alloc(context, device, bytes, 1, &on_device->values);
}

base_status h2_device_alloc_bases(base_context *context, base_device *device, const h2_matrix *matrix,
                                  h2_device_matrix *on_device) {
    base_status status;
    const char *first = matrix->row.leaf;
    const int64_t bytes = (char *)matrix->coupling.value - first;
    BASE_TRY(h2_device_alloc_part(context, device, matrix, bytes, on_device));
    on_device->first = first - matrix->payload;
    on_device->bytes = bytes;
    BASE_TRY(h2_device_clear(context, on_device));
done:
    return status;
}

base_status h2_device_take(base_context *context, base_device *device, const h2_matrix *matrix,
                           h2_device_matrix *on_device) {
    const mm_device_memory *memory = &matrix->on_device;
    *on_device = (h2_device_matrix){.matrix = matrix, .device = device};
    on_device->first = (char *)matrix->row.leaf - matrix->payload;
    on_device->bytes = matrix->payload_bytes - on_device->first;
    if (memory->first != on_device->first || memory->bytes != on_device->bytes)
        return base_fail(context, BASE_DAMAGED, "H2 matrix: the memory of the device does not fit it");
    on_device->is_taken = true;
    return base_device_import(context, device, memory->descriptor - 1, memory->bytes, &on_device->values);
}

base_status h2_device_leave(base_context *context, const h2_device_matrix *on_device, h2_matrix *matrix,
                            bool *kept) {
    base_status status;
    int descriptor;
    *kept = on_device->is_taken;
    BASE_TRY(base_device_wait(context, on_device->device));
    if (on_device->is_taken) /* matrix->on_device is a descriptor of this memory */
        goto done;
    BASE_TRY(base_device_export(context, &on_device->values, &descriptor));
    *kept = descriptor >= 0;
    if (!*kept)
        goto done;
    mm_device_memory_close(&matrix->on_device);
    matrix->on_device = (mm_device_memory){
        .descriptor = descriptor + 1, .first = on_device->first, .bytes = on_device->bytes};
    memcpy(matrix->on_device.uuid, base_device_get_properties(on_device->device)->uuid,
           sizeof matrix->on_device.uuid);
done:
    return status;
}

void h2_device_free(h2_device_matrix *on_device) {
    base_device_free(&on_device->values);
    memset(on_device, 0, sizeof *on_device);
}

uint64_t h2_device_address(const h2_device_matrix *on_device, const void *array) {
    return on_device->values.address +
           (uint64_t)((const char *)array - on_device->matrix->payload - on_device->first);
}

base_status h2_device_upload(base_context *context, const h2_device_matrix *on_device) {
    const h2_matrix *matrix = on_device->matrix;
    return base_device_upload_pieces(context, &on_device->values, matrix->payload + on_device->first,
                                     on_device->bytes);
}

base_status h2_device_download(base_context *context, const h2_device_matrix *on_device) {
    const h2_matrix *matrix = on_device->matrix;
    return base_device_download_pieces(context, &on_device->values, matrix->payload + on_device->first,
                                       on_device->bytes);
}

base_status h2_device_send(base_context *context, base_device *device, const void *from, int64_t count,
                           int64_t size, base_device_buffer *buffer) {
    base_status status = BASE_OK;
    BASE_TRY(base_device_alloc(context, device, count + 1, size, buffer));
    if (count > 0)
        BASE_TRY(base_device_upload(context, buffer, 0, from, count * size, NULL));
done:
    return status;
}

base_status h2_device_get_function(base_context *context, base_device_module *module, const h2_matrix *matrix,
                                   const char *name, base_device_function *function) {
    char whole[48];
    snprintf(whole, sizeof whole, "%s_%s", name, matrix->head.value_bytes == 8 ? "fp64" : "fp32");
    return base_device_get_function(context, module, whole, function);
}
