/* SPDX-License-Identifier: BSD-3-Clause */
/* Times searches on flip graphs over F2 on the GPUs of this machine.
 *
 *     bench_gpu_flip rate FORMAT RANK… [KEY=VALUE…]   real flips a second of schemes that stay at these ranks
 *     bench_gpu_flip time FORMAT RANK [KEY=VALUE…]    seconds to this rank from the standard algorithm
 *
 * Keys: seeds, first (of them), way (cyclic: to the schemes whose rates are taken), limit (seconds of each
 * search), kernel, cyclic, reversed, cubes (sizes of merged fixed terms, 221), save (a file for what was
 * found), chunks, and from flip_search_options islands, low_rank, plus_after, plus_after_low, reduce_after,
 * plus_limit, step_back, walk, sink_rank, sink_budget, sink_back, budget, budget_low. Times begin when the
 * device has its code, and end when the scheme has been multiplied out on the host. */
#include "base/device/device.h"
#include "base/run/progress.h"
#include "flip/device/device.h"
#include "flip/scheme/cyclic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 100, MOST_RANKS = 16 };

static base_context context;
static base_devices *devices;
static flip_device_options device_options;
static flip_search_options options = {.keep = 1};
static int64_t size[3], seeds = 1, first_seed = 1;
static double limit = 10;
static bool way_is_cyclic; /* to the schemes whose rates are taken */
static const char *cubes, *save;

static base_status make_start(flip_scheme *scheme) {
    const int64_t n = size[0], m = size[1], p = size[2];
    int64_t sizes[8], count = 0;
    flip_scheme standard = {0};
    base_status status = flip_scheme_alloc(&context, size, n * m * p, &standard);
    for (int64_t r = 0; status == BASE_OK && r < n * m * p; r++) {
        const int64_t i = r / (m * p), j = r / p % m, k = r % p;
        standard.factor[0][r * n * m + i * m + j] = 1;
        standard.factor[1][r * m * p + j * p + k] = 1;
        standard.factor[2][r * n * p + i * p + k] = 1;
    }
    if (status != BASE_OK || device_options.symmetry == FLIP_PLAIN) {
        *scheme = standard;
        return status;
    }
    for (const char *digit = cubes; digit != NULL && *digit != 0 && count < 8; digit++)
        sizes[count++] = *digit - '0';
    status = flip_cyclic_merge(&context, &standard, cubes != NULL ? sizes : NULL, count, scheme);
    flip_scheme_free(&standard);
    return status;
}

typedef struct outcome {
    int64_t rank, flips;
    double seconds, open_seconds;
} outcome;

/* A pool with one scheme. */
static base_status make_pools(int64_t rank, const uint64_t *masks, flip_pools *pools) {
    base_status status = flip_pools_open(&context, rank, 64, pools);
    return status == BASE_OK ? flip_pools_add(&context, pools, rank, masks) : status;
}

/* From the standard algorithm to a rank; the scheme found goes to `masks`, which may be NULL. */
static base_status reach(int64_t target, outcome *it, uint64_t *masks) {
    base_status status = BASE_OK;
    flip_scheme scheme = {0};
    flip_pools pools = {0};
    flip_device_search *search = NULL;
    flip_search_options wanted = options;
    uint64_t first[3 * FLIP_LARGEST_RANK];
    const double start = base_clock_seconds();
    int64_t told = INT64_MAX;
    wanted.target = target;
    wanted.is_limited = true;
    BASE_TRY(make_start(&scheme));
    BASE_TRY(make_pools(flip_scheme_get_masks(&scheme, first), first, &pools));
    BASE_TRY(flip_device_open(&context, devices, size, &pools, &wanted, &device_options, &search));
    const double begun = base_clock_seconds();
    it->open_seconds = begun - start;
    do {
        BASE_TRY(flip_device_run(&context, search, &pools));
        it->seconds = base_clock_seconds() - begun;
        it->rank = flip_pools_least(&pools);
        if (getenv("BENCH_VERBOSE") != NULL && it->rank != told) {
            char line[256];
            flip_device_describe(search, line, sizeof line);
            printf("    %7.3f s rank %" PRId64 ", %s, %s\n", it->seconds, it->rank, line,
                   flip_device_variant(search));
            fflush(stdout);
        }
        told = it->rank;
    } while (it->rank > target && it->seconds < limit);
    it->flips = flip_device_flips(search);
    if (masks != NULL)
        memcpy(masks, flip_pools_get(&pools, it->rank, 0), (size_t)(3 * it->rank) * sizeof *masks);
    if (save != NULL)
        BASE_TRY(flip_pools_save(&context, &(base_checkpoint){.path = save}, size, &pools));
done:
    flip_device_close(search);
    flip_pools_close(&pools);
    flip_scheme_free(&scheme);
    return status;
}

