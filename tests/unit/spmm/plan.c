/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice among prices: what reproduces a publication, to compare with, is taken by its name only. A
 * stream of products alike: when the device is started. And what several devices share. */
#include "spmm/plan/plan.h"
#include "tests/fake/loader.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

/* All kernels at the same price, but for the one of that name, which is ten times cheaper. */
static spmm_plan make_plan(const char *cheap) {
    spmm_plan plan = {.count = 0};
    for (const spmm_kernel *const *kernel = spmm_kernels(); *kernel != NULL; kernel++) {
        const double seconds = strcmp((*kernel)->name, cheap) == 0 ? 0.1 : 1;
        plan.candidate[plan.count++] =
            (spmm_candidate){.kernel = *kernel, .price = {.seconds = seconds}, .total_seconds = seconds};
    }
    return plan;
}

static bool is_chosen(const spmm_plan *plan, const char *asked, const char *wanted) {
    const spmm_candidate *chosen = spmm_plan_choose(plan, asked);
    return chosen != NULL && strcmp(chosen->kernel->name, wanted) == 0;
}

/* ---- streams ---- */

/* Which of a stream's products is the first of the device, whose start takes 1 s. */
static int find_first(double cpu_seconds, double device_seconds) {
    const spmm_problem none = {.precision = SPMM_FP64};
    spmm_handling handling = {.products = 1};
    for (int k = 1; k <= 100; k++) {
        spmm_plan plan = make_plan("");
        for (int c = 0; c < plan.count; c++) {
            spmm_candidate *candidate = &plan.candidate[c];
            const bool is_device = strcmp(candidate->kernel->device, "cuda") == 0;
            candidate->start_seconds = is_device ? spmm_handling_start_seconds(&none, &handling) : 0;
            candidate->total_seconds = is_device ? device_seconds + candidate->start_seconds : cpu_seconds;
        }
        plan.chosen = spmm_plan_choose(&plan, NULL);
        if (strcmp(plan.chosen->kernel->device, "cuda") == 0)
            return k;
        handling.lost_seconds += spmm_plan_loss(&plan, &none, &handling);
    }
    return 0;
}

static void test_streams(void) {
    setenv("MMPIPE_DEVICE_COSTS", "1:1e12:1e12", 1);
    tap_ok(find_first(2, 0.5) == 1, "a product that is worth the start alone");
    tap_ok(find_first(1.25, 0.5) == 2, "the second, where each saves 0.75 s");
    tap_ok(find_first(0.375, 0.125) == 5, "the fifth, where each saves 0.25 s and the first four paid all");
    tap_ok(find_first(0.125, 0.125) == 0 && find_first(0.125, 0.25) == 0,
           "none, where a device saves nothing");
}

/* Before devices are looked for, one that computes in no time stands for them. */
static void test_bound(void) {
    const spmm_problem problem = {
        .precision = SPMM_FP64, .a = {.nrow = 1000, .ncol = 1000, .nnz = 0}, .n = 1000};
    const spmm_handling one = {.products = 1, .keeps_b = true};
    setenv("MMPIPE_DEVICE_COSTS", "1:1e12:1e12", 1);
    spmm_plan plan = make_plan("portable");
    for (int c = 0; c < plan.count; c++)
        if (strcmp(plan.candidate[c].kernel->device, "cuda") == 0)
            plan.candidate[c].price.seconds = 0;
    plan.chosen = spmm_plan_choose(&plan, NULL);
    const double loss = spmm_plan_loss(&plan, &problem, &one);
    tap_ok(loss < 0.1 && loss > 0.0999, "0.1 s of a processor, 8 us of copies: %g s are lost", loss);
    plan = make_plan("rows");
    plan.chosen = spmm_plan_choose(&plan, NULL);
    tap_ok(spmm_plan_loss(&plan, &problem, &one) == 0, "a device's product loses nothing");
}

/* ---- several devices ---- */

static const spmm_kernel *find_kernel(const char *name) {
    for (const spmm_kernel *const *kernel = spmm_kernels(); *kernel != NULL; kernel++)
        if (strcmp((*kernel)->name, name) == 0)
            return *kernel;
    abort();
}

static void test_shares(void) {
    base_context context;
    if (!fake_load()) {
        tap_skip(3, "no tests/fake/libcuda.so");
        return;
    }
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    base_devices *devices = fake_open_devices(&context, 2);
    const spmm_machine machine = {.devices = devices}, alone = {.devices = NULL};
    tap_ok(spmm_kernel_shares(find_kernel("rows"), &machine) == 2 &&
               spmm_kernel_shares(find_kernel("rows"), &alone) == 1,
           "two devices share a product");
    tap_ok(spmm_kernel_shares(find_kernel("dense"), &machine) == 1, "... but not that of cuBLAS");
    tap_ok(spmm_kernel_shares(find_kernel("portable"), &machine) == 1, "... nor that of processors");
    base_devices_close(devices);
}

int main(void) {
    static const char *const published[] = {"tca", "tca_row"}, *const others[] = {"rows", "portable"};
    for (int k = 0; k < 2; k++) {
        const spmm_plan plan = make_plan(published[k]);
        tap_ok(!is_chosen(&plan, NULL, published[k]), "%s at a tenth of the price is not chosen",
               published[k]);
        tap_ok(is_chosen(&plan, published[k], published[k]), "... but taken by its name");
    }
    for (int k = 0; k < 2; k++) {
        const spmm_plan plan = make_plan(others[k]);
        tap_ok(is_chosen(&plan, NULL, others[k]), "%s at a tenth of the price is chosen", others[k]);
    }
    spmm_plan divided = make_plan("rows");
    for (int k = 0; k < divided.count; k++)
        divided.candidate[k].is_divided = strcmp(divided.candidate[k].kernel->name, "rows") == 0;
    const spmm_candidate *chosen = spmm_plan_choose(&divided, NULL);
    tap_ok(chosen != NULL && !chosen->is_divided,
           "a kernel that exceeds the memory is not chosen where others fit");
    tap_ok(is_chosen(&divided, "rows", "rows"), "... but taken by its name");
    spmm_plan none = make_plan("rows");
    tap_ok(spmm_plan_choose(&none, "no-such") == NULL, "no kernel has the name");
    for (int k = 0; k < none.count; k++)
        none.candidate[k].price.seconds = 0;
    tap_ok(spmm_plan_choose(&none, NULL) == NULL, "none fits");
    test_streams();
    test_bound();
    test_shares();
    return tap_done();
}
