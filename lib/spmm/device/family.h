/* SPDX-License-Identifier: BSD-3-Clause */
/* What a family of device kernels is: a row of the table of lib/spmm/families, which says for which problems
 * the family serves, which of its kernels takes one and how it is cut for it, and what that costs. What runs
 * is the code: the kernels of one folder of kernels/spmm, with their format of A and their grid. Most
 * families have code of their own; some lend it to others (blocks_… take the kernels of rings_… for many
 * columns).
 *
 * The rest of this room works for all families: matrix.h has A on the device, packing.h brings it into a
 * family's format, product.h launches. configuration.h has what launch configurations depend on, count.h what
 * several families count of a product, price.h makes seconds of that. */
#ifndef SPMM_DEVICE_FAMILY_H
#define SPMM_DEVICE_FAMILY_H

#include "spmm/device/variant.h"
#include "spmm/problem/spmm.h"

typedef struct spmm_device_packing spmm_device_packing;   /* packing.h */
typedef struct spmm_device_operands spmm_device_operands; /* product.h */

/* Sets of precisions. */
enum {
    SPMM_OF_SHORT = 1 << SPMM_FP16 | 1 << SPMM_BF16,
    SPMM_OF_TF32 = 1 << SPMM_TF32,
    SPMM_OF_3XTF32 = 1 << SPMM_3XTF32,
    SPMM_OF_FULL = SPMM_OF_3XTF32 | 1 << SPMM_FP32,
    SPMM_OF_SINGLE = SPMM_OF_TF32 | SPMM_OF_FULL,
    SPMM_OF_DOUBLE = 1 << SPMM_FP64,
    SPMM_OF_ALL = SPMM_OF_SHORT | SPMM_OF_SINGLE | SPMM_OF_DOUBLE,
    SPMM_OF_MATRIX_UNITS = SPMM_OF_ALL & ~(1 << SPMM_FP32) /* which they would cut */
};

/* ---- code ---- */

/* The precisions that a type of numbers serves in a kernel's name: without tensor cores, and with them. */
#define SPMM_PLAIN_TYPE(type) SPMM_PLAIN_##type
#define SPMM_MATRIX_TYPE(type) SPMM_MATRIX_##type
enum {
    SPMM_PLAIN_half = 1 << SPMM_FP16,
    SPMM_PLAIN_bfloat = 1 << SPMM_BF16,
    SPMM_PLAIN_float = SPMM_OF_SINGLE,
    SPMM_PLAIN_double = SPMM_OF_DOUBLE,
    SPMM_MATRIX_half = SPMM_PLAIN_half,
    SPMM_MATRIX_bfloat = SPMM_PLAIN_bfloat,
    SPMM_MATRIX_tf32 = SPMM_OF_TF32,
    SPMM_MATRIX_float = SPMM_OF_3XTF32,
    SPMM_MATRIX_double = SPMM_OF_DOUBLE
};

/* A kernel that there is; what a launch alone decides is 0. */
typedef struct spmm_device_listed {
    unsigned precisions;
    spmm_device_variant variant;
} spmm_device_listed;

struct spmm_device_code {
    const spmm_device_listed *variants; /* all of them, ended by no precisions: kernels/spmm/…/variants.h */
    bool needs_90a;                     /* compiled for compute capability 9.0a alone */

    const base_device_fatbin *fatbin, *short_fatbin; /* the latter, if any, for numbers of 16 bits */
    void (*name)(spmm_precision precision, const spmm_device_variant *variant, char name[48]);
    int (*columns)(spmm_precision precision, const spmm_device_variant *variant); /* of a tile */

    /* A kernel that goes with it; NULL: none. */
    const base_device_fatbin *second_fatbin;
    const char *(*second_name)(spmm_precision precision);

    /* Brings A into the kernels' format and says how many work on it (worker_count, …). */
    base_status (*prepare)(const spmm_device_packing *it);
    bool takes_entries; /* it needs spmm_device_entries beside that */

    /* Submits the grid. */
    base_status (*submit)(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream);

    /* Of the sums of a part: rows of a tile (NULL: one row of C), and counters of
     * the parts that have arrived for each tile (NULL: one). */
    bool makes_room; /* submit itself, by spmm_device_product_make_room */
    int (*part_rows)(const spmm_device_variant *variant);
    int (*counters)(const spmm_device_variant *variant);

    /* Rows of a window, if it works by windows. */
    int (*window_rows)(const spmm_device_variant *variant);
};

/* ---- prices ---- */

