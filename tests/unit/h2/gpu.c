/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels of H2 matrices on the CPU: products beside those of the CPU's kernels, numbers beside
 * those that the CPU fills in. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "h2/fill/gpu.cu"
#undef H2_REAL
#undef H2_NAME
#undef H2_UNROLL
#include "h2/product/gpu.cu"

#include "h2/change/compress.h"
#include "h2/change/orthog.h"
#include "h2/device/build.h"
#include "h2/device/product.h"
#include "h2/product/mv.h"
#include "tests/support/h2_numbers.h"
#include "tests/support/tap.h"

enum { SEED = 23 };

static base_context context;

/* ---- products ---- */

typedef struct application {
    const h2_gpu_task *tasks;
    const h2_gpu_block *blocks;
    const h2_gpu_pair *pairs;
    const h2_gpu_piece *pieces;
    const void *values;
    const double *x, *xt;
    double *y, *slots;
    int flags, width;
    bool single, is_base;
    const h2_gpu_sum *sums;
} application;

static void apply_thread(void *arguments) {
    const application *a = arguments;
#define CALL(kernel, width, type)                                                                            \
    h2_gpu_##kernel##_##width##_##type(a->tasks, a->blocks, a->values, a->x, a->xt, a->y, a->slots, a->flags)
#define CALL_PAIRS(width, type)                                                                              \
    h2_gpu_apply_##width##_##type(a->pairs, a->pieces, a->values, a->x, a->xt, a->y, a->slots, a->flags)
#define CALL_BASE(type)                                                                                      \
    (a->width == 1 ? CALL(base, 1, type) : a->width == 8 ? CALL(base, 8, type) : CALL(base, 16, type))
#define CALL_APPLY(type)                                                                                     \
    (a->width == 1 ? CALL(apply, 1, type) : a->width == 8 ? CALL_PAIRS(8, type) : CALL_PAIRS(16, type))
    if (a->is_base)
        a->single ? CALL_BASE(fp32) : CALL_BASE(fp64);
    else
        a->single ? CALL_APPLY(fp32) : CALL_APPLY(fp64);
}

static void sum_thread(void *arguments) {
    const application *a = arguments;
    h2_gpu_sum_slots(a->sums, a->slots, a->y, a->width, a->flags);
}

typedef struct product {
    const h2_matrix *matrix;
    h2_product_tasks tasks;
    int width;
    double *x, *y, *in, *out, *slots;
} product;

static void run(const product *p, const h2_product_phase *phase, const void *values, const double *x,
                const double *xt, double *y, double *slots) {
    application a = {.tasks = p->tasks.task + phase->first,
                     .blocks = p->tasks.block,
                     .pairs = p->tasks.pair != NULL ? p->tasks.pair + phase->first : NULL,
                     .pieces = p->tasks.piece,
                     .values = values,
                     .x = x,
                     .xt = xt,
                     .y = y,
                     .slots = slots,
                     .flags = phase->flags,
                     .width = p->width,
                     .single = p->matrix->head.value_bytes == 4};
    const size_t bytes = (size_t)p->matrix->head.value_bytes, width = (size_t)p->width;
    a.is_base = phase->is_base;
    if (phase->count > 0)
        shim_launch(apply_thread, &a, (shim_index){(unsigned)phase->count, 1, 1},
                    (shim_index){a.is_base && p->width > 1 ? H2_GPU_MANY_THREADS : H2_GPU_THREADS, 1, 1},
                    p->width == 1 ? 0
                    : a.is_base   ? H2_GPU_BASE_SHARED_BYTES(bytes, width)
                                  : H2_GPU_SHARED_BYTES(bytes, width));
}

static void run_sums(const product *p, const h2_product_phase *phase, double *slots, double *y) {
    application a = {.sums = p->tasks.sum + phase->first,
                     .slots = slots,
                     .y = y,
                     .width = p->width,
                     .flags = phase->flags};
    if (phase->count > 0)
        shim_launch(sum_thread, &a, (shim_index){(unsigned)phase->count, 1, 1}, (shim_index){64, 1, 1}, 0);
}

typedef struct vectors_job {
    const h2_matrix *matrix;
    double *host, *tree;
    int vectors, width;
    double alpha, beta;
} vectors_job;

static void load_thread(void *arguments) {
    const vectors_job *j = arguments;
    h2_gpu_load((const long long *)j->matrix->tree.permutation, j->matrix->tree.n, j->host, j->vectors,
                j->width, j->tree);
}

static void store_thread(void *arguments) {
    const vectors_job *j = arguments;
    h2_gpu_store((const long long *)j->matrix->tree.permutation, j->matrix->tree.n, j->tree, j->vectors,
                 j->width, j->alpha, j->beta, j->host);
}

