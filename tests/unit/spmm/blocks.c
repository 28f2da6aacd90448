/* SPDX-License-Identifier: BSD-3-Clause */
/* Products in blocks of rows and columns, on several devices and threads: the same bits as in one piece. The
 * profile of a matrix by brute force. */
#include "spmm/plan/plan.h"
#include "tests/support/tap.h"
#include "tests/unit/spmm/example.h"

#include <stdio.h>

enum { SEED = 6 };

/* ---- blocks and panels ---- */

/* A device with little memory: a kernel that refuses to be given more than it said it needs. */
static const spmm_kernel *inner;
static int64_t least_rows, least_columns;

static int64_t bytes_of(const spmm_problem *problem) {
    return 100 + 8 * (problem->a.nnz + (problem->a.nrow + problem->a.ncol) * problem->n);
}

static void small_price(const spmm_kernel *kernel, const spmm_machine *machine, const spmm_problem *problem,
                        spmm_price *price) {
    (void)kernel;
    inner->price(inner, machine, problem, price);
    price->bytes = bytes_of(problem);
}

static base_status small_prepare(base_context *context, const spmm_kernel *kernel,
                                 const spmm_machine *machine, const spmm_problem *problem, void **plan,
                                 spmm_preparation *took) {
    (void)kernel;
    least_rows = problem->a.nrow < least_rows ? problem->a.nrow : least_rows;
    least_columns = problem->n < least_columns ? problem->n : least_columns;
    return inner->prepare(context, inner, machine, problem, plan, took);
}

/* The same bits for every limit of memory, down to one that even an element exceeds. */
static void check_blocks(base_context *context) {
    inner = spmm_kernels()[1];
    spmm_kernel small = *inner;
    small.name = "small";
    small.price = small_price;
    small.prepare = small_prepare;
    example e;
    make_example(SPMM_FP32, 53, 41, 71, 0.3, &e);
    const size_t bytes = (size_t)e.c_count * 4;
    char *whole = malloc(bytes);
    run(context, inner, 1, &e);
    memcpy(whole, e.c, bytes);
    int wrong = 0, refused = 0;
    least_rows = least_columns = INT64_MAX;
    for (int64_t memory = bytes_of(&e.problem); memory > 100; memory = memory * 2 / 3) {
        const spmm_machine machine = {
            .features = CPU_AVX2 | CPU_AVX512, .threads = 1, .memory_bytes = memory};
        spmm_product product;
        memcpy(e.c, e.old, bytes);
        if (spmm_product_open(context, &machine, &e.problem, &small, &product) != BASE_OK) {
            refused++;
            continue;
        }
        wrong += refused > 0 || spmm_product_run(context, &product, &e.operands) != BASE_OK ||
                 memcmp(whole, e.c, bytes) != 0;
        spmm_product_close(&product);
    }
    tap_ok(wrong == 0, "divided products have the same bits (%d wrong)", wrong);
    tap_ok(least_rows == 1 && least_columns == 1 && refused > 0,
           "down to a row and a column; too little memory is refused");
    free(whole);
    free_example(&e);
}

/* Two devices that look like some, and a kernel that works without them: the same bits as in one piece. */
static void check_devices(base_context *context) {
    const char *build = getenv("MMPIPE_BUILD");
    char path[1024];
    base_devices *devices;
    snprintf(path, sizeof path, "%s/tests/fake/libcuda.so", build != NULL ? build : ".");
    setenv("MMPIPE_LIBCUDA", path, 1);
    if (base_devices_open(context, BASE_DEVICE_CUDA, NULL, 0, &devices) != BASE_OK) {
        tap_skip(2, context->error.cause);
        return;
    }
    inner = spmm_kernels()[1];
    spmm_kernel shared = *inner;
    shared.name = "shared";
    shared.device = "cuda";
    int wrong = 0, uneven = 0;
    for (int shape = 0; shape < 20; shape++) {
        example e;
        make_example(SPMM_FP32, shape == 0 ? 0 : pick(1500), pick(50), pick(20), 0.2, &e);
        const size_t bytes = (size_t)e.c_count * 4;
        char *whole = malloc(bytes);
        run(context, inner, 1, &e);
        memcpy(whole, e.c, bytes);
        memcpy(e.c, e.old, bytes);
        const spmm_machine machine = {.features = CPU_AVX2 | CPU_AVX512,
                                      .threads = 1,
                                      .device = base_devices_get(devices, 0),
                                      .devices = devices};
        spmm_product product;
        double seconds;
        wrong += spmm_product_open(context, &machine, &e.problem, &shared, &product) != BASE_OK ||
                 spmm_product_run(context, &product, &e.operands) != BASE_OK ||
                 memcmp(whole, e.c, bytes) != 0 || product.shares != base_devices_count(devices);
        memcpy(e.c, e.old, bytes);
        for (int k = 0; k < product.shares; k++)
            uneven += product.share[k].first % SPMM_CUT_ROWS != 0;
        wrong += spmm_product_load(context, &product, &e.operands) != BASE_OK ||
                 spmm_product_multiply(context, &product, false, &seconds) != BASE_OK ||
                 spmm_product_store(context, &product) != BASE_OK || memcmp(whole, e.c, bytes) != 0;
        spmm_product_close(&product);
        free(whole);
        free_example(&e);
    }
    tap_ok(wrong == 0, "%d devices: the same bits (%d wrong)", base_devices_count(devices), wrong);
    tap_ok(uneven == 0, "... in whole windows (%d not)", uneven);
    base_devices_close(devices);
}

