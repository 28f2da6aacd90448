#include "config.h"
#include "pipelines/bench_gpu_spmm.h"
#include "spmm/families/families.h"
#include "spmm/problem/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_variant(spmm_precision precision, const spmm_device_variant *variant, char *name,
                         size_t size) {
    char kernel[48];
    spmm_device_variant_name(precision, variant, kernel);
    snprintf(name, size, "%s/%lld%s", kernel, (long long)variant->most, variant->tiles_first ? "t" : "");
    if (variant->code == &spmm_code_merge)
        snprintf(name + strlen(name), size - strlen(name), "/%d", variant->threads);
}

/* A product that serves this case only. */
static base_status try_variant(bench *it, const spmm_device_variant *wanted,
                               const spmm_device_entries *entries) {
    base_status status;
    spmm_device_variant variant = *wanted;
    spmm_device_product product;
    const int columns = spmm_device_variant_columns(it->precision, wanted);
    char name[80];
    BASE_TRY(spmm_device_product_init(&it->context, &it->matrix, it->precision, &variant, entries, &product));
    for (int order = 0; order < (it->n > columns && variant.code != &spmm_code_panels &&
                                         variant.code != &spmm_code_bands && variant.code != &spmm_code_splits
                                     ? 2
                                     : 1);
         order++) {
        product.variant.tiles_first = variant.tiles_first = order == 0;
        name_variant(it->precision, &variant, name, sizeof name);
        BASE_TRY(bench_spmm_try(it, &(candidate){OURS, NULL, &product, NULL}, name, product.prepare_seconds));
    }
done:
    spmm_device_product_free(&product);
    return status;
}

static base_status try_rows(bench *it, const spmm_device_entries *entries) {
    base_status status = BASE_OK;
    static const int lanes[] = {4, 8, 16, 32};
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)), vectors = it->n * bytes / 16;
    const double average = (double)it->a.nnz / (double)it->a.nrow;
    for (int k = 0; k < 4; k++)
        for (int depth = 4; depth <= 8; depth *= 2)
            for (int64_t most = 32; most <= 256; most *= 2)
                for (int full = 0; full < 2; full++)
                    if (lanes[k] * 8 >= vectors && lanes[k] <= vectors && (most <= 64 || average > 48) &&
                        (full == 0 || (lanes[k] < 32 && average > 6)))
                        BASE_TRY(try_variant(it,
                                             &(spmm_device_variant){.code = &spmm_code_rows,
                                                                    .lanes = lanes[k],
                                                                    .subwarps = full ? 32 / lanes[k] : 1,
                                                                    .depth = depth,
                                                                    .most = most},
                                             entries));
done:
    return status;
}

static base_status try_merge(bench *it, const spmm_device_entries *entries) {
    base_status status = BASE_OK;
    static const int lanes[] = {4, 8, 16, 32},
                     shapes[][2] = {{4, 32}, {4, 48}, {4, 64}, {4, 96}, {4, 128}, {8, 64}, {8, 128}};
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)), vectors = it->n * bytes / 16;
    for (int k = 0; k < 4; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            if (lanes[k] * 16 >= vectors && lanes[k] <= vectors)
                BASE_TRY(try_variant(it,
                                     &(spmm_device_variant){.code = &spmm_code_merge,
                                                            .lanes = lanes[k],
                                                            .depth = shapes[s][0],
                                                            .threads = 128,
                                                            .most = shapes[s][1]},
                                     entries));
done:
    return status;
}

static base_status try_rowpairs(bench *it) {
    base_status status = BASE_OK;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)), vectors = it->n * bytes / 16;
    if (it->a.nrow <= 4096)
        return BASE_OK;
    for (int lanes = 8; lanes <= 32; lanes *= 2)
        for (int groups = 1; groups <= 4 && lanes * groups <= vectors; groups *= 2)
            if (bytes == 2 ? groups == 1 : groups == 4 ? lanes < 32 : lanes == 8 && groups >= bytes / 4)
                BASE_TRY(try_variant(
                    it, &(spmm_device_variant){.code = &spmm_code_rowpairs, .lanes = lanes, .groups = groups},
                    NULL));
done:
    return status;
}

static base_status try_splits(bench *it) {
    base_status status = BASE_OK;
    if (it->a.nrow > 4096 || it->precision != SPMM_FP32)
        return BASE_OK;
    for (int parts = 1; parts <= 8; parts *= 2)
        BASE_TRY(try_variant(it, &(spmm_device_variant){.code = &spmm_code_splits, .most = parts}, NULL));
done:
    return status;
}

