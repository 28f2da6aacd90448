/* Work on H² matrices where it is done best: on the CPU or on a GPU. */
#ifndef H2_DEVICE_DISPATCH_H
#define H2_DEVICE_DISPATCH_H

#include "h2/build/build.h"
#include "h2/change/compress.h"
#include "h2/device/device.h"

typedef struct h2_where {
    base_device_search *devices; /* the first is used */

    /* out */
    char note[512]; /* why the CPU did what a device was asked for; else empty */
} h2_where;

/* h2_build, h2_mv, h2_orthogonalize, h2_compress. With BASE_DEVICE_AUTO a device is looked for when the CPU
 * would take longer than it, with the copies of the matrix; with BASE_DEVICE_CUDA there must be one
 * (BASE_MACHINE). Where the matrix does not fit its memory, or ranks exceed what its kernels are for (64),
 * the CPU does it. */
base_status h2_where_build(base_context *context, h2_where *where, const double *point, int64_t n,
                           int64_t dim, const h2_build_options *options, h2_matrix *matrix);
base_status h2_where_mv(base_context *context, h2_where *where, const h2_matrix *matrix, bool transposed,
                        double alpha, const double *x, double beta, double *y, int64_t vectors);

base_status h2_where_orthogonalize(base_context *context, h2_where *where, h2_matrix *matrix);
base_status h2_where_compress(base_context *context, h2_where *where, h2_matrix *matrix,
                              const h2_compress_options *options, h2_compression *compression);

#endif
