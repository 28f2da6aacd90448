/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "pipelines/bench_gpu_spmm.h"
#include "spmm/families/bstationary.h"
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

/* A variant of a family (NULL: of several) in a product that serves this case only. */
static base_status try_variant(bench *it, const spmm_device_family *family, const spmm_device_variant *wanted,
                               const spmm_device_entries *entries) {
    base_status status;
    spmm_device_variant variant = *wanted;
    spmm_device_product product;
    const int columns = spmm_device_variant_columns(it->precision, wanted);
    char name[80];
    BASE_TRY(spmm_device_product_init(&it->context, &it->matrix, it->precision, &variant, entries, &product));
    const bool has_order = variant.code != &spmm_code_panels && variant.code != &spmm_code_bands &&
                           variant.code != &spmm_code_splits && variant.code != &spmm_code_bstationary;
    for (int order = 0; order < (has_order && it->n > columns ? 2 : 1); order++) {
        product.variant.tiles_first = variant.tiles_first = order == 0;
        name_variant(it->precision, &variant, name, sizeof name);
        if (it->all && family != NULL)
            bench_spmm_print_counts(it, &it->problem, family, &variant);
        BASE_TRY(bench_spmm_try(it, &(candidate){OURS, NULL, &product, NULL}, name, product.prepare_seconds));
    }
done:
    spmm_device_product_free(&product);
    return status;
}

/* ---- the kernels of a family ---- */

/* The next one of a table (kernels/spmm/…/variants.h) for the precision of the case, from `listed` on; with
 * precisions 0 there is none. Numbers in fp32 are tried on the matrix units as well, which the program itself
 * leaves to 3xtf32. */
static const spmm_device_listed *find_kernel(const bench *it, const spmm_device_listed *listed) {
    const unsigned wanted = it->precision == SPMM_FP32 ? SPMM_OF_FULL : 1u << it->precision;
    while (listed->precisions != 0 && (listed->precisions & wanted) == 0)
        listed++;
    return listed;
}

#define EACH_KERNEL(it, family, k)                                                                           \
    const spmm_device_listed *k = find_kernel(it, spmm_code_##family.variants);                              \
    k->precisions != 0;                                                                                      \
    k = find_kernel(it, k + 1)

static int64_t count_vectors(const bench *it) {
    return it->n * spmm_format_bytes(spmm_format_of(it->precision)) / 16;
}

static base_status try_rows(bench *it, const spmm_device_entries *entries) {
    base_status status = BASE_OK;
    const int64_t vectors = count_vectors(it);
    const double average = (double)it->a.nnz / (double)it->a.nrow;
    const int64_t most = average > 200  ? 4096
                         : average > 48 ? 256
                                        : 64,
                  longest = it->problem.profile.longest_row;
    for (EACH_KERNEL(it, rows, k)) {
        spmm_device_variant variant = k->variant;
        if (variant.lanes * 8 < vectors || variant.lanes > (vectors < 4 ? 4 : vectors) ||
            (variant.subwarps > 1 && average <= 6))
            continue;
        for (variant.most = 32; variant.most <= most && (variant.most == 32 || variant.most < 2 * longest);
             variant.most *= 2)
            BASE_TRY(try_variant(it, &spmm_family_rows, &variant, entries));
    }
done:
    return status;
}

static base_status try_merge(bench *it, const spmm_device_entries *entries) {
    base_status status = BASE_OK;
    static const int most[] = {32, 48, 64, 96, 128}; /* entries of a run; with a depth of 8 the last and 64 */
    const int64_t vectors = count_vectors(it);
    for (EACH_KERNEL(it, merge, k)) {
        spmm_device_variant variant = k->variant;
        variant.threads = 128;
        for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
            variant.most = most[m];
            if (variant.lanes * 16 >= vectors && variant.lanes <= vectors &&
                (variant.depth == 4 || most[m] % 64 == 0))
                BASE_TRY(try_variant(it, &spmm_family_merge, &variant, entries));
        }
    }
done:
    return status;
}

static base_status try_rowstaged(bench *it, const spmm_device_entries *entries) {
    base_status status = BASE_OK;
    for (EACH_KERNEL(it, rowstaged, k)) {
        spmm_device_variant variant = k->variant;
        variant.most = INT32_MAX;
        if (variant.lanes * variant.groups <= 2 * count_vectors(it))
            BASE_TRY(try_variant(it, &spmm_family_rowstaged, &variant, entries));
    }
done:
    return status;
}

