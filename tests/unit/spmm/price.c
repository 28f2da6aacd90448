/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the device kernels: in the order of the times that were measured. */
#include "spmm/device/price.h"
#include "base/core/random.h"
#include "spmm/device/product.h"
#include "spmm/families/families.h"
#include "spmm/plan/plan.h"
#include "spmm/problem/inspect.h"
#include "tests/support/h200.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 7 };

static base_random randoms;

static int64_t pick(int64_t below) {
    return (int64_t)base_random_below(&randoms, (uint64_t)below);
}

/* A square matrix of some kind. */
typedef struct drawn {
    spmm_problem problem;
    int64_t *start;
    int32_t *index;
} drawn;

/* Entry k of a row that has `length` in ascending columns: a band around the diagonal, anywhere (one in each
 * stretch of columns), or blocks of 32 rows and columns. */
typedef enum kind { BAND, ANYWHERE, BLOCKS } kind;

static int32_t draw_column(kind kind, int64_t rows, int64_t row, int64_t length, int64_t k) {
    const int64_t stretch = rows / length, block = k / 32 * stretch + row / 32 * 7 % stretch;
    switch (kind) {
    case BAND: return (int32_t)(row - row * length / rows + k);
    case ANYWHERE: return (int32_t)(k * stretch + pick(stretch));
    default: return (int32_t)(block * 32 + k % 32);
    }
}

static drawn draw_matrix(base_context *context, kind kind, int64_t rows, int64_t length) {
    drawn d = {.start = calloc((size_t)rows + 1, sizeof *d.start),
               .index = calloc((size_t)(rows * length), sizeof *d.index)};
    if (d.start == NULL || d.index == NULL)
        exit(4);
    for (int64_t row = 0; row < rows; row++) {
        d.start[row + 1] = d.start[row] + length;
        for (int64_t k = 0; k < length; k++)
            d.index[d.start[row] + k] = draw_column(kind, rows, row, length, k);
    }
    d.problem = (spmm_problem){
        .a = {.nrow = rows, .ncol = rows, .nnz = rows * length, .start = d.start, .index = d.index},
        .narrow_c = true};
    if (spmm_inspect(context, &d.problem) != BASE_OK)
        exit(4);
    return d;
}

/* The least price of some families, ended by NULL. */
static double price_least(const base_device_properties *device, const spmm_problem *problem,
                          const spmm_device_family *const *family) {
    double least = INFINITY;
    for (; *family != NULL; family++) {
        spmm_device_variant variant;
        spmm_price price;
        spmm_device_price(*family, device, problem, &variant, &price);
        if (price.seconds > 0)
            least = fmin(least, price.seconds);
    }
    return least;
}

/* Each line was measured on an H200 for a matrix of that kind; the first families were faster by a fifth or
 * more. */
