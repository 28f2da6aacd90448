/* SPDX-License-Identifier: BSD-3-Clause */
/* The device on which the shapes and prices of kernels were measured. */
#ifndef TESTS_SUPPORT_H200_H
#define TESTS_SUPPORT_H200_H

#include "base/device/device.h"

static const base_device_properties h200 = {.architecture = 90,
                                            .multiprocessors = 132,
                                            .l2_bytes = 60 << 20,
                                            .memory_bytes = INT64_C(140) << 30,
                                            .shared_bytes_per_block = 227 << 10};

#endif
