/* SPDX-License-Identifier: BSD-3-Clause */
/* What a product with a family of device kernels costs: so much of each of a few things (count.h), of which
 * each takes its time (rates of family.h). */
#ifndef SPMM_DEVICE_PRICE_H
#define SPMM_DEVICE_PRICE_H

#include "spmm/device/family.h"

/* The variant of a family for a problem, the cheapest above its above_seconds, and what a product costs. A
 * price of 0 seconds comes with the reason. */
void spmm_device_price(const spmm_device_family *family, const base_device_properties *device,
                       const spmm_problem *problem, spmm_device_variant *variant, spmm_price *price);

/* What a product with that variant costs, without its preparation; the variant need not be the family's
 * choice. */
double spmm_device_seconds(const spmm_device_family *family, const base_device_properties *device,
                           const spmm_problem *problem, const spmm_device_variant *variant);

/* Makes a candidate the variant if its product costs less than *least, which it then is, and more than the
 * problem's above_seconds. */
void spmm_device_take_cheaper(const spmm_device_family *family, const base_device_properties *device,
                              const spmm_problem *problem, const spmm_device_variant *candidate,
                              double *least, spmm_device_variant *variant);

/* The same with the tiles of a row one after the other and, where the second-level cache has room, side by
 * side. */
void spmm_device_take_cheaper_order(const spmm_device_family *family, const base_device_properties *device,
                                    const spmm_problem *problem, const spmm_device_variant *candidate,
                                    double *least, spmm_device_variant *variant);

/* The cheapest of a list of variants, ended by no precisions: of those for the problem's precision that are
 * candidates, in each order of tiles. */
void spmm_device_choose_cheapest(const spmm_device_family *family, const base_device_properties *device,
                                 const spmm_problem *problem, const spmm_device_listed *listed,
                                 bool (*is_candidate)(const spmm_problem *problem,
                                                      const spmm_device_variant *variant),
                                 spmm_device_variant *variant);

/* How much of each thing a product does. */
void spmm_device_count(const spmm_device_family *family, const base_device_properties *device,
                       const spmm_problem *problem, const spmm_device_variant *variant,
                       double count[SPMM_TERMS]);

#endif
