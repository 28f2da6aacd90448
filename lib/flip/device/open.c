/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a search on its devices: settings, kernels, memory, the first schemes. */
#include "base/core/memory.h"
#include "base/core/random.h"
#include "flip/device/internal.h"
#include "flip/scheme/cyclic.h"
#include "flip/scheme/known.h"
#include "flip/search/settings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- rules ---- */

static int64_t or_default(int64_t value, int64_t fallback) {
    return value != 0 ? value : fallback;
}

static int round_up(int64_t value, int unit) {
    return (int)((value + unit - 1) / unit * unit);
}

/* At this rank and below terms have few partners, and steps that match pairs die out (4x4x4: 53, six above
 * the least rank that is known). */
static int find_list_rank(const flip_device_kernel *kernel, int64_t known) {
    return kernel == NULL ? (int)known + 6 : kernel->list_rank;
}

/* The settings by symmetry. For reversed schemes by 6x6x6 on an H200: of 322 islands at 165 one went on to
 * 153 with budgets of 1e7 and steps back of 6, five of 103 with budgets of 1e8 or steps back of 24. With
 * these, nine searches of ten came to 153 in 7 to 21 s. In the tenth (seed 5) no island had a scheme to step
 * back to that leads there; since islands begin anew after `most_steps`, it takes 44 s. */
static const flip_search_options defaults[] = {
    [FLIP_PLAIN] = {.plus_after = 10000,
                    .plus_after_low = 10000,
                    .plus_limit = 2,
                    .step_back = 4,
                    .budget = 100000000,
                    .budget_low = 100000000},
    [FLIP_CYCLIC] = {.plus_after = 5000,
                     .plus_after_low = 5000,
                     .plus_limit = 6,
                     .step_back = 6,
                     .budget = 10000000,
                     .budget_low = 100000000},
    [FLIP_REVERSED] = {.plus_after = 1000,
                       .plus_after_low = 1000,
                       .plus_limit = 12,
                       .step_back = 24,
                       .budget = 30000000,
                       .budget_low = 30000000},
};

/* An option comes first, then what is known to be best for the format, then the default of the symmetry. */
static void set_rules(const flip_search_options *options, const flip_device_options *device_options,
                      const flip_device_kernel *kernel, const int64_t size[3], int64_t start,
                      flip_gpu_rules *rules) {
    const int64_t known = flip_known_rank(size, FLIP_F2, NULL);
    const int64_t target =
        options->target > 0 || options->is_limited || options->steps > 0 ? options->target : known;
    const flip_search_options *usual = &defaults[device_options->symmetry];
    const flip_settings none = {0};
    const flip_settings *best = device_options->symmetry != FLIP_PLAIN ? &none : flip_find_settings(size);
    *rules = (flip_gpu_rules){
        .chunks = (int)or_default(device_options->chunks, 128),
        .start = (int)start,
        .bits = (int)flip_length(size, 0),
        .target = (int)target,
        .lowest = (int)(target > start / 2 ? target : start / 2),
        .low_rank = (int)or_default(options->low_rank, known > 0 ? known + 7 : 0),
        .plus_after = {(int)or_default(options->plus_after,
                                       or_default(best->device_plus_after, usual->plus_after)),
                       (int)or_default(options->plus_after_low,
                                       or_default(best->plus_after_low, usual->plus_after_low))},
        .plus_limit = (int)or_default(options->plus_limit, or_default(best->plus_limit, usual->plus_limit)),
        .step_back = (int)or_default(options->step_back, usual->step_back),
        .budget = {or_default(options->budget, or_default(best->budget, usual->budget)),
                   or_default(options->budget_low, or_default(best->budget_low, usual->budget_low))},
        .walk = or_default(options->walk, INT64_MAX),
        .sink_rank = (int)or_default(options->sink_rank, best->sink_rank),
        .sink_back = (int)or_default(options->sink_back, start),
        .sink_budget = or_default(options->sink_budget, 100000),
        .list_rank = find_list_rank(kernel, known),
        .hold = device_options->hold,
        .match_rounds = (int)or_default(options->match_rounds, 1),
    };
    rules->lowest = rules->lowest < start ? rules->lowest : (int)start;
    /* Islands of plain schemes never begin anew. The kernel of a launch has room for the schemes that islands
     * may step back to (`choose` in device.c), not for the scheme that the search began with. */
    rules->most_steps = device_options->symmetry == FLIP_PLAIN ? INT_MAX : 4;
    rules->reduce_after[0] = round_up(or_default(options->reduce_after, 1024), FLIP_GPU_CHUNK);
    rules->reduce_after[1] = round_up(or_default(options->reduce_after, 256), FLIP_GPU_CHUNK);
}

