/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/device/internal.h"
#include "flip/scheme/cyclic.h"
#include "flip/scheme/verify.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

int64_t flip_device_unfold(flip_device_search *search, const uint64_t *stored, uint64_t **masks) {
    const int64_t size = search->rules.rows;
    uint64_t *rows = search->terms + 3 * size;
    int64_t count = 0;
    *masks = rows + 6 * size;
    for (int64_t r = 0; r < size; r++)
        if (stored[r] != 0) {
            for (int k = 0; k < 3; k++)
                rows[3 * count + k] = stored[k * size + r];
            count++;
        }
    if (search->symmetry == FLIP_REVERSED)
        count = flip_cyclic_double(search->size[0], count, rows);
    if (search->symmetry != FLIP_PLAIN)
        return flip_cyclic_unfold(search->size, count, rows, *masks);
    memcpy(*masks, rows, (size_t)(3 * count) * sizeof *rows);
    return count;
}

/* Fetches what an island has saved for a rank, checks it and adds it to the pools. */
static base_status get_saved(base_context *context, flip_device_search *search, const device_part *part,
                             int64_t island, int64_t wanted, flip_pools *pools) {
    base_status status = BASE_OK;
    const flip_gpu_rules *rules = &search->rules;
    const int64_t bytes = 3 * rules->rows * 8;
    const int64_t place = (island - part->begin) * (rules->start - rules->lowest + 1) + rules->start -
                          (wanted > rules->lowest ? wanted : rules->lowest);
    uint64_t *masks;
    BASE_TRY(base_device_download(context, &part->saved, place * bytes, search->terms, bytes, NULL));
    const int64_t rank = flip_device_unfold(search, search->terms, &masks);
    if (rank != wanted || !flip_verify_masks(search->size, rank, masks))
        BASE_TRY(base_fail(context, BASE_FAILED, "a walk left the tensor: this is an error of the program"));
    BASE_TRY(flip_pools_add(context, pools, rank, masks));
done:
    return status;
}

/* Chooses the variant with room for the schemes of the next launch: those to which islands may step back,
 * and, unless that would take wider factors or more memory, what pluses add to them. */
static const flip_device_variant_entry *choose(const flip_device_search *search) {
    const flip_gpu_rules *rules = &search->rules;
    const flip_device_family *family = search->last->family;
    int64_t most = 0;
    if (search->symmetry != FLIP_PLAIN) /* Their rows do not follow from ranks. */
        return search->last;
    for (int64_t k = 0; k < search->island_count; k++)
        most = search->islands[k].rank > most ? search->islands[k].rank : most;
    most += rules->sink_rank > 0 && rules->sink_back > rules->step_back ? rules->sink_back : rules->step_back;
    most = most < rules->start ? most : rules->start;
    const flip_device_variant_entry *least = flip_device_choose(family, FLIP_PLAIN, search->longest, most),
                                    *ample = flip_device_choose(family, FLIP_PLAIN, search->longest,
                                                                most + rules->plus_limit);
    return ample != NULL && ample->bits == least->bits && ample->rows <= rules->rows &&
                   ample->shared_bytes <= search->most_shared_bytes
               ? ample
               : least;
}

static base_status launch(base_context *context, flip_device_search *search, device_part *part) {
    flip_gpu_state state = {
        .islands = (flip_gpu_island *)(uintptr_t)part->islands.address,
        .factors = (unsigned long long *)(uintptr_t)part->factors.address,
        .random = (unsigned long long *)(uintptr_t)part->random.address,
        .since = (int *)(uintptr_t)part->since.address,
        .saved = (unsigned long long *)(uintptr_t)part->saved.address,
        .first = (const unsigned long long *)(uintptr_t)part->first.address,
        .first_count = (int)search->first_count,
        .begin = (int)part->begin,
    };
    const base_device_launch_config shape = {
        .grid = {(unsigned)part->count},
        .block = {(unsigned)search->last->family->threads},
        .shared_bytes = search->last->shared_bytes,
    };
    return base_device_launch(context, &part->functions[search->last - flip_device_variants], &shape,
                              part->stream, (void *[]){&search->rules, &state});
}

/* Fetches the best schemes that islands have found, but not all: a fetch takes as long as thousands of flips
 * of all walkers, and at high ranks every island finds something in every launch. */
static base_status fetch(base_context *context, flip_device_search *search, flip_pools *pools) {
    enum { MOST_FETCHES = 8 };
    base_status status = BASE_OK;
    int64_t least = flip_pools_least(pools), fetches = 0;
    for (int64_t k = 0; k < search->island_count; k++)
        least = search->islands[k].best < least ? search->islands[k].best : least;
    const int64_t most = least <= search->rules.target ? INT64_MAX : MOST_FETCHES;
    for (int k = 0; k < search->part_count; k++) {
        const device_part *part = &search->parts[k];
        for (int64_t island = part->begin; island < part->begin + part->count; island++) {
            const int best = search->islands[island].best;
            if (best > least || best >= search->pooled[island] || fetches == most ||
                pools->pool[least].count == pools->most)
                continue;
            search->pooled[island] = best;
            fetches++;
            BASE_TRY(get_saved(context, search, part, island, best, pools));
        }
    }
done:
    return status;
}

base_status flip_device_run(base_context *context, flip_device_search *search, flip_pools *pools) {
    base_status status = BASE_OK;
    search->last = choose(search);
    search->rules.most = search->symmetry != FLIP_PLAIN ? search->rules.start : search->last->rows;
    search->launches++;
    for (int k = 0; k < search->part_count; k++)
        BASE_TRY(launch(context, search, &search->parts[k]));
    for (int k = 0; k < search->part_count; k++) {
        device_part *part = &search->parts[k];
        BASE_TRY(base_device_stream_wait(context, part->stream));
        BASE_TRY(base_device_download(context, &part->islands, 0, search->islands + part->begin,
                                      part->islands.bytes, NULL));
    }
    BASE_TRY(fetch(context, search, pools));
done:
    return status;
}

bool flip_device_is_over(const flip_device_search *search) {
    bool is_over = true;
    for (int64_t k = 0; k < search->island_count && is_over; k++)
        is_over = search->islands[k].rank > 0 && search->islands[k].best <= search->rules.target;
    return is_over;
}

int64_t flip_device_flips(const flip_device_search *search) {
    int64_t flips = 0;
    for (int64_t k = 0; k < search->island_count; k++)
        flips += search->islands[k].flips;
    return flips;
}

int64_t flip_device_steps(const flip_device_search *search) {
    return search->launches * search->rules.chunks * FLIP_GPU_CHUNK * search->island_count *
           search->last->family->walkers;
}

const char *flip_device_variant(const flip_device_search *search) {
    return search->last->function;
}

void flip_device_describe(const flip_device_search *search, char *line, size_t size) {
    int least = INT_MAX, most = 0;
    for (int64_t k = 0; k < search->island_count; k++) {
        least = search->islands[k].rank < least ? search->islands[k].rank : least;
        most = search->islands[k].rank > most ? search->islands[k].rank : most;
    }
    snprintf(line, size, "islands at %d to %d, %.3g flips", least, most, (double)flip_device_flips(search));
}
