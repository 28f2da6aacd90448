/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h on any machine: vectors of four floats, which every compiler can do without. */
#include "perm/perturbation/kernel.h"

#define BOUND_KERNEL perm_perturbation_portable
#define BOUND_LABEL "perturbation-portable"
#define BOUND_FEATURES 0
#define BOUND_SECONDS(is_complex) ((is_complex) ? 2.6e-10 : 1.6e-10)

#define BOUND_TARGET
#define BOUND_WIDTH 4
#define BOUND_PAIRS 4
#define BOUND_FMA(a, b, c) ((a) * (b) + (c))
#define BOUND_FNMA(a, b, c) ((c) - (a) * (b))
#define BOUND_SQUARE(a, c) ((a) * (a) + (c))
#include "perm/perturbation/body.h"
