/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents by frontier dynamic programming over the rows of a matrix (see order/frontier.h for the
 * states).
 *
 * The value of a state is the sum, over all ways to choose one unused column for each row processed
 * so far that use exactly the state's open columns and all closed ones, of the products of the entries. A row
 * with d entries sends a state to at most d others; the one state after the last row holds the permanent.
 * All operations are additions of products: no cancellation where no entry is negative.
 *
 * States are kept sorted by their sets, which are written as bit masks of the open columns. Adding a column
 * to all states that lack it keeps their order, and so does dropping a column that all of them hold; so a
 * step merges d sorted streams. The merge goes through windows of consecutive masks that fit the cache. Each
 * state sums its terms in the order of the row's entries: the same bits for any number of threads.
 *
 * The room: pricing.h searches the order and prices, task.c does a block with more digits by need; schedule.c
 * makes the steps, load.h the numbers of an arithmetic (kinds.h, quad.h), layer.h the tables; run.c goes from
 * step to step by kernels.c, made from body.h and merge_body.h for each kind; scale.h keeps floating point in
 * range, result.c reads the last state, snapshot.h makes a layer part of a checkpoint. device.h does it on a
 * GPU. */
#ifndef PERM_FRONTIER_FRONTIER_H
#define PERM_FRONTIER_FRONTIER_H

#include "order/frontier.h"
#include "perm/matrix/matrix.h"

/* Columns that can be open at once. */
enum { PERM_FRONTIER_WIDEST = 128 };

/* One step for each row: where its entries stand in the masks. */
typedef struct perm_schedule {
    int64_t n, nnz;
    int width;            /* most columns open during a step */
    int64_t *entry_start; /* n + 1 */
    int64_t *entry;       /* nnz: number of the entry in the matrix … */
    int *bit;             /* … and the bit of its column during the step; new ones come on top */
    int64_t *close_start; /* n + 1 */
    int *close;           /* n: bits of the columns that the step closes, descending; bits above move down */
    int *open;            /* n: columns open after the step */
    order_frontier_cost bound;
    order_frontier_cost expected; /* at first the bound */
    perm_matrix_traits traits;    /* of the matrix */
    double exact_bits; /* of an integer that is its permanent times a power of two, with the sign */
} perm_schedule;

/* `by_columns`: `order` is one of the columns, which are processed as the rows of the transpose. Fails with
 * BASE_FAILED when more than PERM_FRONTIER_WIDEST columns are open at once. */
base_status perm_schedule_make(base_context *context, const perm_matrix *matrix, const int64_t *order,
                               bool by_columns, perm_schedule *schedule);
/* Sets schedule->expected (order_frontier_expect). The arguments are those that the schedule was made of. */
base_status perm_schedule_expect(base_context *context, const perm_matrix *matrix, const int64_t *order,
                                 bool by_columns, perm_schedule *schedule);
void perm_schedule_free(perm_schedule *schedule); /* NULL is allowed */

/* The arithmetic. */
typedef enum perm_arithmetic {
    PERM_COUNT,   /* no values: the states are counted */
    PERM_RESIDUE, /* integers modulo the prime 2^61 - 1, of real matrices */
    PERM_EXACT,   /* integers modulo 2^(64 k), k from the bound of the permanent; real and imaginary parts of
                     real  and complex entries over a common power of two */
    PERM_DOUBLE,  /* doubles with an exponent for each layer, and the sum of absolute values beside them */
    PERM_QUAD     /* the same with 113 bits and 15-bit exponents */
} perm_arithmetic;

typedef struct perm_frontier_stats {
    double states, transitions;
    double peak_states; /* of two consecutive layers together */
    int64_t peak_bytes; /* of these, the same for any number of threads */
    int64_t limbs;      /* words of an exact value */
} perm_frontier_stats;

/* Bytes of one state's mask and value. */
int64_t perm_frontier_state_bytes(const perm_schedule *schedule, perm_arithmetic arithmetic);

typedef struct perm_work perm_work;

/* The permanent of `matrix` by the schedule made from it; PERM_COUNT leaves `value` alone, which may be NULL.
 * Uses context->threads threads. Fails with BASE_FAILED when the tables would exceed context->memory_bytes.
 * `work` may be NULL: else the layer between two steps is part of its state (chunks/work.h), and BASE_STOPPED
 * comes also from the middle of a step, the state being that before it. Where the state that `work` began
 * with has tables, the run goes on from them. Sources of the bounds: every sum of products along a path
 * rounds at most once per operation; a quantity below the range loses at most the smallest subnormal, which
 * the later rows multiply by at most their sums of |a|. */
base_status perm_frontier_run(base_context *context, const perm_matrix *matrix, const perm_schedule *schedule,
                              perm_arithmetic arithmetic, perm_work *work, perm_value *value,
                              perm_frontier_stats *stats);

/* Whether the value by PERM_RESIDUE is that of the same matrix by PERM_EXACT modulo 2^61 - 1. */
bool perm_frontier_is_residue(const perm_value *residue, const perm_value *value);

#endif