static base_status try_bstationary(bench *it) {
    base_status status = BASE_OK;
    static const int shapes[][3] = {{2, 1, 1}, {2, 1, 4}, {1, 2, 1}, {1, 2, 2},
                                    {1, 2, 4}, {2, 2, 1}, {2, 2, 2}};
    const bool is_short = spmm_format_bytes(spmm_format_of(it->precision)) == 2;
    for (int k = is_short ? 0 : 2; k < (is_short ? 2 : 7); k++) {
        const spmm_device_variant variant = {.code = &spmm_code_bstationary,
                                             .lanes = shapes[k][0],
                                             .groups = shapes[k][1],
                                             .subwarps = shapes[k][2]};
        if (it->a.ncol * variant.lanes * variant.groups * 16 <= 224 << 10)
            BASE_TRY(try_variant(it, &variant, NULL));
    }
done:
    return status;
}

static base_status try_panels(bench *it) {
    base_status status = BASE_OK;
    static const int shapes[3][4][3] = {{{64, 2, 1}, {64, 4, 1}, {64, 4, 2}, {32, 4, 2}},
                                        {{32, 4, 1}, {32, 4, 2}, {32, 4, 4}},
                                        {{16, 4, 1}, {16, 4, 2}, {16, 4, 4}, {32, 4, 2}}};
    const spmm_format format = spmm_format_of(it->precision);
    const int wide = format == SPMM_FORMAT_FP64 ? 2 : format == SPMM_FORMAT_FP32 ? 1 : 0;
    if (it->a.nrow > 4096)
        return BASE_OK;
    for (int k = 0; k < 4 - (wide == 1); k++)
        for (int parts = 1; parts <= 16; parts *= 2) {
            const int *shape = shapes[wide][k];
            const int64_t steps = (it->a.ncol + shape[0] - 1) / shape[0];
            const spmm_device_variant variant = {.code = &spmm_code_panels,
                                                 .depth = shape[0],
                                                 .width = shape[1],
                                                 .groups = shape[2],
                                                 .most = (steps + parts - 1) / parts};
            const int64_t columns = spmm_device_variant_columns(it->precision, &variant);
            const int64_t blocks = (it->a.nrow + 127) / 128 * parts * ((it->n + columns - 1) / columns);
            if (columns <= it->n && blocks >= 64 && blocks <= 600)
                BASE_TRY(try_variant(it, &variant, NULL));
        }
done:
    return status;
}

static base_status try_bands(bench *it) {
    base_status status = BASE_OK;
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)),
                  steps = it->a.ncol * bytes / SPMM_GPU_BAND_BYTES;
    if (it->a.nrow > 4096 || bytes > 4)
        return BASE_OK;
    for (int width = 32; width <= (bytes == 2 ? 256 : 128) && width <= it->n; width *= 2)
        for (int parts = 1; parts <= 16; parts *= 2) {
            const spmm_device_variant variant = {
                .code = &spmm_code_bands, .width = width, .most = (steps + parts - 1) / parts};
            const int64_t blocks = (it->a.nrow + 127) / 128 * parts * ((it->n + width - 1) / width);
            if (blocks >= 60 && blocks <= 600)
                BASE_TRY(try_variant(it, &variant, NULL));
        }
done:
    return status;
}

/* Shapes: tall, width, groups. */
static base_status try_windows(bench *it, spmm_device_product *products, const spmm_device_variant *variants,
                               int count) {
    base_status status = BASE_OK;
    char name[80];
    for (int k = 0; k < count; k++) {
        const int columns = spmm_device_variant_columns(it->precision, &variants[k]);
        spmm_device_variant variant = variants[k];
        if (columns * (variant.warps > 0 ? variant.warps : 1) > it->n)
            continue;
        if (products[k].worker_count == 0)
            BASE_TRY(spmm_device_product_init(&it->context, &it->matrix, it->precision, &variant, NULL,
                                              &products[k]));
        for (int order = 0; order < (it->n > columns ? 2 : 1); order++) {
            products[k].variant.tiles_first = variant.tiles_first = order == 0;
            name_variant(it->precision, &variant, name, sizeof name);
            BASE_TRY(bench_spmm_try(it, &(candidate){OURS, NULL, &products[k], NULL}, name,
                                    products[k].prepare_seconds));
        }
    }
done:
    return status;
}

