/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/frontier/device.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/chunks/work.h"
#include "perm/frontier/gpu.h"
#include "perm/frontier/scale.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin perm_frontier_gpu_fatbin;

/* Of a launch: 0.1 to 0.4 s on an H200. */
static const double most_transitions = 0x1p33;

bool perm_frontier_device_is_built(void) {
    return base_device_has_code(&perm_frontier_gpu_fatbin);
}

typedef struct run {
    base_context *context;
    base_device *device;
    const perm_schedule *schedule;
    perm_work *work; /* may be NULL */
    perm_numbers numbers;
    perm_frontier_scale scale;
    base_device_module *module;
    base_device_function start, kernel;
    base_device_buffer tables, given, exponent; /* `given`: a step */
    base_device_buffer starts[2], values[2];    /* of even and odd layers */
    frontier_gpu_step *step;
} run;

static void fill_tables(frontier_gpu_tables *tables) {
    for (int n = 0; n < 64; n++)
        for (int k = 0; k < 64; k++)
            tables->binomial[n][k] = k == 0  ? 1
                                     : k > n ? 0
                                             : tables->binomial[n - 1][k - 1] + tables->binomial[n - 1][k];
    for (int bits = 0, at = 0; bits <= FRONTIER_GPU_LOW + 1; bits++) {
        tables->first[bits] = at;
        for (int set = 0; set < 1 << FRONTIER_GPU_LOW && bits <= FRONTIER_GPU_LOW; set++)
            if (__builtin_popcount((unsigned)set) == bits) {
                tables->rank[set] = (unsigned short)(at - tables->first[bits]);
                tables->set[at++] = (unsigned short)set;
            }
    }
}

static base_status upload_tables(run *r) {
    base_status status;
    frontier_gpu_tables *tables = base_alloc(r->context, 1, sizeof *tables);
    if (tables == NULL)
        return BASE_MACHINE;
    fill_tables(tables);
    BASE_TRY(base_device_alloc(r->context, r->device, 1, sizeof *tables, &r->tables));
    BASE_TRY(base_device_upload(r->context, &r->tables, 0, tables, sizeof *tables, NULL));
done:
    free(tables);
    return status;
}

static const char *kernel_name(const perm_numbers *numbers) {
#define NAME(name, kind, parts, words) [kind][parts - 1][words - 1] = #name,
    static const char *const names[2][3][FRONTIER_GPU_WORDS] = {FRONTIER_GPU_KERNELS(NAME)};
#undef NAME
    switch (numbers->kind) {
    case PERM_FRONTIER_REAL:
    case PERM_FRONTIER_SIGNED:
    case PERM_FRONTIER_COMPLEX: return names[FRONTIER_DOUBLES][numbers->stride - 1][0];
    case PERM_FRONTIER_COMPLEX_LIMBS: return names[FRONTIER_WORDS][1][numbers->limbs - 1];
    default: return names[FRONTIER_WORDS][0][numbers->limbs - 1];
    }
}

static base_status open_run(run *r, const perm_matrix *matrix, perm_arithmetic arithmetic) {
    base_status status;
    base_context *context = r->context;
    int64_t values[2] = {1, 1}, starts[2] = {1, 1};
    perm_numbers_plan(r->schedule, arithmetic, &r->numbers);
    BASE_TRY(perm_numbers_load(context, matrix, &r->numbers));
    BASE_TRY(perm_frontier_scale_init(context, r->schedule->n, &r->scale));
    r->step = base_alloc_zero(context, 1, sizeof *r->step);
    BASE_TRY(r->step != NULL ? BASE_OK : BASE_MACHINE);
    for (int64_t k = 0; k <= r->schedule->n; k++) {
        const perm_layer_sizes sizes = perm_layer_get_sizes(r->schedule, k);
        values[k % 2] = (int64_t)sizes.states > values[k % 2] ? (int64_t)sizes.states : values[k % 2];
        starts[k % 2] = sizes.starts > starts[k % 2] ? sizes.starts : starts[k % 2];
    }
    BASE_TRY(base_device_load_fatbin(context, r->device, &perm_frontier_gpu_fatbin, &r->module));
    BASE_TRY(base_device_get_function(context, r->module, "frontier_gpu_start", &r->start));
    BASE_TRY(base_device_get_function(context, r->module, kernel_name(&r->numbers), &r->kernel));
    BASE_TRY(upload_tables(r));
    BASE_TRY(base_device_alloc(context, r->device, 1, sizeof *r->step, &r->given));
    BASE_TRY(base_device_alloc(context, r->device, 1, sizeof(int), &r->exponent));
    for (int side = 0; side < 2; side++) {
        BASE_TRY(base_device_alloc(context, r->device, starts[side], 8, &r->starts[side]));
        BASE_TRY(
            base_device_alloc(context, r->device, values[side], r->numbers.value_bytes, &r->values[side]));
    }
done:
    return status;
}

