/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/change/truncate.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static bool is_leaf(const h2_truncation *t, int64_t node) {
    return node >= t->matrix->tree.first_leaf;
}

/* Length of a node's singular vectors: its basis's columns, or what its children kept. */
static int64_t vector_length(const h2_truncation *t, int64_t node) {
    return is_leaf(t, node) ? t->basis->rank[node] : h2_child_ranks(t->matrix, t->rank, node);
}

static void *vectors_of(const h2_truncation *t, int64_t node) {
    return is_leaf(t, node) ? h2_change_of(t->matrix, &t->change, node)
                            : h2_at(t->matrix, t->vectors, t->offset[node]);
}

/* ---- one node ---- */

/* Z (m × rank) W: what is to be factored. Gram: Z G Zᵀ (m × m) in `product`, by way of G Zᵀ in the stack's
 * second half; else R Zᵀ (rank × m). */
static void weigh_stack(const h2_truncation *t, int64_t node, int64_t m, char *z, char *zt, char *middle,
                        char *product) {
    const h2_kernels *kernels = t->matrix->kernels;
    const int64_t rank = t->basis->rank[node];
    h2_stack_children(t->matrix, t->basis, &t->change, t->rank, node, z);
    kernels->transpose(m, rank, z, rank, zt, m);
    h2_product weigh = {.update = H2_SET,
                        .m = rank,
                        .n = m,
                        .p = rank,
                        .a = h2_weight_of(t->matrix, t->weights, node),
                        .a_row = rank,
                        .a_col = 1,
                        .b = zt,
                        .b_row = m,
                        .c = t->weights->gram ? middle : product,
                        .c_row = m};
    kernels->multiply(&weigh);
    if (t->weights->gram)
        kernels->multiply(&(h2_product){H2_SET, m, m, rank, z, rank, 1, middle, m, product, m});
}

/* How many of the singular values to keep. By the Frobenius norm the smallest ones go, as long as the sum of
 * their squares and of `left`, that of those which were not computed, stays within the threshold. */
static int64_t choose_rank(const h2_truncation *t, const double *sigma, int64_t found, double left) {
    int64_t rank = found;
    if (t->rule == H2_FROBENIUS) {
        for (double square = left; rank > 0; rank--) {
            square += sigma[rank - 1] * sigma[rank - 1];
            if (square > t->threshold)
                break;
        }
        return rank;
    }
    const double least = t->rule == H2_RELATIVE ? t->threshold * sigma[0] : t->threshold;
    while (rank > 0 && !(sigma[rank - 1] > least))
        rank--;
    return rank;
}

/* The rows (count × m) become orthonormal, spanning the same; `columns` and `triangle` are workspace. */
static void orthogonalize_rows(const h2_kernels *kernels, int64_t m, int64_t count, void *rows, void *columns,
                               void *triangle, void *work) {
    kernels->transpose(count, m, rows, m, columns, count);
    kernels->orthogonalize(m, count, columns, triangle, work);
    kernels->transpose(m, count, columns, count, rows, m);
}

/* The vectors of the node's weighted basis, in the order of what they stand for. */
static void analyse(h2_truncation *t, int64_t node, int thread) {
    const h2_matrix *matrix = t->matrix;
    const h2_kernels *kernels = matrix->kernels;
    const int64_t rank = t->basis->rank[node], m = vector_length(t, node), most = rank < m ? rank : m;
    char *product = t->product + thread * t->product_step, *work = t->work + thread * t->work_step;
    char *z = t->stack + 3 * thread * t->stack_step;
    double *sigma = t->sigma + t->basis->start[node];
    const double rounding = kernels->bytes == 8 ? h2_gram_rounding : 5e-7;
    void *vectors = h2_at(matrix, t->level_vectors, t->level_offset[node]);
    double relative = 0, absolute = 0;
    if (is_leaf(t, node))
        memcpy(product, h2_weight_of(matrix, t->weights, node), (size_t)(rank * rank * kernels->bytes));
    else
        weigh_stack(t, node, m, z, z + t->stack_step, z + 2 * t->stack_step, product);
    h2_compress_resolution(t->rule, t->method, t->threshold, &relative, &absolute);
    /* What `relative` and `absolute` say is negligible is not computed but added to `left`; of a Gram matrix
     * also what is smaller than its rounding. */
    if (t->weights->gram) {
        t->found[node] = kernels->reveal_gram(m, product, relative > rounding ? relative : rounding, absolute,
                                              vectors, &t->left[node], work);
    } else {
        t->found[node] = kernels->reveal_rows(rank, m, product, relative, absolute, &t->left[node], work);
        t->found[node] = t->found[node] < most ? t->found[node] : most;
        memcpy(vectors, product, (size_t)(t->found[node] * m * kernels->bytes));
    }
    if (t->method == H2_PIVOTED_QR) {
        if (t->weights->gram)
            t->left[node] += rounding * kernels->sum_of_squares(t->found[node] * m, vectors);
        orthogonalize_rows(kernels, m, t->found[node], vectors, z, product, work);
        t->rank[node] = t->found[node];
        return;
    }
    kernels->singular(m, t->found[node], vectors, sigma, work);
    if (t->weights->gram) /* the rounding of the Gram matrix's eigenvalues σ² */
        for (int64_t s = 0; s < t->found[node]; s++)
            t->left[node] += rounding * sigma[s] * sigma[s];
    t->rank[node] = t->found[node] > 0 ? choose_rank(t, sigma, t->found[node], t->left[node]) : 0;
}

