/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/search/bytes.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

void flip_bytes_put(flip_bytes_out *to, const void *data, int64_t bytes) {
    if (to->status == BASE_OK && bytes > 0)
        to->status = base_reserve(to->context, to->buffer, to->capacity, *to->bytes + bytes, 1);
    if (to->status != BASE_OK || bytes == 0)
        return;
    memcpy(*to->buffer + *to->bytes, data, (size_t)bytes);
    *to->bytes += bytes;
}

void flip_bytes_get(flip_bytes_in *from, void *data, int64_t bytes) {
    from->good = from->good && bytes <= from->bytes - from->at;
    if (!from->good) {
        memset(data, 0, (size_t)bytes);
        return;
    }
    memcpy(data, from->data + from->at, (size_t)bytes);
    from->at += bytes;
}

void flip_bytes_put_pools(flip_bytes_out *to, const flip_pools *pools) {
    for (int64_t rank = 0; rank <= pools->most_rank; rank++) {
        const flip_pool *pool = &pools->pool[rank];
        flip_bytes_put(to, &pool->count, sizeof pool->count);
        flip_bytes_put(to, pool->masks, pool->count * 24 * rank);
    }
}

base_status flip_bytes_get_pools(base_context *context, flip_bytes_in *from, flip_pools *pools) {
    base_status status = BASE_OK;
    uint64_t *masks = base_alloc(context, 3 * pools->most_rank + 1, sizeof *masks);
    if (masks == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t rank = 0; rank <= pools->most_rank; rank++) {
        int64_t count;
        flip_bytes_get(from, &count, sizeof count);
        for (int64_t k = 0; k < count && from->good; k++) {
            flip_bytes_get(from, masks, 24 * rank);
            if (from->good)
                BASE_TRY(flip_pools_add(context, pools, rank, masks));
        }
    }
done:
    free(masks);
    return status;
}
