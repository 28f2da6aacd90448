/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks on flip graphs on a true GPU: every kernel gets to known ranks with schemes that are right, and does
 * the same for one device and for all of them, and for rounds that start anew from what the host holds. */
#include "base/core/random.h"
#include "flip/job/device_work.h"
#include "flip/scheme/cyclic.h"
#include "flip/scheme/verify.h"
#include "tests/support/gpu_devices.h"

#include <stdlib.h>
#include <string.h>

/* With MMPIPE_GPU_QUICK, for tools that take a thousand times the time: small launches, just one of them
 * where no rank is sought, with two looks for reductions. */
enum { QUICK_ISLANDS = 5, QUICK_CHUNKS = 2, QUICK_REDUCE_AFTER = 32 };

static base_context context;
static base_devices *devices;

static const char *const symmetry_name[] = {"", ", cyclic", ", reversed"};

static bool good(base_status status) {
    if (status != BASE_OK)
        tap_note("status %d: %s", status, context.error.cause);
    return status == BASE_OK;
}

static bool make_standard(const int64_t size[3], flip_scheme *scheme) {
    const int64_t n = size[0], m = size[1], p = size[2];
    if (!good(flip_scheme_alloc(&context, size, n * m * p, scheme)))
        return false;
    for (int64_t r = 0; r < n * m * p; r++) {
        const int64_t i = r / (m * p), j = r / p % m, k = r % p;
        scheme->factor[0][r * n * m + i * m + j] = 1;
        scheme->factor[1][r * m * p + j * p + k] = 1;
        scheme->factor[2][r * n * p + i * p + k] = 1;
    }
    return true;
}

/* What a search with these options finds: its least rank, and one scheme of it. */
static int64_t search_on(base_devices *on, const flip_device_options *device_options, const int64_t size[3],
                         const flip_search_options *options, uint64_t *masks) {
    flip_scheme scheme = {0};
    flip_pools found = {0};
    const base_identity identity = {.text = "test"};
    flip_work work = {.identity = &identity};
    flip_work_devices it = {.devices = on, .options = options, .device_options = device_options};
    const flip_work_method method = flip_work_on_devices(&it);
    mm_record record;
    int64_t rank = -1;
    bool reached;
    mm_record_init(&record);
    if (make_standard(size, &scheme) &&
        (device_options->symmetry == FLIP_PLAIN || good(flip_cyclic_start(&context, NULL, false, &scheme))) &&
        good(flip_scheme_to_record(&context, &scheme, &record)) && good(flip_work_open(&context, &work)) &&
        good(flip_work_search(&context, &work, &record, &scheme, options->keep, &method, &found, &reached))) {
        rank = flip_pools_least(&found);
        memcpy(masks, flip_pools_get(&found, rank, 0), (size_t)(3 * rank) * sizeof *masks);
    }
    flip_work_close(&work);
    flip_pools_close(&found);
    flip_scheme_free(&scheme);
    mm_record_free(&record);
    return rank;
}

static void test_rank(const char *kernel, flip_symmetry symmetry, const int64_t size[3], int64_t target) {
    if (!gpu_case())
        return;
    const bool is_lanes = kernel == NULL || strcmp(kernel, "flip-lanes") == 0;
    const flip_device_options device_options = {
        .kernel = kernel, .symmetry = symmetry, .chunks = gpu_quick() ? QUICK_CHUNKS : 0};
    flip_search_options options = {.steps = is_lanes ? INT64_C(60000000000) : INT64_C(4000000000), .keep = 1};
    if (gpu_quick()) { /* the first reductions */
        const int64_t start = size[0] * size[1] * size[2];
        target = start - 2 > target ? start - 2 : target;
        options.islands = QUICK_ISLANDS;
        options.steps = 10000000;
        options.reduce_after = QUICK_REDUCE_AFTER;
    }
    options.target = target;
    uint64_t masks[3 * FLIP_LARGEST_RANK];
    const int64_t rank = search_on(devices, &device_options, size, &options, masks);
    tap_ok(rank >= 0 && rank <= target && flip_verify_masks(size, rank, masks), "%s%s %dx%dx%d: rank %d",
           kernel == NULL ? "default" : kernel, symmetry_name[symmetry], (int)size[0], (int)size[1],
           (int)size[2], (int)rank);
}