/* Keeps the leading vectors, and the old coefficients in the new basis; in a leaf both are the same. */
static void finish(h2_truncation *t, int64_t node, int thread) {
    const h2_kernels *kernels = t->matrix->kernels;
    const int64_t rank = t->basis->rank[node], kept = t->rank[node], m = vector_length(t, node);
    const void *from = h2_at(t->matrix, t->level_vectors, t->level_offset[node]);
    void *to = h2_change_of(t->matrix, &t->change, node);
    memcpy(vectors_of(t, node), from, (size_t)(kept * m * kernels->bytes));
    if (is_leaf(t, node))
        return;
    char *z = t->stack + 3 * thread * t->stack_step;
    h2_stack_children(t->matrix, t->basis, &t->change, t->rank, node, z);
    kernels->multiply(&(h2_product){H2_SET, kept, rank, m, from, m, 1, z, rank, to, rank});
}

/* ---- levels ---- */

static void level_ranks(h2_truncation *t, int64_t first, int64_t last) {
    int64_t most = 0;
    for (int64_t node = first; node < last; node++)
        most = t->rank[node] > most ? t->rank[node] : most;
    for (int64_t node = first; node < last; node++)
        t->rank[node] = t->found[node] < most ? t->found[node] : most;
}

/* Places of a level's vectors before it is known how many are kept, and of the kept ones: close together,
 * since memory that is not touched costs nothing. */
static void place_found(h2_truncation *t, int64_t first, int64_t last) {
    int64_t place = 0;
    for (int64_t node = first; node < last; node++) {
        t->level_offset[node] = place;
        place += t->basis->rank[node] * vector_length(t, node);
    }
}

static void place_kept(h2_truncation *t, int64_t first, int64_t last) {
    for (int64_t node = first; node < last; node++) {
        t->change.offset[node] = t->change_end;
        t->change_end += t->rank[node] * t->basis->rank[node];
        t->offset[node] = t->vectors_end;
        if (!is_leaf(t, node))
            t->vectors_end += t->rank[node] * vector_length(t, node);
    }
}

static void truncate_levels(base_context *context, h2_truncation *t) {
    const h2_tree *tree = &t->matrix->tree;
    base_progress_start(context, "truncate", (double)tree->nodes, "clusters");
#pragma omp parallel num_threads(context->threads)
    for (int64_t level = tree->levels - 1; level >= 0; level--) {
        const int64_t first = tree->level[level], last = tree->level[level + 1];
#pragma omp single
        place_found(t, first, last);
#pragma omp for schedule(dynamic, 1)
        for (int64_t node = first; node < last; node++) {
            if (t->basis->rank[node] > 0)
                analyse(t, node, omp_get_thread_num());
            base_progress_add(context, 1);
        }
#pragma omp single
        {
            if (t->level_ranks)
                level_ranks(t, first, last);
            place_kept(t, first, last);
        }
#pragma omp for schedule(dynamic, 2)
        for (int64_t node = first; node < last; node++)
            if (t->basis->rank[node] > 0)
                finish(t, node, omp_get_thread_num());
#pragma omp single nowait
        h2_phases_end(t->phases, "bases", level);
    }
    base_progress_finish(context);
}

/* A level's singular vectors take 4 m k² + 8 k³ flop for a stack of m × k (Golub, Van Loan: Matrix
 * Computations, 8.6.3), by whatever means; stacks are read, vectors written. */
static void count_level(const h2_truncation *t, int64_t level) {
    const h2_matrix *matrix = t->matrix;
    double numbers = 0, flop = 0;
    for (int64_t node = matrix->tree.level[level]; node < matrix->tree.level[level + 1]; node++) {
        const double k = (double)t->basis->rank[node];
        const double m =
            (double)(is_leaf(t, node) ? t->basis->rank[node] : h2_child_ranks(matrix, t->rank, node));
        numbers += m * (k + (double)t->rank[node]);
        flop += (4 * m + 8 * k) * k * k;
    }
    h2_phases_count(t->phases, "bases", level, numbers * (double)matrix->head.value_bytes, flop);
}

