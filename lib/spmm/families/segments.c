/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/families/segments.h"

#include <math.h>

/* As many rows of average length as have `most` entries; fewer of those that have next to none. */
static int choose_stretch(const spmm_pack_matrix *a, int64_t most) {
    const double rows = a->nnz > 0 ? (double)a->nrow / (double)a->nnz : 1;
    return (int)((double)most * fmin(1 + rows * SPMM_PACK_MERGE_ROW, 3));
}

/* Counts, scans and fills with the kernels of pack/pack.h. Of segments, the second scan's total has the long
 * ones in its low and their parts in its high 32 bits. */
static base_status prepare(const spmm_device_packing *it, spmm_pack_rows *pack, bool is_merge) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t rows = it->matrix->a.nrow, blocks = spmm_device_blocks(rows),
                  worker_bytes = is_merge ? sizeof(spmm_gpu_merge_partition) : sizeof(spmm_gpu_segment);
    int64_t total[2];
    pack->a = it->matrix->a;
    pack->most = (int)product->variant.most;
    pack->stretch = is_merge ? choose_stretch(&it->matrix->a, product->variant.most) : 0;
    pack->count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0]);
    pack->long_count = SPMM_DEVICE_POINTER(long long, it->matrix->count[1]);
    BASE_TRY(spmm_device_packing_launch(it, is_merge ? "pack_merge_count" : "pack_segments_count", blocks,
                                        SPMM_PACK_THREADS, 0, pack));
    BASE_TRY(spmm_device_packing_scan(it, rows, is_merge ? 1 : 2, total));
    spmm_device_packing_take_counts(it, total[0]);
    if (!is_merge) {
        product->long_count = pack->long_total = total[1] & 0xffffffff;
        product->part_count = total[1] >> 32;
    }
    const spmm_device_slice slices[] = {
        {&product->worker, (product->long_count + product->worker_count) * worker_bytes},
        {&product->part, product->part_count * (int64_t)sizeof(spmm_gpu_part)}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, 2));
    pack->worker = SPMM_DEVICE_POINTER(void, product->worker);
    pack->part = SPMM_DEVICE_POINTER(spmm_gpu_part, product->part);
    BASE_TRY(spmm_device_packing_launch(it, is_merge ? "pack_merge" : "pack_segments", blocks,
                                        SPMM_PACK_THREADS, 0, pack));
done:
    return status;
}

base_status spmm_merge_prepare(const spmm_device_packing *it) {
    return prepare(it, &(spmm_pack_rows){.long_most = 0}, true);
}

base_status spmm_segments_prepare(const spmm_device_packing *it, int long_most) {
    return prepare(it, &(spmm_pack_rows){.long_most = long_most}, false);
}
