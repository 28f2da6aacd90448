/* All minors one by one, each by the planner's choice: for matrices that minors/minors.h does not take, or
 * whose permanents cost next to nothing. */
#ifndef PERM_SOLVE_MINORS_EACH_H
#define PERM_SOLVE_MINORS_EACH_H

#include "perm/solve/solve.h"

/* minor[j n + i], n^2 initialised values, becomes the permanent of a square matrix by columns without row i
 * and column j. Fails as perm_solve does. */
base_status perm_minors_each(base_context *context, const mm_sparse *matrix, const perm_options *options,
                             perm_value *minor);

#endif