/* Numbers of entries for each row and distinct column in windows of 16 rows: worth it? */
static double share_columns(const spmm_csr *a) {
    double entries = 0, distinct = 0;
    int32_t *seen = calloc((size_t)a->ncol, sizeof *seen);
    for (int64_t window = 0; seen != NULL && window < a->nrow / 16; window += a->nrow / 16 / 64 + 1)
        for (int64_t k = a->start[16 * window]; k < a->start[16 * window + 16]; k++, entries++)
            if (seen[a->index[k]] != window + 1) {
                seen[a->index[k]] = (int32_t)window + 1;
                distinct++;
            }
    free(seen);
    return entries / (distinct > 0 ? distinct : 1);
}

int bench_spmm_list_windows(bench *it, spmm_device_variant *variants) {
    static const int shapes[][3] = {{0, 4, 1}, {0, 4, 2}, {1, 2, 1}, {1, 4, 1},
                                    {1, 4, 2}, {2, 2, 1}, {2, 4, 1}};
    const int bytes = (int)spmm_format_bytes(spmm_format_of(it->precision));
    const double share = share_columns(&it->a);
    const bool pruned = it->a.nrow <= 4096;
    int count = 0;
    if (share < 1.02 || pruned)
        return 0;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int dense = shapes[k][0] > 1; dense < (share > 4 && shapes[k][0] > 0 ? 2 : 1); dense++)
            for (int64_t most = 8; most <= 1024; most *= 128) {
                if (bytes != 2 && (shapes[k][1] == 2 || shapes[k][0] % 4 == 0))
                    continue;
                variants[count++] = (spmm_device_variant){.code = &spmm_code_rowwindows,
                                                          .tall = shapes[k][0],
                                                          .width = shapes[k][1],
                                                          .groups = shapes[k][2],
                                                          .dense = dense,
                                                          .most = most};
            }
    for (int warps = 1; warps <= 4 && bytes == 8 && share > 4 && MMPIPE_90A; warps *= 2)
        variants[count++] = (spmm_device_variant){.code = &spmm_code_blocks,
                                                  .tall = 2,
                                                  .width = 4,
                                                  .groups = 2,
                                                  .dense = true,
                                                  .warps = warps,
                                                  .most = 1024};
    if (bytes == 2 && share > 2 && MMPIPE_90A)
        variants[count++] = (spmm_device_variant){.code = &spmm_code_blocks,
                                                  .tall = 1,
                                                  .width = 4,
                                                  .groups = 2,
                                                  .dense = true,
                                                  .warps = 4,
                                                  .most = 1024};
    return count;
}

static base_status try_rings(bench *it) {
    base_status status = BASE_OK;
    const double share = share_columns(&it->a);
    if (spmm_format_bytes(spmm_format_of(it->precision)) != 2 || share <= 2 || it->a.nrow <= 4096)
        return BASE_OK;
    for (int tall = 1; tall <= 2; tall++)
        for (int groups = 2; groups <= 4 && groups * 64 <= it->n; groups *= 2)
            BASE_TRY(try_variant(
                it,
                &(spmm_device_variant){
                    .code = &spmm_code_rings, .tall = tall, .groups = groups, .dense = true, .most = 128},
                NULL));
done:
    return status;
}

base_status bench_spmm_try_ours(bench *it, const spmm_device_entries *entries, spmm_device_product *products,
                                const spmm_device_variant *variants, int count) {
    base_status status = BASE_OK;
    if (bench_spmm_among(it->kinds, "rows"))
        BASE_TRY(try_rows(it, entries));
    if (bench_spmm_among(it->kinds, "merge"))
        BASE_TRY(try_merge(it, entries));
    if (bench_spmm_among(it->kinds, "splits"))
        BASE_TRY(try_splits(it));
    if (bench_spmm_among(it->kinds, "rowpairs"))
        BASE_TRY(try_rowpairs(it));
    if (bench_spmm_among(it->kinds, "bstationary"))
        BASE_TRY(try_bstationary(it));
    if (bench_spmm_among(it->kinds, "panels"))
        BASE_TRY(try_panels(it));
    if (bench_spmm_among(it->kinds, "bands"))
        BASE_TRY(try_bands(it));
    if (bench_spmm_among(it->kinds, "rings"))
        BASE_TRY(try_rings(it));
    if (bench_spmm_among(it->kinds, "rowwindows"))
        BASE_TRY(try_windows(it, products, variants, count));
done:
    return status;
}
