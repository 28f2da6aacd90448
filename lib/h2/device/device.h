/* SPDX-License-Identifier: BSD-3-Clause */
/* H² matrices in the memory of a GPU.
 *
 * One file a step of the work (dispatch/ chooses between CPU and device), each with the kernels of the same
 * name in kernels/h2: build.h, product.h, orthog.h, compress.h with truncate.h, and change.h for what the
 * last two share; large.h has those two for ranks above 64, parts.h for matrices that do not fit. Trees,
 * structures and the choice of ranks stay on the host; numbers stay on the device until h2_device_download.
 */
#ifndef H2_DEVICE_DEVICE_H
#define H2_DEVICE_DEVICE_H

#include "base/device/device.h"
#include "h2/matrix/matrix.h"

/* The numbers of bases and blocks, or a part of them, as they lie in the matrix's payload; indices and points
 * stay on the host. The matrix must outlive it and keep its shape. */
typedef struct h2_device_matrix {
    const h2_matrix *matrix;
    base_device *device;
    base_device_buffer values;
    int64_t first, bytes; /* of the payload */
    bool is_taken;        /* `values` is the memory of matrix->on_device */
} h2_device_matrix;

/* Of a part, where a matrix goes to a device in parts: larger ones are not faster. */
enum { H2_DEVICE_PART_BYTES = 256 << 20 };

/* Whether there is device code. */
bool h2_device_is_built(void);

/* Bytes that a matrix's numbers and products of so many vectors take on a device, about. */
int64_t h2_device_bytes(const h2_matrix *matrix, int64_t vectors);

/* Room for the numbers, which are not set. BASE_MACHINE, with the sizes, when they do not fit. */
base_status h2_device_alloc(base_context *context, base_device *device, const h2_matrix *matrix,
                            h2_device_matrix *on_device);
void h2_device_free(h2_device_matrix *on_device); /* a zeroed one is allowed */

/* Zeros everywhere, as h2_device_alloc leaves it. */
base_status h2_device_clear(base_context *context, const h2_device_matrix *on_device);

/* Room for the bases alone; or for so many bytes, `first` and `bytes` of which are the caller's to set. */
base_status h2_device_alloc_bases(base_context *context, base_device *device, const h2_matrix *matrix,
                                  h2_device_matrix *on_device);
base_status h2_device_alloc_part(base_context *context, base_device *device, const h2_matrix *matrix,
                                 int64_t bytes, h2_device_matrix *on_device);

/* The numbers where matrix->on_device says that they are, which is this device. */
base_status h2_device_take(base_context *context, base_device *device, const h2_matrix *matrix,
                           h2_device_matrix *on_device);

/* Leaves the numbers on the device: matrix->on_device, for which `on_device` is not needed any more. *kept
 * false: the device does not hand memory over. */
base_status h2_device_leave(base_context *context, const h2_device_matrix *on_device, h2_matrix *matrix,
                            bool *kept);

/* Copies the numbers (base_device_upload_pieces). */
base_status h2_device_upload(base_context *context, const h2_device_matrix *on_device);
base_status h2_device_download(base_context *context, const h2_device_matrix *on_device);

/* Where an array of the matrix's numbers lies on the device, or would if all of them did. */
uint64_t h2_device_address(const h2_device_matrix *on_device, const void *array);

/* Sends an array to a buffer that is made for it. */
base_status h2_device_send(base_context *context, base_device *device, const void *from, int64_t count,
                           int64_t size, base_device_buffer *buffer);

/* The kernel of that name for the type of the matrix's numbers (kernels/h2/common/types_gpu.h). */
base_status h2_device_get_function(base_context *context, base_device_module *module, const h2_matrix *matrix,
                                   const char *name, base_device_function *function);

#endif
