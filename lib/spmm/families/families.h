/* SPDX-License-Identifier: BSD-3-Clause */
/* All families of device kernels. A family is one file here, one folder of kernels/spmm, and one line below,
 * which gives it its entry in the table of kernels. Files that several families share: segments (rows of A
 * cut by their entries), tiles (zeros computed as well), windows (rows of A together).
 *
 * SPMM_FAMILIES(f) writes f(name) for each, in the order in which --kernel list prints them;
 * SPMM_COMPARED_FAMILIES those that reproduce a publication, to compare with: they are taken by name only. */
#ifndef SPMM_FAMILIES_FAMILIES_H
#define SPMM_FAMILIES_FAMILIES_H

#include "spmm/device/family.h"
#include "spmm/device/packing.h"
#include "spmm/device/product.h"

/* clang-format off */
#define SPMM_FAMILIES(f)                                                                                     \
    f(rows)          /* segments of rows, several subwarps to a segment */                                   \
    f(merge)         /* short rows put together, long ones cut: merge-based CSR */                           \
    f(rowstaged)     /* rows whose entries come through shared memory */                                     \
    f(rowpairs)      /* two rows that share what they read of B */                                           \
    f(bstationary)   /* columns of a chunk of B in each block's shared memory */                             \
    f(panels)        /* zeros computed: A in tiles */                                                        \
    f(bands)         /* the same for four warps */                                                           \
    f(rowwindows8)   /* distinct columns of windows of 8 rows, operands swapped */                           \
    f(splits)        /* zeros computed and stored, three products of tf32 */                                 \
    f(rowwindows16)                                                                                          \
    f(blocks16)      /* the same with zeros stored */                                                        \
    f(blocks32)                                                                                              \
    f(dense)         /* zeros stored: cuBLAS */

#define SPMM_COMPARED_FAMILIES(f)                                                                            \
    f(tca)           /* matricised vectors */                                                                \
    f(tca_row)       /* the same with one row a block */
/* clang-format on */

/* A family, and its code where it has variants and shares it with none. */
#define SPMM_DECLARE_FAMILY(name)                                                                            \
    extern const spmm_device_family spmm_family_##name;                                                      \
    extern const spmm_device_code spmm_code_##name;
SPMM_FAMILIES(SPMM_DECLARE_FAMILY)
SPMM_COMPARED_FAMILIES(SPMM_DECLARE_FAMILY)
#undef SPMM_DECLARE_FAMILY

#define SPMM_COUNT_FAMILY(name) +1
enum { SPMM_FAMILY_COUNT = 0 SPMM_FAMILIES(SPMM_COUNT_FAMILY) SPMM_COMPARED_FAMILIES(SPMM_COUNT_FAMILY) };
#undef SPMM_COUNT_FAMILY

/* All families. */
extern const spmm_device_family *const spmm_device_families[SPMM_FAMILY_COUNT];

/* The code that families share. */
extern const spmm_device_code spmm_code_rings, spmm_code_rowwindows, spmm_code_blocks;

#endif