/* y = alpha op(A) x + beta y as the device does it. */
static bool multiply(const h2_matrix *matrix, bool transposed, double alpha, double *x, double beta,
                     double *y, int vectors) {
    product p = {.matrix = matrix, .width = h2_product_width(vectors)};
    const h2_product_tasks *tasks = &p.tasks;
    const bool turned = transposed && !h2_is_symmetric(matrix);
    const h2_basis *in = turned ? &matrix->row : &matrix->col, *out = turned ? &matrix->col : &matrix->row;
    const int64_t last = matrix->tree.levels - 1;
    const shim_index grid = {(unsigned)((matrix->tree.n * p.width + 63) / 64), 1, 1}, block = {64, 1, 1};
    if (h2_product_tasks_init(&context, matrix, transposed, p.width, &p.tasks) != BASE_OK)
        return false;
    const int64_t slots =
        tasks->coupling_slots > tasks->dense_slots ? tasks->coupling_slots : tasks->dense_slots;
    p.x = junk(matrix->tree.n * p.width);
    p.y = junk(matrix->tree.n * p.width);
    p.in = calloc((size_t)(tasks->in * p.width + 1), sizeof(double));
    p.out = calloc((size_t)(tasks->out * p.width + 1), sizeof(double));
    p.slots = junk(slots * p.width);
    vectors_job load = {matrix, x, p.x, vectors, p.width, 0, 0},
                store = {matrix, y, p.y, vectors, p.width, alpha, beta};
    shim_launch(load_thread, &load, grid, block, 0);
    for (int64_t level = last; level >= 0; level--)
        run(&p, &tasks->up[level], level == last ? in->leaf : in->transfer, NULL, level == last ? p.x : p.in,
            NULL, p.in);
    run(&p, &tasks->coupling, matrix->coupling.value, p.in, p.in, p.out, p.slots);
    run_sums(&p, &tasks->coupling_sum, p.slots, p.out);
    run(&p, &tasks->dense, matrix->dense.value, p.x, p.x, p.y, p.slots);
    run_sums(&p, &tasks->dense_sum, p.slots, p.y);
    for (int64_t level = 0; level <= last; level++)
        run(&p, &tasks->down[level], level == last ? out->leaf : out->transfer, p.out, NULL,
            level == last ? p.y : p.out, NULL);
    shim_launch(store_thread, &store, grid, block, 0);
    free(p.x);
    free(p.y);
    free(p.in);
    free(p.out);
    free(p.slots);
    h2_product_tasks_free(&p.tasks);
    return true;
}

static void compare(base_random *random, const h2_matrix *matrix, bool transposed, int vectors,
                    const char *what) {
    const int64_t n = matrix->tree.n;
    double *x = draw_uniform(random, n * vectors), *y = draw_uniform(random, n * vectors),
           *z = malloc((size_t)(n * vectors) * 8 + 8);
    h2_product_plan *plan;
    memcpy(z, y, (size_t)(n * vectors) * sizeof *z);
    bool ok = multiply(matrix, transposed, 2, x, -0.5, y, vectors);
    if (h2_mv_open(&context, matrix, vectors, &plan) == BASE_OK)
        h2_mv(plan, transposed, 2, x, -0.5, z, vectors);
    h2_mv_close(plan);
    const double error = distance(y, z, n * vectors);
    tap_ok(ok && error < (matrix->head.value_bytes == 8 ? 1e-14 : 1e-6), "%s%s, %d vectors: distance %.1e",
           what, transposed ? ", transposed" : "", vectors, error);
    free(x);
    free(y);
    free(z);
}

static void check_products(void) {
    static const struct {
        const char *name;
        int64_t n, dim, order, leaf;
        h2_function_kind function;
        bool full, single, compressed;
    } cases[] = {
        {"half", 400, 2, 4, 20, H2_EXPONENTIAL, false, false, false},
        {"odd ranks", 400, 2, 5, 23, H2_MATERN32, false, false, false},
        {"full", 300, 3, 2, 17, H2_EXPONENTIAL, true, false, false},
        {"not symmetric", 300, 2, 3, 20, H2_CONVECTION, false, false, false},
        {"compressed", 400, 2, 5, 30, H2_EXPONENTIAL, false, false, true},
        {"compressed, not symmetric", 400, 2, 5, 30, H2_CONVECTION, false, false, true},
        {"binary32", 300, 2, 4, 20, H2_EXPONENTIAL, false, true, false},
        {"large ranks and leaves", 1300, 2, 9, 90, H2_GAUSSIAN, false, false, false},
        {"whole pieces of rows and columns", 256, 2, 8, 64, H2_GAUSSIAN, false, false, false},
        {"dense", 150, 2, 3, 200, H2_EXPONENTIAL, false, false, false},
    };
    base_random random;
    base_random_init(&random, SEED, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double *point = draw_uniform(&random, cases[k].n * cases[k].dim);
        h2_build_options options = h2_build_default;
        h2_matrix matrix;
        h2_compression compression;
        const h2_compress_options compress = {.tolerance = 1e-4};
        options.function = (h2_function){cases[k].function, 0.5};
        options.order = cases[k].order;
        options.leaf_size = cases[k].leaf;
        options.full = cases[k].full;
        options.single = cases[k].single;
        base_status status = h2_build(&context, point, cases[k].n, cases[k].dim, &options, &matrix);
        if (status == BASE_OK && cases[k].compressed)
            status = h2_orthogonalize(&context, &matrix);
        if (status == BASE_OK && cases[k].compressed)
            status = h2_compress(&context, &matrix, &compress, &compression);
        tap_ok(status == BASE_OK, "%s: a matrix", cases[k].name);
        for (int vectors = 1; vectors <= 13; vectors += 6)
            compare(&random, &matrix, vectors == 7, vectors, cases[k].name);
        compare(&random, &matrix, true, 1, cases[k].name);
        h2_matrix_free(&matrix);
        free(point);
    }
}

