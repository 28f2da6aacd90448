/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels of compression on the CPU: weights, singular vectors, truncated bases of a small tree.
 */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "h2/compress/gpu.cu"

#include "h2/change/compress.h"

#include "tests/support/h2_numbers.h"
#include "tests/support/tap.h"

enum { SEED = 26 };

/* g (n × n) += aᵀ a for a (m × n), or a aᵀ for a (n × m). */
static void add_gram(int n, int m, const double *a, bool by_rows, double *g) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int p = 0; p < m; p++)
                g[i * n + j] += by_rows ? a[i * m + p] * a[j * m + p] : a[p * n + i] * a[p * n + j];
}

/* ---- weights ---- */

typedef struct weigh_job {
    const h2_gpu_weigh *task;
    const h2_gpu_weigh_block *blocks;
    const double *values;
    double *weights;
    int is_gram;
} weigh_job;

static void weigh_thread(void *arguments) {
    const weigh_job *j = arguments;
    h2_gpu_weigh_fp64(j->task, j->blocks, j->values, j->weights);
}

static void gram_thread(void *arguments) {
    const weigh_job *j = arguments;
    h2_gpu_weigh_gram_fp64(j->task, j->blocks, j->values, j->weights);
}

static void parent_thread(void *arguments) {
    const weigh_job *j = arguments;
    if (j->is_gram)
        h2_gpu_weigh_parent_gram_fp64(j->task, j->values, j->weights);
    else
        h2_gpu_weigh_parent_fp64(j->task, j->values, j->weights);
}

/* RᵀR of weights that may be that already. */
static void find_gram(int rank, const double *weights, bool is_gram, double *gram) {
    if (is_gram) {
        memcpy(gram, weights, (size_t)(rank * rank) * sizeof *gram);
        return;
    }
    memset(gram, 0, (size_t)(rank * rank) * sizeof *gram);
    add_gram(rank, rank, weights, false, gram);
}

/* Blocks of both kinds, then a parent. */
static void check_weights(int rank, int other, int above, bool is_gram) {
    enum { BLOCKS = 4 };
    double *values = draw(BLOCKS * rank * other), *weights = junk(rank * rank + above * above);
    double *gram = calloc((size_t)(rank * rank), sizeof *gram),
           *found = calloc((size_t)(rank * rank), sizeof *found);
    double *parent = draw(above * above), *transfer = draw(rank * above);
    h2_gpu_weigh_block blocks[BLOCKS];
    h2_gpu_weigh task = {.count = BLOCKS, .rank = rank, .parent_weight = rank * rank, .parent_rank = above};
    for (int k = 0; k < BLOCKS; k++) {
        blocks[k] = (h2_gpu_weigh_block){k * rank * other, other, k % 2};
        add_gram(rank, other, values + k * rank * other, k % 2 == 1, gram);
    }
    weigh_job job = {&task, blocks, values, weights, is_gram};
    shim_launch(is_gram ? gram_thread : weigh_thread, &job, (shim_index){1, 1, 1},
                (shim_index){H2_GPU_QR_THREADS, 1, 1}, is_gram ? H2_GPU_GRAM_SHARED_BYTES : 0);
    find_gram(rank, weights, is_gram, found);
    const double own = difference(found, gram, rank * rank);
    memcpy(weights + rank * rank, parent, (size_t)(above * above) * sizeof *parent);
    double *seen = calloc((size_t)(above * rank) + 1, sizeof *seen); /* P = R_parent Eᵀ */
    for (int i = 0; i < above; i++)
        for (int j = 0; j < rank; j++)
            for (int p = 0; p < above; p++)
                seen[i * rank + j] += parent[i * above + p] * transfer[j * above + p];
    add_gram(rank, above, seen, false, gram);
    if (is_gram)
        find_gram(above, parent, false, weights + rank * rank);
    job.values = transfer;
    shim_launch(parent_thread, &job, (shim_index){1, 1, 1}, (shim_index){H2_GPU_QR_THREADS, 1, 1},
                is_gram ? H2_GPU_GRAM_SHARED_BYTES : H2_GPU_WEIGH_SHARED_BYTES);
    find_gram(rank, weights, is_gram, found);
    const double all = difference(found, gram, rank * rank);
    bool triangular = true;
    for (int i = 0; i < rank && !is_gram; i++)
        for (int j = 0; j < i; j++)
            triangular = triangular && weights[i * rank + j] == 0;
    tap_ok(own < 1e-14 && all < 1e-14 && triangular,
           "weights%s, rank %d, blocks of %d, parent %d: %.0e %.0e off", is_gram ? " by Gram matrices" : "",
           rank, other, above, own, all);
    free(values);
    free(weights);
    free(gram);
    free(found);
    free(parent);
    free(transfer);
    free(seen);
}

