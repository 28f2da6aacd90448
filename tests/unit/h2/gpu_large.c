/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels for ranks above 64 on the CPU: sums of products, factors, weights, singular vectors,
 * against products that are summed term by term. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "h2/large/gpu.cu"

#include "tests/support/h2_numbers.h"
#include "tests/support/tap.h"

enum { SEED = 27 };

static unsigned long long address(const void *pointer) {
    return (unsigned long long)(uintptr_t)pointer;
}

/* c (m × n) += a b, by steps along the rows and columns of a and b. */
static void add_product(int m, int p, int n, const double *a, int a_row, int a_col, const double *b,
                        int b_row, int b_col, double *c) {
    for (int i = 0; i < m; i++)
        for (int q = 0; q < p; q++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * a_row + q * a_col] * b[q * b_row + j * b_col];
}

static void narrow(int count, const double *from, float *to) {
    for (int i = 0; i < count; i++)
        to[i] = (float)from[i];
}

/* ---- sums of products ---- */

typedef struct sum_job {
    const h2_gpu_products *sums;
    const h2_gpu_term *terms;
} sum_job;

static void sum_thread(void *arguments) {
    const sum_job *j = arguments;
    h2_gpu_sum_products(j->sums, j->terms);
}

/* Two terms, one of them with transposed factors, one with binary32 ones. */
static void check_sum(int m, int n, int p, int flags) {
    double *a = draw(2 * m * p), *b = draw(2 * n * p), *c = draw(m * n);
    float *single = malloc((size_t)(m * p) * sizeof *single),
          *result = malloc((size_t)(m * n) * sizeof *result);
    const bool is_single = (flags & H2_GPU_SUM_SINGLE) != 0, symmetric = (flags & H2_GPU_SUM_SYMMETRIC) != 0;
    narrow(m * p, a, single);
    for (int i = 0; i < m * p; i++)
        a[i] = single[i];
    if (symmetric)
        memcpy(b, a, (size_t)(2 * m * p) * sizeof *b);
    for (int i = 0; i < m && symmetric; i++)
        for (int j = 0; j < i; j++)
            c[i * n + j] = c[j * n + i];
    narrow(m * n, c, result);
    double *expected = calloc((size_t)(m * n), sizeof *expected);
    for (int i = 0; i < m * n && (flags & H2_GPU_SUM_ADDS) != 0; i++)
        expected[i] = is_single ? result[i] : c[i];
    add_product(m, p, n, a, p, 1, b, 1, p, expected);
    add_product(m, p, n, a + m * p, 1, m, b + n * p, n, 1, expected);
    if ((flags & H2_GPU_SUM_ADDS) == 0)
        for (int i = 0; i < m * n; i++)
            c[i] = NAN;
    const h2_gpu_term terms[] = {{address(single), address(b), p, H2_GPU_LEFT_SINGLE, p, 1, 1, p},
                                 {address(a + m * p), address(b + n * p), p, 0, 1, m, n, 1}};
    const h2_gpu_products sum = {address(is_single ? (void *)result : c), 0, 2, m, n, n, flags, 0};
    sum_job job = {&sum, terms};
    shim_launch(sum_thread, &job, (shim_index){1, (unsigned)((m + 63) / 64 * ((n + 63) / 64)), 1},
                (shim_index){H2_GPU_SUM_THREADS, 1, 1}, 0);
    for (int i = 0; i < m * n && is_single; i++)
        c[i] = result[i];
    const double far = difference(c, expected, m * n);
    bool mirrored = true;
    for (int i = 0; i < m && symmetric; i++)
        for (int j = 0; j < i; j++)
            mirrored = mirrored && c[i * n + j] == c[j * n + i];
    tap_ok(far < (is_single ? 1e-6 : 1e-14) && mirrored,
           "a sum of products, %d x %d x %d, flags %d: %.0e off", m, p, n, flags, far);
    free(a);
    free(b);
    free(c);
    free(single);
    free(result);
    free(expected);
}

/* ---- factors ---- */

static void factor_thread(void *arguments) {
    h2_gpu_factor(arguments);
}

/* The matrix, in the workspace or not, as Q T with orthonormal Q and upper triangular T, diagonal positive.
 */
