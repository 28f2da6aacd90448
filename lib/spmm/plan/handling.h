/* SPDX-License-Identifier: BSD-3-Clause */
/* What a product costs beside its kernel, on either side: the start of a device, copies to it and back, and
 * memory of the host that is new. By what was measured on the machine (base/device/costs.h). */
#ifndef SPMM_PLAN_HANDLING_H
#define SPMM_PLAN_HANDLING_H

#include "spmm/problem/spmm.h"

/* Where the product of a device is to be: there; on the host; or on its way to the host, while the next
 * product is computed. */
typedef enum spmm_goal { SPMM_LEFT, SPMM_FETCHED, SPMM_ARRIVING } spmm_goal;

/* All zero but for `products`: B and C are arrays of the caller, and nothing happened before. */
typedef struct spmm_handling {
    int64_t products;    /* with A; 0: very many, which begin and end on the device */
    bool makes_records;  /* each C is a new record */
    spmm_goal goal;      /* of these */
    bool keeps_b, has_b; /* B is sent to devices once; it was already */
    bool is_started;     /* the device was used already */
    double lost_seconds; /* what processors lost on the matrices before (spmm_plan_loss) */
} spmm_handling;

/* Seconds of the processors beside `seconds` of kernels: new memory for C by rows and for the record. */
double spmm_handling_cpu_seconds(const spmm_problem *problem, const spmm_handling *handling, double seconds);

/* The same of a device that is started and has the B that it keeps: A and other B go up, C comes down; a C
 * that is arriving hides behind the rest. `as_record`: C is made a record on the device
 * (spmm_kernel_makes_records). */
double spmm_handling_device_seconds(const spmm_problem *problem, const spmm_handling *handling,
                                    bool as_record, double seconds);

/* The start of a device that is not started and the way of a B that it does not have, less what processors
 * lost before; 0 at least. */
double spmm_handling_start_seconds(const spmm_problem *problem, const spmm_handling *handling);

#endif
