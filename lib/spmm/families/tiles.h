/* What the families that compute zeros as well have in common: A in bands of 128 rows, cut into tiles. */
#ifndef SPMM_FAMILIES_TILES_H
#define SPMM_FAMILIES_TILES_H

#include "spmm/device/family.h"

/* The tiles of all bands, and as many pieces for each. */
base_status spmm_tiles_begin(const spmm_device_packing *it, int64_t depth, int64_t shared_bytes,
                             int64_t *bands, spmm_pack_tiles *pack);

/* All columns of B for bands of rows, in whole tiles. */
void spmm_tiles_count(const base_device_properties *device, const spmm_problem *problem,
                      const spmm_device_variant *variant, double count[SPMM_TERMS]);

/* The same for so many blocks of a band and a tile. */
void spmm_tiles_count_blocks(const spmm_problem *problem, const spmm_device_variant *variant, double blocks,
                             double *count);

#endif