static void close_run(run *r) {
    for (int side = 0; side < 2; side++) {
        base_device_free(&r->starts[side]);
        base_device_free(&r->values[side]);
    }
    base_device_free(&r->tables);
    base_device_free(&r->given);
    base_device_free(&r->exponent);
    base_device_module_close(r->module);
    free(r->step);
    perm_frontier_scale_free(&r->scale);
    perm_numbers_free(&r->numbers);
}

static unsigned blocks_for(const run *r, int64_t most) {
    const int64_t blocks = 32 * (int64_t)base_device_get_properties(r->device)->multiprocessors;
    return (unsigned)(most < blocks ? most : blocks);
}

static base_status make_starts(run *r, int64_t k) {
    const perm_layer_sizes sizes = perm_layer_get_sizes(r->schedule, k);
    long long count = sizes.starts;
    int used = sizes.used;
    const base_device_launch_config launch = {
        .grid = {blocks_for(r, (count + FRONTIER_GPU_THREADS - 1) / FRONTIER_GPU_THREADS)},
        .block = {FRONTIER_GPU_THREADS}};
    return base_device_launch(r->context, &r->start, &launch, NULL,
                              (void *[]){&r->tables.address, &used, &count, &r->starts[k % 2].address});
}

/* The factors of integers as words modulo 2^(64 limbs). */
static void put_words(const perm_limbs *limbs, int64_t count, uint64_t *words) {
    uint64_t carry = limbs->negative;
    for (int64_t k = 0; k < count; k++) {
        const uint64_t word = k < limbs->count ? limbs->limb[k] : 0;
        words[k] = limbs->negative ? ~word + carry : word;
        carry = carry && words[k] == 0;
    }
}

static void put_factor(const perm_numbers *numbers, int64_t entry, int shift, void *factor) {
    const int64_t parts = numbers->kind == PERM_FRONTIER_COMPLEX_LIMBS ? 2 : 1;
    if (numbers->unit != 0)
        perm_numbers_factor(numbers, entry, shift, factor);
    for (int64_t part = 0; part < parts && numbers->unit == 0; part++)
        put_words(&numbers->factors[parts * entry + part], numbers->limbs,
                  (uint64_t *)factor + part * numbers->limbs);
}

static void fill_step(run *r, int64_t k) {
    frontier_gpu_step *step = r->step;
    const perm_schedule *schedule = r->schedule;
    const perm_layer_sizes before = perm_layer_get_sizes(schedule, k),
                           after = perm_layer_get_sizes(schedule, k + 1);
    const int64_t first = schedule->entry_start[k], last = schedule->close_start[k + 1];
    const int shift = perm_frontier_scale_shift(&r->scale, &r->numbers);
    step->open_before = before.open;
    step->open = after.open;
    step->used = after.used;
    step->states_before = (long long)before.states;
    step->states = (long long)after.states;
    step->entry_count = (int)(schedule->entry_start[k + 1] - first);
    step->close_count = (int)(last - schedule->close_start[k]);
    for (int i = 0; i < step->close_count; i++)
        step->close[i] = schedule->close[last - 1 - i];
    for (int i = 0; i < step->entry_count; i++) {
        step->bit[i] = schedule->bit[first + i];
        put_factor(&r->numbers, schedule->entry[first + i], shift,
                   (char *)step->factor + i * r->numbers.value_bytes);
    }
}

