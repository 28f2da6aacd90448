/* SPDX-License-Identifier: BSD-3-Clause */
/* A by rows, cut by their entries: the format of rows_…, merge_… and rowstaged_… (spmm_gpu_segment,
 * spmm_gpu_merge_partition). */
#ifndef SPMM_FAMILIES_SEGMENTS_H
#define SPMM_FAMILIES_SEGMENTS_H

#include "spmm/device/packing.h"

/* Segments of at most variant->most entries; longer rows are long ones, cut at `long_most`. */
base_status spmm_segments_prepare(const spmm_device_packing *it, int long_most);

/* Runs of about variant->most entries. */
base_status spmm_merge_prepare(const spmm_device_packing *it);

#endif
