/* SPDX-License-Identifier: BSD-3-Clause */
/* What the compression of a matrix on a device and of one in parts have in common: everything but norms,
 * weights and coupling blocks. */
#ifndef H2_DEVICE_COMPRESSOR_H
#define H2_DEVICE_COMPRESSOR_H

#include "h2/change/rule.h"
#include "h2/device/truncate.h"

typedef struct h2_device_compressor {
    const h2_device_matrix *from; /* has the bases */
    const h2_compress_options *options;
    h2_compression *compression; /* the caller sets its norms */
    base_device_module *module;
    h2_device_truncation row, col;
    const h2_device_truncation *cols; /* those of the columns: col, or row of a symmetric matrix */
    double begun, weights, middle;    /* on the clock; seconds; when the bases were found */
} h2_device_compressor;

/* Checks. Close it after a failure, too. */
base_status h2_device_compressor_open(base_context *context, const h2_device_matrix *from,
                                      const h2_compress_options *options, h2_compression *compression,
                                      h2_device_compressor *compressor);
void h2_device_compressor_close(h2_device_compressor *compressor);

/* The ranks and changes of bases; `steps`: h2_device_truncation's large. */
base_status h2_device_compressor_truncate(base_context *context, h2_device_compressor *compressor,
                                          const h2_device_truncation_steps *steps);

/* The shape that the result has then, and its bases on the device. */
h2_shape h2_device_compressor_shape(const h2_device_compressor *compressor);
base_status h2_device_compressor_store(base_context *context, const h2_device_compressor *compressor,
                                       const h2_device_matrix *result);

/* Seconds up to now. */
h2_device_times h2_device_compressor_times(const h2_device_compressor *compressor);

#endif
