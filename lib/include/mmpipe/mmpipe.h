/* SPDX-License-Identifier: BSD-3-Clause */
/* All of libmmpipe. */
#ifndef MMPIPE_MMPIPE_H
#define MMPIPE_MMPIPE_H

#include <mmpipe/context.h>
#include <mmpipe/dm.h>
#include <mmpipe/h2.h>
#include <mmpipe/order.h>
#include <mmpipe/permanent.h>
#include <mmpipe/record.h>
#include <mmpipe/scheme.h>
#include <mmpipe/spmm.h>
#include <mmpipe/stream.h>

#endif
