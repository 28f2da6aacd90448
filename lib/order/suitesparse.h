/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill-reducing orders by SuiteSparse and METIS. */
#ifndef ORDER_SUITESPARSE_H
#define ORDER_SUITESPARSE_H

#include "order/permutation.h"

/* Approximate minimum degree of A + Aᵀ (Amestoy, Davis, Duff 1996), and nested dissection by METIS (Karypis,
 * Kumar 1998): one order for rows and columns. Fail with BASE_FAILED when the matrix is not square. */
base_status order_amd(base_context *context, const mm_sparse *matrix, order_permutation *order);
base_status order_metis(base_context *context, const mm_sparse *matrix, order_permutation *order);

/* Columns by approximate minimum degree of AᵀA (Davis, Gilbert, Larimore, Ng 2004); rows stay. */
base_status order_colamd(base_context *context, const mm_sparse *matrix, order_permutation *order);

#endif