static base_status try_rowpairs(bench *it) {
    base_status status = BASE_OK;
    if (it->a.nrow <= 4096)
        return BASE_OK;
    for (EACH_KERNEL(it, rowpairs, k))
        if (k->variant.lanes * k->variant.groups <= count_vectors(it))
            BASE_TRY(try_variant(it, &spmm_family_rowpairs, &k->variant, NULL));
done:
    return status;
}

static base_status try_splits(bench *it) {
    base_status status = BASE_OK;
    if (it->a.nrow > 4096 || it->precision != SPMM_FP32)
        return BASE_OK;
    for (int parts = 1; parts <= 8; parts *= 2)
        BASE_TRY(try_variant(it, &spmm_family_splits,
                             &(spmm_device_variant){.code = &spmm_code_splits, .most = parts}, NULL));
done:
    return status;
}

/* In as few chunks of B as there may be, and in two, four and eight times as many. */
static base_status try_bstationary(bench *it) {
    enum { MOST = 31, TIMES = 8 };
    base_status status = BASE_OK;
    const base_device_properties *device = base_device_get_properties(it->device);
    for (EACH_KERNEL(it, bstationary, k)) {
        spmm_device_variant variant = k->variant;
        variant.most = 1;
        while (variant.most <= MOST && !spmm_bstationary_fits(device, &it->problem, &variant))
            variant.most++;
        for (int times = 1; times <= TIMES; times *= 2, variant.most *= 2)
            if (spmm_bstationary_fits(device, &it->problem, &variant))
                BASE_TRY(try_variant(it, &spmm_family_bstationary, &variant, NULL));
    }
done:
    return status;
}

/* A grid that neither leaves most of the device idle nor has very many blocks, each of `least` to 600. */
static bool is_grid(const bench *it, int parts, int64_t columns, int64_t least) {
    const int64_t blocks = (it->a.nrow + 127) / 128 * parts * ((it->n + columns - 1) / columns);
    return columns <= it->n && blocks >= least && blocks <= 600;
}

static base_status try_panels(bench *it) {
    base_status status = BASE_OK;
    if (it->a.nrow > 4096)
        return BASE_OK;
    for (EACH_KERNEL(it, panels, k))
        for (int parts = 1; parts <= 16; parts *= 2) {
            spmm_device_variant variant = k->variant;
            const int64_t steps = (it->a.ncol + variant.depth - 1) / variant.depth;
            variant.most = (steps + parts - 1) / parts;
            if (is_grid(it, parts, spmm_device_variant_columns(it->precision, &variant), 64))
                BASE_TRY(try_variant(it, &spmm_family_panels, &variant, NULL));
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
    for (EACH_KERNEL(it, bands, k))
        for (int parts = 1; parts <= 16; parts *= 2) {
            spmm_device_variant variant = k->variant;
            variant.most = (steps + parts - 1) / parts;
            if (is_grid(it, parts, variant.width, 60))
                BASE_TRY(try_variant(it, &spmm_family_bands, &variant, NULL));
        }
done:
    return status;
}

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
    const double share = share_columns(&it->a);
    int count = 0;
    if (share < 1.02 || it->a.nrow <= 4096)
        return 0;
    for (EACH_KERNEL(it, rowwindows, k))
        for (int64_t most = 8; most <= 1024 && count < BENCH_SPMM_WINDOWS; most *= 128)
            if (!k->variant.dense || share > 4) {
                variants[count] = k->variant;
                variants[count++].most = most;
            }
    for (EACH_KERNEL(it, blocks, k))
        if (share > (it->precision == SPMM_FP64 ? 4 : 2) && MMPIPE_90A && count < BENCH_SPMM_WINDOWS) {
            variants[count] = k->variant;
            variants[count++].most = 1024;
        }
    return count;
}

static base_status try_rings(bench *it) {
    base_status status = BASE_OK;
    if (share_columns(&it->a) <= 2 || it->a.nrow <= 4096)
        return BASE_OK;
    for (EACH_KERNEL(it, rings, k)) {
        spmm_device_variant variant = k->variant;
        variant.most = 128;
        if (variant.groups * 64 <= it->n)
            BASE_TRY(try_variant(it, NULL, &variant, NULL));
    }
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
    if (bench_spmm_among(it->kinds, "rowstaged"))
        BASE_TRY(try_rowstaged(it, entries));
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