/* Makes a scheme's rows as kernels have them; -1 if it has not the symmetry. */
static int64_t fold(const flip_device_search *search, int64_t rank, const uint64_t *masks, uint64_t *rows) {
    int64_t count = rank;
    if (search->symmetry == FLIP_PLAIN)
        memcpy(rows, masks, (size_t)(3 * rank) * sizeof *rows);
    else
        count = flip_cyclic_fold(search->size, rank, masks, rows);
    if (search->symmetry == FLIP_REVERSED && count >= 0)
        count = flip_cyclic_pair(search->size[0], count, rows)
                    ? flip_cyclic_halve(search->size[0], count, rows)
                    : -1;
    return count;
}

/* Counts the rows of the largest scheme to start from. */
static base_status count_rows(base_context *context, const flip_device_search *search,
                              const flip_pools *pools, int64_t *most) {
    base_status status = BASE_OK;
    const int64_t rank = search->rules.start;
    uint64_t *rows = base_alloc(context, 3 * rank + 1, sizeof *rows);
    if (rows == NULL)
        BASE_TRY(BASE_MACHINE);
    *most = 0;
    for (int64_t k = 0; k < pools->pool[rank].count; k++) {
        const int64_t count = fold(search, rank, flip_pools_get(pools, rank, k), rows);
        if (count < 0)
            BASE_TRY(base_fail(context, BASE_FAILED, "the scheme has not this symmetry"));
        *most = count > *most ? count : *most;
    }
done:
    free(rows);
    return status;
}

/* Stores a scheme as kernels do (gpu.h). */
static void put_scheme(flip_device_search *search, int64_t rank, const uint64_t *masks,
                       unsigned long long *stored) {
    const int64_t count = fold(search, rank, masks, search->terms);
    for (int64_t r = 0; r < count; r++)
        for (int k = 0; k < 3; k++)
            stored[k * search->rules.rows + r] = search->terms[3 * r + k];
}

/* ---- opening ---- */

/* Loads the kernels of the family that the device has shared memory for. */
static base_status load_code(base_context *context, const flip_device_search *search, device_part *part) {
    base_status status;
    const flip_device_family *family = search->last->family;
    BASE_TRY(base_device_stream_open(context, part->device, &part->stream));
    BASE_TRY(base_device_load_fatbin(context, part->device, family->fatbin, &part->module));
    for (int v = 0; v < FLIP_DEVICE_VARIANTS; v++) {
        const flip_device_variant_entry *variant = &flip_device_variants[v];
        const bool is_too_large =
            variant->shared_bytes > search->most_shared_bytes && variant != search->last;
        if (variant->family != family || variant->symmetry != search->symmetry || is_too_large)
            continue;
        BASE_TRY(base_device_get_function(context, part->module, variant->function, &part->functions[v]));
        BASE_TRY(base_device_allow_shared(context, &part->functions[v], variant->shared_bytes));
    }
done:
    return status;
}

static base_status open_part(base_context *context, const flip_device_search *search, device_part *part) {
    base_status status = BASE_OK;
    const flip_gpu_rules *rules = &search->rules;
    const int64_t scheme = 3 * rules->rows, width = search->last->family->walkers;
    const int64_t walkers = part->count * width, ranks = rules->start - rules->lowest + 1;
    const struct {
        base_device_buffer *buffer;
        int64_t words;
    } buffers[] = {{&part->islands, part->count * (int64_t)(sizeof *search->islands / 8)},
                   {&part->factors, walkers * scheme},
                   {&part->random, walkers},
                   {&part->since, walkers},
                   {&part->saved, part->count * scheme * ranks},
                   {&part->first, search->first_count * scheme}};
    uint64_t *random = base_alloc(context, walkers, sizeof *random);
    if (random == NULL)
        BASE_TRY(BASE_MACHINE);
    /* A walker's numbers depend on the seed and on its number among all devices' walkers alone. */
    for (int64_t w = 0; w < walkers; w++) {
        base_random numbers;
        base_random_init(&numbers, context->seed, (uint64_t)(part->begin * width + w));
        random[w] = base_random_bits(&numbers);
    }
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++) {
        BASE_TRY(base_device_alloc(context, part->device, buffers[b].words, 8, buffers[b].buffer));
        BASE_TRY(base_device_fill(context, buffers[b].buffer, 0, 0, buffers[b].buffer->bytes, NULL));
    }
    BASE_TRY(base_device_upload(context, &part->random, 0, random, walkers * 8, NULL));
    BASE_TRY(base_device_upload(context, &part->first, 0, search->first, part->first.bytes, NULL));
    BASE_TRY(base_device_wait(context, part->device));
done:
    free(random);
    return status;
}