/* ---- truncation ---- */

typedef struct truncate_job {
    bool is_gram;
    h2_gpu_truncate_how how;
    const h2_gpu_truncate *task;
    const double *transfers;
    h2_gpu_truncate_state state;
} truncate_job;

static void truncate_thread(void *arguments) {
    const truncate_job *j = arguments;
    if (j->is_gram)
        h2_gpu_truncate_gram_fp64(j->how, 1, j->task, j->transfers, j->state);
    else
        h2_gpu_truncate_fp64(j->how, j->task, j->transfers, j->state);
}

static void keep_thread(void *arguments) {
    const truncate_job *j = arguments;
    h2_gpu_keep(j->how, j->task, j->state);
}

static void truncate_node(truncate_job *job) {
    shim_launch(truncate_thread, job, (shim_index){1, 1, 1}, (shim_index){H2_GPU_QR_THREADS, 1, 1},
                job->is_gram ? H2_GPU_STACK * H2_GPU_STACK * 8 : H2_GPU_TRUNCATE_SHARED_BYTES);
    shim_launch(keep_thread, job, (shim_index){1, 1, 1}, (shim_index){H2_GPU_QR_THREADS, 1, 1}, 0);
}

/* Vectors (count × length) are orthonormal, and aᵀ's (rank × length) projection on them leaves out what the
 * values say, `cut`, of which `left_over` was not resolved, in part. `rounding` is relative to a's square. */
static bool are_vectors(int count, int length, const double *v, int rank, const double *a, double cut,
                        double left_over, double rounding) {
    double worst = 0, rest = 0, whole = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? -1 : 0;
            for (int p = 0; p < length; p++)
                sum += v[i * length + p] * v[j * length + p];
            worst = fmax(worst, fabs(sum));
        }
    for (int row = 0; row < rank; row++) {
        double *left = malloc((size_t)length * sizeof *left);
        memcpy(left, a + row * length, (size_t)length * sizeof *left);
        for (int i = 0; i < count; i++) {
            double along = 0;
            for (int p = 0; p < length; p++)
                along += a[row * length + p] * v[i * length + p];
            for (int p = 0; p < length; p++)
                left[p] -= along * v[i * length + p];
        }
        for (int p = 0; p < length; p++) {
            rest += left[p] * left[p];
            whole += a[row * length + p] * a[row * length + p];
        }
        free(left);
    }
    return worst < 1e-13 && rest <= cut * (1 + 1e-9) + rounding * whole &&
           rest >= (cut - left_over) * (1 - 1e-9) - rounding * whole;
}

/* R (rank × rank) whose values fall by `ratio` from one to the next, in random directions. */
static void make_weight(int rank, double ratio, double *r) {
    double *a = draw(rank * rank);
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++)
            r[i * rank + j] = j < i ? 0 : a[i * rank + j] * pow(ratio, i);
    free(a);
}

static void give_weight(int rank, const double *r, bool is_gram, double *given) {
    memcpy(given, r, (size_t)(rank * rank) * sizeof *r);
    if (!is_gram)
        return;
    memset(given, 0, (size_t)(rank * rank) * sizeof *r);
    add_gram(rank, rank, r, false, given);
}

/* What was cut off at a node and had not been resolved. */
static double left_over(const truncate_job *job, int node, int sigma) {
    double sum = job->state.cut[node];
    for (int s = job->state.rank[node]; s < job->state.found[node]; s++)
        sum -= job->state.sigma[sigma + s] * job->state.sigma[sigma + s];
    return fmax(sum, 0);
}

