/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to lib/spmm: when a stream looks for devices. To load the driver takes a good part of their start,
 * so a stream whose processors take less than that does not. */
#ifndef SPMM_PRODUCT_DEVICES_H
#define SPMM_PRODUCT_DEVICES_H

#include "spmm/product/options.h"

/* Whether nothing but the price of a product can ask for a device: no option does, and no B lies on one. */
bool spmm_stream_may_wait(const spmm_stream *stream);

/* Finds devices, and makes the one that has a B the one to work on, if they were not looked for
 * (stream->looks_later). BASE_MACHINE when a device is asked for that is not there. */
base_status spmm_stream_find_devices(base_context *context, spmm_stream *stream);

#endif