static double sum_cut(const h2_truncation *t) {
    double sum = 0;
    for (int64_t node = 0; node < t->matrix->tree.nodes; node++) {
        const double *sigma = t->sigma + t->basis->start[node];
        double own = t->left[node];
        for (int64_t s = t->found[node] - 1; s >= t->rank[node]; s--)
            own += sigma[s] * sigma[s];
        sum += own;
    }
    return sum;
}

static base_status alloc(base_context *context, h2_truncation *t) {
    const h2_matrix *matrix = t->matrix;
    const int64_t nodes = matrix->tree.nodes, bytes = matrix->head.value_bytes;
    const int64_t most = h2_most_rank(matrix), children = h2_most_child_ranks(matrix, t->basis->rank);
    const int64_t rows = children > most ? children : most;
    int64_t level_most = 0, all = 0;
    base_status status = BASE_OK;
    t->rank = base_alloc_zero(context, nodes, sizeof *t->rank);
    t->found = base_alloc_zero(context, nodes, sizeof *t->found);
    t->left = base_alloc_zero(context, nodes, sizeof *t->left);
    t->sigma = base_alloc_zero(context, t->basis->start[nodes], sizeof *t->sigma);
    t->offset = base_alloc_zero(context, nodes + 1, sizeof *t->offset);
    t->level_offset = base_alloc_zero(context, nodes, sizeof *t->level_offset);
    if (t->rank == NULL || t->found == NULL || t->left == NULL || t->sigma == NULL || t->offset == NULL ||
        t->level_offset == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t level = 0; level < matrix->tree.levels; level++) {
        int64_t sum = 0;
        for (int64_t node = matrix->tree.level[level]; node < matrix->tree.level[level + 1]; node++)
            sum += t->basis->rank[node] *
                   (is_leaf(t, node) ? t->basis->rank[node] : h2_child_ranks(matrix, t->basis->rank, node));
        level_most = sum > level_most ? sum : level_most;
        all += level + 1 < matrix->tree.levels ? sum : 0;
    }
    t->stack_step = h2_padded_bytes(rows * most * bytes);
    t->product_step = h2_padded_bytes(rows * rows * bytes);
    t->work_step = h2_padded_bytes(h2_kernel_work(rows, rows) * bytes);
    t->level_vectors = base_alloc_aligned(context, level_most, bytes);
    t->vectors = base_alloc_aligned(context, all, bytes);
    t->stack = base_alloc_aligned(context, 3 * context->threads, t->stack_step);
    t->product = base_alloc_aligned(context, context->threads, t->product_step);
    t->work = base_alloc_aligned(context, context->threads, t->work_step);
    if (t->level_vectors == NULL || t->vectors == NULL || t->stack == NULL || t->product == NULL ||
        t->work == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(h2_change_alloc(context, matrix, t->basis, t->basis->rank, &t->change));
done:
    return status;
}

base_status h2_truncate(base_context *context, h2_truncation *t) {
    base_status status = alloc(context, t);
    if (status == BASE_OK) {
        h2_phases_begin(t->phases);
        truncate_levels(context, t);
        for (int64_t level = 0; level < t->matrix->tree.levels && t->phases != NULL; level++)
            count_level(t, level);
        t->cut_square = sum_cut(t);
    }
    return status;
}

/* New leaf = old leaf times vectorsᵀ; the children's transfers are the pieces of vectorsᵀ. */
static void store_node(const h2_truncation *t, int64_t node, h2_matrix *result, h2_basis *to, char *qt) {
    const h2_kernels *kernels = t->matrix->kernels;
    const int64_t kept = t->rank[node], m = vector_length(t, node);
    if (is_leaf(t, node)) {
        kernels->transpose(kept, m, vectors_of(t, node), m, qt, kept);
        kernels->multiply(&(h2_product){H2_SET, h2_points_of(t->matrix, node), kept, m,
                                        h2_leaf_basis(t->matrix, t->basis, node), m, 1, qt, kept,
                                        h2_leaf_basis(result, to, node), kept});
        return;
    }
    int64_t row = 0;
    for (int64_t child = t->matrix->child[node]; child < t->matrix->child[node + 1]; child++) {
        kernels->transpose(kept, t->rank[child], h2_at(t->matrix, vectors_of(t, node), row), m,
                           h2_transfer(result, to, child), kept);
        row += t->rank[child];
    }
}

void h2_truncation_store(base_context *context, const h2_truncation *t, h2_matrix *result, h2_basis *to) {
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 4)
    for (int64_t node = 0; node < t->matrix->tree.nodes; node++)
        if (t->rank[node] > 0)
            store_node(t, node, result, to, t->product + omp_get_thread_num() * t->product_step);
}

void h2_truncation_free(h2_truncation *t) {
    free(t->rank);
    free(t->found);
    free(t->left);
    free(t->sigma);
    free(t->offset);
    free(t->level_offset);
    free(t->level_vectors);
    free(t->vectors);
    free(t->stack);
    free(t->product);
    free(t->work);
    h2_change_free(&t->change);
}
