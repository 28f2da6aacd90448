/* SPDX-License-Identifier: BSD-3-Clause */
/* What devices cost, over tests/fake with a device that starts and copies slowly: measured once, kept, and
 * heeded by the choices of all methods. Each case has a process of its own, since costs are read once. */
#include "base/device/costs.h"
#include "h2/dispatch/internal.h"
#include "perm/method/prices.h"
#include "spmm/plan/plan.h"
#include "spmm/problem/inspect.h"
#include "tests/fake/loader.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_MS = 700, CODE_MS = 200, RATE = 400 << 20 /* bytes a second */ };

static char cache[] = "/tmp/device_costs.XXXXXX";

/* What `choose` says in a process with these costs; NULL: those that are kept, or else assumed. */
static int choose_with(const char *costs, int (*choose)(void)) {
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (costs != NULL)
            setenv("MMPIPE_DEVICE_COSTS", costs, 1);
        _exit(choose());
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* ---- reading ---- */

static bool are_assumed(void) {
    const base_device_costs costs = base_device_read_costs();
    return !costs.is_measured && costs.start_seconds == 0.25 && costs.up_rate == 12e9 &&
           costs.down_rate == 12e9 && costs.fresh_rate == 2.5e9;
}

static void test_words(void) {
    static const char *const wrong[] = {
        "", "1", "1:2", "1:2:3x", "1:2:3:", "1:2:3:0", "1:2:3:4:5", "-1:2:3", "1:0:3", "1:2:nan"};
    tap_ok(are_assumed(), "nothing is kept yet");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        setenv("MMPIPE_DEVICE_COSTS", wrong[k], 1);
        tap_ok(are_assumed(), "'%s' is no cost", wrong[k]);
    }
    setenv("MMPIPE_DEVICE_COSTS", "1.5:2e9:3e9", 1);
    const base_device_costs costs = base_device_read_costs();
    tap_ok(costs.is_measured && costs.start_seconds == 1.5 && costs.up_rate == 2e9 && costs.down_rate == 3e9,
           "costs of the environment");
    setenv("MMPIPE_DEVICE_COSTS", "1.5:2e9:3e9:4e9", 1);
    const base_device_costs all = base_device_read_costs();
    tap_ok(all.is_measured && all.down_rate == 3e9 && all.fresh_rate == 4e9, "... with that of new memory");
}

static void test_fresh(void) {
    const base_device_costs costs = {.fresh_rate = 4e9};
    tap_ok(base_device_fresh_seconds(&costs, 8e9) == 2, "8 GB of new memory at 4 GB a second");
    tap_ok(base_device_fresh_seconds(&costs, 33e6) == 0, "a block that the C library gives out again");
}

/* ---- measuring ---- */

/* Opens, uses and closes a device; whether that was possible. */
static int use_device(void) {
    base_context context;
    base_context_init(&context);
    base_device_module *module;
    base_devices *devices = fake_open_devices(&context, 1);
    const base_status status =
        base_device_load_image(&context, base_devices_get(devices, 0), "FAKE add", "add", &module);
    base_device_module_close(module);
    base_devices_close(devices);
    return status == BASE_OK;
}

/* Fetches what a device of the same program has left, which does not take a start. */
static int fetch_left(void) {
    base_context context;
    base_context_init(&context);
    const char number[8] = "is left";
    char found[8] = "";
    int descriptor = -1;
    base_device_buffer buffer;
    base_devices *devices = fake_open_devices(&context, 1);
    base_device *device = base_devices_get(devices, 0);
    bool ok = base_device_alloc_shared(&context, device, sizeof number, 1, &buffer) == BASE_OK &&
              base_device_upload(&context, &buffer, 0, number, sizeof number, NULL) == BASE_OK &&
              base_device_export(&context, &buffer, &descriptor) == BASE_OK && descriptor >= 0;
    unsetenv("MMPIPE_FAKE_START");
    ok = ok &&
         base_device_fetch(&context, base_device_get_properties(device)->uuid, descriptor, sizeof found,
                           found) == BASE_OK &&
         memcmp(found, number, sizeof found) == 0;
    base_device_free(&buffer);
    base_devices_close(devices);
    return ok;
}

