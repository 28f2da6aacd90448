/* SPDX-License-Identifier: BSD-3-Clause */
/* H² matrices, point sets and vectors as records. */
#ifndef H2_MATRIX_IO_H
#define H2_MATRIX_IO_H

#include "h2/matrix/matrix.h"
#include "mm/record/record.h"

/* The matrix takes the record's payload, without copying; BASE_DAMAGED when it is not one. The comments stay.
 */
base_status h2_from_record(base_context *context, mm_record *record, h2_matrix *matrix);

/* The record takes the matrix's payload and says its kind and sizes; the matrix is freed. Sets the metadata
 * h2.function, h2.length, h2.order, h2.eta, h2.error (after a compression) and h2.orthogonal. */
base_status h2_to_record(base_context *context, h2_matrix *matrix, mm_record *record);

/* A matrix of integers or reals as a dense n × dim one, row by row, to be freed; the record is expanded. */
base_status h2_points_from_record(base_context *context, mm_record *record, double **point);

#endif
