/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression of H² matrices on a GPU. */
#ifndef H2_DEVICE_COMPRESS_H
#define H2_DEVICE_COMPRESS_H

#include "h2/change/compress.h"
#include "h2/compress/gpu.h"
#include "h2/device/change.h"

/* h2_compress on a device; Gram matrices are binary64 there, whatever the type of the matrix. The matrix and
 * what is on the device are replaced; the numbers of `matrix`, which is that of `on_device`, are not set
 * until h2_device_download. Memory: the new matrix, and six times rank² numbers a node. times: may be NULL.
 */
base_status h2_device_compress(base_context *context, h2_device_matrix *on_device, h2_matrix *matrix,
                               const h2_compress_options *options, h2_compression *compression,
                               h2_device_times *times);

/* The same for a matrix in the host's memory that the device has no room for (parts.h). */
base_status h2_device_compress_in_parts(base_context *context, base_device *device, h2_matrix *matrix,
                                        const h2_compress_options *options, h2_compression *compression,
                                        h2_device_times *times);

#endif
