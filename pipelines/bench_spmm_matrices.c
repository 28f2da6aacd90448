/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipelines/bench_spmm_matrices.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_spmm_names[BENCH_SPMM_MATRICES + BENCH_SPMM_SMALL] = {
    "rmat16", "rmat18", "uni8",   "uni32",    "uni128",  "plaw",   "sbm",     "sbmshuf", "band33",
    "st2d5",  "st3d7",  "st3d27", "blk32",    "blk8",    "dl2_70", "dl2_90",  "dl2_95",  "dl2_98",
    "dl4_70", "dl4_90", "dl4_95", "dl4_98",   "rmat12",  "rmat13", "rmat14",  "uni2s",   "uni8s",
    "uni32s", "plaws",  "sbms",   "sbmshufs", "band33s", "st2d5s", "st3d27s", "blk8s"};

/* ---- random numbers: SplitMix64 (Steele, Lea, Flood 2014) ---- */

static const uint64_t golden = 0x9e3779b97f4a7c15;

static uint64_t finish(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static uint64_t start(uint64_t seed) {
    return finish(seed + golden);
}

static uint64_t next(uint64_t *state) {
    return finish(*state += golden);
}

static double uniform(uint64_t *state) {
    return (double)(next(state) >> 11) * 0x1p-53;
}

static int32_t below(uint64_t *state, uint32_t bound) {
    return (int32_t)((next(state) >> 32) * bound >> 32);
}

/* ---- rows ---- */

typedef struct row_list {
    int32_t *column;
    int64_t count, capacity;
} row_list;

typedef struct family {
    int64_t rows;
    double parameter[4];
    void (*fill)(const struct family *family, int64_t row, row_list *list);
    row_list *made; /* rmat: rows as they were drawn */
} family;

static void add(row_list *list, int64_t column) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 16;
        list->column = realloc(list->column, (size_t)list->capacity * sizeof *list->column);
        if (list->column == NULL)
            exit(4);
    }
    list->column[list->count++] = (int32_t)column;
}

