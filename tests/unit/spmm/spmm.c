/* Every kernel of processors beside sums in long double, on random shapes and patterns: within the bound of
 * kernel.h, the same bits for any number of threads, nothing touched beside C. Formats and the profile by
 * brute force. */
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "spmm/problem/format.h"
#include "spmm/problem/inspect.h"
#include "spmm/product/operands.h"
#include "spmm/product/plan.h"
#include "spmm/product/product.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 5, SHAPES = 60 };

static base_random randoms;

static int64_t pick(int64_t most) {
    return (int64_t)base_random_below(&randoms, (uint64_t)most + 1);
}

static double draw(void) {
    return base_random_uniform(&randoms) - 0.5;
}

/* ---- formats ---- */

static bool is_nearest(spmm_precision precision, double x) {
    const spmm_format format = spmm_format_of(precision);
    uint16_t word;
    spmm_pack(precision, &x, 1, 1, &word);
    const double rounded = spmm_unpack(format, &word, 0), far = fabs(rounded - x);
    for (int step = -1; step <= 1; step += 2) {
        const uint16_t next = (uint16_t)(word + step);
        const double other = spmm_unpack(format, &next, 0);
        if (!isfinite(other) || (word & 0x7fff) + step < 0)
            continue;
        if (fabs(other - x) < far || (fabs(other - x) == far && word % 2 == 1))
            return false;
    }
    return spmm_round(precision, x) == rounded && signbit(rounded) == signbit(x);
}

static void check_formats(void) {
    int wrong[2] = {0, 0}, back[2] = {0, 0};
    for (int which = 0; which < 2; which++) {
        const spmm_precision precision = which == 0 ? SPMM_FP16 : SPMM_BF16;
        for (int bits = 0; bits < 65536; bits++) {
            const uint16_t word = (uint16_t)bits;
            uint16_t again;
            const double x = spmm_unpack(spmm_format_of(precision), &word, 0);
            if (isnan(x))
                continue;
            spmm_pack(precision, &x, 1, 1, &again);
            back[which] += again != word;
            const uint16_t next = (uint16_t)(word + 1);
            const double y = spmm_unpack(spmm_format_of(precision), &next, 0);
            if (!isfinite(x) || !isfinite(y))
                continue;
            wrong[which] += !is_nearest(precision, x / 2 + y / 2) +
                            !is_nearest(precision, x + (y - x) * base_random_uniform(&randoms));
        }
    }
    tap_ok(back[0] == 0 && back[1] == 0, "fp16 and bf16: every word comes back");
    tap_ok(wrong[0] == 0, "fp16: nearest numbers, ties to even (%d wrong)", wrong[0]);
    tap_ok(wrong[1] == 0, "bf16: nearest numbers, ties to even (%d wrong)", wrong[1]);
    tap_ok(isinf(spmm_round(SPMM_FP16, 65520)) && spmm_round(SPMM_FP16, 65519) == 65504,
           "fp16 ends at 65504");
    tap_ok(spmm_round(SPMM_TF32, 1 + 0x1p-11) == 1 && spmm_round(SPMM_TF32, 1 + 0x1.8p-10) == 1 + 0x1p-9,
           "tf32: ties to even at 11 bits");
    tap_ok(spmm_round(SPMM_TF32, -0x1.8p-136) == -0x1p-135 && isinf(spmm_round(SPMM_TF32, 0x1.ffdp127)) == 0,
           "tf32: its smallest and largest numbers");
    tap_ok(isinf(spmm_round(SPMM_FP32, 1e39)) && spmm_round(SPMM_3XTF32, 0.1) == (double)0.1F,
           "fp32 and 3xtf32 as float");
    const double numbers[] = {1, 2, 1e5, 1e6};
    uint16_t packed[4];
    tap_ok(spmm_pack(SPMM_FP16, numbers, 1, 4, packed) == 2, "numbers beyond the range are told");
}

/* ---- products ---- */

typedef struct example {
    spmm_matrix matrix;
    spmm_problem problem;
    spmm_operands operands;
    char *b, *c, *old;
    int64_t c_count;
} example;

static void add_entry(spmm_precision precision, int64_t column, spmm_matrix *matrix, int64_t *nnz) {
    const double value = spmm_round(precision, draw());
    matrix->index[*nnz] = (int32_t)column;
    if (precision == SPMM_FP64)
        ((double *)matrix->value)[(*nnz)++] = value;
    else
        ((float *)matrix->value)[(*nnz)++] = (float)value;
}

