/* SPDX-License-Identifier: BSD-3-Clause */
/* METIS graphs (Karypis: METIS 5.1 manual, section 4.5): "vertices edges [format [constraints]]", then for
 * each vertex its neighbours, from 1, with the weights of the edges if the format says so. Every edge stands
 * in the lines of both its ends. A graph is a symmetric matrix without a diagonal; weights of vertices are
 * passed over, which the comment `% metis.vertices: weights left out` tells. */
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/arrays/words.h"
#include "mm/decimal/decimal.h"
#include "mm/formats/formats.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

enum { VERTICES_MOST = INT32_MAX };

typedef struct graph {
    base_context *context;
    mm_words words;
    int64_t vertices, edges;
    int sizes, weights; /* numbers before the neighbours of a vertex */
    bool has_edge_weights;
    mm_record both; /* every edge twice, in the order of the file */
    int64_t row_capacity, col_capacity, weight_capacity;
} graph;

static base_status next_whole(graph *graph, const char *what, int64_t least, int64_t most, int64_t *value,
                              bool *found) {
    const char *word;
    int length;
    *found = mm_words_next(&graph->words, &word, &length);
    return *found ? mm_words_whole(graph->context, what, word, length, least, most, value) : BASE_OK;
}

static base_status read_header(graph *graph) {
    base_status status;
    int64_t format = 0, constraints = 1;
    bool found, more;
    BASE_TRY(mm_words_next_line(graph->context, &graph->words, &found));
    if (found)
        BASE_TRY(next_whole(graph, "a number of vertices", 0, VERTICES_MOST, &graph->vertices, &found));
    if (found)
        BASE_TRY(next_whole(graph, "a number of edges", 0, INT64_C(1) << 60, &graph->edges, &found));
    if (!found)
        BASE_TRY(base_fail(graph->context, BASE_DAMAGED,
                           "a METIS graph begins with its numbers of vertices and edges"));
    BASE_TRY(next_whole(graph, "a format of three digits", 0, 111, &format, &more));
    BASE_TRY(next_whole(graph, "a number of constraints", 1, 100, &constraints, &found));
    if (format % 10 > 1 || format / 10 % 10 > 1 || (found && format / 10 % 10 == 0))
        BASE_TRY(
            base_fail(graph->context, BASE_DAMAGED, "METIS format %03lld is not known", (long long)format));
    graph->has_edge_weights = format % 10 == 1;
    graph->weights = format / 10 % 10 == 1 ? (int)constraints : 0;
    graph->sizes = format / 100 == 1;
    if (mm_words_next(&graph->words, &(const char *){NULL}, &(int){0}))
        BASE_TRY(base_fail(graph->context, BASE_DAMAGED, "more than four numbers in the first line"));
done:
    return status;
}

static base_status add_neighbour(graph *graph, int64_t vertex, int64_t neighbour) {
    base_status status;
    mm_record *both = &graph->both;
    base_context *context = graph->context;
    bool found;
    if (neighbour - 1 == vertex)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "vertex %lld is its own neighbour", (long long)neighbour));
    if (both->nnz == 2 * graph->edges)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "more than the %lld edges of the first line",
                           (long long)graph->edges));
    BASE_TRY(base_reserve(context, &both->row, &graph->row_capacity, both->nnz + 1, 8));
    BASE_TRY(base_reserve(context, &both->col, &graph->col_capacity, both->nnz + 1, 8));
    both->row[both->nnz] = neighbour - 1;
    both->col[both->nnz] = vertex;
    if (graph->has_edge_weights) {
        BASE_TRY(base_reserve(context, &both->integer, &graph->weight_capacity, both->nnz + 1, 8));
        BASE_TRY(next_whole(graph, "a weight", 1, INT64_MAX, &both->integer[both->nnz], &found));
        if (!found)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "a neighbour without the weight of its edge"));
    }
    both->nnz++;
done:
    return status;
}

static base_status read_vertex(graph *graph, int64_t vertex) {
    base_status status;
    int64_t number;
    bool found;
    BASE_TRY(mm_words_next_line(graph->context, &graph->words, &found));
    if (!found)
        BASE_TRY(base_fail(graph->context, BASE_DAMAGED, "cut off: there is no line for vertex %lld",
                           (long long)vertex + 1));
    for (int i = 0; i < graph->sizes + graph->weights; i++) {
        BASE_TRY(next_whole(graph, "a weight of a vertex", 0, INT64_MAX, &number, &found));
        if (!found)
            BASE_TRY(base_fail(graph->context, BASE_DAMAGED, "a vertex without its weight"));
    }
    for (;;) {
        BASE_TRY(next_whole(graph, "a neighbour", 1, graph->vertices, &number, &found));
        if (!found)
            break;
        BASE_TRY(add_neighbour(graph, vertex, number));
    }
done:
    return status;
}

/* One half of the edges, having seen that the other is the same. Sorted by columns, the k-th entry above the
 * diagonal of the transpose is the k-th below that of the matrix. */
