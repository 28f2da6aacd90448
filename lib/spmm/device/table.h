/* The table's entries for GPUs: the device kernels of kernels/spmm/common/gpu.h, each
 * family in the shape that suits the problem. */
#ifndef SPMM_DEVICE_TABLE_H
#define SPMM_DEVICE_TABLE_H

#include "spmm/device/product.h"
#include "spmm/problem/spmm.h"

extern const spmm_kernel spmm_device_rows_kernel, spmm_device_runs_kernel, spmm_device_stages_kernel,
    spmm_device_strips_kernel, spmm_device_slabs_kernel, spmm_device_splits_kernel, spmm_device_panels_kernel,
    spmm_device_bands_kernel, spmm_device_windows8_kernel, spmm_device_windows16_kernel,
    spmm_device_windows32_kernel, spmm_device_windows64_kernel, spmm_device_blocks16_kernel,
    spmm_device_blocks32_kernel, spmm_device_rings16_kernel, spmm_device_rings32_kernel,
    spmm_device_rings64_kernel, spmm_device_rings128_kernel, spmm_device_dense_kernel, spmm_device_mix_kernel,
    spmm_device_tca_kernel, spmm_device_tca_row_kernel;

typedef enum spmm_device_family {
    SPMM_FAMILY_ROWS,    /* segments of rows, several teams to a segment */
    SPMM_FAMILY_RUNS,    /* short rows put together */
    SPMM_FAMILY_STAGES,  /* rows whose entries come through shared memory */
    SPMM_FAMILY_STRIPS,  /* two rows that share what they read of B */
    SPMM_FAMILY_SLABS,   /* columns of B in shared memory */
    SPMM_FAMILY_PANELS,  /* zeros computed: A in tiles */
    SPMM_FAMILY_BANDS,   /* the same for four warps */
    SPMM_FAMILY_SPLITS,  /* zeros computed and stored, three products of tf32 */
    SPMM_FAMILY_RINGS16, /* distinct columns of windows of 16, … rows, A compressed, in rings */
    SPMM_FAMILY_RINGS32,
    SPMM_FAMILY_RINGS64,
    SPMM_FAMILY_RINGS128,
    SPMM_FAMILY_WINDOWS8, /* the same by single warps, for windows of 8 rows with operands swapped */
    SPMM_FAMILY_WINDOWS16,
    SPMM_FAMILY_WINDOWS32,
    SPMM_FAMILY_WINDOWS64,
    SPMM_FAMILY_BLOCKS16, /* the same with zeros stored */
    SPMM_FAMILY_BLOCKS32,
    SPMM_FAMILY_DENSE,   /* zeros stored: cuBLAS; has no variant */
    SPMM_FAMILY_TCA,     /* matricised vectors, for comparison; has no variant */
    SPMM_FAMILY_TCA_ROW, /* the same with one row a block */
    SPMM_FAMILY_MIX      /* two of them (mix.h); has neither variant nor price here */
} spmm_device_family;

static inline bool spmm_device_is_tca(spmm_device_family family) {
    return family == SPMM_FAMILY_TCA || family == SPMM_FAMILY_TCA_ROW;
}

/* The shape of a family's kernel for a problem, and what a product costs. A
 * price of 0 seconds comes with the reason. */
void spmm_device_price(spmm_device_family family, const base_device_properties *device,
                       const spmm_problem *problem, spmm_device_variant *variant, spmm_price *price);

#endif
