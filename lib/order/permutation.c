/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/permutation.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

void order_permutation_free(order_permutation *order) {
    if (order == NULL)
        return;
    free(order->row);
    free(order->col);
    *order = (order_permutation){NULL, NULL};
}

base_status order_permutation_both(base_context *context, int64_t *list, int64_t length,
                                   order_permutation *order) {
    *order = (order_permutation){base_alloc(context, length, sizeof *list), list};
    if (order->row == NULL) {
        order_permutation_free(order);
        return BASE_MACHINE;
    }
    memcpy(order->row, list, (size_t)length * sizeof *list);
    return BASE_OK;
}

base_status order_check_memory(base_context *context, const mm_record *record, int line_bytes) {
    const double bytes = line_bytes * ((double)record->nrow + (double)record->ncol);
    if (bytes <= (double)context->memory_bytes)
        return BASE_OK;
    return base_fail(context, BASE_MACHINE,
                     "%lld rows and %lld columns: about %.3g bytes are needed, %.3g allowed (--memory)",
                     (long long)record->nrow, (long long)record->ncol, bytes, (double)context->memory_bytes);
}
