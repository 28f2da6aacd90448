/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. */
#ifndef PERM_PLAN_INTERNAL_H
#define PERM_PLAN_INTERNAL_H

#include "perm/plan/plan.h"

/* Prices the methods of a stage. */
base_status perm_plan_price_stage(base_context *context, perm_stage stage, perm_prices *prices);

/* Prices the methods on devices, where somebody asks for these or the methods before take long. */
base_status perm_plan_price_devices(base_context *context, perm_prices *prices);

/* Sets plan->chosen, or fails as perm_plan_make does. */
base_status perm_plan_choose(base_context *context, perm_plan *plan);

#endif
