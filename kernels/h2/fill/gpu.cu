/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels that fill H2 matrices: gpu.h.
#include "shim.h"

#include "h2/fill/gpu.h"

// Point `at` of a node: one of its own, or of interpolation in its box.
__device__ void h2_gpu_find_point(const h2_gpu_how *how, bool own, const h2_gpu_geometry *geometry, int node,
                                  int at, double *point) {
    const int dim = how->dim;
    const double *low = geometry->box + 2LL * node * dim, *high = low + dim;
    for (int axis = 0, rest = at; axis < dim; axis++, rest /= how->order)
        point[axis] =
            own ? geometry->point[(geometry->begin[node] + at) * dim + axis]
                : (low[axis] + high[axis]) / 2 + (high[axis] - low[axis]) / 2 * how->point[rest % how->order];
}

__device__ int h2_gpu_count_points(const h2_gpu_how *how, bool own, const h2_gpu_geometry *geometry,
                                   int node) {
    return own ? (int)(geometry->end[node] - geometry->begin[node]) : how->rank;
}

// The functions of lib/h2/matrix/function.c; `across` is the first coordinate of the difference.
__device__ double h2_gpu_evaluate(const h2_gpu_how *how, double distance, double across) {
    const double length = how->length, s = distance / length;
    switch (how->function) {
    case 0: return exp(-s);
    case 1: return exp(-0.5 * s * s);
    case 2: return (1 + 1.7320508075688772 * s) * exp(-1.7320508075688772 * s);
    case 3: return (1 + 2.23606797749979 * s + 5 * s * s / 3) * exp(-2.23606797749979 * s);
    case 4: return distance > 0 ? length / distance : 0;
    case 5: return distance > 0 ? -log(s) : 0;
    case 6: return distance > 0 ? cos(6.283185307179586477 * s) / distance : 0;
    default: return exp(-(distance - across / 2) / length);
    }
}

__device__ double h2_gpu_function(const h2_gpu_how *how, const double *x, const double *y) {
    double square = 0;
    for (int axis = 0; axis < how->dim; axis++)
        square += (x[axis] - y[axis]) * (x[axis] - y[axis]);
    return h2_gpu_evaluate(how, sqrt(square), x[0] - y[0]);
}

// Lagrange polynomial s of one dimension at x.
__device__ double h2_gpu_lagrange(const h2_gpu_how *how, int s, double x) {
    double value = how->weight[s];
    for (int other = 0; other < how->order; other++)
        if (other != s)
            value *= x - how->point[other];
    return value;
}

#define H2_EACH "h2/fill/gpu_body.h"
#include "h2/common/types_gpu.h"
