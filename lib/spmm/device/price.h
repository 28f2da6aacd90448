/* Private to the files device_*.c, and for the benchmark: what a price is made of. A product with a device
 * kernel does so much of each of a few things (count.c); each of these takes its time
 * (rates.c). */
#ifndef SPMM_DEVICE_PRICE_H
#define SPMM_DEVICE_PRICE_H

#include "spmm/device/internal.h"

typedef enum spmm_device_term {
    SPMM_TERM_START, /* 1: what the smallest product takes; microseconds, as for the next two */
    SPMM_TERM_CHAIN, /* entries or chunks of columns that a worker has one after the other */
    SPMM_TERM_MEET,  /* 1 where workers that share rows meet at the end */
    SPMM_TERM_FAR,   /* bytes of rows of B from the second-level cache; picoseconds, as for all that follow */
    SPMM_TERM_NEAR,  /* bytes of those that the multiprocessor itself still has, for a neighbour's sake */
    SPMM_TERM_ENTRY, /* entries that are taken one by one, for each tile of columns */
    SPMM_TERM_STEP,  /* rows or windows that are begun and stored, for each tile; slabs: bytes of a tile of B
                      */
    SPMM_TERM_FLOP,  /* a thousand operations of those who compute zeros as well */
    SPMM_TERM_WARM,  /* bytes of A, B and C, once each, for which the second-level cache has room, … */
    SPMM_TERM_COLD,  /* … and the others */
    SPMM_TERMS
} spmm_device_term;

/* How much of each a product does. */
void spmm_device_count(spmm_device_family family, const base_device_properties *device,
                       const spmm_problem *problem, const spmm_device_variant *v, double count[SPMM_TERMS]);

/* Bytes of A in the format of a variant. */
double spmm_device_format_bytes(spmm_device_family family, const spmm_problem *problem,
                                const spmm_device_variant *v);

/* Whether blocks_… run in the kernel of rings_…, or low ones in that of several warps, which have rates of
 * their own. */
static inline bool spmm_device_in_rings(const spmm_device_variant *v) {
    return v->dense && (v->kind == SPMM_DEVICE_RINGS || (v->warps > 0 && v->tall == 1));
}

/* What one of each takes, in the units above. */
const double *spmm_device_rates(spmm_device_family family, spmm_precision precision,
                                const spmm_device_variant *v);

#endif
