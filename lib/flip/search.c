#include "base/memory.h"
#include "base/progress.h"
#include "flip/known.h"
#include "flip/search_private.h"
#include "flip/verify.h"
#include "flip/walk.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_default(int64_t *value, int64_t fallback) {
    if (*value == 0)
        *value = fallback;
}

static void set_defaults(flip_search_options *options, const int64_t size[3]) {
    int64_t known = flip_known_rank(size, FLIP_F2, NULL);
    if (options->steps == 0 && options->seconds <= 0)
        set_default(&options->target, known);
    set_default(&options->keep, 1);
    set_default(&options->islands, 16);
    set_default(&options->walkers, 16);
    set_default(&options->plus_after, 3000);
    set_default(&options->plus_after_low, 300);
    set_default(&options->low_rank, known > 0 ? known + 7 : 0);
    set_default(&options->budget, 2000000);
    set_default(&options->budget_low, 30000000);
    set_default(&options->plus_limit, 3);
    set_default(&options->step_back, 4);
    set_default(&options->reduce_after, 1024);
    if (options->reduce_after < FLIP_CHUNK_STEPS)
        options->reduce_after = FLIP_CHUNK_STEPS;
}

base_status flip_search_open(base_context *context, const flip_scheme *scheme,
                             const flip_search_options *options, flip_search **result) {
    base_status status = BASE_OK;
    uint64_t *masks = NULL;
    flip_search *search = base_alloc_zero(context, 1, sizeof *search);
    *result = search;
    if (search == NULL)
        return BASE_MACHINE;
    search->options = *options;
    set_defaults(&search->options, scheme->size);
    memcpy(search->size, scheme->size, sizeof search->size);
    if (search->options.target + search->options.steps == 0 && search->options.seconds <= 0)
        BASE_TRY(
            base_fail(context, BASE_USAGE, "no rank is known for this format: give a target or a limit"));
    if (!flip_fits_masks(scheme->size))
        BASE_TRY(base_fail(context, BASE_FAILED, "a factor has more than %d entries", FLIP_MASK_BITS));
    masks = base_alloc(context, 3 * scheme->rank, sizeof *masks);
    if (masks == NULL)
        BASE_TRY(BASE_MACHINE);
    search->start_rank = flip_scheme_get_masks(scheme, masks);
    if (scheme->denominator % 2 == 0 || !flip_verify_masks(scheme->size, search->start_rank, masks))
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme is wrong over F2"));
    if (search->start_rank > FLIP_LARGEST_RANK)
        BASE_TRY(base_fail(context, BASE_FAILED, "a rank beyond %d", FLIP_LARGEST_RANK));
    search->options.islands = search->options.islands < 1 ? 1 : search->options.islands;
    if (search->options.walkers > FLIP_MOST_WALKERS || search->options.islands > 1 << 16)
        BASE_TRY(base_fail(context, BASE_USAGE, "at most %d walkers in each of at most 65536 islands",
                           FLIP_MOST_WALKERS));
    search->pool = (flip_pool){search->start_rank, 0, search->options.keep, NULL};
    search->pool.masks = base_alloc(context, 3 * search->start_rank * search->options.keep, sizeof *masks);
    search->islands = base_alloc_zero(context, search->options.islands, sizeof *search->islands);
    if (search->pool.masks == NULL || search->islands == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < search->options.islands; k++)
        BASE_TRY(flip_island_open(context, search, masks, k, &search->islands[k]));
    flip_pool_add(&search->pool, search->start_rank, masks);
done:
    free(masks);
    if (status != BASE_OK) {
        flip_search_close(search);
        *result = NULL;
    }
    return status;
}

void flip_search_close(flip_search *search) {
    if (search == NULL)
        return;
    for (int64_t k = 0; search->islands != NULL && k < search->options.islands; k++)
        flip_island_close(&search->islands[k]);
    free(search->islands);
    free(search->pool.masks);
    free(search);
}

/* Takes what the islands found, in their order, each scheme multiplied out first. */
static base_status gather(base_context *context, flip_search *search) {
    search->flips = 0;
    for (int64_t k = 0; k < search->options.islands; k++) {
        flip_pool *found = &search->islands[k].found;
        for (int64_t f = 0; f < found->count && found->rank <= search->pool.rank; f++) {
            uint64_t *masks = found->masks + f * 3 * found->rank;
            if (!flip_verify_masks(search->size, found->rank, masks))
                return base_fail(context, BASE_FAILED,
                                 "a walk left the tensor: this is an error of the program");
            flip_pool_add(&search->pool, found->rank, masks);
        }
        for (int64_t w = 0; w < search->options.walkers; w++)
            search->flips += search->islands[k].walkers[w].flips;
    }
    return BASE_OK;
}

static void tell(const flip_search *search, double seconds) {
    char line[200];
    int64_t least = INT64_MAX, most = 0;
    if (search->options.tell == NULL)
        return;
    for (int64_t k = 0; k < search->options.islands; k++) {
        int64_t rank = search->islands[k].rank;
        least = rank < least ? rank : least;
        most = rank > most ? rank : most;
    }
    snprintf(line, sizeof line,
             "rank %lld (%lld kept), islands at %lld to %lld, %.3g flips, %.3g flips/s, %.1f s",
             (long long)search->pool.rank, (long long)search->pool.count, (long long)least, (long long)most,
             (double)search->flips, seconds > 0 ? (double)search->flips / seconds : 0, seconds);
    search->options.tell(search->options.data, line);
}

static bool is_over(const flip_search *search, double seconds) {
    const flip_search_options *options = &search->options;
    return (search->pool.rank <= options->target && search->pool.count == search->pool.most) ||
           (options->steps > 0 && search->steps >= options->steps) ||
           (options->seconds > 0 && seconds >= options->seconds);
}

base_status flip_search_run(base_context *context, flip_search *search) {
    enum { TELL_SECONDS = 10 };
    base_status status = BASE_OK;
    double start = base_clock_seconds(), seconds = 0, told = 0;
    base_progress_start(context, "flips", 0, "flips");
    while (!is_over(search, seconds)) {
        int64_t rank = search->pool.rank, flips = search->flips;
#pragma omp parallel for schedule(dynamic) num_threads(context->threads)
        for (int64_t k = 0; k < search->options.islands; k++)
            flip_island_run(search, &search->islands[k]);
        search->steps += search->options.islands * search->options.walkers * FLIP_EPOCH_STEPS;
        BASE_TRY(gather(context, search));
        base_progress_add(context, search->flips - flips);
        seconds = base_clock_seconds() - start;
        if (search->pool.rank < rank || seconds - told > TELL_SECONDS) {
            told = seconds;
            tell(search, seconds);
        }
    }
done:
    base_progress_finish(context);
    return status;
}

int64_t flip_search_rank(const flip_search *search) {
    return search->pool.rank;
}

int64_t flip_search_count(const flip_search *search) {
    return search->pool.count;
}

int64_t flip_search_flips(const flip_search *search) {
    return search->flips;
}

base_status flip_search_get(base_context *context, const flip_search *search, int64_t index,
                            flip_scheme *scheme) {
    return flip_scheme_from_masks(context, search->size, search->pool.rank,
                                  search->pool.masks + index * 3 * search->pool.rank, scheme);
}