/* A row is empty, full, or has entries with a probability of its own. */
static void draw_matrix(int64_t nrow, int64_t ncol, spmm_precision precision, double density,
                        spmm_matrix *matrix) {
    const size_t bytes = precision == SPMM_FP64 ? 8 : 4;
    matrix->start = calloc((size_t)nrow + 1, sizeof *matrix->start);
    matrix->index = malloc((size_t)(nrow * ncol + 1) * sizeof *matrix->index);
    matrix->value = malloc((size_t)(nrow * ncol + 1) * bytes);
    int64_t nnz = 0;
    for (int64_t i = 0; i < nrow; i++) {
        const int64_t kind = pick(9);
        /* half of the rows have the columns of the row before them */
        const int64_t supernode = i > 0 && pick(1) == 0 ? matrix->start[i - 1] : nnz;
        const int64_t last = supernode < nnz ? nnz : supernode;
        for (int64_t k = supernode; k < last; k++)
            add_entry(precision, matrix->index[k], matrix, &nnz);
        const double p = supernode < last              ? 0
                         : kind == 0                   ? 0
                         : kind == 1 && density > 0.05 ? 1
                                                       : 2 * density * base_random_uniform(&randoms);
        for (int64_t j = 0; j < ncol; j++) {
            if (base_random_uniform(&randoms) >= p)
                continue;
            add_entry(precision, j, matrix, &nnz);
        }
        matrix->start[i + 1] = nnz;
    }
    matrix->csr = (spmm_csr){nrow, ncol, nnz, matrix->start, matrix->index, matrix->value};
}

static double value_of(const example *e, int64_t k) {
    const void *value = e->matrix.csr.value;
    return e->problem.precision == SPMM_FP64 ? ((const double *)value)[k] : (double)((const float *)value)[k];
}

/* Rows of B and C have gaps; begin at no round address; C is NaN where it is not to be read. */
static void make_example(spmm_precision precision, int64_t nrow, int64_t ncol, int64_t n, double density,
                         example *e) {
    const spmm_format format = spmm_format_of(precision);
    const int64_t b_bytes = spmm_format_bytes(format), c_bytes = precision == SPMM_FP64 ? 8 : 4;
    memset(e, 0, sizeof *e);
    draw_matrix(nrow, ncol, precision, density, &e->matrix);
    e->problem = (spmm_problem){.precision = precision, .a = e->matrix.csr, .n = n};
    spmm_operands *o = &e->operands;
    o->b_row = n + pick(3);
    o->c_row = n + pick(3);
    o->alpha = pick(2) == 0 ? draw() : 1;
    o->beta = pick(2) == 0 ? draw() : 0;
    e->b = malloc((size_t)((ncol * o->b_row + 2) * b_bytes));
    for (int64_t i = 0; i < ncol * o->b_row; i++) {
        const double x = i % o->b_row < n ? draw() : 0;
        spmm_pack(precision, &x, 1, 1, e->b + (i + 1) * b_bytes);
        if (i % o->b_row >= n)
            memset(e->b + (i + 1) * b_bytes, 0xff, (size_t)b_bytes); /* a NaN */
    }
    o->b = e->b + b_bytes;
    e->c_count = nrow * o->c_row + 2;
    e->c = malloc((size_t)(e->c_count * c_bytes));
    e->old = malloc((size_t)(e->c_count * c_bytes));
    for (int64_t i = 0; i < e->c_count; i++) {
        const double x = o->beta != 0 ? draw() : NAN;
        if (precision == SPMM_FP64)
            ((double *)e->old)[i] = x;
        else
            ((float *)e->old)[i] = (float)x;
    }
    o->c = e->c + c_bytes;
}

static void free_example(example *e) {
    spmm_matrix_free(&e->matrix);
    free(e->b);
    free(e->c);
    free(e->old);
}

static double number_of_c(const example *e, const char *c, int64_t i) {
    return e->problem.precision == SPMM_FP64 ? ((const double *)c)[i] : (double)((const float *)c)[i];
}

/* Largest error in units of the bound of kernel.h; infinite when something beside C changed. */
static double worst_error(const example *e) {
    const spmm_operands *o = &e->operands;
    const spmm_csr *a = &e->matrix.csr;
    const spmm_format format = spmm_format_of(e->problem.precision);
    const double u = e->problem.precision == SPMM_FP64 ? 0x1p-53 : 0x1p-24;
    const size_t c_bytes = e->problem.precision == SPMM_FP64 ? 8 : 4;
    double worst = 0;
    for (int64_t at = 0; at < e->c_count; at++) {
        const int64_t i = at == 0 ? a->nrow : (at - 1) / (o->c_row + (o->c_row == 0));
        const int64_t j = at == 0 ? 0 : (at - 1) % (o->c_row + (o->c_row == 0));
        if (i >= a->nrow || j >= e->problem.n) {
            if (memcmp(e->c + (size_t)at * c_bytes, e->old + (size_t)at * c_bytes, c_bytes) != 0)
                return INFINITY;
            continue;
        }
        long double sum = 0, magnitude = 0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            const long double term =
                (long double)value_of(e, k) * spmm_unpack(format, o->b, a->index[k] * o->b_row + j);
            sum += term;
            magnitude += fabsl(term);
        }

        const double m = (double)(a->start[i + 1] - a->start[i]), old = number_of_c(e, e->old, at);
        const long double want = o->alpha * sum + (o->beta != 0 ? (long double)o->beta * old : 0);
        const double bound = (m + 3) * u / (1 - (m + 3) * u) * fabs(o->alpha) * (double)magnitude +
                             (o->beta != 0 ? 3 * u * fabs(o->beta * old) : 0) + 1e-300;
        const double error = (double)fabsl(number_of_c(e, e->c, at) - want) / bound;
        worst = error > worst || isnan(error) ? (isnan(error) ? INFINITY : error) : worst;
    }
    return worst;
}

