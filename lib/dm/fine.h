/* SPDX-License-Identifier: BSD-3-Clause */
/* The fine decomposition of the square part; internal to lib/dm. */
#ifndef DM_FINE_H
#define DM_FINE_H

#include "dm/coarse.h"

/* The arrays are the caller's; the order of S is at most that of the matrix. */
typedef struct dm_fine {
    int64_t order, nblock;
    int64_t *column; /* order: columns of S in block upper triangular order, in each block ascending */
    int64_t *start;  /* nblock + 1 of order + 1 */
} dm_fine;

/* Words of workspace that dm_fine_find needs. */
int64_t dm_fine_words(int64_t nrow, int64_t ncol);

/* Strong components of S with its matched entries on the diagonal, by BTF. */
base_status dm_fine_find(base_context *context, const mm_sparse *matrix, const dm_coarse *coarse,
                         int64_t *work, dm_fine *fine);

#endif
