/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels of orthogonalization on the CPU: factors of random matrices, changed blocks. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "h2/orthog/gpu.cu"

#include "tests/support/h2_numbers.h"
#include "tests/support/tap.h"

enum { SEED = 25 };

/* c (m × n) = a (m × p) b (p × n) */
static double *multiply(int m, int p, int n, const double *a, const double *b) {
    double *c = calloc((size_t)(m * n) + 1, sizeof *c);
    for (int i = 0; i < m; i++)
        for (int q = 0; q < p; q++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * p + q] * b[q * n + j];
    return c;
}

typedef struct job {
    const h2_gpu_qr *qr;
    const h2_gpu_change *change;
    const h2_gpu_change_block *blocks;
    const void *from;
    void *to;
    double *t;
    bool single;
} job;

static void qr_thread(void *arguments) {
    const job *j = arguments;
    if (j->single)
        h2_gpu_orthogonalize_fp32(j->qr, j->from, j->to, j->t);
    else
        h2_gpu_orthogonalize_fp64(j->qr, j->from, j->to, j->t);
}

static void change_thread(void *arguments) {
    const job *j = arguments;
    if (j->single)
        h2_gpu_change_fp32(j->change, j->blocks, j->from, j->to, j->t, j->t);
    else
        h2_gpu_change_fp64(j->change, j->blocks, j->from, j->to, j->t, j->t);
}

static void run_qr(job *j) {
    shim_launch(qr_thread, j, (shim_index){1, 1, 1}, (shim_index){H2_GPU_QR_THREADS, 1, 1},
                H2_GPU_QR_SHARED_BYTES);
}

/* a = q t with orthonormal q, t upper triangular with a positive diagonal, or q the identity. */
static void check_factors(const char *what, int rows, int cols, const double *a, const double *q,
                          const double *t) {
    const int rank = rows < cols ? rows : cols;
    double *product = multiply(rows, rank, cols, q, t), off = 0;
    const double far = difference(product, a, rows * cols);
    bool triangular = true;
    for (int i = 0; i < rank; i++) {
        for (int j = 0; j < rank; j++) {
            double sum = i == j ? -1 : 0;
            for (int row = 0; row < rows; row++)
                sum += q[row * rank + i] * q[row * rank + j];
            off = fmax(off, fabs(sum));
        }
        for (int j = 0; j <= i && rows > cols; j++)
            triangular = triangular && (j < i ? t[i * cols + j] == 0 : t[i * cols + j] >= 0);
    }
    tap_ok(far < 1e-13 * rows && off < 1e-14 * rows && triangular, "%s, %d x %d: Q R %.0e off, Q %.0e", what,
           rows, cols, far, off);
    free(product);
}

static void check_leaf(int rows, int cols, bool dependent) {
    double *a = draw(rows * cols), *q = junk(rows * cols), *t = junk(rows * cols);
    for (int i = 0; i < rows && dependent; i++) {
        a[i * cols] = 0;
        a[i * cols + cols - 1] = 3 * a[i * cols + 1];
    }
    const h2_gpu_qr task = {.rows = rows, .cols = cols, .is_leaf = 1};
    run_qr(&(job){.qr = &task, .from = a, .to = q, .t = t});
    check_factors(dependent ? "dependent columns" : "a leaf", rows, cols, a, q, t);
    free(a);
    free(q);
    free(t);
}

/* Two children of ranks r0, r1 and old ranks o0, o1; r1 = 0: one. In place, as the driver calls it. */
static void check_node(int r0, int o0, int r1, int o1, int cols) {
    const int rows = r0 + r1;
    double *e = draw((o0 + o1) * cols), *t = draw(r0 * o0 + r1 * o1 + rows * cols);
    double *top = multiply(r0, o0, cols, t, e), *bottom = multiply(r1, o1, cols, t + r0 * o0, e + o0 * cols);
    double *stack = malloc((size_t)(rows * cols) * sizeof *stack);
    memcpy(stack, top, (size_t)(r0 * cols) * sizeof *stack);
    memcpy(stack + r0 * cols, bottom, (size_t)(r1 * cols) * sizeof *stack);
    const h2_gpu_qr task = {.t = r0 * o0 + r1 * o1,
                            .child_t = {0, r0 * o0},
                            .child_rank = {r0, r1},
                            .child_old = {o0, o1},
                            .rows = rows,
                            .cols = cols};
    run_qr(&(job){.qr = &task, .from = e, .to = e, .t = t});
    check_factors(r1 > 0 ? "a node" : "an only child", rows, cols, stack, e, t + task.t);
    free(e);
    free(t);
    free(top);
    free(bottom);
    free(stack);
}

