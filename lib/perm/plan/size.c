/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that are too large for every method (plan.h). */
#include "base/core/memory.h"
#include "perm/common/problem.h"
#include "perm/multiplicities/multiplicities.h"
#include "perm/plan/plan.h"

#include <stdlib.h>

/* A row opens the columns of all its entries, and none of these can close before its other entries are done:
 * a frontier is at least as wide as the row that comes first has entries. */
base_status perm_plan_check_size(base_context *context, const mm_sparse *block) {
    const int64_t n = block->ncol;
    int64_t *column_count = NULL, least = n;
    if (n <= PERM_MULTIPLICITIES_PRICED_LARGEST || block->nnz <= n * PERM_FRONTIER_WIDEST)
        return BASE_OK;
    column_count = base_alloc_zero(context, n, sizeof *column_count);
    if (column_count == NULL)
        return BASE_MACHINE;
    for (int64_t e = 0; e < block->nnz; e++)
        column_count[block->index[e]]++;
    for (int64_t i = 0; i < n; i++) {
        const int64_t count = block->start[i + 1] - block->start[i],
                      fewer = count < column_count[i] ? count : column_count[i];
        least = fewer < least ? fewer : least;
    }
    free(column_count);
    if (least <= PERM_FRONTIER_WIDEST)
        return BASE_OK;
    return base_fail(
        context, BASE_FAILED,
        "a block of order %lld with %lld entries is too large: sums over subsets go to order %d, and "
        "its frontier is at least %lld wide, %d is the limit",
        (long long)n, (long long)block->nnz, PERM_DENSE_LARGEST, (long long)least, PERM_FRONTIER_WIDEST);
}
