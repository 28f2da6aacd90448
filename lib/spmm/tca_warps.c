#include "spmm/tca_warps.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Warps of a row, a multiple of a block's for a long one, or always. */
static int64_t count_warps(int64_t entries, int64_t tiles, bool several) {
    const int64_t blocks = (entries + SPMM_TCA_FRAGMENT - 1) / SPMM_TCA_FRAGMENT;
    if (blocks > 1)
        return SPMM_TCA_WARPS * (blocks < tiles ? blocks : tiles);
    if (!several)
        return SPMM_TCA_WARPS;
    return entries <= 8 ? 1 : entries <= 16 ? 2 : entries <= 32 ? 4 : 8;
}

/* Where a row of so many warps begins when `next` is the first free place. */
static int64_t find_place(int64_t next, int64_t warps) {
    const int64_t left = SPMM_TCA_WARPS - next % SPMM_TCA_WARPS;
    return warps <= left || left == SPMM_TCA_WARPS ? next : next + left;
}

base_status spmm_tca_warps_init(base_context *context, const spmm_csr *a, int64_t n, bool several,
                                spmm_tca_warps *warps) {
    const int64_t tiles = n > SPMM_TCA_TILE ? (n + SPMM_TCA_TILE - 1) / SPMM_TCA_TILE : 1;
    int64_t next = 0;
    for (int64_t row = 0; row < a->nrow; row++) {
        const int64_t count = count_warps(a->start[row + 1] - a->start[row], tiles, several);
        next = find_place(next, count) + count;
    }
    *warps = (spmm_tca_warps){.blocks = (next + SPMM_TCA_WARPS - 1) / SPMM_TCA_WARPS};
    const int64_t places = warps->blocks * SPMM_TCA_WARPS;
    warps->row = base_alloc(context, places, sizeof *warps->row);
    warps->warps = base_alloc_zero(context, places, sizeof *warps->warps);
    warps->within = base_alloc_zero(context, places, sizeof *warps->within);
    if (warps->row == NULL || warps->warps == NULL || warps->within == NULL) {
        spmm_tca_warps_free(warps);
        return BASE_MACHINE;
    }
    memset(warps->row, 0xff, (size_t)places * sizeof *warps->row);
    next = 0;
    for (int64_t row = 0; row < a->nrow; row++) {
        const int64_t count = count_warps(a->start[row + 1] - a->start[row], tiles, several);
        const int64_t place = find_place(next, count);
        for (int64_t k = 0; k < count; k++) {
            warps->row[place + k] = (int32_t)row;
            warps->warps[place + k] = (int32_t)count;
            warps->within[place + k] = (int32_t)k;
        }
        next = place + count;
    }
    return BASE_OK;
}

void spmm_tca_warps_free(spmm_tca_warps *warps) {
    if (warps == NULL)
        return;
    free(warps->row);
    free(warps->warps);
    free(warps->within);
    memset(warps, 0, sizeof *warps);
}
