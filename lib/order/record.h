/* SPDX-License-Identifier: BSD-3-Clause */
/* A record ordered by a method: permuted, with metadata that say what for. mm-order(1) tells what they mean.
 */
#ifndef ORDER_RECORD_H
#define ORDER_RECORD_H

#include "order/frontier.h"
#include "order/permutation.h"

/* The words of the methods; a method is the place of its word. */
#define ORDER_METHODS "frontier|degree|perm|amd|colamd|metis|rcm|spmm|partition"

enum { ORDER_METHOD_COUNT = 9 };

/* BASE_USAGE where there is none. */
base_status order_find_method(base_context *context, const char *word, int *method);

/* The order is that of the nonzeros; explicit zeros move with their rows and columns. `options` are those of
 * frontier. Fails as the method does. */
base_status order_record(base_context *context, int method, const order_frontier_options *options,
                         mm_record *record);

/* Removes the metadata of an earlier order. */
void order_forget(mm_record *record);

#endif