static base_status halve(graph *graph, mm_record *record) {
    base_status status;
    mm_record *both = &graph->both, mirrored;
    mm_record_init(&mirrored);
    mirrored.nrow = mirrored.ncol = both->nrow = both->ncol = graph->vertices;
    mirrored.nnz = both->nnz;
    mirrored.field = both->field;
    BASE_TRY(mm_record_alloc(graph->context, &mirrored));
    for (int64_t k = 0; k < both->nnz; k++) {
        mirrored.row[k] = both->col[k];
        mirrored.col[k] = both->row[k];
        if (both->integer != NULL)
            mirrored.integer[k] = both->integer[k];
    }
    status = mm_compressed_sort(graph->context, both, true);
    if (status == BASE_OK)
        status = mm_compressed_sort(graph->context, &mirrored, true);
    if (status == BASE_FAILED) /* two entries at one position */
        status = base_fail(graph->context, BASE_DAMAGED, "an edge is listed twice");
    BASE_TRY(status);
    int64_t kept = 0;
    for (int64_t k = 0; k < both->nnz; k++) {
        if (both->row[k] != mirrored.row[k] || both->col[k] != mirrored.col[k] ||
            (both->integer != NULL && both->integer[k] != mirrored.integer[k]))
            BASE_TRY(
                base_fail(graph->context, BASE_DAMAGED,
                          "the edge of vertices %lld and %lld does not stand in both lines with one weight",
                          (long long)both->col[k] + 1, (long long)both->row[k] + 1));
        if (both->row[k] < both->col[k])
            continue;
        both->row[kept] = both->row[k];
        both->col[kept] = both->col[k];
        if (both->integer != NULL)
            both->integer[kept] = both->integer[k];
        kept++;
    }
    both->nnz = kept;
    both->symmetry = MM_SYMMETRIC;
    mm_record_move(record, both);
done:
    mm_record_free(&mirrored);
    return status;
}

base_status mm_metis_read(base_context *context, mm_source *source, mm_record *record) {
    base_status status;
    bool found;
    graph graph = {.context = context};
    mm_record_init(&graph.both);
    mm_words_init(&graph.words, source, "%");
    BASE_TRY(read_header(&graph));
    graph.words.empty = true; /* a vertex without neighbours */
    graph.both.field = graph.has_edge_weights ? MM_INTEGER : MM_PATTERN;
    for (int64_t vertex = 0; vertex < graph.vertices; vertex++)
        BASE_TRY(read_vertex(&graph, vertex));
    graph.words.empty = false;
    BASE_TRY(mm_words_next_line(context, &graph.words, &found));
    if (found)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "there is more behind the last vertex"));
    if (graph.both.nnz != 2 * graph.edges)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%lld ends of edges where the first line says %lld edges",
                           (long long)graph.both.nnz, (long long)graph.edges));
    if (graph.both.nnz == 0)
        BASE_TRY(mm_record_alloc(context, &graph.both));
    context->place.line = 0;
    BASE_TRY(halve(&graph, record));
    if (graph.sizes + graph.weights > 0)
        BASE_TRY(mm_metadata_add(context, record, "metis.vertices", "weights left out"));
done:
    mm_record_free(&graph.both);
    mm_words_free(&graph.words);
    return status;
}

/* ---- writing ---- */

static base_status put_number(base_context *context, base_output *output, int64_t number, char behind) {
    char *room = base_output_room(context, output, MM_DECIMAL_LONGEST + 1);
    if (room == NULL)
        return BASE_MACHINE;
    int length = mm_decimal_write_int64(room, number);
    room[length++] = behind;
    base_output_advance(output, (size_t)length);
    return BASE_OK;
}

static base_status check(base_context *context, const mm_record *record) {
    if (record->field == MM_REAL || record->field == MM_COMPLEX || record->digits != NULL)
        return base_fail(context, BASE_FAILED,
                         "weights of a METIS graph are whole numbers; --drop-values drops the values");
    for (int64_t k = 0; record->integer != NULL && k < record->nnz; k++)
        if (record->integer[k] < 1)
            return base_fail(context, BASE_FAILED,
                             "weights of a METIS graph are positive; --drop-values drops the values");
    return BASE_OK;
}

/* The record gets both halves, sorted by columns, without the diagonal. */
static base_status both_halves(base_context *context, mm_record *record, int64_t *start) {
    base_status status = BASE_OK;
    mm_record both;
    mm_record_init(&both);
    both.nrow = both.ncol = record->nrow;
    both.nnz = 2 * record->nnz;
    both.field = record->field;
    BASE_TRY(mm_record_alloc(context, &both));
    int64_t count = 0;
    for (int64_t k = 0; k < record->nnz; k++) {
        if (record->row[k] == record->col[k])
            continue;
        for (int side = 0; side < 2; side++, count++) {
            both.row[count] = side ? record->col[k] : record->row[k];
            both.col[count] = side ? record->row[k] : record->col[k];
            if (both.integer != NULL)
                both.integer[count] = record->integer[k];
            start[both.col[count] + 1]++;
        }
    }
    both.nnz = count;
    for (int64_t j = 0; j < both.ncol; j++)
        start[j + 1] += start[j];
    BASE_TRY(mm_compressed_sort(context, &both, true));
    mm_record_move(record, &both);
done:
    mm_record_free(&both);
    return status;
}

base_status mm_metis_write(base_context *context, base_output *output, mm_record *record) {
    base_status status;
    int64_t *start = base_alloc_zero(context, record->ncol + 1, sizeof *start);
    if (start == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(check(context, record));
    BASE_TRY(both_halves(context, record, start));
    BASE_TRY(base_output_print(context, output, "%lld %lld%s\n", (long long)record->nrow,
                               (long long)record->nnz / 2, record->integer != NULL ? " 001" : ""));
    for (int64_t j = 0; j < record->ncol; j++) {
        for (int64_t k = start[j]; k < start[j + 1]; k++) {
            const char behind = k + 1 < start[j + 1] ? ' ' : '\n';
            BASE_TRY(put_number(context, output, record->row[k] + 1, record->integer != NULL ? ' ' : behind));
            if (record->integer != NULL)
                BASE_TRY(put_number(context, output, record->integer[k], behind));
        }
        if (start[j] == start[j + 1])
            BASE_TRY(base_output_write(context, output, "\n", 1));
    }
done:
    free(start);
    return status;
}
