/* What spmm-tc does with a stream: each sparse matrix times each right-hand side. */
#ifndef SPMM_STREAM_H
#define SPMM_STREAM_H

#include "spmm/product.h"
#include "spmm/sides.h"

typedef struct spmm_options {
    spmm_precision precision;
    bool transposed; /* the transpose of A */
    double alpha, beta;
    const char *kernel; /* NULL: the cheapest */
    const char *b_path, *c_path;
    int64_t random_columns; /* without b_path: so many, random; 0: none */
} spmm_options;

typedef struct spmm_stream {
    const spmm_options *options;
    spmm_machine machine;
    spmm_sides b, c;
} spmm_stream;

/* Reads B and C. BASE_USAGE for options that contradict each other, BASE_FAILED for unfit matrices. */
base_status spmm_stream_open(base_context *context, const spmm_options *options, spmm_stream *stream);
void spmm_stream_close(spmm_stream *stream);

/* Called with each product, which keeps the name and comments of A. */
typedef base_status spmm_emit(void *data, mm_record *product);

/* All products of one matrix, in the order of the right-hand sides. BASE_FAILED for shapes that do not fit.
 */
base_status spmm_stream_record(base_context *context, spmm_stream *stream, const mm_record *record,
                               spmm_emit *emit, void *data);

#endif
