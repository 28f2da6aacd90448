/* The choice of a method for one irreducible block: an order is searched, the methods are priced, and the
 * cheapest one that fits the memory and the wanted precision is taken. Prices depend on the matrix and this
 * processor's instruction set only, never on a clock. */
#ifndef PERM_PLAN_PLAN_H
#define PERM_PLAN_PLAN_H

#include "perm/dense/dense.h"
#include "perm/frontier/frontier.h"
#include "perm/plan/precision.h"
#include "perm/sparse/code.h"
#include "perm/sparse/program.h"
#include "perm/subsets/devices.h"

typedef enum perm_method {
    PERM_FRONTIER, /* doubles, more where they do not suffice; integers exactly */
    PERM_FRONTIER_EXACT,
    PERM_FRONTIER_DOUBLE,
    PERM_FRONTIER_QUAD,
    PERM_GRAY,         /* exact/exact.h */
    PERM_SPARSE_EXACT, /* sparse/exact.h */
    PERM_DENSE,        /* dense/dense.h */
    PERM_SPARSE,       /* sparse/sparse.h */
    PERM_TWOFOLD,      /* doubledouble/doubledouble.h */
    PERM_ARBITRARY,    /* mpfr/multiprecision.h */
    PERM_REPEATED,     /* multiplicities/multiplicities.h, exactly */
    PERM_REPEATED_DOUBLE,
    PERM_DENSE_CUDA,    /* dense/device.h */
    PERM_PAIRS_CUDA,    /* dense/pairs.h */
    PERM_TENSOR_CUDA,   /* dense/tensor.h */
    PERM_SPARSE_CUDA,   /* sparse/device.h */
    PERM_EXACT_CUDA,    /* exact/device.h */
    PERM_TWOFOLD_CUDA,  /* doubledouble/device.h */
    PERM_FRONTIER_CUDA, /* frontier/device.h */
    PERM_METHODS
} perm_method;

/* A way to compute the permanent, with what it would cost on one core or one device, that of its start
 * included. */
typedef struct perm_candidate {
    const char *name;
    perm_method method;
    perm_arithmetic arithmetic;     /* a frontier method's first attempt */
    int64_t bits;                   /* of PERM_ARBITRARY */
    const perm_sparse_plan *sparse; /* of PERM_SPARSE and PERM_SPARSE_EXACT: one of the plan's */
    double seconds;                 /* 0: it does not fit, for the reason below */
    double start_seconds;           /* of these, before a device computes */
    double bytes;
    char reason[96];
    bool skips;          /* of PERM_EXACT_CUDA: subsets with a row sum 0 */
    perm_sparse_way way; /* of PERM_SPARSE_CUDA */
} perm_candidate;

/* What more digits are worth to a result that has some, but fewer than a double holds. */
#define PERM_DIGITS_SECONDS 0.1

enum { PERM_MOST_CANDIDATES = 64 };

typedef struct perm_plan {
    order_frontier order;
    perm_schedule schedule;        /* empty when the frontier is too wide */
    perm_sparse_plan sparse, gray; /* of the candidates with PERM_SPARSE */
    perm_sparse_plan sparse_cuda;
    double sparse_guess; /* seconds of `sparse` before a long search; 0: not known */
    perm_candidate candidate[PERM_MOST_CANDIDATES];
    int count;
    const perm_candidate *chosen;
    bool is_quick; /* there is one candidate, and nothing was looked for */
} perm_plan;

typedef struct perm_plan_options {
    const char *kernel; /* a candidate's name, "frontier", "dense", "sparse", "sparse-gray", "exact" or "dd"
                           for the best of a family, NULL for the best of all */
    perm_precision precision;
    bool list;     /* only prices: chosen may stay NULL */
    bool started;  /* devices are there anyway: their start costs nothing */
    bool many;     /* there are, and blocks like this come in such numbers that their seconds add up */
    bool quick;    /* perm_plan_quick_seconds will do instead of a plan */
    int64_t parts; /* that the work is split into, where it can be; 0 and 1: it is not */
    base_device_search *devices; /* looked for where the price of a processor's method is high; NULL: none */
} perm_plan_options;

/* Dense blocks up to this order share launches on devices. */
enum { PERM_PLAN_SHARED_LARGEST = 32 };

/* One core's price of what is worth the start of a device. */
#define PERM_PLAN_WORTH_SECONDS 0.5

/* Whether devices run it. */
static inline bool perm_plan_is_on_device(perm_method method) {
    return method >= PERM_DENSE_CUDA && method <= PERM_FRONTIER_CUDA;
}

/* Whether its work divides among chunks; a frontier's does not. */
static inline bool perm_plan_can_split(perm_method method) {
    return method > PERM_FRONTIER_QUAD && method != PERM_FRONTIER_CUDA;
}

/* Whether it is the sum of dense/dense.h in doubles, which loses digits. */
static inline bool perm_plan_is_sum_of_doubles(perm_method method) {
    return method == PERM_DENSE || method == PERM_SPARSE || method == PERM_REPEATED_DOUBLE ||
           method == PERM_DENSE_CUDA || method == PERM_PAIRS_CUDA || method == PERM_TENSOR_CUDA ||
           method == PERM_SPARSE_CUDA;
}

/* What a block that is one of many takes of a device for the sum of dense/dense.h, where that is so little
 * that nothing else is worth looking for; else 0. */
double perm_plan_quick_seconds(base_context *context, int64_t n, mm_field field,
                               const perm_plan_options *options);

/* Whether there are devices that can be used; looks for them. */
bool perm_plan_finds_devices(base_context *context, base_device_search *devices);

/* Fails with BASE_FAILED for a block that is too large for every method by its order and the degrees of its
 * lines. O(entries) time, O(n) memory. */
base_status perm_plan_check_size(base_context *context, const mm_sparse *block);

/* Fails with BASE_USAGE when there is no kernel of that name; `minors`: nor one of minors/minors.h. NULL is
 * none. */
base_status perm_plan_check_kernel(base_context *context, const char *name, bool minors);

/* Fails with BASE_FAILED when nothing that is asked for fits, with the reason and the estimates; with
 * BASE_USAGE when there is no such kernel. */
base_status perm_plan_make(base_context *context, const perm_matrix *matrix, const perm_plan_options *options,
                           perm_plan *plan);
void perm_plan_free(perm_plan *plan); /* NULL is allowed */

/* The matrix as the dense method takes it: mantissas, exponents and the error of rounding the entries. n up
 * to PERM_DENSE_LARGEST. */
base_status perm_plan_dense_init(base_context *context, const perm_matrix *matrix, perm_dense_matrix *dense);
/* The same of a square matrix as it was read, without zeros; equal numbers, but other exponents. */
base_status perm_plan_dense_from_sparse(base_context *context, const mm_sparse *matrix,
                                        perm_dense_matrix *dense);
void perm_plan_dense_free(perm_dense_matrix *dense); /* NULL is allowed */

#endif