/* A signal and --max-time stop the run; nothing of it can be kept, so it goes on beyond --time-limit. */
static base_status look(run *r) {
    const bool stop = base_is_stopping(r->context) || base_is_overdue(r->context);
    return stop ? perm_work_pause(r->context, r->work) : BASE_OK;
}

/* The sets from step->first to step->end. *exponent: the largest so far. */
static base_status take_piece(run *r, int64_t k, int *exponent) {
    base_status status;
    base_context *context = r->context;
    const int from = k % 2, to = 1 - from;
    const base_device_launch_config launch = {.grid = {blocks_for(r, r->step->end - r->step->first)},
                                              .block = {FRONTIER_GPU_THREADS}};
    BASE_TRY(base_device_upload(context, &r->given, 0, r->step, sizeof *r->step, NULL));
    BASE_TRY(base_device_launch(context, &r->kernel, &launch, NULL,
                                (void *[]){&r->tables.address, &r->given.address, &r->starts[from].address,
                                           &r->starts[to].address, &r->values[from].address,
                                           &r->values[to].address, &r->exponent.address}));
    BASE_TRY(base_device_download(context, &r->exponent, 0, exponent, sizeof *exponent, NULL));
    BASE_TRY(look(r));
done:
    return status;
}

static base_status take_step(run *r, int64_t k) {
    base_status status = BASE_OK;
    base_context *context = r->context;
    const perm_layer_sizes after = perm_layer_get_sizes(r->schedule, k + 1);
    int exponent = INT_MIN;
    if (after.states > 0) {
        fill_step(r, k);
        BASE_TRY(base_device_upload(context, &r->exponent, 0, &exponent, sizeof exponent, NULL));
        BASE_TRY(make_starts(r, k + 1));
        const double pieces = after.states * (double)(r->step->entry_count + 1) / most_transitions;
        const int64_t piece = (int64_t)((double)after.starts / (pieces > 1 ? pieces : 1)) + 1;
        for (int64_t first = 0; first < after.starts; first += piece) {
            r->step->first = first;
            r->step->end = after.starts - first < piece ? after.starts : first + piece;
            BASE_TRY(take_piece(r, k, &exponent));
        }
    }
    perm_frontier_scale_add(&r->scale, &r->numbers, r->schedule, k,
                            after.states * (double)r->step->entry_count, exponent);
done:
    return status;
}

base_status perm_frontier_device_run(base_context *context, base_device *device, const perm_matrix *matrix,
                                     const perm_schedule *schedule, perm_arithmetic arithmetic,
                                     perm_work *work, perm_value *value, perm_frontier_stats *stats) {
    base_status status;
    run r = {.context = context, .device = device, .schedule = schedule, .work = work};
    perm_frontier_device_cost cost;
    uint64_t one[2 * FRONTIER_GPU_WORDS], last[2 * FRONTIER_GPU_WORDS];
    perm_frontier_device_price(schedule, arithmetic, &cost);
    if (cost.reason != NULL)
        BASE_TRY(base_fail(context, BASE_FAILED, "%s", cost.reason));
    base_progress_start(context, "frontier", (int64_t)cost.transitions, "transitions");
    BASE_TRY(open_run(&r, matrix, arithmetic));
    perm_numbers_one(&r.numbers, one);
    BASE_TRY(base_device_upload(context, &r.values[0], 0, one, r.numbers.value_bytes, NULL));
    BASE_TRY(make_starts(&r, 0));
    for (int64_t k = 0; k < schedule->n; k++) {
        BASE_TRY(take_step(&r, k));
        BASE_TRY(look(&r));
        base_progress_add(context, (int64_t)(cost.transitions / (double)schedule->n));
    }
    BASE_TRY(base_device_download(context, &r.values[schedule->n % 2], 0, last, r.numbers.value_bytes, NULL));
    perm_frontier_scale_finish(&r.scale, &r.numbers, last, value);
    *stats = (perm_frontier_stats){.states = cost.states,
                                   .peak_states = schedule->bound.peak_states,
                                   .transitions = cost.transitions,
                                   .peak_bytes = (int64_t)cost.bytes,
                                   .limbs = r.numbers.limbs};
done:
    base_progress_finish(context);
    close_run(&r);
    return status;
}