static bool run(base_context *context, const spmm_kernel *kernel, int threads, example *e) {
    const spmm_machine machine = {.features = CPU_AVX2 | CPU_AVX512, .threads = threads};
    spmm_product product;
    base_status status;
    memcpy(e->c, e->old, (size_t)(e->c_count * (e->problem.precision == SPMM_FP64 ? 8 : 4)));
    BASE_TRY(spmm_inspect(context, &e->problem));
    BASE_TRY(spmm_product_open(context, &machine, &e->problem, kernel, &product));
    status = spmm_product_run(context, &product, &e->operands);
    spmm_product_close(&product);
done:
    return status == BASE_OK;
}

static bool merge_here(const spmm_kernel *kernel, const spmm_problem *problem) {
    const spmm_machine machine = {.features = base_cpu_features(), .threads = 1};
    spmm_price price;
    kernel->price(kernel, &machine, problem, &price);
    return price.seconds > 0;
}

typedef struct tally {
    double worst;
    int failed, different;
} tally;

static void try_example(base_context *context, const spmm_kernel *kernel, example *e, tally *t) {
    const size_t bytes = (size_t)(e->c_count * (e->problem.precision == SPMM_FP64 ? 8 : 4));
    char *first = malloc(bytes);
    t->failed += !run(context, kernel, 1, e);
    t->worst = fmax(t->worst, worst_error(e));
    memcpy(first, e->c, bytes);
    t->failed += !run(context, kernel, 4, e);
    t->different += memcmp(first, e->c, bytes) != 0;
    free(first);
}

static void check_kernel(base_context *context, const spmm_kernel *kernel) {
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        tally t = {0};
        spmm_problem problem = {.precision = (spmm_precision)p, .n = 1};
        if (!merge_here(kernel, &problem)) {
            tap_skip(2, "this processor has not the instructions");
            continue;
        }
        for (int shape = 0; shape < SHAPES; shape++) {
            example e;
            const double density = shape % 3 == 0 ? 0.02 : 0.3;
            make_example((spmm_precision)p, shape % 7 == 0 ? 0 : pick(60), shape % 11 == 0 ? 0 : pick(90),
                         shape % 13 == 0 ? 0 : pick(shape % 2 == 0 ? 20 : 300), density, &e);
            try_example(context, kernel, &e, &t);
            free_example(&e);
        }
        tap_ok(t.failed == 0 && t.worst <= 1, "%s, %s: within its bound (%.2f of it)", kernel->name,
               spmm_precision_name((spmm_precision)p), t.worst);
        tap_ok(t.different == 0, "%s, %s: the same bits on four threads", kernel->name,
               spmm_precision_name((spmm_precision)p));
    }
}

/* B so large that panels of it are copied; the last of them is narrower. */
static void check_panels(base_context *context, const spmm_kernel *kernel) {
    static const spmm_precision precisions[] = {SPMM_FP16, SPMM_FP32, SPMM_FP64};
    static const int64_t columns[] = {190, 95, 49};
    for (int p = 0; p < 3; p++) {
        tally t = {0};
        example e;
        const int64_t ncol = 6000;
        make_example(precisions[p], 1200, ncol, columns[p], 0.01, &e);
        if (merge_here(kernel, &e.problem)) {
            try_example(context, kernel, &e, &t);
            tap_ok(t.failed == 0 && t.worst <= 1 && t.different == 0, "%s, %s: in panels (%.2f)",
                   kernel->name, spmm_precision_name(precisions[p]), t.worst);
        } else {
            tap_skip(1, "this processor has not the instructions");
        }
        free_example(&e);
    }
}

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
    return spmm_plan_make(context, &machine, problem, NULL, 1, &plan) == BASE_OK ? plan.chosen->kernel : NULL;
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
    check_formats();
    for (const spmm_kernel *const *kernel = spmm_kernels(); *kernel != NULL; kernel++) {
        if (strcmp((*kernel)->device, "cpu") != 0)
            continue;
        check_kernel(&context, *kernel);
        check_panels(&context, *kernel);
    }
    check_blocks(&context);
    check_devices(&context);
    check_threads(&context);
    check_profile(&context);
    return tap_done();
}
