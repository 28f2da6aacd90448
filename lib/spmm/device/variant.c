#include "spmm/device/internal.h"

#include <stdio.h>

extern const base_device_fatbin spmm_rows_gpu_fatbin, spmm_runs_gpu_fatbin, spmm_slabs_gpu_fatbin,
    spmm_rings_gpu_fatbin, spmm_windows_short_gpu_fatbin, spmm_windows_wide_gpu_fatbin,
    spmm_panels_gpu_fatbin, spmm_bands_gpu_fatbin, spmm_blocks_gpu_fatbin, spmm_strips_gpu_fatbin,
    spmm_stages_gpu_fatbin, spmm_splits_gpu_fatbin, spmm_meet_gpu_fatbin;

static const base_device_fatbin *find_code(spmm_precision precision, const spmm_device_variant *variant) {
    switch (variant->kind) {
    case SPMM_DEVICE_ROWS: return &spmm_rows_gpu_fatbin;
    case SPMM_DEVICE_RUNS: return &spmm_runs_gpu_fatbin;
    case SPMM_DEVICE_PANELS: return &spmm_panels_gpu_fatbin;
    case SPMM_DEVICE_STAGES: return &spmm_stages_gpu_fatbin;
    case SPMM_DEVICE_STRIPS: return &spmm_strips_gpu_fatbin;
    case SPMM_DEVICE_SLABS: return &spmm_slabs_gpu_fatbin;
    case SPMM_DEVICE_SPLITS: return &spmm_splits_gpu_fatbin;
    case SPMM_DEVICE_BANDS: return &spmm_bands_gpu_fatbin;
    case SPMM_DEVICE_RINGS: return &spmm_rings_gpu_fatbin;
    default: break;
    }
    if (variant->warps > 0)
        return &spmm_blocks_gpu_fatbin;
    return spmm_format_bytes(spmm_format_of(precision)) > 2 ? &spmm_windows_wide_gpu_fatbin
                                                            : &spmm_windows_short_gpu_fatbin;
}

void spmm_device_variant_name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    static const char *const rows[] = {"half", "bfloat", "float", "float", "float", "double"},
                             *const windows[] = {"half", "bfloat", "tf32", "float", "float", "double"};
    if (variant->kind == SPMM_DEVICE_ROWS)
        snprintf(name, 48, "rows_%s_%d_%d_%d", rows[precision], variant->lanes, variant->teams,
                 variant->depth);
    else if (variant->kind == SPMM_DEVICE_RUNS)
        snprintf(name, 48, "runs_%s_%d_%d", rows[precision], variant->lanes, variant->depth);
    else if (variant->kind == SPMM_DEVICE_STRIPS)
        snprintf(name, 48, "strips_%s_%d_%d", rows[precision], variant->lanes, variant->groups);
    else if (variant->kind == SPMM_DEVICE_STAGES)
        snprintf(name, 48, "stages_%s_%d_%d", rows[precision], variant->lanes, variant->groups);
    else if (variant->kind == SPMM_DEVICE_SLABS)
        snprintf(name, 48, "slabs_%s_%d_%d_%d", rows[precision], variant->lanes, variant->groups,
                 variant->teams);
    else if (variant->kind == SPMM_DEVICE_SPLITS)
        snprintf(name, 48, "splits_float_64");
    else if (variant->kind == SPMM_DEVICE_BANDS)
        snprintf(name, 48, "bands_%s_%d", windows[precision], variant->width);
    else if (variant->kind == SPMM_DEVICE_RINGS)
        snprintf(name, 48, "rings_%s_%d_%d_%d", windows[precision], variant->tall, variant->groups,
                 variant->dense);
    else if (variant->kind == SPMM_DEVICE_PANELS)
        snprintf(name, 48, "panels_%s_%d_%d_%d", windows[precision], variant->depth, variant->width,
                 variant->groups);
    else if (variant->warps > 0)
        snprintf(name, 48, "blocks_%s_%d_%d_%d", windows[precision], variant->tall, variant->warps,
                 variant->groups);
    else
        snprintf(name, 48, "windows_%s_%d_%d_%d_%d", windows[precision], variant->tall, variant->width,
                 variant->groups, variant->dense);
}

int spmm_device_variant_columns(spmm_precision precision, const spmm_device_variant *variant) {
    if (variant->kind == SPMM_DEVICE_ROWS || variant->kind == SPMM_DEVICE_RUNS)
        return variant->lanes * 16 / spmm_format_bytes(spmm_format_of(precision));
    if (variant->kind == SPMM_DEVICE_SLABS || variant->kind == SPMM_DEVICE_STRIPS ||
        variant->kind == SPMM_DEVICE_STAGES)
        return variant->lanes * variant->groups * 16 / spmm_format_bytes(spmm_format_of(precision));
    if (variant->kind == SPMM_DEVICE_SPLITS)
        return SPMM_GPU_SPLIT_COLUMNS;
    if (variant->kind == SPMM_DEVICE_BANDS)
        return variant->width;
    if (variant->kind == SPMM_DEVICE_RINGS)
        return 64 * variant->groups;
    return 8 * variant->width * 4 / spmm_format_bytes(spmm_format_of(precision)) * variant->groups;
}

static base_status load(base_context *context, base_device *device, const base_device_fatbin *code,
                        const char *name, base_device_function *function) {
    base_status status;
    base_device_module *module;
    BASE_TRY(base_device_get_module(context, device, code, &module));
    BASE_TRY(base_device_get_function(context, module, name, function));
done:
    return status;
}

base_status spmm_device_product_load(base_context *context, base_device *device, spmm_precision precision,
                                     const spmm_device_variant *variant, base_device_function *function) {
    char name[48];
    spmm_device_variant_name(precision, variant, name);
    return load(context, device, find_code(precision, variant), name, function);
}

base_status spmm_device_load_second(base_context *context, base_device *device, spmm_precision precision,
                                    const spmm_device_variant *variant, base_device_function *function) {
    static const char *const meet[] = {"meet_half",  "meet_bfloat", "meet_float",
                                       "meet_float", "meet_float",  "meet_double"};
    switch (variant->kind) {
    case SPMM_DEVICE_RUNS: return load(context, device, &spmm_meet_gpu_fatbin, meet[precision], function);
    case SPMM_DEVICE_SPLITS:
        return load(context, device, &spmm_splits_gpu_fatbin, "halves_float_64", function);
    default: return BASE_OK;
    }
}
