/* SPDX-License-Identifier: BSD-3-Clause */
/* Which variants of bstationary_… serve, for those who try them all. */
#ifndef SPMM_FAMILIES_BSTATIONARY_H
#define SPMM_FAMILIES_BSTATIONARY_H

#include "spmm/device/family.h"

/* Whether variant->most chunks of B have room in shared memory and, where there are several, suit A: not
 * where rows are uneven or have few entries in a chunk, all are resident, and their sums are not too large.
 */
bool spmm_bstationary_fits(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_variant *variant);

#endif
