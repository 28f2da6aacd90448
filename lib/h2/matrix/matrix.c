/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/matrix.h"
#include "base/core/cpu.h"
#include "base/core/map.h"
#include "base/core/memory.h"
#include "base/device/device.h"
#include "base/resident/memory.h"
#include "h2/matrix/layout.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = {'m', 'm', 'p', 'i', 'p', 'e', 'H', '2'};

static const h2_kernels *pick_kernels(int64_t value_bytes) {
#if defined(__x86_64__)
    if (base_cpu_features() & CPU_AVX512)
        return value_bytes == 8 ? &h2_avx512_fp64 : &h2_avx512_fp32;
    if (base_cpu_features() & CPU_AVX2)
        return value_bytes == 8 ? &h2_avx2_fp64 : &h2_avx2_fp32;
#endif
    return value_bytes == 8 ? &h2_portable_fp64 : &h2_portable_fp32;
}

/* Large arrays by all threads, as it is the pages of new memory that take the time. */
static void copy_bytes(int threads, void *to, const void *from, int64_t bytes) {
    const int64_t piece = 1 << 19;
#pragma omp parallel for num_threads(threads) schedule(static) if (bytes > 4 * piece)
    for (int64_t first = 0; first < bytes; first += piece)
        memcpy((char *)to + first, (const char *)from + first,
               (size_t)(bytes - first < piece ? bytes - first : piece));
}

static void copy_array(int threads, void *to, const void *from, int64_t count) {
    copy_bytes(threads, to, from, 8 * count);
}

/* To a lower place that may overlap: in rounds as long as the way, which do not. */
static void move_down(int threads, char *to, const char *from, int64_t bytes) {
    const int64_t way = from - to, least = 1 << 20;
    if (way < least) {
        memmove(to, from, (size_t)bytes);
        return;
    }
    for (int64_t first = 0; first < bytes; first += way)
        copy_bytes(threads, to + first, from + first, bytes - first < way ? bytes - first : way);
}

static void copy_lists(int threads, h2_matrix *matrix, const h2_shape *shape) {
    const h2_tree *from = shape->tree, *to = &matrix->tree;
    const size_t nodes = (size_t)from->nodes * 8;
    copy_array(threads, to->point, from->point, from->n * from->dim);
    copy_array(threads, to->permutation, from->permutation, from->n);
    memcpy(to->level, from->level, (size_t)(from->levels + 1) * 8);
    memcpy(to->begin, from->begin, nodes);
    memcpy(to->end, from->end, nodes);
    memcpy(to->parent, from->parent, nodes);
    memcpy(matrix->row.rank, shape->row_rank, nodes);
    if (matrix->col.rank != matrix->row.rank)
        memcpy(matrix->col.rank, shape->col_rank, nodes);
    memcpy(matrix->coupling.start, shape->coupling_start, nodes + 8);
    copy_array(threads, matrix->coupling.col, shape->coupling_col, matrix->head.coupling);
    memcpy(matrix->dense.start, shape->dense_start, nodes + 8);
    copy_array(threads, matrix->dense.col, shape->dense_col, matrix->head.dense);
}

/* Points to the shape's own arrays, from which the payload's size follows before there is one. */
static void borrow_lists(h2_matrix *matrix, const h2_shape *shape) {
    const bool own_columns = (matrix->head.flags & H2_OWN_COLUMNS) != 0;
    matrix->tree = *shape->tree;
    matrix->row.rank = (int64_t *)(uintptr_t)shape->row_rank;
    matrix->col.rank = own_columns ? (int64_t *)(uintptr_t)shape->col_rank : matrix->row.rank;
    matrix->coupling.start = (int64_t *)(uintptr_t)shape->coupling_start;
    matrix->coupling.col = (int64_t *)(uintptr_t)shape->coupling_col;
    matrix->dense.start = (int64_t *)(uintptr_t)shape->dense_start;
    matrix->dense.col = (int64_t *)(uintptr_t)shape->dense_col;
}

static void refuse_size(base_context *context, int64_t bytes) {
    base_fail(context, BASE_MACHINE, "the matrix takes %.3g GiB, --memory allows %.3g GiB",
              (double)bytes / (1 << 30), (double)context->memory_bytes / (1 << 30));
}

/* Memory for a payload. */
static base_status alloc_payload(base_context *context, int64_t bytes, h2_matrix *matrix) {
    enum { LEAST_GIVEN = 1 << 20 }; /* less is copied in no time */
    int descriptor = -1;
    base_status status = BASE_OK;
    if (context->gives_memory && bytes >= LEAST_GIVEN) {
        BASE_TRY(base_resident_alloc(context, bytes, &matrix->payload, &descriptor));
        matrix->payload_mapped = bytes;
    } else {
        matrix->payload = base_alloc_aligned(context, bytes, 1);
        matrix->payload_mapped = 0;
        status = matrix->payload != NULL ? BASE_OK : BASE_MACHINE;
    }
    matrix->payload_descriptor = descriptor + 1;
done:
    return status;
}

