/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels pack_… and transpose_… for SpMM on the fake device, by the shim, and those of nine families:
 * rows_…, merge_… (and reduction_…), rowstaged_…, rowpairs_…, bstationary_…, panels_…, blocks_…, rowwindows_…
 * (not of 16 bits) and rings_…. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O1") /* there are many variants, and matrices are small */
#endif
#define SHIM_STACK_BYTES (96 << 10)
#include "shim.h"

#include "spmm/blocks/gpu.cu"
#include "spmm/bstationary/gpu.cu"
#include "spmm/merge/gpu.cu"
#include "spmm/pack/gpu.cu"
#include "spmm/panels/gpu.cu"
#include "spmm/reduction/gpu.cu"
#include "spmm/rings/gpu.cu"
#include "spmm/rowpairs/gpu.cu"
#include "spmm/rows/gpu.cu"
#include "spmm/rowstaged/gpu.cu"
#include "spmm/rowwindows/wide_gpu.cu"
#include "spmm/transpose/gpu.cu"
#include "tests/fake/kernels.h"

/* Each has one argument. */
#define ONE(X, kernel, type) X(kernel, AT(0, const type))
#define KERNELS(X)                                                                                           \
    SPMM_PACK_KERNELS(ONE, X)                                                                                \
    X(reduction_half, AT(0, const spmm_gpu_reduction))                                                       \
    X(reduction_bfloat, AT(0, const spmm_gpu_reduction))                                                     \
    X(reduction_float, AT(0, const spmm_gpu_reduction))                                                      \
    X(reduction_double, AT(0, const spmm_gpu_reduction))                                                     \
    X(transpose_columns, AT(0, const spmm_transpose))                                                        \
    X(transpose_round, AT(0, const spmm_transpose))                                                          \
    X(transpose_rows, AT(0, const spmm_transpose))

static const struct {
    const char *name;
    void (*rows)(const spmm_gpu_rows rows);
    void (*merge)(const spmm_gpu_merge merge);
    void (*rowpairs)(const spmm_gpu_rowpairs rowpairs);
    void (*bstationary)(const spmm_gpu_bstationary bstationary);
    void (*panels)(const spmm_gpu_panels panels);
    void (*windows)(const spmm_gpu_rowwindows windows);
} variants[] = {
#define VARIANT(family, kernel) {.name = #kernel, .family = kernel},
#define SPMM_ENTRY(type, lanes, subwarps, depth) ROWS(type, lanes, subwarps, depth)
#define ROWS(type, lanes, subwarps, depth) VARIANT(rows, rows_##type##_##lanes##_##subwarps##_##depth)
#define SPMM_EACH "spmm/rows/entry.h"
#include "spmm/rows/variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, lanes, groups, threads, resident, depth) ROWSTAGED(type, lanes, groups, threads)
#define ROWSTAGED(type, lanes, groups, threads)                                                              \
    VARIANT(rows, rowstaged_##type##_##lanes##_##groups##_##threads)
#define SPMM_EACH "spmm/rowstaged/entry.h"
#include "spmm/rowstaged/variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, lanes, depth) MERGE(type, lanes, depth)
#define MERGE(type, lanes, depth) VARIANT(merge, merge_##type##_##lanes##_##depth)
#define SPMM_EACH "spmm/merge/entry.h"
#include "spmm/merge/variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, lanes, groups) ROWPAIRS(type, lanes, groups)
#define ROWPAIRS(type, lanes, groups) VARIANT(rowpairs, rowpairs_##type##_##lanes##_##groups)
#define SPMM_EACH "spmm/rowpairs/entry.h"
#include "spmm/rowpairs/variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, side, each, subwarps) BSTATIONARY(type, side, each, subwarps)
#define BSTATIONARY(type, side, each, subwarps)                                                              \
    VARIANT(bstationary, bstationary_##type##_##side##_##each##_##subwarps)
#define SPMM_EACH "spmm/bstationary/entry.h"
#include "spmm/bstationary/variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, depth, width, groups) PANELS(type, depth, width, groups)
#define PANELS(type, depth, width, groups) VARIANT(panels, panels_##type##_##depth##_##width##_##groups)
#define SPMM_EACH "spmm/panels/entry.h"
#include "spmm/panels/variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, tall, width, groups, dense) ROWWINDOWS(type, tall, width, groups, dense)
#define ROWWINDOWS(type, tall, width, groups, dense)                                                         \
    VARIANT(windows, rowwindows_##type##_##tall##_##width##_##groups##_##dense)
#define SPMM_EACH "spmm/rowwindows/entry.h"
#include "spmm/rowwindows/wide_variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, tall, warps, groups) BLOCKS(type, tall, warps, groups)
#define BLOCKS(type, tall, warps, groups) VARIANT(windows, blocks_##type##_##tall##_##warps##_##groups)
#define SPMM_EACH "spmm/blocks/entry.h"
#include "spmm/blocks/variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, tall, wide, dense) RINGS(type, tall, wide, dense)
#define RINGS(type, tall, wide, dense) VARIANT(windows, rings_##type##_##tall##_##wide##_##dense)
#define SPMM_EACH "spmm/rings/entry.h"
#include "spmm/rings/variants.h"
#undef SPMM_ENTRY
};

static bool run_variant(const char *name, void **a) {
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        if (strcmp(name, variants[k].name) == 0) {
            if (a != NULL && variants[k].rows != NULL)
                variants[k].rows(*(const spmm_gpu_rows *)a[0]);
            else if (a != NULL && variants[k].merge != NULL)
                variants[k].merge(*(const spmm_gpu_merge *)a[0]);
            else if (a != NULL && variants[k].rowpairs != NULL)
                variants[k].rowpairs(*(const spmm_gpu_rowpairs *)a[0]);
            else if (a != NULL && variants[k].bstationary != NULL)
                variants[k].bstationary(*(const spmm_gpu_bstationary *)a[0]);
            else if (a != NULL && variants[k].panels != NULL)
                variants[k].panels(*(const spmm_gpu_panels *)a[0]);
            else if (a != NULL)
                variants[k].windows(*(const spmm_gpu_rowwindows *)a[0]);
            return true;
        }
    return false;
}

#define FAKE_HAS fake_has_spmm_kernel
#define FAKE_RUN fake_run_spmm_kernel
#define FAKE_VARIANT run_variant
#include "tests/fake/list.h"
