/* SPDX-License-Identifier: BSD-3-Clause */
/* A product of many values, multiplied in pairs of equal size, so that a thousand factors do not make a
 * thousand multiplications by a growing number. */
#ifndef PERM_VALUE_PRODUCT_H
#define PERM_VALUE_PRODUCT_H

#include "perm/value/value.h"

typedef struct perm_product {
    perm_value level[64]; /* level i: a product of 2^i factors, there where bit i of count is set */
    uint64_t count;
    int levels;     /* that are initialized: the first ones */
    mm_field field; /* the least that holds every factor, for callers that keep it up */
} perm_product;

void perm_product_init(perm_product *product); /* 1 */
void perm_product_free(perm_product *product);

/* Multiplies by the value and leaves an exact 0 in it. */
void perm_product_take(perm_product *product, perm_value *value);

/* The product; leaves 1. */
void perm_product_finish(perm_product *product, perm_value *value);

#endif
