/* SPDX-License-Identifier: BSD-3-Clause */
/* A search on devices as bytes. What is saved is what the next launch would begin with. Schemes are stored
 * without the rows that stand for no term: kernels close terms up when they take a scheme up. */
#include "base/core/memory.h"
#include "flip/device/internal.h"
#include "flip/search/bytes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The beginning of a state. All but `launches` must agree with the search that takes it up. */
typedef struct header {
    int64_t size[3], most_rank, most, start, lowest, rows, islands, width, first_count;
    int64_t launches;
} header;

static header make_header(const flip_device_search *search, const flip_pools *pools) {
    const flip_gpu_rules *rules = &search->rules;
    return (header){{search->size[0], search->size[1], search->size[2]},
                    pools->most_rank,
                    pools->most,
                    rules->start,
                    rules->lowest,
                    rules->rows,
                    search->island_count,
                    search->last->family->walkers,
                    search->first_count,
                    search->launches};
}

/* The bytes in which a factor is saved. */
static int64_t find_width(const flip_device_search *search) {
    return search->longest <= 16 ? 2 : search->longest <= 32 ? 4 : 8;
}

/* ---- schemes of islands ---- */

/* Writes a scheme, whose factors are `stride` words apart: the number of its terms, then the terms. */
static void put_scheme(const flip_device_search *search, flip_bytes_out *to, const uint64_t *scheme,
                       int64_t stride) {
    const int64_t rows = search->rules.rows, width = find_width(search);
    uint16_t count = 0;
    for (int64_t r = 0; r < rows; r++)
        count += scheme[r * stride] != 0;
    flip_bytes_put(to, &count, sizeof count);
    for (int64_t r = 0; r < rows; r++)
        for (int k = 0; k < 3 && scheme[r * stride] != 0; k++)
            flip_bytes_put(to, &scheme[(k * rows + r) * stride],
                           width); /* the first bytes of a word are its low ones */
}

static void get_scheme(const flip_device_search *search, flip_bytes_in *from, uint64_t *scheme,
                       int64_t stride) {
    const int64_t rows = search->rules.rows, width = find_width(search);
    uint16_t count;
    flip_bytes_get(from, &count, sizeof count);
    from->good = from->good && count <= rows;
    for (int64_t r = 0; r < count && from->good; r++)
        for (int k = 0; k < 3; k++)
            flip_bytes_get(from, &scheme[(k * rows + r) * stride], width);
}

/* What a device has of one island, in the memory of the host. */
typedef struct island_words {
    int64_t walkers, ranks, scheme;
    uint64_t *factors, *saved, *random;
    int32_t *since;
} island_words;

static base_status open_words(base_context *context, const flip_device_search *search, island_words *words) {
    const flip_gpu_rules *rules = &search->rules;
    words->walkers = search->last->family->walkers;
    words->ranks = rules->start - rules->lowest + 1;
    words->scheme = 3 * rules->rows;
    words->factors = base_alloc(context, words->walkers * words->scheme, 8);
    words->saved = base_alloc(context, words->ranks * words->scheme, 8);
    words->random = base_alloc(context, words->walkers, 8);
    words->since = base_alloc(context, words->walkers, 4);
    return words->factors == NULL || words->saved == NULL || words->random == NULL || words->since == NULL
               ? BASE_MACHINE
               : BASE_OK;
}

static void close_words(island_words *words) {
    free(words->factors);
    free(words->saved);
    free(words->random);
    free(words->since);
}

typedef base_status copy_function(base_context *context, const base_device_buffer *buffer, int64_t offset,
                                  void *host, int64_t bytes, base_device_stream *stream);

static base_status upload(base_context *context, const base_device_buffer *buffer, int64_t offset, void *host,
                          int64_t bytes, base_device_stream *stream) {
    return base_device_upload(context, buffer, offset, host, bytes, stream);
}

