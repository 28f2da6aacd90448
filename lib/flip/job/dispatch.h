/* SPDX-License-Identifier: BSD-3-Clause */
/* Where to search: on the processors, or on GPUs where there are some.
 *
 * work.h is a search as a job, with time limit, pools and states; work_processors.c and device_work.h are
 * its two forms, grow.h goes to a format by way of smaller ones. bin/flipwalk.c calls this room alone. */
#ifndef FLIP_JOB_DISPATCH_H
#define FLIP_JOB_DISPATCH_H

#include "base/device/device.h"
#include "base/run/output.h"
#include "flip/job/work.h"

typedef struct flip_dispatch {
    base_device_search *devices;
    const char *kernel; /* NULL: the fastest */
    bool cyclic;        /* walk on cyclic schemes (scheme/cyclic.h) */
    bool reversed;      /* on cyclic ones that reversing leaves alone */
    const char
        *groups; /* of fixed terms that are merged at the start (flip_cyclic_start); NULL: the usual ones */

    /* private */
    const flip_kernel *on_processors;
    base_devices *found; /* NULL: none are wanted */
} flip_dispatch;

/* Finds the kernel and the devices. Fails with BASE_USAGE when there is no kernel of that name where it is
 * asked for, with BASE_MACHINE when devices are needed and there are none. */
base_status flip_dispatch_open(base_context *context, flip_dispatch *dispatch);

bool flip_dispatch_has_devices(const flip_dispatch *dispatch);

/* Prints the names of all kernels, their devices and what they are, a line each. */
base_status flip_dispatch_list(base_context *context, base_output *output);

/* Readies a scheme for the symmetry that is asked for (flip_cyclic_start in scheme/cyclic.h). */
base_status flip_dispatch_ready(base_context *context, const flip_dispatch *dispatch, flip_scheme *scheme);

/* flip_work_search (work.h) there, the scheme made ready. Without a choice of devices, processors do what no
 * device kernel has room for. */
base_status flip_dispatch_search(base_context *context, const flip_dispatch *dispatch, flip_work *work,
                                 const mm_record *record, flip_scheme *scheme,
                                 const flip_search_options *options, flip_pools *result, bool *reached);

#endif
