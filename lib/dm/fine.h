/* The fine decomposition of the square part; internal to lib/dm. */
#ifndef DM_FINE_H
#define DM_FINE_H

#include "dm/coarse.h"

typedef struct dm_fine {
    int64_t order, nblock;
    int64_t *column; /* order: columns of S in block upper triangular order, in each block ascending */
    int64_t *start;  /* nblock + 1 */
} dm_fine;

/* Strong components of S with its matched entries on the diagonal, by BTF. */
base_status dm_fine_find(base_context *context, const mm_sparse *matrix, const dm_coarse *coarse,
                         dm_fine *fine);
void dm_fine_free(dm_fine *fine); /* NULL is allowed */

#endif
