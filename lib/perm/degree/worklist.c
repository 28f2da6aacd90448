#include "perm/degree/worklist.h"
#include "base/core/memory.h"
#include <stdlib.h>
#include <string.h>

base_status perm_gather_init(base_context *context, int64_t largest, int64_t most, perm_gather *gather) {
    *gather = (perm_gather){.most = most, .largest = largest, .unused = -1};
    gather->newest = base_alloc(context, largest + 1, sizeof *gather->newest);
    gather->oldest = base_alloc(context, largest + 1, sizeof *gather->oldest);
    if (!gather->newest || !gather->oldest) {
        free(gather->newest);
        gather->newest = NULL;
        return BASE_MACHINE;
    }
    memset(gather->newest, -1, (size_t)(largest + 1) * sizeof *gather->newest);
    memset(gather->oldest, -1, (size_t)(largest + 1) * sizeof *gather->oldest);
    return BASE_OK;
}

void perm_gather_free(perm_gather *gather) {
    if (!gather)
        return;
    for (int64_t n = 0; gather->newest && n <= gather->largest; n++)
        for (int64_t s = gather->newest[n]; s >= 0; s = gather->slot[s].older)
            perm_weighted_free(&gather->slot[s].weighted);
    free(gather->slot);
    free(gather->newest);
    free(gather->oldest);
    free(gather->hash);
    free(gather->next);
    free(gather->bucket);
    *gather = (perm_gather){.most = 0};
}

static int64_t keys_of(const perm_gather *gather) {
    return gather->most > 0 ? 2 * gather->largest : 0;
}

static int64_t list_of(const perm_gather *gather, const perm_weighted *weighted) {
    return gather->most > 0 ? weighted->matrix.n : 0;
}

/* ---- hashes ---- */

static int64_t *bucket_of(const perm_gather *gather, uint64_t hash) {
    return &gather->bucket[(hash ^ hash >> 32) & (uint64_t)(gather->bucket_count - 1)];
}

static void enter(perm_gather *gather, int64_t s) {
    const int64_t first = s * keys_of(gather), count = 2 * gather->slot[s].weighted.matrix.n;
    for (int64_t k = first; keys_of(gather) > 0 && k < first + count; k++) {
        int64_t *bucket = bucket_of(gather, gather->hash[k]);
        gather->next[k] = *bucket;
        *bucket = k;
    }
}

static void leave(perm_gather *gather, int64_t s) {
    const int64_t first = s * keys_of(gather), count = 2 * gather->slot[s].weighted.matrix.n;
    for (int64_t k = first; keys_of(gather) > 0 && k < first + count; k++) {
        int64_t *at = bucket_of(gather, gather->hash[k]);
        while (*at != k)
            at = &gather->next[*at];
        *at = gather->next[k];
    }
}

static base_status grow(base_context *context, perm_gather *gather) {
    base_status status;
    const int64_t before = gather->capacity, keys = keys_of(gather);
    BASE_TRY(base_reserve(context, &gather->slot, &gather->capacity, before + 16, sizeof *gather->slot));
    for (int64_t s = gather->capacity; s-- > before;) {
        gather->slot[s].older = gather->unused;
        gather->unused = s;
    }
    if (keys == 0)
        goto done;
    BASE_TRY(base_resize(context, &gather->hash, gather->capacity * keys, sizeof *gather->hash));
    BASE_TRY(base_resize(context, &gather->next, gather->capacity * keys, sizeof *gather->next));
    int64_t buckets = 1;
    while (buckets < gather->capacity * keys)
        buckets *= 2;
    BASE_TRY(base_resize(context, &gather->bucket, buckets, sizeof *gather->bucket));
    gather->bucket_count = buckets;
    memset(gather->bucket, -1, (size_t)buckets * sizeof *gather->bucket);
    for (int64_t n = 0; n <= gather->largest; n++)
        for (int64_t s = gather->newest[n]; s >= 0; s = gather->slot[s].older)
            enter(gather, s);
done:
    return status;
}

/* ---- lists ---- */

static void link_slot(perm_gather *gather, int64_t s) {
    perm_gather_slot *slot = &gather->slot[s];
    const int64_t list = list_of(gather, &slot->weighted);
    slot->newer = -1;
    slot->older = gather->newest[list];
    if (slot->older >= 0)
        gather->slot[slot->older].newer = s;
    else
        gather->oldest[list] = s;
    gather->newest[list] = s;
    gather->count++;
    enter(gather, s);
}

/* Empties a slot; its matrix goes to `weighted`. */
static void unlink_slot(perm_gather *gather, int64_t s, perm_weighted *weighted) {
    perm_gather_slot *slot = &gather->slot[s];
    const int64_t list = list_of(gather, &slot->weighted);
    leave(gather, s);
    *(slot->newer >= 0 ? &gather->slot[slot->newer].older : &gather->newest[list]) = slot->older;
    *(slot->older >= 0 ? &gather->slot[slot->older].newer : &gather->oldest[list]) = slot->newer;
    perm_weighted_move(weighted, &slot->weighted);
    slot->older = gather->unused;
    gather->unused = s;
    gather->count--;
}

/* ---- merging ---- */

/* Adds a matrix that is held to that of slot s, which is not linked yet, if there is one that can be. */
static base_status merge_once(base_context *context, perm_gather *gather, int64_t s, bool *merged) {
    base_status status = BASE_OK;
    perm_weighted *weighted = &gather->slot[s].weighted;
    const int64_t keys = keys_of(gather), lines = 2 * weighted->matrix.n;
    *merged = false;
    for (int64_t at = 0; at < lines && !*merged; at++) {
        const uint64_t hash = gather->hash[s * keys + at];
        int64_t k = *bucket_of(gather, hash);
        while (k >= 0 && (gather->hash[k] != hash || k % keys != at))
            k = gather->next[k];
        if (k < 0)
            continue;
        perm_weighted other;
        unlink_slot(gather, k / keys, &other);
        status = perm_weighted_add(context, weighted, &other, at, merged);
        if (status == BASE_OK && !*merged) {
            int64_t back = gather->unused;
            gather->unused = gather->slot[back].older;
            perm_weighted_move(&gather->slot[back].weighted, &other);
            link_slot(gather, back);
        }
        perm_weighted_free(&other);
        BASE_TRY(status);
    }
    gather->merged += *merged;
done:
    return status;
}

base_status perm_gather_put(base_context *context, perm_gather *gather, perm_weighted *weighted) {
    base_status status = BASE_OK;
    if (gather->unused < 0)
        BASE_TRY(grow(context, gather));
    const int64_t s = gather->unused;
    bool merged = keys_of(gather) > 0;
    gather->unused = gather->slot[s].older;
    perm_weighted_move(&gather->slot[s].weighted, weighted);
    while (merged && status == BASE_OK) {
        perm_weighted_hash(&gather->slot[s].weighted, gather->hash + s * keys_of(gather));
        status = merge_once(context, gather, s, &merged);
    }
    link_slot(gather, s);
done:
    return status;
}

bool perm_gather_take(perm_gather *gather, perm_weighted *weighted) {
    if (gather->count == 0)
        return false;
    int64_t n = 0;
    if (gather->most == 0 || gather->count > gather->most) {
        while (gather->newest[n] < 0)
            n++;
        unlink_slot(gather, gather->most == 0 ? gather->newest[n] : gather->oldest[n], weighted);
        return true;
    }
    for (n = gather->largest; gather->newest[n] < 0;)
        n--;
    unlink_slot(gather, gather->newest[n], weighted);
    return true;
}
