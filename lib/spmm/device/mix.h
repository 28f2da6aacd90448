/* Two kernels that share the bands of rows of a matrix, each taking those that it is cheaper for. */
#ifndef SPMM_DEVICE_MIX_H
#define SPMM_DEVICE_MIX_H

#include "spmm/device/table.h"

typedef struct spmm_device_mix {
    spmm_device_family family[2];
    spmm_device_variant variant[2];
} spmm_device_mix;

/* The best pair for a problem, judged by the bands of its sample, and what a product costs. A price of 0
 * seconds, with the reason, where one kernel is about as good. */
void spmm_device_mix_price(const base_device_properties *device, const spmm_problem *problem,
                           spmm_device_mix *mix, spmm_price *price);

/* Which of the two takes a band. */
int spmm_device_mix_choose(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_mix *mix, const spmm_band *band);

#endif