static base_status time_rate(int64_t rank) {
    enum { LAUNCHES = 16, WAYS = 8 };
    base_status status = BASE_OK;
    outcome it = {0};
    flip_pools pools = {0};
    flip_device_search *search = NULL;
    flip_device_options hold = device_options;
    flip_search_options wanted = options;
    uint64_t masks[3 * FLIP_LARGEST_RANK];
    device_options.kernel = NULL; /* the way there is not what is timed */
    device_options.symmetry = way_is_cyclic ? FLIP_CYCLIC : hold.symmetry;
    for (int k = 0; k < WAYS && status == BASE_OK && it.rank != rank; k++) { /* one may pass the rank by */
        context.seed = (uint64_t)(first_seed + k);
        status = reach(rank, &it, masks);
    }
    device_options = hold;
    BASE_TRY(status);
    hold.hold = true;
    wanted.is_limited = true;
    BASE_TRY(make_pools(it.rank, masks, &pools));
    BASE_TRY(flip_device_open(&context, devices, size, &pools, &wanted, &hold, &search));
    BASE_TRY(flip_device_run(&context, search, &pools));
    const int64_t flips = flip_device_flips(search), steps = flip_device_steps(search);
    const double start = base_clock_seconds();
    for (int k = 0; k < LAUNCHES; k++)
        BASE_TRY(flip_device_run(&context, search, &pools));
    const double seconds = base_clock_seconds() - start, made = (double)(flip_device_flips(search) - flips),
                 all = (double)(flip_device_steps(search) - steps);
    printf("RATE rank %3" PRId64 " (%" PRId64 "): %9.3g flips/s, %9.3g steps/s, %5.3f flips a step, %s\n",
           rank, it.rank, made / seconds, all / seconds, made / all, flip_device_variant(search));
    fflush(stdout);
done:
    flip_device_close(search);
    flip_pools_close(&pools);
    return status;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static base_status time_seeds(const char *format, int64_t target) {
    base_status status = BASE_OK;
    double seconds[MOST_SEEDS];
    int64_t reached = 0;
    for (int64_t k = 0; k < seeds; k++) {
        outcome it = {0};
        context.seed = (uint64_t)(first_seed + k);
        BASE_TRY(reach(target, &it, NULL));
        reached += it.rank <= target;
        seconds[k] = it.seconds;
        printf("%s seed %" PRId64 ": rank %" PRId64 " %.3f s, %.3g flips, %.3g flips/s (start %.3f s)\n",
               format, first_seed + k, it.rank, it.seconds, (double)it.flips, (double)it.flips / it.seconds,
               it.open_seconds);
        fflush(stdout);
    }
    qsort(seconds, (size_t)seeds, sizeof *seconds, compare);
    printf("TIME %s to rank %" PRId64 ": %" PRId64 " of %" PRId64 " seeds, median %.3f s, worst %.3f s\n",
           format, target, reached, seeds, (seconds[(seeds - 1) / 2] + seconds[seeds / 2]) / 2,
           seconds[seeds - 1]);
    fflush(stdout);
done:
    return status;
}

static bool set_key(const char *text) {
    const char *value = strchr(text, '=');
    const struct {
        const char *name;
        int64_t *place;
    } integers[] = {{"seeds", &seeds},
                    {"first", &first_seed},
                    {"chunks", &device_options.chunks},
                    {"islands", &options.islands},
                    {"low_rank", &options.low_rank},
                    {"plus_after", &options.plus_after},
                    {"plus_after_low", &options.plus_after_low},
                    {"reduce_after", &options.reduce_after},
                    {"plus_limit", &options.plus_limit},
                    {"step_back", &options.step_back},
                    {"walk", &options.walk},
                    {"sink_rank", &options.sink_rank},
                    {"sink_budget", &options.sink_budget},
                    {"sink_back", &options.sink_back},
                    {"budget", &options.budget},
                    {"budget_low", &options.budget_low}};
    const size_t length = (size_t)(value++ - text);
    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++)
        if (strlen(integers[k].name) == length && strncmp(integers[k].name, text, length) == 0) {
            *integers[k].place = (int64_t)atof(value);
            return seeds >= 1 && seeds <= MOST_SEEDS;
        }
    if (strncmp(text, "limit=", 6) == 0)
        limit = atof(value);
    else if (strncmp(text, "kernel=", 7) == 0)
        device_options.kernel = value;
    else if (strncmp(text, "cyclic=", 7) == 0)
        device_options.symmetry = atoi(value) != 0 ? FLIP_CYCLIC : FLIP_PLAIN;
    else if (strncmp(text, "reversed=", 9) == 0)
        device_options.symmetry = atoi(value) != 0 ? FLIP_REVERSED : FLIP_PLAIN;
    else if (strncmp(text, "way=", 4) == 0)
        way_is_cyclic = strcmp(value, "cyclic") == 0;
    else if (strncmp(text, "cubes=", 6) == 0)
        cubes = value;
    else if (strncmp(text, "save=", 5) == 0)
        save = value;
    else
        return false;
    return true;
}

int main(int argc, char **argv) {
    base_status status = BASE_OK;
    int64_t ranks[MOST_RANKS];
    int count = 0;
    base_context_init(&context);
    if (argc < 4 || sscanf(argv[2], "%" SCNd64 "x%" SCNd64 "x%" SCNd64, &size[0], &size[1], &size[2]) != 3) {
        fprintf(stderr, "usage: bench_gpu_flip rate|time FORMAT RANK... [KEY=VALUE...]\n");
        return BASE_USAGE;
    }
    for (int k = 3; k < argc; k++)
        if (strchr(argv[k], '=') == NULL && count < MOST_RANKS)
            ranks[count++] = atoll(argv[k]);
        else if (strchr(argv[k], '=') == NULL || !set_key(argv[k])) {
            fprintf(stderr, "bench_gpu_flip: %s?\n", argv[k]);
            return BASE_USAGE;
        }
    BASE_TRY(base_devices_open(&context, BASE_DEVICE_CUDA, NULL, 0, &devices));
    for (int k = 0; k < base_devices_count(devices); k++)
        BASE_TRY(base_device_start(&context, base_devices_get(devices, k)));
    for (int k = 0; k < count; k++)
        BASE_TRY(strcmp(argv[1], "rate") == 0 ? time_rate(ranks[k]) : time_seeds(argv[2], ranks[k]));
done:
    base_devices_close(devices);
    if (status != BASE_OK)
        fprintf(stderr, "bench_gpu_flip: %s\n", context.error.cause);
    return (int)status;
}