static void test_measuring(void) {
    tap_ok(choose_with("1:2:3", use_device) == 1 && choose_with(NULL, use_device) == 1, "a device is used");
    tap_ok(are_assumed(), "... but not measured: the costs were given, or its memory is too small");
    setenv("MMPIPE_FAKE_BYTES", "100000000", 1);
    char start[16], rate[16];
    snprintf(start, sizeof start, "%d", START_MS);
    snprintf(rate, sizeof rate, "%d", RATE >> 20);
    setenv("MMPIPE_FAKE_START", start, 1);
    setenv("MMPIPE_FAKE_RATE", rate, 1);
    snprintf(start, sizeof start, "%d", CODE_MS);
    setenv("MMPIPE_FAKE_CODE", start, 1);
    tap_ok(choose_with("1:2:3", use_device) == 1 && are_assumed(), "given costs are not replaced");
    tap_ok(choose_with(NULL, use_device) == 1, "a device that starts and copies slowly");
    const base_device_costs costs = base_device_read_costs();
    tap_ok(costs.is_measured && costs.start_seconds >= 1e-3 * (START_MS + CODE_MS),
           "... its start is measured, with its code: %g s", costs.start_seconds);
    tap_ok(costs.up_rate <= RATE && costs.down_rate <= RATE && costs.pinned_up <= RATE &&
               costs.pinned_down <= RATE && costs.up_rate > 0 && costs.down_rate > 0 && costs.pinned_up > 0 &&
               costs.pinned_down > 0,
           "... and its copies: %g, %g, %g, %g bytes a second", costs.up_rate, costs.down_rate,
           costs.pinned_up, costs.pinned_down);
    tap_ok(costs.fresh_rate > 1e6 && costs.fresh_rate < 1e13 && costs.fresh_rate != 2.5e9,
           "... and new memory: %g bytes a second", costs.fresh_rate);
    snprintf(start, sizeof start, "%d", 3 * START_MS);
    setenv("MMPIPE_FAKE_START", start, 1);
    setenv("MMPIPE_FAKE_RATE", "100", 1);
    tap_ok(choose_with(NULL, use_device) == 1, "the same, slower still");
    const base_device_costs kept = base_device_read_costs();
    tap_ok(memcmp(&kept, &costs, sizeof costs) == 0, "... changes nothing: the least counts");
    tap_ok(choose_with(NULL, fetch_left) == 1, "what a device has left is fetched");
    const base_device_costs after = base_device_read_costs();
    tap_ok(memcmp(&after, &costs, sizeof costs) == 0, "... its second opening is no start");
    unsetenv("MMPIPE_LIBCUDA");
    tap_ok(are_assumed(), "the driver of the system has costs of its own: none are kept");
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    unsetenv("MMPIPE_FAKE_START");
    unsetenv("MMPIPE_FAKE_CODE");
    unsetenv("MMPIPE_FAKE_RATE");
}

/* ---- choices ---- */

static double perm_start;
static int choose_perm(void) {
    return perm_prices_start_seconds(&(perm_plan_options){.started = false}, false) == perm_start;
}

static double two_seconds(const h2_matrix *matrix, const void *call, int threads) {
    (void)matrix;
    (void)call;
    (void)threads;
    return 2;
}

static h2_matrix matrix;

static void make_matrix(base_context *context) {
    enum { POINTS = 600 };
    static double point[POINTS];
    for (int i = 0; i < POINTS; i++)
        point[i] = (double)(i * 7919 % 10007) / 10007;
    if (h2_build(context, point, POINTS, 1, &h2_build_default, &matrix) != BASE_OK)
        abort();
}

/* A step that takes the processor two seconds. */
static const h2_step step = {.uploads = true, .downloads = true, .seconds = two_seconds};

static int choose_h2(void) {
    base_device_search search = {.choice = BASE_DEVICE_AUTO};
    h2_dispatch dispatch = {.devices = &search};
    return h2_dispatch_wants_device(&dispatch, &step, &matrix, NULL, 1);
}

/* Which of a stream's steps is the first of the device; 0: none of ten. */
static int find_first_h2(void) {
    base_device_search search = {.choice = BASE_DEVICE_AUTO};
    h2_dispatch dispatch = {.devices = &search};
    for (int k = 1; k <= 10; k++)
        if (h2_dispatch_wants_device(&dispatch, &step, &matrix, NULL, 1))
            return k;
    return 0;
}

/* The same where another step has started it. */
static int choose_started_h2(void) {
    base_context context;
    base_device_search search = {.choice = BASE_DEVICE_AUTO, .found = fake_open_devices(&context, 1)};
    h2_dispatch dispatch = {.devices = &search};
    const bool wants = h2_dispatch_wants_device(&dispatch, &step, &matrix, NULL, 1);
    base_devices_close(search.found);
    return wants;
}

/* 100 entries in each of 40,000 rows, and 512 columns: more than a second of a thread. */
enum { ROWS = 40000, LENGTH = 100, COLUMNS = 512 };
static spmm_problem product;
static spmm_machine machine;

