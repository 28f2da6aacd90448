#include "spmm/device/packing.h"
#include "spmm/device/family.h"

base_status spmm_device_packing_launch(const spmm_device_packing *it, const char *name, int64_t blocks,
                                       int threads, int64_t shared_bytes, void *argument) {
    return spmm_device_pack(it->context, it->matrix->device, name,
                            &(base_device_shape){.grid = {(unsigned)blocks},
                                                 .block = {(unsigned)threads},
                                                 .shared_bytes = shared_bytes},
                            argument);
}

base_status spmm_device_packing_find_resident(const spmm_device_packing *it, int threads,
                                              int64_t shared_bytes) {
    base_status status;
    spmm_device_product *product = it->product;
    BASE_TRY(base_device_allow_shared(it->context, &product->function, shared_bytes));
    BASE_TRY(base_device_get_occupancy(it->context, &product->function, threads, shared_bytes,
                                       &product->resident));
done:
    return status;
}

/* The bands that are taken, on the device. */
static base_status send_taken(spmm_device_packing *it, const spmm_row_set *taken) {
    base_status status;
    spmm_device_product *product = it->product;
    uint64_t band, before;
    const spmm_device_slice slices[] = {{&band, taken->count * 4}, {&before, taken->count * 8}};
    BASE_TRY(spmm_device_take(it->context, it->matrix, slices, 2, &product->taken));
    const base_device_buffer *buffer = product->taken.address != 0 ? &product->taken : &it->matrix->buffer;
    const uint64_t base = buffer->address;
    BASE_TRY(
        base_device_upload(it->context, buffer, (int64_t)(band - base), taken->band, slices[0].bytes, NULL));
    BASE_TRY(base_device_upload(it->context, buffer, (int64_t)(before - base), taken->before, slices[1].bytes,
                                NULL));
    it->a.band = SPMM_DEVICE_POINTER(const int, band);
    it->a.before = SPMM_DEVICE_POINTER(const long long, before);
    it->a.place_count = taken->rows;
    it->a.nnz = taken->nnz;
done:
    return status;
}

base_status spmm_device_prepare(base_context *context, spmm_device_matrix *matrix, const spmm_row_set *taken,
                                spmm_device_product *product) {
    base_status status;
    spmm_device_packing it = {context, matrix, product, matrix->a};
    if (taken != NULL)
        BASE_TRY(send_taken(&it, taken));
    status = product->variant.code->prepare(&it);
    matrix->waiting -= it.a.nnz;
done:
    return status;
}
