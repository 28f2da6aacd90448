/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/value/product.h"

void perm_product_init(perm_product *product) {
    product->count = 0;
    product->levels = 0;
    product->field = MM_PATTERN;
}

void perm_product_free(perm_product *product) {
    for (int i = 0; i < product->levels; i++)
        perm_value_free(&product->level[i]);
    product->count = 0;
}

void perm_product_take(perm_product *product, perm_value *value) {
    int i = 0;
    for (; product->count >> i & 1; i++) {
        perm_value_multiply(value, &product->level[i]);
        perm_value_set_integer(&product->level[i], 0);
    }
    product->count++;
    if (i == product->levels)
        perm_value_init(&product->level[product->levels++]);
    perm_value_move(&product->level[i], value);
}

void perm_product_finish(perm_product *product, perm_value *value) {
    perm_value_set_integer(value, 1);
    for (int i = 0; i < product->levels; i++)
        if (product->count >> i & 1)
            perm_value_multiply(value, &product->level[i]);
    perm_product_free(product);
}
