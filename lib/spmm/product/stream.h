/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmm-tc does with a stream: each sparse matrix times each right-hand side, or what that would cost, or
 * how long it takes.
 *
 * stream.c goes through matrices and right-hand sides (sides.h), job.h does one matrix. operands.h makes CSR
 * and dense arrays of records and a record of a product; plan/ prices all kernels and chooses, tune.h
 * measures the cheapest instead; devices.h looks for devices; product.h does the products, in blocks where
 * memory is short, with share.h for the rows of each device. bench.h takes times, report.h prints prices and
 * times. */
#ifndef SPMM_PRODUCT_STREAM_H
#define SPMM_PRODUCT_STREAM_H

#include "spmm/product/options.h"

/* Reads B and C, and finds devices unless that can wait (devices.h). BASE_USAGE for options that contradict
 * each other, BASE_FAILED for unfit matrices, BASE_MACHINE when a device is asked for that is not there. */
base_status spmm_stream_open(base_context *context, const spmm_options *options, spmm_stream *stream);
void spmm_stream_close(spmm_stream *stream);

/* All products of one matrix, in the order of the right-hand sides. BASE_FAILED for shapes that do not fit.
 */
base_status spmm_stream_record(base_context *context, spmm_stream *stream, const mm_record *record);

#endif