/* The things of which a product does so much (count) and each of which takes its time (rates). */
typedef enum spmm_device_term {
    SPMM_TERM_START,     /* kernels, what the smallest product takes; microseconds, as for the next two */
    SPMM_TERM_CHAIN,     /* entries, chunks or thousands of columns that a worker has one after the other */
    SPMM_TERM_REDUCTION, /* merge: 1 where the sums of workers that share rows are added at the end, and more
                          * for many of them; windows: parts of the heaviest one behind the first; rows_… and
                          * rowstaged_…: rounds of blocks; B-stationary: waits of blocks for each other */
    SPMM_TERM_FAR,       /* bytes of rows of B from the second-level cache, B-stationary: of sums of chunks;
                          * picoseconds, as for all that follow */
    SPMM_TERM_NEAR,  /* bytes of those that the multiprocessor itself still has, for a neighbour's sake or in
                      * shared memory; B-stationary: and of A */
    SPMM_TERM_ENTRY, /* entries that are taken one by one, for each tile of columns; rowstaged_…: that a warp
                      * takes at a time; B-stationary: additions to sums */
    SPMM_TERM_STEP, /* rows or windows that are begun and stored, for each tile; B-stationary: bytes of a tile
                     * of B, and 160 for each of its rows; rows_…: entries and sums, rowstaged_…: loads of B,
                     * that a warp takes at a time */
    SPMM_TERM_FLOP, /* a thousand operations of those who compute zeros as well */
    SPMM_TERM_WARM, /* bytes of A, B and C, once each, for which the second-level cache has room, … */
    SPMM_TERM_COLD, /* … and the others; and those of B that the cache loses meanwhile */
    SPMM_TERMS
} spmm_device_term;

/* Kinds of rows, by which rates of most families differ (spmm_count_kind). */
enum { SPMM_ROWS_EVEN, SPMM_ROWS_UNIFORM, SPMM_ROWS_UNEVEN, SPMM_ROWS_LONG };

/* What one of each takes on an H200 (141 GB); other devices are taken to be as balanced, but for their
 * memory and second-level cache (spmm_device_count).
 *
 * The numbers are what pipelines/fit_spmm_prices.py makes of measured times; it says how. Those of rows,
 * merge, rowstaged, rowpairs and dense, and of windows and blocks of up to 32 rows in 16 bits
 * and 3xtf32, are of an H200: of all variants that are considered for 40 drawn matrices
 * (draw_spmm_matrices.py, seed 80) with 16, 64, 96, 256 and 1024 columns, for 55 products of others (seeds 76
 * to 83), for 11 of the 22 matrices of pipelines/bench_spmm_matrices.h with 32, 128 and 512, and, of rows,
 * for 46 random ones; of one variant for the rest of the 22 and for 160 drawn ones (72 to 75). Those of
 * dense are of 80 random matrices more (seeds 82, 84, 85 and 86), on an H100, and those of bstationary of the
 * random ones of seeds 84, 86 and 94 alone, on an H100 and an H200. Those of windows and blocks of doubles
 * are of the 160. All others are of the 22, and of 160 drawn ones (seeds 7, 8, 9 and 11). tf32 on tensor
 * cores has those of a fit before, to times of the 22, small ones and 40 others. Set by hand are the 0.25 for
 * parts of windows and the rates for SPMM_ROWS_LONG (rows.c). Whoever changes a kernel or what is counted of
 * it replaces the rates of the family by those of
 *
 *     bench_gpu_spmm -a -k chosen,families,FAMILY > families.txt
 *     bench_gpu_spmm -a -k chosen,families,cusparse,FAMILY -n 16,64,96,256,1024 FILE... > other.txt
 *     pipelines/fit_spmm_prices.py --only FAMILY --other other.txt families.txt
 *
 * No start is below 4 microseconds (an empty kernel takes 4.35), no byte of A, B and C below
 * 0.05 ps or, beyond the cache, 0.1; 0 is what does not show. Half of the times are met within a tenth. */
typedef struct spmm_device_rates {
    unsigned precisions;
    int kind;                /* for which the family's kind gives this; 0 where it has none */
    double rate[SPMM_TERMS]; /* start, chain and reduction in microseconds, the others in picoseconds */
} spmm_device_rates;

/* ---- families ---- */

/* How a family works that has no variants: by a library, or as a paper has it. `own` is its state. */
typedef struct spmm_device_engine {
    base_status (*open)(base_context *context, base_device *device, spmm_precision precision, void **own);
    base_status (*fill)(base_context *context, const spmm_device_family *family, spmm_device_matrix *matrix,
                        const spmm_problem *problem, void *own);
    base_status (*run)(base_context *context, const void *own, const spmm_device_operands *operands);
    void (*close)(void *own); /* NULL is allowed */
} spmm_device_engine;

struct spmm_device_family {
    const char *name; /* of --kernel */

    unsigned precisions; /* a set of the above */
    int height;          /* rows of a window; 0: there are none */
    bool whole;          /* see spmm_kernel */
    bool reads_b_once;   /* B is read about once, not once for each row or window that needs it */
    const char *paper;   /* reproduced to compare with, taken by name only; NULL: ours, or a library's */

    /* Why the family does not serve beside what the above says; NULL, or the result: it does. */
    const char *(*reason)(const base_device_properties *device, const spmm_problem *problem);

    /* The variant that suits a problem, zeros before, and what a product with it does. */
    void (*configure)(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *variant);
    void (*count)(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *variant, double count[SPMM_TERMS]);
    double (*format_bytes)(const spmm_problem *problem, const spmm_device_variant *variant); /* of A */
    const spmm_device_rates *rates;                                               /* ended by no precisions */
    int (*kind)(const spmm_problem *problem, const spmm_device_variant *variant); /* of rates; NULL: one */

    const spmm_device_engine *engine; /* instead of variants and code */
};

#endif