static void check_factor(int rows, int cols, bool is_leaf, bool is_single, bool dependent) {
    const int rank = rows < cols ? rows : cols, stride = H2_GPU_WHOLE(cols);
    double *a = draw(rows * cols), *work = junk(H2_GPU_FACTOR_NUMBERS(rows, cols)), *q = junk(rows * rank),
           *t = junk(rank * cols), *product = calloc((size_t)(rows * cols), sizeof *product), off = 0;
    float *single = malloc((size_t)(rows * cols) * sizeof *single);
    for (int i = 0; i < rows && dependent; i++) {
        a[i * cols] = 0;
        a[i * cols + cols - 1] = 3 * a[i * cols + 1];
    }
    narrow(rows * cols, a, single);
    for (int i = 0; i < rows * cols && is_single; i++)
        a[i] = single[i];
    for (int i = 0; i < rows * cols && !is_leaf; i++)
        work[i / cols * stride + i % cols] = a[i];
    h2_gpu_factor_task task = {.a = address(work),
                               .from = !is_leaf    ? 0
                                       : is_single ? address(single)
                                                   : address(a),
                               .to = is_single ? address(single) : address(q),
                               .t = address(t),
                               .rows = rows,
                               .cols = cols,
                               .is_single = is_single};
    shim_launch(factor_thread, &task, (shim_index){1, 1, 1}, (shim_index){H2_GPU_LARGE_THREADS, 1, 1},
                (unsigned)H2_GPU_PANEL_BYTES(rows));
    for (int i = 0; i < rows * rank && is_single; i++)
        q[i] = single[i];
    add_product(rows, rank, cols, q, rank, 1, t, cols, 1, product);
    const double far = difference(product, a, rows * cols);
    bool triangular = true;
    double *gram = calloc((size_t)(rank * rank), sizeof *gram);
    add_product(rank, rows, rank, q, 1, rank, q, rank, 1, gram);
    for (int i = 0; i < rank * rank; i++)
        off = fmax(off, isnan(gram[i]) ? INFINITY : fabs(gram[i] - (i / rank == i % rank)));
    for (int i = 0; i < rank && rows > cols; i++)
        for (int j = 0; j <= i; j++)
            triangular = triangular && (j < i ? t[i * cols + j] == 0 : t[i * cols + j] >= 0);
    tap_ok(far < (is_single ? 1e-5 : 1e-13) && off < (is_single ? 1e-5 : 1e-13) && triangular,
           "%s%s%s, %d x %d: Q R %.0e off, Q %.0e", is_leaf ? "a leaf" : "a node",
           is_single ? ", binary32" : "", dependent ? ", dependent columns" : "", rows, cols, far, off);
    free(a);
    free(work);
    free(q);
    free(t);
    free(product);
    free(single);
    free(gram);
}

/* ---- weights ---- */

typedef struct weigh_job {
    const h2_gpu_weigh_rows_task *task;
    const h2_gpu_joining *blocks;
} weigh_job;

static void weigh_thread(void *arguments) {
    const weigh_job *j = arguments;
    h2_gpu_weigh_rows(j->task, j->blocks);
}

static void check_weights(int rank, int other) {
    enum { BLOCKS = 3 };
    double *values = draw(BLOCKS * rank * other), *start = draw(rank * rank), *weight = junk(rank * rank),
           *work = junk(H2_GPU_WEIGH_NUMBERS(rank, other)),
           *gram = calloc((size_t)(rank * rank), sizeof *gram),
           *found = calloc((size_t)(rank * rank), sizeof *found);
    h2_gpu_joining blocks[BLOCKS];
    for (int k = 0; k < BLOCKS; k++) { /* rank × other, whose transpose joins, or other × rank */
        const double *block = values + k * rank * other;
        const int row = k % 2 == 0 ? 1 : rank, col = k % 2 == 0 ? other : 1;
        blocks[k] = (h2_gpu_joining){address(block), other, row, col, 0};
        add_product(rank, other, rank, block, col, row, block, row, col, gram);
    }
    for (int i = 0; i < rank * rank; i++)
        weight[i] = start[i] = i / rank > i % rank ? 0 : start[i];
    add_product(rank, rank, rank, start, 1, rank, start, rank, 1, gram);
    const h2_gpu_weigh_rows_task task = {address(work), address(weight), 0, BLOCKS, rank, 1, 0};
    weigh_job job = {&task, blocks};
    shim_launch(weigh_thread, &job, (shim_index){1, 1, 1}, (shim_index){H2_GPU_LARGE_THREADS, 1, 1},
                (unsigned)H2_GPU_PANEL_BYTES(H2_GPU_PANEL + other));
    add_product(rank, rank, rank, weight, 1, rank, weight, rank, 1, found);
    const double far = difference(found, gram, rank * rank);
    bool triangular = true;
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < i; j++)
            triangular = triangular && weight[i * rank + j] == 0;
    tap_ok(far < 1e-13 && triangular, "weights, rank %d, blocks of %d: %.0e off", rank, other, far);
    free(values);
    free(start);
    free(weight);
    free(work);
    free(gram);
    free(found);
}