/* ---- numbers ---- */

typedef struct filling {
    h2_gpu_how how;
    h2_gpu_geometry geometry;
    h2_gpu_item item;
    int own;
    bool is_basis, single;
    void *values;
} filling;

static void fill_thread(void *arguments) {
    const filling *f = arguments;
    if (f->is_basis && f->single)
        h2_gpu_fill_bases_fp32(f->how, f->own, &f->item, f->geometry, f->values);
    else if (f->is_basis)
        h2_gpu_fill_bases_fp64(f->how, f->own, &f->item, f->geometry, f->values);
    else if (f->single)
        h2_gpu_fill_blocks_fp32(f->how, f->own, &f->item, f->geometry, f->values);
    else
        h2_gpu_fill_blocks_fp64(f->how, f->own, &f->item, f->geometry, f->values);
}

/* The largest difference of `count` numbers from those of the matrix, relative to the largest of these. */
static double fill_item(const h2_matrix *matrix, filling *f, bool is_basis, int own, int64_t row, int64_t col,
                        const void *expected, int64_t count) {
    double far = 0, largest = 0;
    f->item = (h2_gpu_item){0, (int)row, (int)col};
    f->is_basis = is_basis;
    f->own = own;
    f->values = junk(count);
    shim_launch(fill_thread, f, (shim_index){1, 1, 1}, (shim_index){H2_GPU_FILL_THREADS, 1, 1}, 0);
    for (int64_t i = 0; i < count; i++) {
        double got, wanted;
        matrix->kernels->widen(1, h2_at(matrix, f->values, i), &got);
        matrix->kernels->widen(1, h2_at(matrix, expected, i), &wanted);
        far = fmax(far, isnan(got) ? INFINITY : fabs(got - wanted));
        largest = fmax(largest, fabs(wanted));
    }
    free(f->values);
    return far / largest;
}

static double fill_all(const h2_matrix *matrix, filling *f) {
    const h2_tree *tree = &matrix->tree;
    const h2_block_list *lists[] = {&matrix->coupling, &matrix->dense};
    double worst = 0;
    for (int dense = 0; dense < 2; dense++)
        for (int64_t k = 0; k < lists[dense]->count; k += 5)
            worst = fmax(worst, fill_item(matrix, f, false, dense, lists[dense]->row[k], lists[dense]->col[k],
                                          h2_block(matrix, lists[dense], k),
                                          lists[dense]->offset[k + 1] - lists[dense]->offset[k]));
    for (int64_t node = 1; node < tree->nodes; node += 3) {
        const int64_t rank = matrix->row.rank[node], parent = h2_parent_rank(matrix, &matrix->row, node);
        if (node >= tree->first_leaf && rank > 0)
            worst = fmax(worst,
                         fill_item(matrix, f, true, 0, node, node, h2_leaf_basis(matrix, &matrix->row, node),
                                   h2_points_of(matrix, node) * rank));
        if (parent > 0)
            worst = fmax(worst, fill_item(matrix, f, true, 1, node, tree->parent[node],
                                          h2_transfer(matrix, &matrix->row, node), rank * parent));
    }
    return worst;
}

static void check_filling(void) {
    base_random random;
    base_random_init(&random, SEED, 2);
    for (int kind = 0; kind < H2_FUNCTIONS; kind++) {
        const int64_t dim = 1 + kind % 3, n = kind == 4 ? 1200 : 300;
        double *point = draw_uniform(&random, n * dim);
        h2_build_options options = h2_build_default;
        h2_matrix matrix;
        h2_builder builder;
        options.function = (h2_function){(h2_function_kind)kind, 0.6};
        options.nugget = 0.5;
        options.single = kind == 3;
        options.leaf_size = kind == 4 ? 150 : 20; /* several pieces of points */
        options.order = dim == 3 ? 3 : dim == 2 ? 5 : 12;
        const base_status status = h2_builder_open(&context, point, n, dim, &options, &matrix, &builder);
        tap_ok(status == BASE_OK && h2_fill(&context, &builder) == BASE_OK, "%s: filled",
               h2_function_name(options.function.kind));
        filling f = {.single = options.single,
                     .geometry = {builder.box, matrix.tree.point, (const long long *)matrix.tree.begin,
                                  (const long long *)matrix.tree.end}};
        h2_device_describe(&builder, &f.how);
        const double worst = fill_all(&matrix, &f);
        tap_ok(worst < (options.single ? 1e-6 : 1e-13), "... by the device's kernels: distance %.1e", worst);
        h2_builder_close(&builder);
        h2_matrix_free(&matrix);
        free(point);
    }
}

int main(void) {
    base_context_init(&context);
    tap_note("seed %d", SEED);
    check_products();
    check_filling();
    return tap_done();
}
