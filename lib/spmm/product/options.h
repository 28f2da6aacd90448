/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmm-tc is asked for, and what all matrices of its stream share. */
#ifndef SPMM_PRODUCT_OPTIONS_H
#define SPMM_PRODUCT_OPTIONS_H

#include "spmm/product/report.h"
#include "spmm/product/result.h"
#include "spmm/product/sides.h"

/* Called with each product, which keeps the name and comments of A. */
typedef base_status spmm_emit(void *data, mm_record *product);

typedef struct spmm_options {
    spmm_precision precision;
    bool transposed; /* the transpose of A */
    int64_t power;   /* how many times A is applied; at least 1 */
    double alpha, beta;
    bool allow_overflow; /* products with infinite numbers are written, with a remark; otherwise refused */
    const char *b_path, *c_path;
    int64_t random_columns; /* without b_path: so many, random; 0: none */

    bool leaves; /* products stay on the device that made them, for the next program */
    bool saves;  /* products go into a state, too, which names what B and C are */
    bool waits; /* `emit` gets products whose numbers are on their way (mm_record_fetch), and is done with the
                   one before when it returns */

    const char *kernel; /* NULL: the cheapest; "list": prices instead of products */
    bool tune;          /* measure before choosing */
    bool bench;         /* times instead of products, of the kernel chosen, or "all" */
    bool json;          /* of prices and times */
    base_device_search *devices;
    int64_t device_memory_bytes; /* to use at most; 0: nine tenths of what it has */

    spmm_emit *emit;
    /* Products that `emit` has taken need no memory when it returns; NULL: they never do. */
    base_status (*settle)(void *data);
    /* Gets a remark on the product of the matrix of that name. */
    void (*warn)(void *data, const char *name, const char *line);
    spmm_log *explain;   /* NULL: silence */
    void *data;          /* of these four */
    base_output *output; /* of lines */
} spmm_options;

/* C is scaled and added in the format of the sums. */
spmm_precision spmm_precision_of_c(spmm_precision precision);

/* Whether lines come out instead of records, and whether these are of --kernel list. */
bool spmm_options_ask_lines(const spmm_options *options);
bool spmm_options_ask_prices(const spmm_options *options);

/* BASE_USAGE for options that contradict each other. */
base_status spmm_options_check(base_context *context, const spmm_options *options);

typedef struct spmm_stream {
    const spmm_options *options;
    spmm_machine machine;
    bool looks_later;    /* devices were not looked for yet, and may never be */
    double lost_seconds; /* that one would have saved so far, at most (plan.h) */
    spmm_sides b, c;
    spmm_side random;   /* instead of b, for matrices of that many columns */
    bool keeps_b;       /* on devices, for all matrices of the stream */
    spmm_way way[2];    /* of products to the host, in turn, … */
    int64_t products;   /* … of which there were so many */
    spmm_sides exact_b; /* to measure errors against */
    mm_report *report;
} spmm_stream;

#endif