/* ---- singular vectors ---- */

typedef struct resolve_job {
    h2_gpu_truncate_how how;
    int is_gram, room;
    const h2_gpu_resolve_task *task;
    h2_gpu_truncate_state state;
} resolve_job;

static void resolve_thread(void *arguments) {
    const resolve_job *j = arguments;
    h2_gpu_resolve(j->how, j->is_gram, j->room, j->task, j->state);
}

static void settle_thread(void *arguments) {
    const resolve_job *j = arguments;
    h2_gpu_settle(j->how, j->task, j->state);
}

/* A = Σ σ_s x_s y_sᵀ (rank × length) for σ_s = ratioˢ and orthonormal x, y of the kernel's own QR, which was
 * checked. */
static double *make_known(int rank, int length, double ratio) {
    const int count = rank < length ? rank : length;
    double *a = calloc((size_t)(rank * length), sizeof *a), *side[2];
    for (int k = 0; k < 2; k++) {
        const int rows = (k == 0 ? rank : length) + 1;
        double *x = draw(rows * count), *t = junk(count * count),
               *work = junk(H2_GPU_FACTOR_NUMBERS(rows, count));
        memset(x + (rows - 1) * count, 0, (size_t)count * sizeof *x);
        h2_gpu_factor_task task = {.a = address(work),
                                   .from = address(x),
                                   .to = address(x),
                                   .t = address(t),
                                   .rows = rows,
                                   .cols = count};
        shim_launch(factor_thread, &task, (shim_index){1, 1, 1}, (shim_index){H2_GPU_LARGE_THREADS, 1, 1},
                    (unsigned)H2_GPU_PANEL_BYTES(rows));
        side[k] = x;
        free(t);
        free(work);
    }
    for (int i = 0; i < rank * count; i++)
        side[0][i] *= pow(ratio, i % count);
    add_product(rank, count, length, side[0], count, 1, side[1], 1, count, a);
    free(side[0]);
    free(side[1]);
    return a;
}

/* Known singular values, falling by `ratio`, are found in shared memory of `room` numbers or without it; the
 * vectors are orthonormal, and what they leave of A is what was cut off, of which some was not resolved. */
