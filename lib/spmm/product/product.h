/* SPDX-License-Identifier: BSD-3-Clause */
/* One sparse matrix and its products with any number of dense ones of the same width. Several devices share
 * the rows; what exceeds the memory of one is done in blocks of rows of A and C and panels of columns of B
 * and C. Both cut rows at multiples of SPMM_CUT_ROWS, the tallest window, while they can, so that kernels
 * find the same windows and add in the same order. */
#ifndef SPMM_PRODUCT_PRODUCT_H
#define SPMM_PRODUCT_PRODUCT_H

#include "spmm/product/share.h"

typedef struct spmm_product {
    const spmm_kernel *kernel;
    const spmm_machine *machine;
    const spmm_problem *problem;
    spmm_share *share;
    int shares;
    spmm_preparation took; /* the longest of the shares */
    double open_seconds;   /* that all of it took, with the start of devices */
} spmm_product;

/* This machine without devices, for the reason that they are not looked for: the start of one takes longer
 * than the processors. */
spmm_machine spmm_machine_without_devices(const base_context *context);

/* This machine, with the devices that are looked for, of each of which so much memory is used at most; 0:
 * nine tenths of what it has. BASE_MACHINE when a device is asked for that is not there. */
base_status spmm_machine_find(base_context *context, base_device_search *search, int64_t device_memory_bytes,
                              spmm_machine *machine);

/* Prepares products; machine and problem must outlive it. BASE_MACHINE when even a row and a column need more
 * than machine->memory_bytes. */
base_status spmm_product_open(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                              const spmm_kernel *kernel, spmm_product *product);
/* C = alpha A B + beta C. 2 nnz n flop. What is divided is prepared again each time. */
base_status spmm_product_run(base_context *context, spmm_product *product, const spmm_operands *operands);
/* C = alpha A^power B + beta C, A being square: each of the products on the way is rounded to B's format.
 * They stay on the device where one has all of A; elsewhere they come by way of the host's memory. */
base_status spmm_product_run_power(base_context *context, spmm_product *product,
                                   const spmm_operands *operands, int64_t power);
/* Whether C can be had on a device: one has all of A, and powers are made there. */
bool spmm_product_stays(const spmm_product *product, int64_t power);
/* The same, for which that holds: C stays on the device. operands->c is read only, and only if beta is not 0.
 */
base_status spmm_product_run_there(base_context *context, spmm_product *product,
                                   const spmm_operands *operands, int64_t power);
/* C as a record has it, in memory of that device; *beyond: how many numbers are not finite. */
base_status spmm_product_store_columns(base_context *context, spmm_product *product,
                                       const base_device_buffer *columns, int64_t *beyond);
/* Whether B may be lent to it (b_array): nothing is divided. */
bool spmm_product_is_whole(const spmm_product *product);
base_device *spmm_product_device(const spmm_product *product, int share);

void spmm_product_close(spmm_product *product); /* NULL is allowed */

/* The steps of a run, as in problem/spmm.h, on all devices; `seconds` is the longest of their times.
 * BASE_FAILED when the product is divided. */
base_status spmm_product_load(base_context *context, spmm_product *product, const spmm_operands *operands);
base_status spmm_product_multiply(base_context *context, spmm_product *product, bool cold, double *seconds);
base_status spmm_product_store(base_context *context, spmm_product *product);

#endif