/* ---- two leaves and their parent ---- */

enum { NODES = 3 };

typedef struct family {
    int rank, parent_rank, most, size; /* of the leaves, of the parent; the larger one and its square */
    bool is_gram;
    double slack, *weights, *given, *transfers; /* `given` is what the kernels get for the weights */
    truncate_job job;
} family;

static bool check_leaf(family *f, int node) {
    const int rank = f->rank, most = f->most, size = f->size;
    const h2_gpu_truncate_state *state = &f->job.state;
    double *weight = f->weights + node * size;
    const h2_gpu_truncate task = {.weight = node * size,
                                  .t = node * size,
                                  .vectors = node * most * H2_GPU_STACK,
                                  .sigma = node * most,
                                  .node = node,
                                  .rank = rank,
                                  .is_leaf = 1,
                                  .level = 1};
    make_weight(rank, f->is_gram ? 0.75 - 0.05 * node : 0.6 - 0.1 * node, weight);
    give_weight(rank, weight, f->is_gram, f->given + node * size);
    f->job.task = &task;
    truncate_node(&f->job);
    const int kept = state->rank[node];
    bool good =
        kept > 0 &&
        are_vectors(kept, rank, state->vectors + task.vectors, rank, weight, state->cut[node],
                    left_over(&f->job, node, node * most), f->slack) &&
        memcmp(state->vectors + task.vectors, state->t + task.t, (size_t)(kept * rank) * sizeof(double)) == 0;
    for (int s = 1; s < state->found[node]; s++)
        good = good && state->sigma[node * most + s] <= state->sigma[node * most + s - 1];
    return good;
}

/* Z and A = R Zᵀ, from the leaves' T. */
static void make_stack(const family *f, double *z, double *a) {
    const int rank = f->rank, parent_rank = f->parent_rank, *kept = f->job.state.rank,
              length = kept[0] + kept[1];
    for (int i = 0; i < length; i++)
        for (int p = 0; p < rank; p++)
            for (int j = 0; j < parent_rank; j++) {
                const int child = i >= kept[0], row = child ? i - kept[0] : i;
                z[i * parent_rank + j] += f->job.state.t[child * f->size + row * rank + p] *
                                          f->transfers[(child * rank + p) * parent_rank + j];
            }
    for (int i = 0; i < parent_rank; i++)
        for (int j = 0; j < length; j++)
            for (int p = 0; p < parent_rank; p++)
                a[i * length + j] += f->weights[2 * f->size + i * parent_rank + p] * z[j * parent_rank + p];
}

static bool check_parent(family *f) {
    const int rank = f->rank, parent_rank = f->parent_rank, size = f->size;
    const h2_gpu_truncate_state *state = &f->job.state;
    const h2_gpu_truncate task = {.weight = 2 * size,
                                  .t = 2 * size,
                                  .vectors = 2 * f->most * H2_GPU_STACK,
                                  .sigma = 2 * f->most,
                                  .child_t = {0, size},
                                  .child = {0, 1},
                                  .child_old = {rank, rank},
                                  .node = 2,
                                  .rank = parent_rank};
    make_weight(parent_rank, 0.55, f->weights + 2 * size);
    give_weight(parent_rank, f->weights + 2 * size, f->is_gram, f->given + 2 * size);
    f->job.task = &task;
    truncate_node(&f->job);
    const int length = state->rank[0] + state->rank[1];
    double *z = calloc((size_t)(length * parent_rank), sizeof *z),
           *a = calloc((size_t)(length * parent_rank), sizeof *a), worst = 0;
    make_stack(f, z, a);
    const double *v = state->vectors + task.vectors;
    const bool good = are_vectors(state->rank[2], length, v, parent_rank, a, state->cut[2],
                                  left_over(&f->job, 2, 2 * f->most), f->slack);
    for (int i = 0; i < state->rank[2]; i++)
        for (int j = 0; j < parent_rank; j++) {
            double sum = 0;
            for (int p = 0; p < length; p++)
                sum += v[i * length + p] * z[p * parent_rank + j];
            worst = fmax(worst, fabs(sum - state->t[2 * size + i * parent_rank + j]));
        }
    free(z);
    free(a);
    return good && worst < 1e-12;
}

