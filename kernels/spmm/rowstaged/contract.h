/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/spmm/families/rowstaged.c and the device kernels rowstaged_…: plain arithmetic
 * by whole rows, whose entries come to all threads of a row through shared memory. It serves rows of about
 * the same length, since none is cut.
 *
 * body.h has the kernel, variants.h lists all of them. A is in the format of rows/contract.h. common/gpu.h
 * has what all families share. */
#ifndef SPMM_ROWSTAGED_CONTRACT_H
#define SPMM_ROWSTAGED_CONTRACT_H

#include "spmm/common/gpu.h"
#include "spmm/rows/contract.h"

/* kernels rowstaged_… take spmm_gpu_rows, without long segments. */

#endif