void h2_matrix_prepare(base_context *context, h2_matrix *matrix) {
    if (matrix->payload_descriptor > 0)
        base_resident_prepare(context, matrix->payload, matrix->payload_mapped);
}

/* `from` has no payload any more. */
static void move_payload(h2_matrix *to, h2_matrix *from) {
    to->payload = from->payload;
    to->payload_mapped = from->payload_mapped;
    to->payload_descriptor = from->payload_descriptor;
    from->payload = NULL;
    from->payload_mapped = 0;
    from->payload_descriptor = 0;
}

static void free_payload(h2_matrix *matrix) {
    base_free_mapped(matrix->payload, matrix->payload_mapped);
    if (matrix->payload_descriptor > 0)
        close(matrix->payload_descriptor - 1);
    matrix->payload = NULL;
    matrix->payload_descriptor = 0;
}

static void place_arrays(h2_matrix *matrix, char *payload) {
    const int64_t bytes = matrix->payload_bytes;
    matrix->payload = payload;
    h2_layout_values(matrix, payload, bytes, h2_layout_lists(matrix, payload, bytes));
}

base_status h2_matrix_alloc(base_context *context, const h2_shape *shape, h2_matrix *matrix) {
    const int64_t endless = INT64_C(1) << 60;
    base_status status = BASE_OK;
    memset(matrix, 0, sizeof *matrix);
    matrix->head = shape->head;
    memcpy(matrix->head.magic, magic, sizeof magic);
    matrix->head.version = H2_VERSION;
    matrix->head.n = shape->tree->n;
    matrix->head.dim = shape->tree->dim;
    matrix->head.levels = shape->tree->levels;
    matrix->head.nodes = shape->tree->nodes;
    matrix->head.coupling = shape->coupling_start[shape->tree->nodes];
    matrix->head.dense = shape->dense_start[shape->tree->nodes];
    matrix->kernels = pick_kernels(matrix->head.value_bytes);
    const int64_t lists = h2_layout_lists(matrix, NULL, endless);
    if (lists < 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "an H2 matrix of this shape is not possible"));
    borrow_lists(matrix, shape);
    BASE_TRY(h2_index_build(context, matrix));
    matrix->payload_bytes = h2_layout_values(matrix, NULL, endless, lists);
    if (matrix->payload_bytes < 0 || matrix->payload_bytes > context->memory_bytes) {
        refuse_size(context, matrix->payload_bytes < 0 ? endless : matrix->payload_bytes);
        BASE_TRY(BASE_MACHINE);
    }
    if (shape->without_dense) { /* for a while: it is never handed over */
        matrix->payload =
            base_alloc_aligned(context, matrix->payload_bytes - h2_matrix_sizes(matrix).dense_bytes, 1);
        status = matrix->payload != NULL ? BASE_OK : BASE_MACHINE;
    } else {
        status = alloc_payload(context, matrix->payload_bytes, matrix);
    }
    BASE_TRY(status);
    place_arrays(matrix, matrix->payload);
    copy_lists(context->threads, matrix, shape);
    memcpy(matrix->payload, &matrix->head, sizeof matrix->head);
done:
    return status;
}

/* Whether pages of the payload are mapped from a file that stays as it is: each that is written to is copied
 * by itself, which takes many times as long as to copy all. */
static bool is_borrowed(const h2_matrix *matrix) {
    return matrix->payload_mapped > 0 && matrix->payload_descriptor == 0;
}

base_status h2_matrix_own(base_context *context, h2_matrix *matrix) {
    base_status status = BASE_OK;
    h2_matrix own = {.payload = NULL};
    if (!is_borrowed(matrix))
        goto done;
    BASE_TRY(alloc_payload(context, matrix->payload_bytes, &own));
    h2_matrix_prepare(context, &own);
    copy_bytes(context->threads, own.payload, matrix->payload, matrix->payload_bytes);
    free_payload(matrix);
    move_payload(matrix, &own);
    place_arrays(matrix, matrix->payload);
done:
    return status;
}