static void check_single(void) {
    enum { ROWS = 30, COLS = 20 };
    float a[ROWS * COLS];
    double wide[ROWS * COLS], q[ROWS * COLS], t[ROWS * COLS], far = 0;
    for (int i = 0; i < ROWS * COLS; i++)
        wide[i] = a[i] = (float)base_random_uniform(&numbers);
    const h2_gpu_qr task = {.rows = ROWS, .cols = COLS, .is_leaf = 1};
    run_qr(&(job){.qr = &task, .from = a, .to = a, .t = t, .single = true});
    for (int i = 0; i < ROWS * COLS; i++)
        q[i] = a[i];
    double *product = multiply(ROWS, COLS, COLS, q, t);
    far = difference(product, wide, ROWS * COLS);
    tap_ok(far < 1e-5 && far > 0, "binary32: %.0e off", far);
    free(product);
}

/* Three blocks of one row, old sizes to new ones. */
static void check_change(int old_rows, int rows, int old_cols, int cols, bool single) {
    enum { BLOCKS = 3 };
    double *s = draw(BLOCKS * old_rows * old_cols), *t = draw(rows * old_rows + 2 + BLOCKS * cols * old_cols);
    const int size = rows * cols, old_size = old_rows * old_cols;
    const int col_t = (rows * old_rows + 1) / 2 * 2;
    double *to = junk(BLOCKS * size), worst = 0;
    float *narrow = malloc((size_t)(BLOCKS * old_size) * 4 + 16),
          *narrow_to = malloc((size_t)(BLOCKS * size) * 4 + 16);
    h2_gpu_change_block blocks[BLOCKS];
    const h2_gpu_change task = {.count = BLOCKS, .old_rows = old_rows, .rows = rows};
    for (int i = 0; i < BLOCKS * old_size; i++)
        narrow[i] = (float)s[i];
    for (int k = 0; k < BLOCKS; k++)
        blocks[k] =
            (h2_gpu_change_block){k * old_size, k * size, col_t + k * cols * old_cols, old_cols, cols};
    job j = {.change = &task,
             .blocks = blocks,
             .from = single ? (void *)narrow : s,
             .to = single ? (void *)narrow_to : to,
             .t = t,
             .single = single};
    shim_launch(change_thread, &j, (shim_index){1, 1, 1}, (shim_index){H2_GPU_TENSOR_THREADS, 1, 1},
                H2_GPU_CHANGE_SHARED_BYTES);
    for (int i = 0; i < BLOCKS * size && single; i++)
        to[i] = narrow_to[i];
    for (int k = 0; k < BLOCKS; k++) {
        double *turned = malloc((size_t)(cols * old_cols) * sizeof *turned);
        for (int i = 0; i < cols; i++)
            for (int p = 0; p < old_cols; p++)
                turned[p * cols + i] = t[blocks[k].t + i * old_cols + p];
        double *middle = multiply(rows, old_rows, old_cols, t, s + k * old_size);
        double *expected = multiply(rows, old_cols, cols, middle, turned);
        worst = fmax(worst, difference(to + k * size, expected, size));
        free(turned);
        free(middle);
        free(expected);
    }
    tap_ok(worst < (single ? 1e-3 : 1e-11), "blocks of %d x %d to %d x %d%s: %.0e off", old_rows, old_cols,
           rows, cols, single ? ", binary32" : "", worst);
    free(s);
    free(t);
    free(to);
    free(narrow);
    free(narrow_to);
}

int main(void) {
    base_random_init(&numbers, SEED, 0);
    tap_note("seed %d", SEED);
    check_leaf(64, 64, false);
    check_leaf(100, 37, false);
    check_leaf(128, 64, false);
    check_leaf(20, 33, false);
    check_leaf(9, 1, false);
    check_leaf(70, 20, true);
    check_node(64, 64, 64, 64, 64);
    check_node(30, 41, 23, 27, 35);
    check_node(17, 20, 0, 0, 9);
    check_node(8, 12, 9, 13, 25);
    check_single();
    check_change(64, 64, 64, 64, false);
    check_change(33, 20, 41, 17, false);
    check_change(8, 3, 50, 64, false);
    check_change(24, 24, 24, 20, true);
    return tap_done();
}