static void check_order(const base_device_properties *device) {
    static const struct {
        kind kind;
        int64_t rows, length, n;
        spmm_precision precision;
        const spmm_device_family *faster[4], *slower[8];
        const char *what;
    } facts[] = {
        {BAND,
         65536,
         33,
         128,
         SPMM_FP64,
         {&spmm_family_blocks16, &spmm_family_blocks32, NULL},
         {&spmm_family_rows, &spmm_family_merge, &spmm_family_rowpairs, &spmm_family_rowwindows16, NULL},
         "a band, doubles: dense windows"},
        {BAND,
         65536,
         33,
         128,
         SPMM_FP16,
         {&spmm_family_blocks32, NULL},
         {&spmm_family_rows, &spmm_family_merge, &spmm_family_rowpairs, NULL},
         "a band, 16 bits: dense windows of 32 rows"},
        {BLOCKS,
         32768,
         256,
         128,
         SPMM_TF32,
         {&spmm_family_blocks32, NULL},
         {&spmm_family_rows, &spmm_family_merge, &spmm_family_rowpairs, &spmm_family_blocks16, NULL},
         "blocks of 32: windows of as many rows"},
        {ANYWHERE,
         65536,
         32,
         128,
         SPMM_FP32,
         {&spmm_family_rows, &spmm_family_merge, NULL},
         {&spmm_family_dense, NULL},
         "entries anywhere: not as a dense matrix"},
        {ANYWHERE,
         65536,
         32,
         128,
         SPMM_FP16,
         {&spmm_family_rows, &spmm_family_merge, NULL},
         {&spmm_family_rowwindows8, &spmm_family_rowwindows16, &spmm_family_blocks16, NULL},
         "entries anywhere, 16 bits: plain arithmetic"},
        {ANYWHERE,
         65536,
         32,
         512,
         SPMM_FP64,
         {&spmm_family_rows, &spmm_family_merge, NULL},
         {&spmm_family_rowwindows16, &spmm_family_blocks16, &spmm_family_blocks32, NULL},
         "entries anywhere, doubles: plain arithmetic"},
        {ANYWHERE,
         2048,
         40,
         128,
         SPMM_FP64,
         {&spmm_family_rows, &spmm_family_bstationary, NULL},
         {&spmm_family_merge, &spmm_family_rowwindows16, &spmm_family_blocks16, NULL},
         "few rows: neither merge nor windows"},
        {ANYWHERE,
         4096,
         204,
         512,
         SPMM_FP32,
         {&spmm_family_bstationary, NULL},
         {&spmm_family_rows, &spmm_family_merge, &spmm_family_rowpairs, NULL},
         "few long rows: columns of B in shared memory"},
        {ANYWHERE,
         4096,
         1228,
         512,
         SPMM_3XTF32,
         {&spmm_family_splits, NULL},
         {&spmm_family_rows, &spmm_family_bstationary, &spmm_family_panels, &spmm_family_bands, NULL},
         "three tenths of all: zeros stored"},
    };
    base_context context;
    base_context_init(&context);
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
        drawn d = draw_matrix(&context, facts[k].kind, facts[k].rows, facts[k].length);
        d.problem.n = facts[k].n;
        d.problem.precision = facts[k].precision;
        const double fast = price_least(device, &d.problem, facts[k].faster),
                     slow = price_least(device, &d.problem, facts[k].slower);
        if (isfinite(fast))
            tap_ok(fast < slow, "%s (%.1f and %.1f us)", facts[k].what, fast * 1e6, slow * 1e6);
        else
            tap_skip(1, "built without compute capability 9.0a");
        free(d.start);
        free(d.index);
    }
}

/* ---- memory ---- */

