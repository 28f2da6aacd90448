/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmm-tc does with a stream: each sparse matrix times each right-hand side, or what that would cost, or
 * how long it takes.
 *
 * stream.c goes through matrices and right-hand sides (sides.h), job.h does one matrix. operands.h makes CSR
 * and dense arrays of records and a record of a product; plan.h prices all kernels (table.c) and chooses,
 * tune.h measures the cheapest instead; product.h does the products, in blocks where memory is short, with
 * share.h for the rows of each device. bench.h takes times, report.h prints prices and times. */
#ifndef SPMM_PRODUCT_STREAM_H
#define SPMM_PRODUCT_STREAM_H

#include "spmm/product/report.h"
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

    const char *kernel; /* NULL: the cheapest; "list": prices instead of products */
    bool tune;          /* measure before choosing */
    bool bench;         /* times instead of products, of the kernel chosen, or "all" */
    bool json;          /* of prices and times */
    base_device_search *devices;
    int64_t device_memory_bytes; /* to use at most; 0: nine tenths of what it has */

    spmm_emit *emit;
    /* Gets a remark on the product of the matrix of that name. */
    void (*warn)(void *data, const char *name, const char *line);
    spmm_log *explain;   /* NULL: silence */
    void *data;          /* of these three */
    base_output *output; /* of lines */
} spmm_options;

typedef struct spmm_stream {
    const spmm_options *options;
    spmm_machine machine;
    spmm_sides b, c;
    spmm_side random;           /* instead of b, for matrices of that many columns */
    bool keeps_b;               /* on devices, for all matrices of the stream */
    base_device_buffer columns; /* of the last product, on its way to the host */
    spmm_sides exact_b;         /* to measure errors against */
    mm_report *report;
} spmm_stream;

/* Whether lines come out instead of records. */
bool spmm_options_ask_lines(const spmm_options *options);

/* Finds devices, reads B and C. BASE_USAGE for options that contradict each other, BASE_FAILED for unfit
 * matrices, BASE_MACHINE when a device is asked for that is not there. */
base_status spmm_stream_open(base_context *context, const spmm_options *options, spmm_stream *stream);
void spmm_stream_close(spmm_stream *stream);

/* All products of one matrix, in the order of the right-hand sides. BASE_FAILED for shapes that do not fit.
 */
base_status spmm_stream_record(base_context *context, spmm_stream *stream, const mm_record *record);

#endif
