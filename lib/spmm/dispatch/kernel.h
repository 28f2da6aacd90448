/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries of the table of kernels for GPUs: one for each family of device kernels. An entry prices its
 * family, prepares a matrix on the device (work.h), and moves B and C there and back.
 *
 * All entries are the same code with another family (families/families.h): kernel.c has their functions;
 * work.c prepares what the family has, which is a product in one of its variants (device/product.h) or an
 * engine of its own (spmm_device_engine). Times are those of the device's own clock, between two events. */
#ifndef SPMM_DISPATCH_KERNEL_H
#define SPMM_DISPATCH_KERNEL_H

#include "spmm/families/families.h"
#include "spmm/problem/spmm.h"

#define SPMM_DECLARE_KERNEL(name) extern const spmm_kernel spmm_device_##name##_kernel;
SPMM_FAMILIES(SPMM_DECLARE_KERNEL)
SPMM_COMPARED_FAMILIES(SPMM_DECLARE_KERNEL)
#undef SPMM_DECLARE_KERNEL

#endif