static int compare_columns(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* An R-MAT graph (Chakrabarti, Zhan and Faloutsos, 2004; a, b, c = 0.57, 0.19, 0.19) of 2^bits rows, `edges`
 * a row. Repeated edges stay, which makes windows no wider. */
static drawn draw_rmat(base_context *context, int bits, int64_t edges) {
    const int64_t rows = INT64_C(1) << bits, nnz = edges * rows;
    drawn d = {.start = calloc((size_t)rows + 2, sizeof *d.start),
               .index = calloc((size_t)nnz, sizeof *d.index)};
    int32_t *row = calloc((size_t)nnz, sizeof *row), *column = calloc((size_t)nnz, sizeof *column);
    if (d.start == NULL || d.index == NULL || row == NULL || column == NULL)
        exit(4);
    for (int64_t k = 0; k < nnz; k++) {
        for (int bit = 0; bit < bits; bit++) {
            const double u = base_random_uniform(&randoms);
            row[k] = 2 * row[k] + (u >= 0.76);
            column[k] = 2 * column[k] + ((u >= 0.57 && u < 0.76) || u >= 0.95);
        }
        d.start[row[k] + 2]++;
    }
    for (int64_t i = 0; i < rows; i++)
        d.start[i + 2] += d.start[i + 1];
    for (int64_t k = 0; k < nnz; k++)
        d.index[d.start[row[k] + 1]++] = column[k];
    for (int64_t i = 0; i < rows; i++)
        qsort(d.index + d.start[i], (size_t)(d.start[i + 1] - d.start[i]), sizeof *d.index, compare_columns);
    free(row);
    free(column);
    d.problem =
        (spmm_problem){.a = {.nrow = rows, .ncol = rows, .nnz = nnz, .start = d.start, .index = d.index}};
    if (spmm_inspect(context, &d.problem) != BASE_OK)
        exit(4);
    return d;
}

/* A rectangle with an entry in each of `length` stretches of columns. */
static drawn draw_rectangle(base_context *context, int64_t rows, int64_t columns, int64_t length) {
    const int64_t stretch = columns / length;
    drawn d = {.start = calloc((size_t)rows + 1, sizeof *d.start),
               .index = calloc((size_t)(rows * length), sizeof *d.index)};
    if (d.start == NULL || d.index == NULL)
        exit(4);
    for (int64_t at = 0; at < rows * length; at++) {
        d.start[at / length + 1] = at + 1;
        d.index[at] = (int32_t)(at % length * stretch + pick(stretch));
    }
    d.problem = (spmm_problem){.a = {rows, columns, rows * length, d.start, d.index, NULL}, .narrow_c = true};
    if (spmm_inspect(context, &d.problem) != BASE_OK)
        exit(4);
    return d;
}

/* Families for a random matrix, and which were faster. */
typedef struct rectangle_fact {
    int64_t rows, columns, length, n;
    spmm_precision precision;
    const spmm_device_family *faster[2], *slower[2];
} rectangle_fact;

/* Those that were slower cost less on another device, if there is one. */
static void check_rectangle(base_context *context, const base_device_properties *device,
                            const base_device_properties *better, const rectangle_fact *fact) {
    drawn d = draw_rectangle(context, fact->rows, fact->columns, fact->length);
    d.problem.precision = fact->precision;
    d.problem.n = fact->n;
    const double faster = price_least(device, &d.problem, fact->faster),
                 slower = price_least(device, &d.problem, fact->slower);
    if (isfinite(faster))
        tap_ok(faster < slower && (better == NULL || price_least(better, &d.problem, fact->slower) < slower),
               "%lld x %lld, %lld columns: %s before %s (%.1f, %.1f us)", (long long)fact->rows,
               (long long)fact->columns, (long long)fact->n, fact->faster[0]->name, fact->slower[0]->name,
               1e6 * faster, 1e6 * slower);
    else
        tap_skip(1, "built without compute capability 9.0a or cuBLAS");
    free(d.start);
    free(d.index);
}

/* Likewise of rectangles, entries anywhere; those with rows of 763, 460, 75 and 1084 were timed on an H100.
 */
static void check_rectangles(base_context *context, const base_device_properties *device) {
    static const rectangle_fact facts[] = {
        {100000, 2000, 20, 64, SPMM_FP16, {&spmm_family_bstationary}, {&spmm_family_rows}}, /* 32 and 36 us */
        {62448, 6912, 47, 1024, SPMM_FP16, {&spmm_family_bstationary}, {&spmm_family_rows}},  /* 470, 592 */
        {12288, 4096, 410, 16, SPMM_FP64, {&spmm_family_bstationary}, {&spmm_family_panels}}, /* 51, 105 */
        {8192, 8192, 245, 64, SPMM_FP64, {&spmm_family_rowstaged}, {&spmm_family_rows}},      /* 76, 109 */
        {2048, 16384, 819, 256, SPMM_FP32, {&spmm_family_rowstaged}, {&spmm_family_rows}},    /* 125, 197 */
        {2944, 13792, 538, 64, SPMM_FP32, {&spmm_family_rows}, {&spmm_family_rowstaged}},     /* 40, 51 */
        {4768, 31184, 763, 256, SPMM_FP32, {&spmm_family_bstationary}, {&spmm_family_rows}},  /* 265, 389 */
        {5488, 16304, 460, 256, SPMM_FP64, {&spmm_family_bstationary}, {&spmm_family_rows}},  /* 327, 528 */
        {2048, 16384, 819, 1024, SPMM_FP64, {&spmm_family_rowstaged}, {&spmm_family_dense}},  /* 990, 1151 */
        {18103, 18096, 75, 16, SPMM_FP64, {&spmm_family_rows}, {&spmm_family_bstationary}},   /* 26, 66 */
        {9719, 9712, 167, 256, SPMM_FP16, {&spmm_family_dense}, {&spmm_family_rows}},         /* 64, 82 */
        {36560, 12816, 128, 16, SPMM_FP64, {&spmm_family_rows}, {&spmm_family_merge}},        /* 65, 103 */
        {9719, 9712, 167, 96, SPMM_FP32, {&spmm_family_rowstaged}, {&spmm_family_merge}},     /* 56, 77 */
        {576, 7856, 1084, 16, SPMM_FP64, {&spmm_family_rows}, {&spmm_family_rowwindows16}},   /* 17, 29 */
        {576, 7856, 1084, 16, SPMM_FP64, {&spmm_family_rows}, {&spmm_family_blocks16}},       /* 17, 29 */
        {928, 7648, 1907, 64, SPMM_3XTF32, {&spmm_family_dense}, {&spmm_family_bands}},       /* 38, 46 */
        {1280, 4720, 931, 64, SPMM_3XTF32, {&spmm_family_splits}, {&spmm_family_bands}},      /* 28, 32 */
    };
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        check_rectangle(context, device, NULL, &facts[k]);
}

/* The variant of a family for a random matrix. */
static spmm_device_variant choose_variant(base_context *context, const base_device_properties *device,
                                          const spmm_device_family *family, int64_t rows, int64_t columns,
                                          int64_t length, int64_t n, spmm_precision precision) {
    spmm_device_variant variant;
    spmm_price price;
    drawn d = draw_rectangle(context, rows, columns, length);
    d.problem.precision = precision;
    d.problem.n = n;
    spmm_device_price(family, device, &d.problem, &variant, &price);
    free(d.start);
    free(d.index);
    return variant;
}

static bool is_same(const spmm_device_variant *v, const spmm_device_variant *w) {
    return v->lanes == w->lanes && v->subwarps == w->subwarps && v->depth == w->depth &&
           v->groups == w->groups && v->threads == w->threads && v->most == w->most &&
           v->tiles_first == w->tiles_first;
}

/* The variants of a family one after the other, by price: `least` of them at least, each dearer than the one
 * before; then there is none. */
static void check_variants(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_family *family, int least) {
    spmm_problem next = *problem;
    spmm_price price;
    spmm_device_variant variant, before = {.lanes = -1};
    int count = 0, wrong = 0;
    for (; count < 1000; count++) {
        spmm_device_price(family, device, &next, &variant, &price);
        if (price.seconds == 0)
            break;
        wrong += price.seconds <= next.above_seconds || is_same(&variant, &before);
        before = variant;
        next.above_seconds = price.seconds;
    }
    tap_ok(count >= least && count < 1000 && wrong == 0 && strcmp(price.reason, "no other variant") == 0,
           "%s: %d variants by price (%d wrong)", family->name, count, wrong);
}

static void check_all_variants(base_context *context, const base_device_properties *device) {
    drawn d = draw_rectangle(context, 5000, 4000, 100);
    d.problem.precision = SPMM_FP64;
    d.problem.n = 64;
    check_variants(device, &d.problem, &spmm_family_rows, 8);
    check_variants(device, &d.problem, &spmm_family_rowstaged, 5);
    check_variants(device, &d.problem, &spmm_family_rowpairs, 2);
    check_variants(device, &d.problem, &spmm_family_bstationary, 5);
    check_variants(device, &d.problem, &spmm_family_merge, 1); /* by rules */
    check_variants(device, &d.problem, &spmm_family_dense, 1); /* by a library */
    free(d.start);
    free(d.index);
}

/* Fast variants of rows for random matrices, by times of all of them on an H200. */
static void check_rows(base_context *context, const base_device_properties *device) {
    static const struct {
        int64_t rows, columns, length, n;
        spmm_precision precision;
        int lanes, subwarps, depth;
    } line[] = {
        {3088, 3090, 1545, 16, SPMM_FP32, 4, 8, 8}, /* 25 us, in pieces of 256 entries 36 */
        {1280, 3486, 498, 96, SPMM_FP16, 4, 8, 8},  /* 17, in pieces by tiles of 8 lanes 22 */
        {704, 4552, 1138, 96, SPMM_FP16, 4, 8, 8},  /* 20, likewise 26 */
        {2000, 3228, 807, 16, SPMM_FP64, 8, 4, 8},  /* 21, in pieces 28 */
        {11776, 2982, 142, 16, SPMM_FP16, 2, 4, 8}, /* 14, the best with 4 lanes 17 */
        {65328, 15120, 6, 64, SPMM_FP64, 32, 1, 4}, /* 33, with 8 loads 38 */
        {8592, 8592, 6, 16, SPMM_FP64, 8, 1, 8},    /* 6.3, with 4 loads 7.2 (blocks on the diagonal) */
    };
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        const spmm_device_variant variant =
            choose_variant(context, device, &spmm_family_rows, line[k].rows, line[k].columns, line[k].length,
                           line[k].n, line[k].precision);
        tap_ok(variant.lanes == line[k].lanes && variant.subwarps == line[k].subwarps &&
                   variant.depth == line[k].depth && variant.most >= line[k].length,
               "%lld x %lld, %lld columns of %s: whole rows with %d lanes, %d subwarps, %d loads",
               (long long)line[k].rows, (long long)line[k].columns, (long long)line[k].n,
               spmm_precision_name(line[k].precision), variant.lanes, variant.subwarps, variant.depth);
    }
}

