/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/families/families.h"

#define ADDRESS(name) &spmm_family_##name,
const spmm_device_family *const spmm_device_families[SPMM_FAMILY_COUNT] = {
    SPMM_FAMILIES(ADDRESS) SPMM_COMPARED_FAMILIES(ADDRESS)};