/* The same steps again, and on one device instead of all. */
static void test_repetition(const char *kernel, flip_symmetry symmetry, const int64_t size[3]) {
    if (!gpu_case())
        return;
    const flip_device_options device_options = {
        .kernel = kernel, .symmetry = symmetry, .chunks = gpu_quick() ? QUICK_CHUNKS : 0};
    flip_search_options options = {.steps = 20000000, .keep = 1, .islands = 37};
    if (gpu_quick()) {
        options.steps = 1;
        options.islands = size[0] * size[1] * size[2] < 200 ? QUICK_ISLANDS : 2;
        options.reduce_after = QUICK_REDUCE_AFTER;
    }
    uint64_t masks[3][3 * FLIP_LARGEST_RANK];
    int64_t rank[3];
    base_devices *first = NULL;
    bool ok = good(base_devices_open(&context, BASE_DEVICE_CUDA, (int[]){0}, 1, &first));
    for (int k = 0; ok && k < 3; k++)
        rank[k] = search_on(k < 2 ? devices : first, &device_options, size, &options, masks[k]);
    for (int k = 1; ok && k < 3; k++)
        ok = rank[0] > 0 && rank[k] == rank[0] &&
             memcmp(masks[k], masks[0], (size_t)(3 * rank[0]) * sizeof *masks[0]) == 0;
    tap_ok(ok, "%s%s %dx%dx%d: the same again, and on one device", kernel == NULL ? "default" : kernel,
           symmetry_name[symmetry], (int)size[0], (int)size[1], (int)size[2]);
    base_devices_close(first);
}

/* Formats whose standard schemes take the variants of kernels/flip/lane_variants.h and warp_variants.h that
 * no other case begins with. */
static const struct {
    const char *kernel;
    flip_symmetry symmetry;
    int64_t size[3];
} other_variants[] = {
    {"flip-lanes", FLIP_PLAIN, {3, 4, 4}},  {"flip-lanes", FLIP_PLAIN, {4, 4, 5}},
    {"flip-lanes", FLIP_PLAIN, {4, 5, 5}},  {"flip-lanes", FLIP_CYCLIC, {4, 4, 4}},
    {"flip-lanes", FLIP_CYCLIC, {8, 8, 8}}, {"flip-match", FLIP_PLAIN, {5, 5, 5}},
    {"flip-list", FLIP_PLAIN, {5, 5, 5}},   {"flip-match", FLIP_PLAIN, {6, 6, 1}},
    {"flip-list", FLIP_PLAIN, {6, 6, 1}},   {"flip-list", FLIP_PLAIN, {3, 6, 8}},
    {"flip-list", FLIP_PLAIN, {4, 8, 8}},
};

int main(void) {
    base_context_init(&context);
    if (!gpu_devices_open(&context, &devices)) {
        base_devices_close(devices);
        return tap_done();
    }
    static const char *const kernels[] = {"flip-lanes", "flip-match", "flip-list"};
    for (int k = 0; k < 3; k++) {
        test_rank(kernels[k], FLIP_PLAIN, (int64_t[]){2, 2, 2}, 7);
        test_rank(kernels[k], FLIP_PLAIN, (int64_t[]){3, 3, 3}, 23);
        test_rank(kernels[k], FLIP_PLAIN, (int64_t[]){4, 4, 4}, k == 0 ? 49 : 54);
        test_repetition(kernels[k], FLIP_PLAIN, (int64_t[]){3, 4, 5});
    }
    test_rank(NULL, FLIP_PLAIN, (int64_t[]){4, 4, 4}, 47);
    if (gpu_quick()) { /* few islands find no reduction of these soon */
        test_repetition(NULL, FLIP_PLAIN, (int64_t[]){5, 5, 5});
        test_repetition("flip-match", FLIP_PLAIN, (int64_t[]){3, 6, 8});
        test_repetition("flip-match", FLIP_PLAIN, (int64_t[]){4, 8, 8});
    } else {
        test_rank(NULL, FLIP_PLAIN, (int64_t[]){5, 5, 5}, 115);
        test_rank("flip-match", FLIP_PLAIN, (int64_t[]){3, 6, 8}, 143);
        test_rank("flip-match", FLIP_PLAIN, (int64_t[]){4, 8, 8}, 255);
    }
    test_rank(NULL, FLIP_CYCLIC, (int64_t[]){5, 5, 5}, 105);
    test_repetition("flip-lanes", FLIP_CYCLIC, (int64_t[]){5, 5, 5});
    test_rank(NULL, FLIP_CYCLIC, (int64_t[]){6, 6, 6}, 190);
    test_rank(NULL, FLIP_REVERSED, (int64_t[]){4, 4, 4}, 52);
    test_rank(NULL, FLIP_REVERSED, (int64_t[]){6, 6, 6}, 180);
    if (gpu_quick())
        test_repetition(NULL, FLIP_REVERSED, (int64_t[]){8, 8, 8});
    else
        test_rank(NULL, FLIP_REVERSED, (int64_t[]){8, 8, 8}, 500);
    test_repetition("flip-lanes", FLIP_REVERSED, (int64_t[]){6, 6, 6});
    for (size_t k = 0; k < sizeof other_variants / sizeof *other_variants; k++)
        test_repetition(other_variants[k].kernel, other_variants[k].symmetry, other_variants[k].size);
    base_devices_close(devices);
    return tap_done();
}
