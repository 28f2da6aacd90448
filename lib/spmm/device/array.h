/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense matrices on a device: as products take them, by rows in the format of a precision, and as records
 * have them, binary64 numbers column by column, so that any program can take those over
 * (mm/binary/resident.c). Device kernels make the one of the other (kernels/spmm/transpose/contract.h), at
 * the speed of the device's memory. */
#ifndef SPMM_DEVICE_ARRAY_H
#define SPMM_DEVICE_ARRAY_H

#include "base/device/device.h"
#include "spmm/common/kernel.h"

/* Rows are padded. `buffer` is zero while nothing is there. */
typedef struct spmm_device_array {
    base_device_buffer buffer;
    int64_t nrow, ncol;
    int64_t stride; /* bytes from row to row */
    spmm_format format;
} spmm_device_array;

/* Undefined content; a row at least. Rows have as many numbers as whole vectors of 16 bytes of the format of
 * the precision have, as B and C of the same product need it. */
base_status spmm_device_array_alloc(base_context *context, base_device *device, int64_t nrow, int64_t ncol,
                                    spmm_precision precision, spmm_format format, spmm_device_array *array);
void spmm_device_array_free(spmm_device_array *array); /* a zero one is allowed */

/* Takes rows of the host that lie row_bytes apart; padding becomes 0. */
base_status spmm_device_array_upload(base_context *context, const spmm_device_array *array, const void *from,
                                     int64_t row_bytes);

/* Takes the numbers of a record, nrow · ncol of them, rounded to the precision. *beyond: how many are not
 * finite in its format. Waits for the device. */
base_status spmm_device_array_from_columns(base_context *context, const base_device_buffer *columns,
                                           spmm_precision precision, const spmm_device_array *array,
                                           int64_t *beyond);

/* The reverse: an array of fp32 or fp64 as a record has it. */
base_status spmm_device_array_to_columns(base_context *context, const spmm_device_array *array,
                                         const base_device_buffer *columns, int64_t *beyond);

/* Submits the rounding of an array of fp32 to tf32, where it is. */
base_status spmm_device_array_round(base_context *context, const spmm_device_array *array);

#endif