static base_status open_parts(base_context *context, base_devices *devices, flip_device_search *search) {
    base_status status = BASE_OK;
    search->part_count = base_devices_count(devices);
    if (search->part_count > search->island_count)
        search->part_count = (int)search->island_count;
    search->parts = base_alloc_zero(context, search->part_count, sizeof *search->parts);
    if (search->parts == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int k = 0; k < search->part_count; k++) {
        device_part *part = &search->parts[k];
        part->device = base_devices_get(devices, k);
        part->begin = search->island_count * k / search->part_count;
        part->count = search->island_count * (k + 1) / search->part_count - part->begin;
        BASE_TRY(base_device_start(context, part->device));
        const int64_t bytes = base_device_get_properties(part->device)->shared_bytes_per_block;
        if (k == 0 || bytes < search->most_shared_bytes)
            search->most_shared_bytes = bytes;
    }
    for (int k = 0; k < search->part_count; k++) {
        device_part *part = &search->parts[k];
        BASE_TRY(load_code(context, search, part));
        BASE_TRY(open_part(context, search, part));
    }
done:
    return status;
}

/* Chooses the variant for the schemes to start from, and stores these. */
static base_status make_first(base_context *context, const flip_pools *pools,
                              const flip_device_kernel *kernel, flip_device_search *search) {
    base_status status = BASE_OK;
    const int64_t rank = search->rules.start;
    int64_t rows = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t bits = flip_length(search->size, k);
        search->longest = bits > search->longest ? bits : search->longest;
    }
    BASE_TRY(count_rows(context, search, pools, &rows));
    BASE_TRY(flip_device_find(context, kernel, search->symmetry, search->longest, rows, &search->last));
    search->rules.rows = round_up(search->last->rows + search->rules.plus_limit, 32);
    search->first_count = pools->pool[rank].count;
    search->first =
        base_alloc_zero(context, search->first_count * 3 * search->rules.rows, sizeof *search->first);
    search->terms = base_alloc(context, 27 * search->rules.rows + 3 * rank, sizeof *search->terms);
    if (search->first == NULL || search->terms == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < search->first_count; k++)
        put_scheme(search, rank, flip_pools_get(pools, rank, k), search->first + k * 3 * search->rules.rows);
done:
    return status;
}

base_status flip_device_open(base_context *context, base_devices *devices, const int64_t size[3],
                             const flip_pools *pools, const flip_search_options *options,
                             const flip_device_options *device_options, flip_device_search **result) {
    base_status status = BASE_OK;
    flip_device_search *search = base_alloc_zero(context, 1, sizeof *search);
    *result = search;
    if (search == NULL)
        return BASE_MACHINE;
    memcpy(search->size, size, sizeof search->size);
    search->symmetry = device_options->symmetry;
    const flip_device_kernel *kernel = flip_device_get_kernel(device_options->kernel);
    if (device_options->kernel != NULL && kernel == NULL)
        BASE_TRY(base_fail(context, BASE_USAGE, "there is no device kernel '%s'", device_options->kernel));
    if (options->general_after > 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "generalised flips are made on processors alone"));
    set_rules(options, device_options, kernel, size, flip_pools_least(pools), &search->rules);
    if (!flip_fits_masks(size))
        BASE_TRY(base_fail(context, BASE_FAILED, "a factor has more than %d entries", FLIP_MASK_BITS));
    BASE_TRY(make_first(context, pools, kernel, search));
    const bool is_plain = search->symmetry == FLIP_PLAIN && search->last->family->is_measured;
    const int64_t usual = is_plain ? flip_find_settings(size)->device_islands : 0;
    search->island_count =
        or_default(options->islands, or_default(usual, FLIP_DEVICE_MULTIPROCESSORS * search->last->resident));
    if (search->island_count < 1 || search->island_count > 1 << 16)
        BASE_TRY(base_fail(context, BASE_USAGE, "--islands is from 1 to 65536"));
    search->islands = base_alloc_zero(context, search->island_count, sizeof *search->islands);
    search->pooled = base_alloc(context, search->island_count, sizeof *search->pooled);
    if (search->islands == NULL || search->pooled == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < search->island_count; k++) {
        const int start = search->rules.start;
        search->islands[k] = (flip_gpu_island){.rank = start, .best = start};
        search->pooled[k] = start;
    }
    BASE_TRY(open_parts(context, devices, search));
done:
    if (status != BASE_OK) {
        flip_device_close(search);
        *result = NULL;
    }
    return status;
}

void flip_device_close(flip_device_search *search) {
    if (search == NULL)
        return;
    for (int k = 0; search->parts != NULL && k < search->part_count; k++) {
        device_part *part = &search->parts[k];
        base_device_buffer *buffers[] = {&part->islands, &part->factors, &part->random,
                                         &part->since,   &part->saved,   &part->first};
        for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
            base_device_free(buffers[b]);
        base_device_module_close(part->module);
        base_device_stream_close(part->stream);
    }
    free(search->parts);
    free(search->islands);
    free(search->pooled);
    free(search->first);
    free(search->terms);
    free(search);
}
