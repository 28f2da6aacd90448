/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/worklist.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

base_status perm_worklist_init(base_context *context, int64_t largest, int64_t most,
                               perm_worklist *worklist) {
    *worklist = (perm_worklist){.most = most, .largest = largest, .unused = -1};
    worklist->newest = base_alloc(context, largest + 1, sizeof *worklist->newest);
    worklist->oldest = base_alloc(context, largest + 1, sizeof *worklist->oldest);
    if (worklist->newest == NULL || worklist->oldest == NULL) {
        free(worklist->newest);
        worklist->newest = NULL;
        return BASE_MACHINE;
    }
    memset(worklist->newest, -1, (size_t)(largest + 1) * sizeof *worklist->newest);
    memset(worklist->oldest, -1, (size_t)(largest + 1) * sizeof *worklist->oldest);
    return BASE_OK;
}

void perm_worklist_free(perm_worklist *worklist) {
    if (worklist == NULL)
        return;
    for (int64_t n = 0; worklist->newest != NULL && n <= worklist->largest; n++)
        for (int64_t s = worklist->newest[n]; s >= 0; s = worklist->slot[s].older)
            perm_scaled_free(&worklist->slot[s].scaled);
    free(worklist->slot);
    free(worklist->newest);
    free(worklist->oldest);
    free(worklist->hash);
    free(worklist->next);
    free(worklist->bucket);
    *worklist = (perm_worklist){.most = 0};
}

static int64_t keys_of(const perm_worklist *worklist) {
    return worklist->most > 0 ? 2 * worklist->largest : 0;
}

static int64_t list_of(const perm_worklist *worklist, const perm_scaled *scaled) {
    return worklist->most > 0 ? scaled->matrix.n : 0;
}

/* ---- hashes ---- */

static int64_t *bucket_of(const perm_worklist *worklist, uint64_t hash) {
    return &worklist->bucket[(hash ^ hash >> 32) & (uint64_t)(worklist->bucket_count - 1)];
}

static void enter(perm_worklist *worklist, int64_t s) {
    const int64_t first = s * keys_of(worklist), count = 2 * worklist->slot[s].scaled.matrix.n;
    for (int64_t k = first; keys_of(worklist) > 0 && k < first + count; k++) {
        int64_t *bucket = bucket_of(worklist, worklist->hash[k]);
        worklist->next[k] = *bucket;
        *bucket = k;
    }
}

static void leave(perm_worklist *worklist, int64_t s) {
    const int64_t first = s * keys_of(worklist), count = 2 * worklist->slot[s].scaled.matrix.n;
    for (int64_t k = first; keys_of(worklist) > 0 && k < first + count; k++) {
        int64_t *at = bucket_of(worklist, worklist->hash[k]);
        while (*at != k)
            at = &worklist->next[*at];
        *at = worklist->next[k];
    }
}

static base_status grow(base_context *context, perm_worklist *worklist) {
    base_status status;
    const int64_t before = worklist->capacity, keys = keys_of(worklist);
    BASE_TRY(
        base_reserve(context, &worklist->slot, &worklist->capacity, before + 16, sizeof *worklist->slot));
    for (int64_t s = worklist->capacity; s-- > before;) {
        worklist->slot[s].older = worklist->unused;
        worklist->unused = s;
    }
    if (keys == 0)
        goto done;
    BASE_TRY(base_resize(context, &worklist->hash, worklist->capacity * keys, sizeof *worklist->hash));
    BASE_TRY(base_resize(context, &worklist->next, worklist->capacity * keys, sizeof *worklist->next));
    int64_t buckets = 1;
    while (buckets < worklist->capacity * keys)
        buckets *= 2;
    BASE_TRY(base_resize(context, &worklist->bucket, buckets, sizeof *worklist->bucket));
    worklist->bucket_count = buckets;
    memset(worklist->bucket, -1, (size_t)buckets * sizeof *worklist->bucket);
    for (int64_t n = 0; n <= worklist->largest; n++)
        for (int64_t s = worklist->newest[n]; s >= 0; s = worklist->slot[s].older)
            enter(worklist, s);
done:
    return status;
}

