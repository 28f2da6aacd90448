/* Two kernels that share the bands of rows of a matrix, each taking those that it is cheaper for. */
#ifndef SPMM_DISPATCH_MIX_H
#define SPMM_DISPATCH_MIX_H

#include "spmm/device/price.h"
#include "spmm/families/families.h"

typedef struct spmm_device_mix {
    const spmm_device_family *family[2];
    spmm_device_variant variant[2];
} spmm_device_mix;

/* The best pair for a problem, judged by the bands of its sample, and what a product costs. A price of 0
 * seconds, with the reason, where one kernel is about as good. */
void spmm_device_mix_price(const base_device_properties *device, const spmm_problem *problem,
                           spmm_device_mix *mix, spmm_price *price);

/* The mix by name: neither variant nor price of its own. */
extern const spmm_device_family spmm_family_mix;

/* The price of a family, or of the mix, and what a product is then done with: mix->variant[0], or both. */
void spmm_device_find_price(const spmm_device_family *family, const base_device_properties *device,
                            const spmm_problem *problem, spmm_device_mix *mix, spmm_price *price);

/* Which of the two takes a band. */
int spmm_device_mix_choose(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_mix *mix, const spmm_band *band);

#endif
