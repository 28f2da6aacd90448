/* SPDX-License-Identifier: BSD-3-Clause */
/* Orthonormal bases on a GPU. */
#ifndef H2_DEVICE_ORTHOG_H
#define H2_DEVICE_ORTHOG_H

#include "h2/device/change.h"

/* h2_orthogonalize on a device. The matrix and what is on the device are replaced where ranks shrink; the
 * numbers of `matrix`, which is that of `on_device`, are not set until h2_device_download. times: may be
 * NULL. */
base_status h2_device_orthogonalize(base_context *context, h2_device_matrix *on_device, h2_matrix *matrix,
                                    h2_device_times *times);

/* The same for a matrix in the host's memory that the device has no room for (parts.h). */
base_status h2_device_orthogonalize_in_parts(base_context *context, base_device *device, h2_matrix *matrix,
                                             h2_device_times *times);

#endif