/* The fastest variants of rowstaged for random matrices, by times of all of them on an H200; the first by
 * times on an H100. */
static void check_uniform(base_context *context, const base_device_properties *device) {
    static const struct {
        int64_t rows, columns, length, n;
        spmm_precision precision;
        int lanes, groups, threads;
    } line[] = {
        {1120, 11504, 548, 256, SPMM_FP32, 16, 1, 128},    /* in blocks of 1024 threads 1.2 times as long */
        {16320, 1984, 22, 96, SPMM_FP32, 8, 3, 512},       /* 16 us, in blocks of 1024 threads 22 */
        {15120, 15120, 126, 96, SPMM_FP32, 8, 3, 512},     /* 63, others 73 and more */
        {4096, 12288, 1229, 1024, SPMM_FP64, 16, 1, 1024}, /* 2650, others 3080 and more */
        {3616, 11904, 454, 1024, SPMM_FP32, 16, 1, 1024},  /* 432, others 549 and more */
    };
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        const spmm_device_variant variant =
            choose_variant(context, device, &spmm_family_rowstaged, line[k].rows, line[k].columns,
                           line[k].length, line[k].n, line[k].precision);
        tap_ok(variant.lanes == line[k].lanes && variant.groups == line[k].groups &&
                   variant.threads == line[k].threads,
               "%lld x %lld, %lld columns of %s: rowstaged with %d lanes, %d groups, %d threads",
               (long long)line[k].rows, (long long)line[k].columns, (long long)line[k].n,
               spmm_precision_name(line[k].precision), variant.lanes, variant.groups, variant.threads);
    }
}

