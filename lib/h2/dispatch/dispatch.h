/* SPDX-License-Identifier: BSD-3-Clause */
/* Work on H² matrices where it is done best: on the CPU or on a GPU. What programs call.
 *
 * A step of the work is a row (h2_step in internal.h) in the file of its name: build.c, product.c, orthog.c,
 * compress.c. It says what the CPU would take, what a device must hold, and how each of them does it;
 * dispatch.c chooses by that, moves the matrix to the device and back, and knows no step by name. To add a
 * step: its file, with its row, and its function here. filter.h is the frame of the programs. */
#ifndef H2_DISPATCH_DISPATCH_H
#define H2_DISPATCH_DISPATCH_H

#include "base/run/run.h"
#include "h2/build/build.h"
#include "h2/change/compress.h"
#include "h2/matrix/phases.h"
#include "mm/record/record.h"
#include "mm/stream/report.h"

typedef struct h2_dispatch {
    base_device_search *devices; /* the first is used, or that on which a matrix is */
    bool leaves;                 /* results stay on the device that made them (matrix->on_device) */
    bool brings;                 /* but only until they are written, through pieces of pinned memory */
    const char *phases_path;     /* --phases: steps write there what their phases took; or NULL */

    /* out */
    char note[512]; /* why the CPU did what a device was asked for; else empty */

    /* private */
    double lost_seconds; /* by which the CPU took longer so far than a started device would have */
    h2_phases *phases;
    mm_report *report;
    base_output *output;
    int phases_descriptor;
} h2_dispatch;

/* For a program: takes its options; results stay on the device where the next program can take them, and a
 * device that will be needed is started while the input comes. */
void h2_dispatch_begin(h2_dispatch *dispatch, base_run *run);

/* The file of --phases: opened, which truncates it; lines about the phases since the last call and one that
 * sums them up, for a record; closed, after a failure too, and more than
 * once. They do nothing without a path. */
base_status h2_dispatch_open_phases(base_context *context, h2_dispatch *dispatch);
base_status h2_dispatch_write_phases(base_context *context, h2_dispatch *dispatch, const mm_record *record);
base_status h2_dispatch_close_phases(base_context *context, h2_dispatch *dispatch);

/* h2_build, h2_mv, h2_orthogonalize, h2_compress. With BASE_DEVICE_AUTO a device is looked for when the CPU's
 * losses on the matrices so far, with that on the matrix at hand, reach what its start takes (costs.h). A
 * loss is what the CPU takes longer than a started device would, with the copies of the matrix. Losses
 * are those of one h2_dispatch: of a stream of a program, of one call of the library. Nobody knows how many
 * matrices come: a stream takes at most twice what it would if that were known (ski rental; Karlin, Manasse,
 * Rudolph, Sleator, Algorithmica 3, 1988). Later each matrix goes where it takes less. With BASE_DEVICE_CUDA
 * there must be a device (BASE_MACHINE).
 *
 * Where the matrix does not fit its memory it goes there in parts, but for products: they read each number
 * once, which the CPU does in less time than a copy takes. Where not even its bases fit, or ranks exceed what
 * the kernels are for (256), the CPU does it.
 *
 * A matrix that is on a device is worked with there, by way of the host's memory where that is not possible.
 */
base_status h2_dispatch_build(base_context *context, h2_dispatch *dispatch, const double *point, int64_t n,
                              int64_t dim, const h2_build_options *options, h2_matrix *matrix);
base_status h2_dispatch_mv(base_context *context, h2_dispatch *dispatch, h2_matrix *matrix, bool transposed,
                           double alpha, const double *x, double beta, double *y, int64_t vectors);
base_status h2_dispatch_orthogonalize(base_context *context, h2_dispatch *dispatch, h2_matrix *matrix);
base_status h2_dispatch_compress(base_context *context, h2_dispatch *dispatch, h2_matrix *matrix,
                                 const h2_compress_options *options, h2_compression *compression);

#endif