static void make_product(base_context *context) {
    int64_t *start = calloc(ROWS + 1, sizeof *start);
    int32_t *index = calloc(ROWS * LENGTH, sizeof *index);
    if (start == NULL || index == NULL)
        abort();
    for (int64_t row = 0; row < ROWS; row++) {
        start[row + 1] = (row + 1) * LENGTH;
        for (int k = 0; k < LENGTH; k++)
            index[row * LENGTH + k] = (int32_t)(k * (ROWS / LENGTH) + row % (ROWS / LENGTH));
    }
    product = (spmm_problem){
        .precision = SPMM_FP64, .a = {ROWS, ROWS, (int64_t)ROWS * LENGTH, start, index, NULL}, .n = COLUMNS};
    if (spmm_inspect(context, &product) != BASE_OK)
        abort();
}

static const spmm_candidate *plan_product(spmm_plan *plan) {
    spmm_plan_price(&machine, &product, &(spmm_handling){.products = 1}, plan);
    return spmm_plan_choose(plan, NULL);
}

static int choose_spmm(void) {
    static spmm_plan plan;
    const spmm_candidate *chosen = plan_product(&plan);
    return chosen != NULL && strcmp(chosen->kernel->device, "cuda") == 0;
}

/* Prices of processors differ: so many threads that this one takes about half a second. */
static double set_threads(void) {
    static spmm_plan plan;
    double seconds = 0;
    for (machine.threads = 1; machine.threads < 1024; machine.threads++) {
        const spmm_candidate *chosen = plan_product(&plan);
        seconds = chosen->total_seconds;
        if (seconds < 0.5)
            break;
    }
    return seconds;
}

static void test_choices(void) {
    base_context context;
    const base_device_costs costs = base_device_read_costs();
    base_context_init(&context);
    perm_start = costs.start_seconds;
    tap_ok(choose_with(NULL, choose_perm) == 1, "permanents take the start that was measured");
    perm_start = 7;
    tap_ok(choose_with("7:1:1", choose_perm) == 1, "... or the one that is given");
    make_matrix(&context);
    tap_ok(choose_with("0.1:1e12:1e12", choose_h2) == 1, "H2: a device that starts soon is worth its start");
    tap_ok(choose_with("1.9:1e12:1e12", choose_h2) == 1, "... nothing is added to the start");
    tap_ok(choose_with("3:1e12:1e12", choose_h2) == 0, "... one that does not is not");
    tap_ok(choose_with("0.1:1e3:1e12", choose_h2) == 0 && choose_with("0.1:1e12:1e3", choose_h2) == 0,
           "... nor is one to or from which copies are slow");
    tap_ok(choose_with("5:1e12:1e12", find_first_h2) == 3,
           "... a start of 5 s is worth it when two matrices have lost 2 s each");
    tap_ok(choose_with("1.9:1e12:1e12", find_first_h2) == 1 &&
               choose_with("30:1e12:1e12", find_first_h2) == 0,
           "... one of 1.9 s at once, one of 30 s not in ten matrices");
    tap_ok(choose_with("5:1e12:1e3", find_first_h2) == 0, "... nothing is lost where copies are slow");
    tap_ok(choose_with("5:1e12:1e12", choose_started_h2) == 1,
           "... a device that is started takes the first");
    tap_ok(choose_with("5:1e3:1e12", choose_started_h2) == 0, "... but not where copies are slow");
    h2_matrix_free(&matrix);
    make_product(&context);
    const double seconds = set_threads();
    base_devices *devices = fake_open_devices(&context, 1);
    machine.device = base_devices_get(devices, 0);
    tap_ok(seconds > 0.24 && seconds < 0.5, "a product of %g s on the processor", seconds);
    tap_ok(choose_with("0:1e15:1e15", choose_spmm) == 1, "a fast device takes it");
    tap_ok(choose_with("10:1e15:1e15", choose_spmm) == 0, "... one that starts slowly does not");
    tap_ok(choose_with("0:1e7:1e15", choose_spmm) == 0, "... nor one to which copies are slow");
    tap_ok(choose_with("0:1e15:1e7", choose_spmm) == 0, "... nor one from which they are");
    tap_ok(choose_with(NULL, choose_spmm) == 0, "... nor the one that was measured");
    machine.device = NULL;
    base_devices_close(devices);
    free((void *)(uintptr_t)product.a.start);
    free((void *)(uintptr_t)product.a.index);
}

int main(void) {
    char command[80];
    if (!fake_load() || mkdtemp(cache) == NULL) {
        tap_skip(1, "no tests/fake/libcuda.so, or no folder for a cache");
        return tap_done();
    }
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    setenv("MMPIPE_KERNEL_FILES", "/nowhere", 1);
    setenv("MMPIPE_CACHE", cache, 1);
    unsetenv("MMPIPE_DEVICE_COSTS");
    test_words();
    test_fresh();
    unsetenv("MMPIPE_DEVICE_COSTS");
    test_measuring();
    test_choices();
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command) == 0 ? tap_done() : 1;
}
