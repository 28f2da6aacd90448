/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/frontier/layer.h"
#include "base/core/memory.h"

#include <stdlib.h>

static perm_segment *new_segment(perm_pool *pool) {
    base_context *context = pool->context;
    int64_t bytes = pool->segment_states * (pool->mask_bytes + pool->value_bytes);
    if (pool->bytes + bytes > pool->limit_bytes) {
        base_fail(context, BASE_FAILED, "the frontier tables need more than %lld MiB (see --memory)",
                  (long long)(pool->limit_bytes >> 20));
        return NULL;
    }
    perm_segment *segment = base_alloc(context, 1, sizeof *segment);
    /* Values of 16 bytes want their alignment; so they come first. */
    char *memory = segment != NULL ? base_alloc_aligned(context, 1, bytes) : NULL;
    if (memory == NULL) {
        free(segment);
        return NULL;
    }
    pool->bytes += bytes;
    segment->value = memory;
    segment->mask = memory + pool->segment_states * pool->value_bytes;
    return segment;
}

base_status perm_layer_extend(perm_pool *pool, perm_layer *layer) {
    base_status status = BASE_OK;
#pragma omp critical(perm_pool)
    {
        perm_segment *segment = pool->free;
        if (base_reserve(pool->context, &layer->segment, &layer->capacity, layer->count + 1,
                         sizeof *layer->segment) != BASE_OK) {
            status = BASE_MACHINE;
        } else {
            if (segment != NULL)
                pool->free = segment->next;
            else
                segment = new_segment(pool);
            if (segment != NULL) {
                segment->count = 0;
                layer->segment[layer->count++] = segment;
            } else {
                status = pool->context->error.status;
            }
        }
    }
    return status;
}

base_status perm_layer_append(perm_pool *pool, perm_layer *to, perm_layer *from) {
    base_status status = base_reserve(pool->context, &to->segment, &to->capacity, to->count + from->count,
                                      sizeof *to->segment);
    if (status != BASE_OK)
        return status;
    for (int64_t i = 0; i < from->count; i++)
        to->segment[to->count++] = from->segment[i];
    to->states += from->states;
    from->count = 0;
    from->states = 0;
    return BASE_OK;
}

void perm_layer_clear(perm_pool *pool, perm_layer *layer) {
    for (int64_t i = 0; i < layer->count; i++) {
        layer->segment[i]->next = pool->free;
        pool->free = layer->segment[i];
    }
    layer->count = 0;
    layer->states = 0;
}

void perm_layer_free(perm_layer *layer) {
    free(layer->segment);
    *layer = (perm_layer){0};
}

void perm_pool_free(perm_pool *pool) {
    for (perm_segment *segment = pool->free; segment != NULL;) {
        perm_segment *next = segment->next;
        free(segment->value);
        free(segment);
        segment = next;
    }
    pool->free = NULL;
}