base_status h2_matrix_take_dense(base_context *context, h2_matrix *matrix, h2_matrix *old) {
    base_status status = BASE_OK;
    const int64_t dense_bytes = h2_matrix_sizes(matrix).dense_bytes;
    const int64_t rest_bytes = matrix->payload_bytes - dense_bytes;
    h2_matrix whole = {.payload = NULL};
    if (matrix->payload_bytes <= old->payload_bytes && !is_borrowed(old) &&
        (!context->gives_memory || old->payload_descriptor > 0)) {
        move_down(context->threads, old->payload + rest_bytes, old->dense.value, dense_bytes);
        move_payload(&whole, old);
        if (whole.payload_mapped == 0)
            base_resize(context, &whole.payload, matrix->payload_bytes, 1); /* less cannot fail, nor matter */
    } else {
        BASE_TRY(alloc_payload(context, matrix->payload_bytes, &whole));
        h2_matrix_prepare(context, &whole);
        copy_bytes(context->threads, whole.payload + rest_bytes, old->dense.value, dense_bytes);
    }
    copy_bytes(context->threads, whole.payload, matrix->payload, rest_bytes);
    free_payload(matrix);
    move_payload(matrix, &whole);
    place_arrays(matrix, matrix->payload);
    h2_matrix_free(old);
    *old = *matrix;
    memset(matrix, 0, sizeof *matrix);
done:
    return status;
}

h2_shape h2_matrix_shape(const h2_matrix *matrix) {
    return (h2_shape){.head = matrix->head,
                      .tree = &matrix->tree,
                      .coupling_start = matrix->coupling.start,
                      .coupling_col = matrix->coupling.col,
                      .dense_start = matrix->dense.start,
                      .dense_col = matrix->dense.col,
                      .row_rank = matrix->row.rank,
                      .col_rank = matrix->col.rank};
}

base_status h2_matrix_take(base_context *context, char *payload, int64_t bytes, h2_matrix *matrix) {
    base_status status = BASE_OK;
    memset(matrix, 0, sizeof *matrix);
    matrix->payload = payload;
    matrix->payload_bytes = bytes;
    if (bytes < (int64_t)sizeof matrix->head || memcmp(payload, magic, sizeof magic) != 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the record is no H2 matrix"));
    memcpy(&matrix->head, payload, sizeof matrix->head);
    if (matrix->head.version != H2_VERSION)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "version %lld of H2 matrices is not known",
                           (long long)matrix->head.version));
    const int64_t lists = h2_layout_lists(matrix, payload, bytes);
    if (lists < 0)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the H2 matrix's header says what cannot be"));
    const char *fault = h2_layout_check(matrix);
    if (fault != NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "H2 matrix: %s", fault));
    matrix->kernels = pick_kernels(matrix->head.value_bytes);
    matrix->tree.first_leaf = matrix->tree.level[matrix->tree.levels - 1];
    BASE_TRY(h2_index_build(context, matrix));
    if (h2_layout_values(matrix, payload, bytes, lists) != bytes)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "H2 matrix: its arrays do not fill its record"));
done:
    return status;
}

base_status h2_matrix_fetch(base_context *context, h2_matrix *matrix) {
    mm_device_memory *memory = &matrix->on_device;
    base_status status = BASE_OK;
    if (memory->descriptor == 0)
        goto done;
    BASE_TRY(base_device_fetch(context, memory->uuid, memory->descriptor - 1, memory->bytes,
                               matrix->payload + memory->first));
    mm_device_memory_close(memory);
done:
    return status;
}

void h2_matrix_free(h2_matrix *matrix) {
    if (matrix == NULL)
        return;
    mm_device_memory_close(&matrix->on_device);
    h2_index_free(matrix);
    free_payload(matrix);
    memset(matrix, 0, sizeof *matrix);
}

int64_t h2_most_rank(const h2_matrix *matrix) {
    int64_t most = 0;
    for (int64_t node = 0; node < matrix->tree.nodes; node++) {
        most = matrix->row.rank[node] > most ? matrix->row.rank[node] : most;
        most = matrix->col.rank[node] > most ? matrix->col.rank[node] : most;
    }
    return most;
}

int64_t h2_most_points(const h2_matrix *matrix) {
    int64_t most = 0;
    for (int64_t node = matrix->tree.first_leaf; node < matrix->tree.nodes; node++)
        most = h2_points_of(matrix, node) > most ? h2_points_of(matrix, node) : most;
    return most;
}

h2_sizes h2_matrix_sizes(const h2_matrix *matrix) {
    const int64_t bytes = matrix->head.value_bytes, leaves = matrix->tree.nodes - matrix->tree.first_leaf;
    h2_sizes sizes = {matrix->row.leaf_offset[leaves] * bytes,
                      matrix->row.transfer_offset[matrix->tree.nodes] * bytes,
                      matrix->coupling.offset[matrix->coupling.count] * bytes,
                      matrix->dense.offset[matrix->dense.count] * bytes};
    if ((matrix->head.flags & H2_OWN_COLUMNS) != 0) {
        sizes.leaf_bytes += matrix->col.leaf_offset[leaves] * bytes;
        sizes.transfer_bytes += matrix->col.transfer_offset[matrix->tree.nodes] * bytes;
    }
    return sizes;
}
