/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/search/pool.h"
#include "base/core/memory.h"
#include "flip/formats/formats.h"
#include "flip/scheme/verify.h"
#include "mm/stream/writer.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

base_status flip_pools_open(base_context *context, int64_t most_rank, int64_t most, flip_pools *pools) {
    *pools = (flip_pools){most_rank, most, base_alloc_zero(context, most_rank + 1, sizeof(flip_pool))};
    if (pools->pool == NULL)
        return BASE_MACHINE;
    for (int64_t rank = 0; rank <= most_rank; rank++)
        pools->pool[rank].rank = rank;
    return BASE_OK;
}

void flip_pools_close(flip_pools *pools) {
    for (int64_t rank = 0; pools->pool != NULL && rank <= pools->most_rank; rank++) {
        free(pools->pool[rank].hash);
        free(pools->pool[rank].masks);
    }
    free(pools->pool);
    *pools = (flip_pools){0};
}

static int compare_terms(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(uint64_t));
}

/* Room for one more. */
static base_status grow(base_context *context, flip_pool *pool) {
    base_status status = BASE_OK;
    int64_t capacity = pool->capacity, same = pool->capacity;
    if (pool->count < pool->capacity)
        return BASE_OK;
    BASE_TRY(base_reserve(context, &pool->hash, &capacity, pool->count + 1, sizeof *pool->hash));
    BASE_TRY(base_resize(context, &pool->masks, capacity, 3 * pool->rank * (int64_t)sizeof *pool->masks));
    same = capacity;
done:
    pool->capacity = same;
    return status;
}

base_status flip_pools_add(base_context *context, flip_pools *pools, int64_t rank, const uint64_t *masks) {
    base_status status = BASE_OK;
    flip_pool *pool = &pools->pool[rank];
    size_t bytes = (size_t)(3 * rank) * sizeof *masks;
    if (pool->count == pools->most)
        goto done;
    BASE_TRY(grow(context, pool));
    uint64_t *fresh = pool->masks + pool->count * 3 * rank;
    memcpy(fresh, masks, bytes);
    qsort(fresh, (size_t)rank, 3 * sizeof *masks, compare_terms);
    uint64_t hash = XXH3_64bits(fresh, bytes);
    for (int64_t k = 0; k < pool->count; k++)
        if (pool->hash[k] == hash && memcmp(pool->masks + k * 3 * rank, fresh, bytes) == 0)
            goto done;
    pool->hash[pool->count++] = hash;
done:
    return status;
}

base_status flip_pools_add_scheme(base_context *context, flip_pools *pools, const flip_scheme *scheme) {
    base_status status = BASE_OK;
    uint64_t *masks = base_alloc(context, 3 * scheme->rank + 1, sizeof *masks);
    if (masks == NULL)
        BASE_TRY(BASE_MACHINE);
    if (!flip_fits_masks(scheme->size))
        BASE_TRY(base_fail(context, BASE_FAILED, "a factor has more than %d entries", FLIP_MASK_BITS));
    const int64_t rank = flip_scheme_get_masks(scheme, masks);
    if (scheme->denominator % 2 == 0 || !flip_verify_masks(scheme->size, rank, masks))
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme is wrong over F2"));
    if (rank > pools->most_rank)
        BASE_TRY(base_fail(context, BASE_FAILED, "a rank beyond %lld", (long long)pools->most_rank));
    BASE_TRY(flip_pools_add(context, pools, rank, masks));
done:
    free(masks);
    return status;
}

base_status flip_pools_add_all(base_context *context, flip_pools *pools, const flip_pools *others) {
    base_status status = BASE_OK;
    for (int64_t r = 0; r <= others->most_rank && r <= pools->most_rank; r++)
        for (int64_t k = 0; k < others->pool[r].count; k++)
            BASE_TRY(flip_pools_add(context, pools, r, flip_pools_get(others, r, k)));
done:
    return status;
}

const uint64_t *flip_pools_get(const flip_pools *pools, int64_t rank, int64_t index) {
    return pools->pool[rank].masks + index * 3 * rank;
}

int64_t flip_pools_least(const flip_pools *pools) {
    for (int64_t rank = 0; rank <= pools->most_rank; rank++)
        if (pools->pool[rank].count > 0)
            return rank;
    return -1;
}

static base_status read_scheme(base_context *context, const mm_record *record, const int64_t size[3],
                               flip_pools *pools) {
    base_status status = BASE_OK;
    flip_scheme scheme = {0};
    char wanted[64], found[64];
    BASE_TRY(flip_scheme_from_record(context, record, &scheme));
    if (memcmp(scheme.size, size, sizeof scheme.size) != 0)
        BASE_TRY(base_fail(context, BASE_USAGE, "the pool has a scheme for %s, the search is for %s",
                           flip_format_name(scheme.size, found), flip_format_name(size, wanted)));
    BASE_TRY(flip_pools_add_scheme(context, pools, &scheme));
done:
    flip_scheme_free(&scheme);
    return status;
}

base_status flip_pools_read(base_context *context, const char *path, const int64_t size[3],
                            flip_pools *pools) {
    base_status status = BASE_OK;
    mm_reader *reader = NULL;
    mm_record record;
    bool found = true;
    mm_record_init(&record);
    base_place place = context->place;
    BASE_TRY(mm_reader_open(context, &path, 1, false, &reader));
    mm_reader_add_form(reader, &flip_reader_form);
    for (;;) {
        BASE_TRY(mm_reader_next(context, reader, &record, &found));
        if (!found)
            break;
        if (record.kind != MM_SCHEME) /* it would be replaced */
            BASE_TRY(base_fail(context, BASE_USAGE,
                               "not a pool: a record that is no scheme; choose another name"));
        BASE_TRY(read_scheme(context, &record, size, pools));
    }
    context->place = place;
done:
    mm_record_free(&record);
    mm_reader_close(reader);
    return status;
}

static base_status put(base_context *context, mm_writer *writer, const int64_t size[3], int64_t rank,
                       const uint64_t *masks) {
    mm_record record;
    mm_record_init(&record);
    base_status status = flip_masks_to_record(context, size, rank, masks, &record);
    if (status == BASE_OK)
        status = mm_writer_put(context, writer, &record);
    mm_record_free(&record);
    return status;
}

typedef struct content {
    const int64_t *size;
    const flip_pools *pools;
} content;

static base_status write_all(base_context *context, base_output *output, const void *data) {
    const content *all = data;
    base_status status = BASE_OK;
    mm_writer *writer = NULL;
    BASE_TRY(mm_writer_open(context, output, BASE_FORM_TEXT, 0, false, &writer));
    for (int64_t rank = 0; rank <= all->pools->most_rank; rank++)
        for (int64_t k = 0; k < all->pools->pool[rank].count; k++)
            BASE_TRY(put(context, writer, all->size, rank, flip_pools_get(all->pools, rank, k)));
    BASE_TRY(mm_writer_finish(context, writer));
done:
    mm_writer_close(writer);
    return status;
}

base_status flip_pools_save(base_context *context, base_checkpoint *file, const int64_t size[3],
                            const flip_pools *pools) {
    const content all = {size, pools};
    return base_checkpoint_save(context, file, true, write_all, &all);
}
