/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches as bytes: parts are put behind each other as they lie in memory of this machine, and got back. */
#ifndef FLIP_SEARCH_BYTES_H
#define FLIP_SEARCH_BYTES_H

#include "flip/search/pool.h"

typedef struct flip_bytes_out {
    base_context *context;
    char **buffer; /* grows */
    int64_t *bytes, *capacity;
    base_status status; /* the first failure; nothing is put after it */
} flip_bytes_out;

typedef struct flip_bytes_in {
    const char *data;
    int64_t bytes, at;
    bool good; /* false once more was asked for than there is, or something in it is wrong */
} flip_bytes_in;

void flip_bytes_put(flip_bytes_out *to, const void *data, int64_t bytes);
void flip_bytes_get(flip_bytes_in *from, void *data, int64_t bytes); /* zeros where it is not good */

/* All schemes of pools; back into pools that are open. */
void flip_bytes_put_pools(flip_bytes_out *to, const flip_pools *pools);
base_status flip_bytes_get_pools(base_context *context, flip_bytes_in *from, flip_pools *pools);

#endif