static int compare(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

static void make_set(row_list *list) {
    int64_t count = 0;
    bool ascending = true;
    for (int64_t k = 1; k < list->count; k++)
        ascending = ascending && list->column[k - 1] < list->column[k];
    if (ascending)
        return;
    qsort(list->column, (size_t)list->count, sizeof *list->column, compare);
    for (int64_t k = 0; k < list->count; k++)
        if (k == 0 || list->column[k] != list->column[k - 1])
            list->column[count++] = list->column[k];
    list->count = count;
}

static void draw_distinct(uint64_t *state, int64_t bound, int64_t count, row_list *list) {
    while (list->count < count) {
        while (list->count < count)
            add(list, below(state, (uint32_t)bound));
        make_set(list);
    }
}

static void fill_uniform(const family *f, int64_t row, row_list *list) {
    uint64_t state = start(1000003 * (uint64_t)row + (uint64_t)f->parameter[0]);
    draw_distinct(&state, f->rows, (int64_t)f->parameter[0], list);
}

static void fill_made(const family *f, int64_t row, row_list *list) {
    *list = f->made[row];
}

static void fill_power(const family *f, int64_t row, row_list *list) {
    uint64_t state = start(9176 * (uint64_t)row + 5);
    const double draw = uniform(&state);
    int count = (int)(f->parameter[0] * 0.375 / pow(1 - draw * 0.99999, 1 / 1.6));
    count = count > f->parameter[1] ? (int)f->parameter[1] : count;
    for (int k = 0; k < (count < 1 ? 1 : count); k++) {
        const double w = uniform(&state);
        const uint32_t x = (uint32_t)((double)f->rows * w * w * w);
        add(list, (x * 40503u + 777u) % (uint32_t)f->rows);
    }
}

static int64_t shuffled(const family *f, int64_t x) {
    return f->parameter[0] != 0 ? (int64_t)(((uint32_t)x * 40503u + 977u) & (uint32_t)(f->rows - 1)) : x;
}

/* Communities of 128: 40 columns in the own one, 8 anywhere. */
static void fill_communities(const family *f, int64_t row, row_list *list) {
    int64_t own = row;
    if (f->parameter[0] != 0) { /* undo the shuffle: 40503^-1 modulo 2^32 */
        uint32_t inverse = 1;
        for (int k = 0; k < 5; k++)
            inverse *= 2 - 40503u * inverse;
        own = (int64_t)((((uint32_t)row - 977u) * inverse) & (uint32_t)(f->rows - 1));
    }
    uint64_t state = start(5551 * (uint64_t)own + 3);
    for (int k = 0; k < 40; k++)
        add(list, shuffled(f, own / 128 * 128 + below(&state, 128)));
    for (int k = 0; k < 8; k++)
        add(list, shuffled(f, below(&state, (uint32_t)f->rows)));
}

static void fill_band(const family *f, int64_t row, row_list *list) {
    for (int64_t k = row - 16; k <= row + 16; k++)
        if (k >= 0 && k < f->rows)
            add(list, k);
}

/* parameter: side, dimension, neighbours apart in how many coordinates at most. */
static void fill_stencil(const family *f, int64_t row, row_list *list) {
    const int64_t side = (int64_t)f->parameter[0], deep = f->parameter[1] == 3;
    const int64_t x = row % side, y = row / side % side, z = row / side / side;
    for (int64_t dz = -deep; dz <= deep; dz++)
        for (int64_t dy = -1; dy <= 1; dy++)
            for (int64_t dx = -1; dx <= 1; dx++)
                if (dx * dx + dy * dy + dz * dz <= (int64_t)f->parameter[2] && x + dx >= 0 && x + dx < side &&
                    y + dy >= 0 && y + dy < side && z + dz >= 0 && (z + dz < side || !deep))
                    add(list, ((z + dz) * side + y + dy) * side + x + dx);
}

static void fill_blocks(const family *f, int64_t row, row_list *list) {
    const int64_t size = (int64_t)f->parameter[0];
    uint64_t state = start(31337 * (uint64_t)(row / size) + (uint64_t)size);
    row_list blocks = {NULL, 0, 0};
    draw_distinct(&state, f->rows / size, (int64_t)f->parameter[1], &blocks);
    make_set(&blocks);
    for (int64_t k = 0; k < blocks.count; k++)
        for (int64_t j = 0; j < size; j++)
            add(list, blocks.column[k] * size + j);
    free(blocks.column);
}

static void fill_pruned(const family *f, int64_t row, row_list *list) {
    uint64_t state = start(424242 * (uint64_t)row + (uint64_t)(f->parameter[0] * 1000) + (uint64_t)f->rows);
    const double wanted = (1 - f->parameter[0]) * (0.6 + 0.8 * uniform(&state));
    for (int64_t k = 0; k < f->rows; k++)
        if (uniform(&state) < (wanted < 1 ? wanted : 1))
            add(list, k);
}

/* ---- R-MAT ---- */

static int64_t scramble(uint32_t x, int scale) {
    const uint32_t mask = (1u << scale) - 1;
    x = (x * 2654435761u + 12345u) & mask;
    x ^= x >> (scale / 2);
    return (x * 40503u) & mask;
}

static void draw_graph(family *f, int scale) {
    f->made = calloc((size_t)f->rows, sizeof *f->made);
    if (f->made == NULL)
        exit(4);
    for (uint64_t part = 0; part < 64; part++) {
        uint64_t state = start(77777 + part);
        for (int64_t edge = 0; edge < f->rows * 16 / 64; edge++) {
            uint32_t i = 0, j = 0;
            for (int bit = 0; bit < scale; bit++) {
                const double draw = uniform(&state);
                i = 2 * i + (draw >= 0.76);
                j = 2 * j + ((draw >= 0.57 && draw < 0.76) || draw >= 0.95);
            }
            add(&f->made[scramble(i, scale)], scramble(j, scale));
        }
    }
}

/* ---- all of them ---- */

static family find_family(const char *name) {
    family f = {65536, {0, 0, 0, 0}, NULL, NULL};
    const int last = (int)strtol(name + strcspn(name, "0123456789"), NULL, 10);
    const bool is_small = name[strlen(name) - 1] == 's';
    if (is_small)
        f.rows = 8192;
    if (strncmp(name, "rmat", 4) == 0) {
        f.rows = INT64_C(1) << last;
        f.fill = fill_made;
        draw_graph(&f, last);
    } else if (strncmp(name, "uni", 3) == 0) {
        f.parameter[0] = last;
        f.fill = fill_uniform;
    } else if (strncmp(name, "plaw", 4) == 0) {
        f.parameter[0] = 32;
        f.parameter[1] = 20000;
        f.fill = fill_power;
    } else if (strncmp(name, "sbm", 3) == 0) {
        f.parameter[0] = strncmp(name, "sbmshuf", 7) == 0;
        f.fill = fill_communities;
    } else if (strncmp(name, "band", 4) == 0) {
        f.fill = fill_band;
    } else if (strncmp(name, "st", 2) == 0) {
        const int64_t side = last == 2 ? (is_small ? 128 : 512) : is_small ? 24 : 64;
        f.rows = last == 2 ? side * side : side * side * side;
        f.parameter[0] = (double)side;
        f.parameter[1] = last;
        f.parameter[2] = name[4] == '2' ? 3 : 1; /* st3d27; st2d5 and st3d7 */
        f.fill = fill_stencil;
    } else if (strncmp(name, "blk", 3) == 0) {
        f.rows = is_small ? 8192 : 32768;
        f.parameter[0] = last;
        f.parameter[1] = last == 32 ? 8 : 16;
        f.fill = fill_blocks;
    } else { /* dl2_70: 2048 rows, 70 % zeros */
        f.rows = name[2] == '2' ? 2048 : 4096;
        f.parameter[0] = strtol(name + 4, NULL, 10) / 100.0;
        f.fill = fill_pruned;
    }
    return f;
}

static float value_at(int64_t row, int64_t column) {
    const uint64_t bits = start(((uint64_t)row << 32) ^ (uint64_t)column ^ 0x5151000000000000);
    const float size = 0.25f + 0.75f * (float)((double)(bits >> 40) * 0x1p-24);
    return bits & 1 ? size : -size;
}

void bench_spmm_matrix(int number, spmm_csr *a) {
    family f = find_family(bench_spmm_names[number]);
    row_list *rows = calloc((size_t)f.rows, sizeof *rows);
    int64_t *first = calloc((size_t)f.rows + 1, sizeof *first);
    if (rows == NULL || first == NULL)
        exit(4);
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t row = 0; row < f.rows; row++) {
        f.fill(&f, row, &rows[row]);
        make_set(&rows[row]);
    }
    for (int64_t row = 0; row < f.rows; row++)
        first[row + 1] = first[row] + rows[row].count;
    int32_t *index = malloc((size_t)first[f.rows] * sizeof *index);
    float *value = malloc((size_t)first[f.rows] * sizeof *value);
    if (index == NULL || value == NULL)
        exit(4);
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t row = 0; row < f.rows; row++) {
        for (int64_t k = 0; k < rows[row].count; k++) {
            index[first[row] + k] = rows[row].column[k];
            value[first[row] + k] = value_at(row, rows[row].column[k]);
        }
        free(rows[row].column);
    }
    free(rows);
    free(f.made);
    *a = (spmm_csr){f.rows, f.rows, first[f.rows], first, index, value};
}

void bench_spmm_matrix_free(spmm_csr *a) {
    free((void *)(uintptr_t)a->start);
    free((void *)(uintptr_t)a->index);
    free((void *)(uintptr_t)a->value);
}