/* Where rows are even, 64 columns, and 96 of doubles, are tiled without a column beyond the last, which took
 * longer than cuSPARSE. */
static void check_tiles(base_context *context, const base_device_properties *device) {
    static const struct {
        int64_t columns;
        spmm_precision precision;
    } line[] = {{64, SPMM_FP32}, {64, SPMM_FP64}, {96, SPMM_FP64}};
    drawn d = draw_matrix(context, ANYWHERE, 8192, 245);
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        spmm_device_variant variant;
        spmm_price price;
        d.problem.n = line[k].columns;
        d.problem.precision = line[k].precision;
        spmm_device_price(&spmm_family_rowstaged, device, &d.problem, &variant, &price);
        const int64_t tile = spmm_device_variant_columns(d.problem.precision, &variant);
        tap_ok(d.problem.n % tile == 0, "%lld columns of %s: tiles of %lld", (long long)d.problem.n,
               spmm_precision_name(d.problem.precision), (long long)tile);
    }
    free(d.start);
    free(d.index);
}

/* A, B and C of a graph of 2^18 rows and 2^22 edges are 4 GiB with 1024 columns of doubles: whatever is
 * cheapest needs less than a tenth of the device's memory. */
static void check_memory(const base_device_properties *device) {
    base_context context;
    base_context_init(&context);
    drawn d = draw_rmat(&context, 18, 16);
    for (int precision = 0; precision < SPMM_PRECISIONS; precision++) {
        int64_t most = 0;
        for (int64_t n = 1; n <= 1024; n *= 2) {
            spmm_price best = {.seconds = INFINITY};
            d.problem.precision = (spmm_precision)precision;
            d.problem.n = n;
            for (int family = 0; family < SPMM_FAMILY_COUNT; family++) {
                spmm_device_variant variant;
                spmm_price price;
                spmm_device_price(spmm_device_families[family], device, &d.problem, &variant, &price);
                if (price.seconds > 0 && price.seconds < best.seconds)
                    best = price;
            }
            most = best.bytes > most ? best.bytes : most;
        }
        tap_ok(most > 0 && most < device->memory_bytes / 10, "an R-MAT graph of 2^18, %s: %.1f GB",
               spmm_precision_name((spmm_precision)precision), (double)most / 1e9);
    }
    free(d.start);
    free(d.index);
}