static void check_truncation(int rank, int parent_rank, int rule, double threshold, bool level_ranks,
                             bool is_gram, h2_method method) {
    const int most = rank > parent_rank ? rank : parent_rank, size = most * most;
    int kept[NODES], found[NODES], of_level[2] = {0, 0};
    const double rounding = is_gram ? 1e-15 : 0;
    double cut[NODES];
    family f = {.rank = rank,
                .parent_rank = parent_rank,
                .most = most,
                .size = size,
                .is_gram = is_gram,
                .slack = is_gram ? 1e-13 : 1e-24,
                .weights = junk(NODES * size),
                .given = junk(NODES * size),
                .transfers = draw(2 * rank * parent_rank)};
    f.job = (truncate_job){.is_gram = is_gram,
                           .how = {threshold, rule == 0 ? 1e-4 * threshold * threshold : 0,
                                   rule == 0 ? 0 : 1e-4 * threshold * (rule == 1 ? threshold : 1), rounding,
                                   rule, 0, level_ranks},
                           .transfers = f.transfers,
                           .state = {.weights = f.given,
                                     .t = junk(NODES * size),
                                     .vectors = junk(NODES * most * H2_GPU_STACK),
                                     .stacks = junk(H2_GPU_STACK * most),
                                     .sigma = junk(NODES * most),
                                     .cut = cut,
                                     .products = junk(H2_GPU_STACK * H2_GPU_STACK),
                                     .rank = kept,
                                     .found = found,
                                     .most = of_level}};
    const bool first = check_leaf(&f, 0), second = check_leaf(&f, 1), parent = check_parent(&f),
               levels = !level_ranks || kept[0] == kept[1] || kept[1] == found[1] || kept[0] == found[0];
    tap_ok(first && second && parent && levels, "rule %d, %.0e%s%s: of %d and %d stay %d, %d and %d of %d",
           rule, threshold, is_gram ? ", Gram matrices" : "", method == H2_SVD ? "" : ", pivoted QR", rank,
           parent_rank, kept[0], kept[1], kept[2], kept[0] + kept[1]);
    free(f.weights);
    free(f.transfers);
    free(f.given);
    free(f.job.state.products);
    free(f.job.state.t);
    free(f.job.state.vectors);
    free(f.job.state.stacks);
    free(f.job.state.sigma);
}

/* Singular values that are known, and none. */
static void check_values(void) {
    enum { RANK = 5 };
    int rank, found, most = 0;
    double cut = 0, weights[RANK * RANK] = {0}, t[RANK * RANK], vectors[RANK * H2_GPU_STACK], sigma[RANK];
    const h2_gpu_truncate task = {.rank = RANK, .is_leaf = 1};
    truncate_job job = {.how = {1e-3, 1e-10, 0, 0, 0, 0, 0},
                        .task = &task,
                        .state = {weights, t, vectors, NULL, sigma, &cut, NULL, &rank, &found, &most}};
    truncate_node(&job);
    tap_ok(rank == 0 && found == 0 && cut == 0, "no weight: nothing stays");
    weights[0 * RANK + 0] = 3;
    weights[0 * RANK + 1] = 4;
    weights[2 * RANK + 2] = 1e-2;
    weights[3 * RANK + 3] = 1e-4;
    weights[4 * RANK + 4] = 1e-9;
    truncate_node(&job);
    tap_ok(rank == 2 && found == 3 && fabs(sigma[0] - 5) < 1e-14 && fabs(sigma[1] - 1e-2) < 1e-17 &&
               fabs(sigma[2] - 1e-4) < 1e-19 && fabs(cut - 1e-8 - 1e-18) < 1e-22 &&
               fabs(fabs(vectors[0]) - 0.6) < 1e-15 && fabs(fabs(vectors[1]) - 0.8) < 1e-15,
           "known singular values: %g %g %g, cut off %g", sigma[0], sigma[1], sigma[2], cut);
}