/* Copies what a device has of its island `number`, there or back. */
static base_status copy_words(base_context *context, const device_part *part, int64_t number,
                              const island_words *words, copy_function *copy) {
    base_status status = BASE_OK;
    const struct {
        const base_device_buffer *buffer;
        void *host;
        int64_t bytes;
    } parts[] = {{&part->factors, words->factors, words->walkers * words->scheme * 8},
                 {&part->saved, words->saved, words->ranks * words->scheme * 8},
                 {&part->random, words->random, words->walkers * 8},
                 {&part->since, words->since, words->walkers * 4}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        BASE_TRY(
            copy(context, parts[k].buffer, number * parts[k].bytes, parts[k].host, parts[k].bytes, NULL));
done:
    return status;
}

static void put_words(const flip_device_search *search, flip_bytes_out *to, const island_words *words) {
    flip_bytes_put(to, words->random, words->walkers * 8);
    flip_bytes_put(to, words->since, words->walkers * 4);
    for (int64_t w = 0; w < words->walkers; w++)
        put_scheme(search, to, words->factors + w, words->walkers);
    for (int64_t k = 0; k < words->ranks; k++)
        put_scheme(search, to, words->saved + k * words->scheme, 1);
}

static void get_words(const flip_device_search *search, flip_bytes_in *from, island_words *words) {
    memset(words->factors, 0, (size_t)(words->walkers * words->scheme) * 8);
    memset(words->saved, 0, (size_t)(words->ranks * words->scheme) * 8);
    flip_bytes_get(from, words->random, words->walkers * 8);
    flip_bytes_get(from, words->since, words->walkers * 4);
    for (int64_t w = 0; w < words->walkers; w++)
        get_scheme(search, from, words->factors + w, words->walkers);
    for (int64_t k = 0; k < words->ranks; k++)
        get_scheme(search, from, words->saved + k * words->scheme, 1);
}

/* ---- searches ---- */

base_status flip_device_save(base_context *context, flip_device_search *search, const flip_pools *pools,
                             char **buffer, int64_t *bytes, int64_t *capacity) {
    base_status status = BASE_OK;
    flip_bytes_out to = {context, buffer, bytes, capacity, BASE_OK};
    island_words words = {0};
    const header head = make_header(search, pools);
    uint64_t *masks;
    flip_bytes_put(&to, &head, sizeof head);
    for (int64_t k = 0; k < search->first_count; k++) {
        flip_device_unfold(search, (const uint64_t *)search->first + k * 3 * head.rows, &masks);
        flip_bytes_put(&to, masks, 24 * head.start);
    }
    flip_bytes_put(&to, search->islands, head.islands * (int64_t)sizeof *search->islands);
    flip_bytes_put(&to, search->pooled, head.islands * (int64_t)sizeof *search->pooled);
    BASE_TRY(open_words(context, search, &words));
    for (int p = 0; p < search->part_count; p++)
        for (int64_t k = 0; k < search->parts[p].count; k++) {
            BASE_TRY(copy_words(context, &search->parts[p], k, &words, base_device_download));
            put_words(search, &to, &words);
            BASE_TRY(to.status);
        }
    flip_bytes_put_pools(&to, pools);
    BASE_TRY(to.status);
done:
    close_words(&words);
    return status;
}

base_status flip_device_read_first(base_context *context, const char *data, int64_t bytes,
                                   flip_pools *pools) {
    base_status status = BASE_OK;
    flip_bytes_in from = {data, bytes, 0, true};
    uint64_t *masks = NULL;
    header head;
    flip_bytes_get(&from, &head, sizeof head);
    if (!from.good || head.most_rank < 1 || head.most_rank > 1 << 20 || head.most < 1 || head.start < 1 ||
        head.start > head.most_rank)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the state of the search is damaged"));
    BASE_TRY(flip_pools_open(context, head.most_rank, head.most, pools));
    masks = base_alloc(context, 3 * head.start, sizeof *masks);
    if (masks == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < head.first_count && from.good; k++) {
        flip_bytes_get(&from, masks, 24 * head.start);
        if (from.good)
            BASE_TRY(flip_pools_add(context, pools, head.start, masks));
    }
    if (!from.good)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the state of the search is damaged"));
done:
    free(masks);
    return status;
}

/* Checks the islands' ranks: kernels would write beyond the saved schemes for a rank that has no place. */
static void check_islands(const flip_device_search *search, flip_bytes_in *from) {
    for (int64_t k = 0; k < search->island_count; k++) {
        const flip_gpu_island *island = &search->islands[k];
        from->good = from->good && island->rank >= 1 && island->rank <= search->rules.start &&
                     island->best >= 1 && island->best <= island->rank && island->steps >= 0;
    }
}

base_status flip_device_restore(base_context *context, flip_device_search *search, const char *data,
                                int64_t bytes, flip_pools *pools) {
    base_status status = BASE_OK;
    flip_bytes_in from = {data, bytes, 0, true};
    island_words words = {0};
    header head, own = make_header(search, pools);
    flip_bytes_get(&from, &head, sizeof head);
    from.good = from.good && memcmp(&head, &own, offsetof(header, launches)) == 0;
    from.at += from.good ? head.first_count * 24 * head.start : 0;
    flip_bytes_get(&from, search->islands, own.islands * (int64_t)sizeof *search->islands);
    flip_bytes_get(&from, search->pooled, own.islands * (int64_t)sizeof *search->pooled);
    check_islands(search, &from);
    BASE_TRY(open_words(context, search, &words));
    for (int p = 0; p < search->part_count; p++) {
        const device_part *part = &search->parts[p];
        for (int64_t k = 0; k < part->count && from.good; k++) {
            get_words(search, &from, &words);
            if (from.good &&
                head.launches > 0) /* Before the first launch islands are new: the kernel begins them. */
                BASE_TRY(copy_words(context, part, k, &words, upload));
        }
        if (head.launches == 0)
            continue;
        BASE_TRY(base_device_upload(context, &part->islands, 0, search->islands + part->begin,
                                    part->islands.bytes, NULL));
    }
    BASE_TRY(flip_bytes_get_pools(context, &from, pools));
    if (!from.good || from.at != from.bytes)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the state of the search is damaged"));
    search->launches = head.launches;
done:
    close_words(&words);
    return status;
}