/* Tiles stay wide for a graph with hubs, whose rows of B stay in the second-level cache: 489 and 1831 us with
 * 64 columns of doubles a tile, 682 and 2628 with 16 (H200). Those of an even matrix that is as large get
 * narrow. */
static void check_hubs(const base_device_properties *device) {
    base_context context;
    base_context_init(&context);
    drawn graph = draw_rmat(&context, 18, 16), even = draw_rectangle(&context, 1 << 18, 1 << 18, 15);
    for (int64_t n = 128; n <= 512; n *= 4)
        for (int k = 0; k < 2; k++) {
            spmm_problem *problem = k == 0 ? &graph.problem : &even.problem;
            spmm_device_variant variant;
            spmm_price price;
            problem->precision = SPMM_FP64;
            problem->n = n;
            spmm_device_price(&spmm_family_merge, device, problem, &variant, &price);
            tap_ok(k == 0 ? variant.lanes == 32 : variant.lanes == 8,
                   "2^18 vertices, %s, %lld columns: tiles of %d doubles", k == 0 ? "hubs" : "even",
                   (long long)n, 2 * variant.lanes);
        }
    free(graph.start);
    free(graph.index);
    free(even.start);
    free(even.index);
}

/* By times on an H100, whose memory is slower than an H200's: what reads more bytes than the cache holds
 * costs more there. */
static void check_slower_memory(base_context *context, const base_device_properties *device) {
    static const rectangle_fact facts[] = {
        {10272, 6624, 268, 64, SPMM_FP16, {&spmm_family_rows}, {&spmm_family_dense}},   /* 37 and 53 us */
        {6656, 6720, 168, 96, SPMM_FP16, {&spmm_family_rows}, {&spmm_family_dense}},    /* 30, 37 */
        {34384, 34384, 80, 64, SPMM_FP64, {&spmm_family_rows}, {&spmm_family_rowpairs}} /* 184, 211 */
    };
    base_device_properties h100 = *device;
    h100.memory_rate = 3.352e12;
    h100.l2_bytes = 50 << 20;
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        check_rectangle(context, &h100, device, &facts[k]);
}

/* Ten products are free, and a preparation that takes much longer outweighs a kernel that is hardly faster.
 */
static void check_weights(void) {
    const spmm_price soon = {.seconds = 80e-6, .prepare_seconds = 800e-6},
                     late = {.seconds = 74e-6, .prepare_seconds = 1200e-6},
                     fast = {.seconds = 40e-6, .prepare_seconds = 1200e-6};
    tap_ok(spmm_plan_weigh(&soon) == soon.seconds, "a preparation of ten products counts for nothing");
    tap_ok(spmm_plan_weigh(&late) > spmm_plan_weigh(&soon) && spmm_plan_weigh(&fast) < spmm_plan_weigh(&soon),
           "a longer one counts, but less than half of the time does");
}

/* tca reads a row of B for each entry: twice the entries take twice the time, but for what the start
 * takes. */
static void check_reads(const base_device_properties *device) {
    double seconds[2];
    for (int k = 0; k < 2; k++) {
        const spmm_problem problem = {
            .precision = SPMM_FP16, .a = {.nrow = 4096, .ncol = 4096, .nnz = INT64_C(400000) << k}, .n = 128};
        spmm_device_variant variant;
        spmm_price price;
        spmm_device_price(&spmm_family_tca, device, &problem, &variant, &price);
        seconds[k] = price.gather_seconds;
    }
    tap_ok(seconds[0] > 0 && fabs(seconds[1] / seconds[0] - 2) < 0.05,
           "twice the entries, twice the rows of B: %g and %g s", seconds[0], seconds[1]);
}

int main(void) {
    base_context context;
    base_context_init(&context);
    base_random_init(&randoms, SEED, 0);
    tap_note("seed %d", SEED);
    check_order(&h200);
    check_rectangles(&context, &h200);
    check_all_variants(&context, &h200);
    check_rows(&context, &h200);
    check_uniform(&context, &h200);
    check_tiles(&context, &h200);
    check_memory(&h200);
    check_hubs(&h200);
    check_slower_memory(&context, &h200);
    check_reads(&h200);
    check_weights();
    return tap_done();
}