/* ---- threads ---- */

static const spmm_kernel *choose(base_context *context, const spmm_problem *problem, int threads) {
    const spmm_machine machine = {.features = base_cpu_features(), .threads = threads};
    spmm_plan plan;
    return spmm_plan_make(context, &machine, problem, NULL, &(spmm_handling){.products = 1}, &plan) == BASE_OK
               ? plan.chosen->kernel
               : NULL;
}

/* No number of threads stands for one: the same kernel, and the same bits. */
static void check_threads(base_context *context) {
    int wrong = 0;
    for (int shape = 0; shape < 20; shape++) {
        example e;
        make_example(SPMM_FP32, 1 + pick(300), 1 + pick(300), 1 + pick(90), 0.2, &e);
        const spmm_kernel *chosen = choose(context, &e.problem, 0);
        wrong += chosen == NULL || chosen != choose(context, &e.problem, 1);
        free_example(&e);
    }
    tap_ok(wrong == 0, "threads 0: the kernel that one thread takes (%d wrong)", wrong);
}

/* ---- the profile ---- */

static double count_vectors(const spmm_csr *a, int64_t height) {
    char *seen = malloc((size_t)a->ncol + 1);
    double count = 0;
    for (int64_t row = 0; row < a->nrow; row += height) {
        memset(seen, 0, (size_t)a->ncol);
        for (int64_t i = row; i < row + height && i < a->nrow; i++)
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
                seen[a->index[k]] = 1;
        for (int64_t j = 0; j < a->ncol; j++)
            count += seen[j];
    }
    free(seen);
    return count;
}

static void check_profile(base_context *context) {
    int wrong = 0;
    for (int shape = 0; shape < 30; shape++) {
        example e;
        make_example(SPMM_FP32, pick(400), pick(100), 1, 0.1, &e);
        const spmm_profile *profile = &e.problem.profile;
        wrong += spmm_inspect(context, &e.problem) != BASE_OK || profile->sampled;
        for (int h = 0; h < SPMM_HEIGHTS; h++)
            wrong += profile->vectors[h] != count_vectors(&e.problem.a, spmm_height[h]);
        wrong += profile->pairs != count_vectors(&e.problem.a, 2);
        wrong += profile->columns_used != count_vectors(&e.problem.a, e.problem.a.nrow + 1);
        free_example(&e);
    }
    tap_ok(wrong == 0, "distinct columns of windows, counted (%d wrong)", wrong);
    enum { ORDER = 50 };
    int64_t start[ORDER + 1];
    int32_t index[ORDER];
    for (int i = 0; i <= ORDER; i++)
        start[i] = i;
    for (int i = 0; i < ORDER; i++)
        index[i] = i;
    spmm_problem identity = {.precision = SPMM_FP32, .a = {ORDER, ORDER, ORDER, start, index, NULL}, .n = 1};
    tap_ok(spmm_inspect(context, &identity) == BASE_OK && identity.profile.columns_used == ORDER,
           "each column of an identity has an entry, the first one too");
    example e;
    make_example(SPMM_FP32, 200000, 5, 1, 0.3, &e);
    tap_ok(spmm_inspect(context, &e.problem) == BASE_OK && e.problem.profile.sampled, "200000 rows: sampled");
    for (int h = 0; h < SPMM_HEIGHTS; h++) {
        const double exact = count_vectors(&e.problem.a, spmm_height[h]);
        tap_ok(fabs(e.problem.profile.vectors[h] / exact - 1) < 0.05, "... windows of %d: %.3f of the truth",
               spmm_height[h], e.problem.profile.vectors[h] / exact);
    }
    free_example(&e);
}

int main(void) {
    base_context context;
    base_context_init(&context);
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", SEED);
    check_blocks(&context);
    check_devices(&context);
    check_threads(&context);
    check_profile(&context);
    return tap_done();
}