/* ---- results ---- */

typedef struct store_job {
    const h2_gpu_store_task *task;
    const double *from, *vectors;
    double *to;
    long long count;
} store_job;

static void store_thread(void *arguments) {
    const store_job *j = arguments;
    h2_gpu_store_fp64(j->task, j->from, j->to, j->vectors);
}

static void squares_thread(void *arguments) {
    const store_job *j = arguments;
    h2_gpu_squares_fp64(j->count, j->from, j->to);
}

static void check_results(void) {
    enum { ROWS = 70, OLD = 33, RANK = 12, COUNT = H2_GPU_SQUARES + 1000 };
    double *u = draw(ROWS * OLD), *v = draw(RANK * ROWS), *to = junk(ROWS * RANK), worst = 0;
    h2_gpu_store_task task = {.rows = ROWS, .old = OLD, .rank = RANK, .is_leaf = 1};
    store_job job = {&task, u, v, to, 0};
    shim_launch(store_thread, &job, (shim_index){1, 1, 1}, (shim_index){H2_GPU_QR_THREADS, 1, 1}, 0);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < RANK; j++) {
            double sum = 0;
            for (int p = 0; p < OLD; p++)
                sum += u[i * OLD + p] * v[j * OLD + p];
            worst = fmax(worst, isnan(to[i * RANK + j]) ? INFINITY : fabs(sum - to[i * RANK + j]));
        }
    tap_ok(worst < 1e-13, "a leaf's new basis: %.0e off", worst);
    task.is_leaf = 0;
    shim_launch(store_thread, &job, (shim_index){1, 1, 1}, (shim_index){H2_GPU_QR_THREADS, 1, 1}, 0);
    bool same = true;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < RANK; j++)
            same = same && to[i * RANK + j] == v[j * ROWS + i];
    tap_ok(same, "new transfers");
    double *values = malloc(COUNT * sizeof *values), sums[2], sum = 0;
    for (int i = 0; i < COUNT; i++) {
        values[i] = i % 7;
        sum += values[i] * values[i];
    }
    job = (store_job){NULL, values, NULL, sums, COUNT};
    shim_launch(squares_thread, &job, (shim_index){2, 1, 1}, (shim_index){H2_GPU_QR_THREADS, 1, 1}, 0);
    tap_ok(sums[0] + sums[1] == sum, "sums of squares");
    free(u);
    free(v);
    free(to);
    free(values);
}

int main(void) {
    base_random_init(&numbers, SEED, 0);
    tap_note("seed %d", SEED);
    check_weights(64, 64, 64, false);
    check_weights(20, 33, 41, false);
    check_weights(9, 5, 0, false);
    check_weights(1, 2, 3, false);
    check_weights(64, 64, 64, true);
    check_weights(41, 5, 17, true);
    check_weights(20, 33, 41, true);
    check_values();
    check_truncation(64, 64, 0, 1e-5, false, false, H2_SVD);
    check_truncation(30, 41, 1, 1e-3, false, false, H2_SVD);
    check_truncation(30, 41, 2, 1e-6, false, false, H2_SVD);
    check_truncation(24, 20, 0, 1e-2, true, false, H2_SVD);
    check_truncation(40, 10, 0, 1e-9, false, false, H2_SVD);
    check_truncation(64, 64, 0, 1e-5, false, true, H2_SVD);
    check_truncation(30, 41, 1, 1e-3, false, true, H2_SVD);
    check_truncation(30, 41, 2, 1e-6, false, true, H2_SVD);
    check_truncation(64, 20, 0, 1e-2, true, true, H2_SVD);
    check_truncation(64, 64, 0, 1e-7, true, true, H2_SVD);
    check_truncation(64, 64, 0, 1e-5, false, true, H2_PIVOTED_QR);
    check_truncation(64, 64, 0, 1e-7, true, true, H2_PIVOTED_QR);
    check_truncation(30, 41, 2, 1e-6, false, false, H2_PIVOTED_QR);
    check_results();
    return tap_done();
}