/* ---- lists ---- */

static void link_slot(perm_worklist *worklist, int64_t s) {
    perm_worklist_slot *slot = &worklist->slot[s];
    const int64_t list = list_of(worklist, &slot->scaled);
    slot->newer = -1;
    slot->older = worklist->newest[list];
    if (slot->older >= 0)
        worklist->slot[slot->older].newer = s;
    else
        worklist->oldest[list] = s;
    worklist->newest[list] = s;
    worklist->count++;
    enter(worklist, s);
}

/* Empties a slot; its matrix goes to `scaled`. */
static void unlink_slot(perm_worklist *worklist, int64_t s, perm_scaled *scaled) {
    perm_worklist_slot *slot = &worklist->slot[s];
    const int64_t list = list_of(worklist, &slot->scaled);
    leave(worklist, s);
    *(slot->newer >= 0 ? &worklist->slot[slot->newer].older : &worklist->newest[list]) = slot->older;
    *(slot->older >= 0 ? &worklist->slot[slot->older].newer : &worklist->oldest[list]) = slot->newer;
    perm_scaled_move(scaled, &slot->scaled);
    slot->older = worklist->unused;
    worklist->unused = s;
    worklist->count--;
}

/* ---- merging ---- */

/* Adds a matrix that is held to that of slot s, which is not linked yet, if there is one that can be. */
static base_status merge_once(base_context *context, perm_worklist *worklist, int64_t s, bool *merged) {
    base_status status = BASE_OK;
    perm_scaled *scaled = &worklist->slot[s].scaled;
    const int64_t keys = keys_of(worklist), lines = 2 * scaled->matrix.n;
    *merged = false;
    for (int64_t at = 0; at < lines && !*merged; at++) {
        const uint64_t hash = worklist->hash[s * keys + at];
        int64_t k = *bucket_of(worklist, hash);
        while (k >= 0 && (worklist->hash[k] != hash || k % keys != at))
            k = worklist->next[k];
        if (k < 0)
            continue;
        perm_scaled other;
        unlink_slot(worklist, k / keys, &other);
        status = perm_scaled_add(context, scaled, &other, at, merged);
        if (status == BASE_OK && !*merged) {
            int64_t back = worklist->unused;
            worklist->unused = worklist->slot[back].older;
            perm_scaled_move(&worklist->slot[back].scaled, &other);
            link_slot(worklist, back);
        }
        perm_scaled_free(&other);
        BASE_TRY(status);
    }
    worklist->merged += *merged;
done:
    return status;
}

base_status perm_worklist_put(base_context *context, perm_worklist *worklist, perm_scaled *scaled) {
    base_status status = BASE_OK;
    if (worklist->unused < 0)
        BASE_TRY(grow(context, worklist));
    const int64_t s = worklist->unused;
    bool merged = keys_of(worklist) > 0;
    worklist->unused = worklist->slot[s].older;
    perm_scaled_move(&worklist->slot[s].scaled, scaled);
    while (merged && status == BASE_OK) {
        perm_scaled_hash(&worklist->slot[s].scaled, worklist->hash + s * keys_of(worklist));
        status = merge_once(context, worklist, s, &merged);
    }
    link_slot(worklist, s);
done:
    return status;
}

bool perm_worklist_take(perm_worklist *worklist, perm_scaled *scaled) {
    if (worklist->count == 0)
        return false;
    int64_t n = 0;
    if (worklist->most == 0 || worklist->count > worklist->most) {
        while (worklist->newest[n] < 0)
            n++;
        unlink_slot(worklist, worklist->most == 0 ? worklist->newest[n] : worklist->oldest[n], scaled);
        return true;
    }
    for (n = worklist->largest; worklist->newest[n] < 0;)
        n--;
    unlink_slot(worklist, worklist->newest[n], scaled);
    return true;
}