static void check_resolve(int rank, int length, double ratio, double tolerance, bool is_gram, int method,
                          int room, bool from) {
    const int most = rank < length ? rank : length, rows = is_gram ? length : rank;
    double *a = make_known(rank, length, ratio), *given = calloc((size_t)(rows * length), sizeof *given),
           *vectors = junk(rank * length), *sigma = junk(most), cut = NAN, off = 0, wrong = 0, rest = 0;
    double *work = junk(rows * length);
    int kept = -1, found = -1, of_level = 0, expected = 0;
    if (is_gram)
        add_product(length, rank, length, a, 1, length, a, length, 1, given);
    else
        memcpy(given, a, (size_t)(rank * length) * sizeof *a);
    const h2_gpu_resolve_task task = {address(from ? work : given),
                                      from ? address(given) : 0,
                                      address(vectors),
                                      address(sigma),
                                      0,
                                      rank,
                                      length,
                                      0};
    resolve_job job = {.how = {.threshold = tolerance,
                               .relative = (method == 0 ? 0.09 : 1) * tolerance * tolerance,
                               .rounding = is_gram ? 1e-15 : 0,
                               .method = method},
                       .is_gram = is_gram,
                       .room = room,
                       .task = &task,
                       .state = {.cut = &cut, .rank = &kept, .found = &found, .most = &of_level}};
    shim_launch(resolve_thread, &job, (shim_index){1, 1, 1}, (shim_index){H2_GPU_LARGE_THREADS, 1, 1},
                (unsigned)room * 8);
    shim_launch(settle_thread, &job, (shim_index){1, 1, 1}, (shim_index){32, 1, 1}, 0);
    while (expected < most && pow(ratio, expected) > tolerance)
        expected++;
    /* The squares of all values change by no more than what was left out of the factor, in all. */
    for (int s = 0; s < kept && method == 0; s++)
        wrong = fmax(wrong, fabs(sigma[s] * sigma[s] - pow(ratio, 2 * s)));
    double *gram = calloc((size_t)(rank * rank) + 1, sizeof *gram),
           *along = calloc((size_t)(rank * rank) + 1, sizeof *along);
    add_product(kept, length, kept, vectors, length, 1, vectors, 1, length, gram);
    for (int i = 0; i < kept * kept; i++)
        off = fmax(off, isnan(gram[i]) ? INFINITY : fabs(gram[i] - (i / kept == i % kept)));
    add_product(rank, length, kept, a, length, 1, vectors, 1, length, along); /* A Vᵀ */
    for (int i = 0; i < rank * kept; i++)
        along[i] = -along[i];
    add_product(rank, kept, length, along, kept, 1, vectors, length, 1, a); /* A - A Vᵀ V */
    for (int i = 0; i < rank * length; i++)
        rest += a[i] * a[i];
    const double slack = is_gram ? 1e-13 : 1e-24;
    tap_ok((method == 0 ? kept == expected : kept >= expected) && off < 1e-13 &&
               wrong < job.how.relative + 1e-13 && rest <= cut * (1 + 1e-6) + slack &&
               (method != 0 || rest >= cut * (1 - 1e-6) - job.how.relative - slack),
           "%d x %d%s%s, room for %d%s: %d of %d stay, squares of values %.0e off, vectors %.0e, %.1e left "
           "for %.1e",
           rank, length, is_gram ? ", Gram matrix" : "", method == 0 ? "" : ", pivoted QR", room,
           from ? ", not in place" : "", kept, found, wrong, off, rest, cut);
    free(a);
    free(given);
    free(vectors);
    free(sigma);
    free(work);
    free(gram);
    free(along);
}

int main(void) {
    base_random_init(&numbers, SEED, 0);
    tap_note("seed %d", SEED);
    check_sum(64, 64, 16, 0);
    check_sum(125, 70, 33, 0);
    check_sum(1, 257, 5, H2_GPU_SUM_SINGLE);
    check_sum(65, 130, 100, H2_GPU_SUM_ADDS);
    check_sum(131, 131, 17, H2_GPU_SUM_SYMMETRIC);
    check_sum(90, 90, 40, H2_GPU_SUM_SYMMETRIC | H2_GPU_SUM_ADDS);
    check_factor(65, 64, true, false, false);
    check_factor(129, 65, false, false, false);
    check_factor(250, 125, false, false, false);
    check_factor(512, 256, false, false, false);
    check_factor(256, 216, true, false, false);
    check_factor(201, 125, true, false, true);
    check_factor(130, 97, true, true, false);
    check_factor(64, 125, true, false, false);
    check_factor(100, 216, false, false, false);
    check_weights(65, 31);
    check_weights(125, 125);
    check_weights(216, 40);
    check_weights(17, 1);
    const int whole = 26000, little = 2200;
    check_resolve(65, 65, 0.7, 1e-6, true, 0, whole, true);
    check_resolve(125, 80, 0.8, 1e-3, true, 0, whole, false);
    check_resolve(125, 250, 0.8, 1e-6, true, 0, whole, false);
    check_resolve(70, 90, 0.8, 1e-5, true, 0, little, true);
    check_resolve(125, 125, 0.75, 1e-10, false, 0, whole, true);
    check_resolve(90, 130, 0.8, 1e-8, false, 0, little, false);
    check_resolve(216, 300, 0.6, 1e-7, false, 0, whole, false);
    check_resolve(125, 160, 0.8, 1e-5, true, 1, whole, false);
    check_resolve(80, 100, 0.7, 1e-8, false, 1, little, true);
    return tap_done();
}
