// The device kernels stages_… for SpMM: stages_double_16_4 has 16 lanes and 4 groups (body.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#define STAGES_TYPE float
#define STAGES_VALUE unsigned
#define STAGES_SUM float
#define STAGES_COUNT 4
#define STAGES_LANES 8
#define STAGES_GROUPS 4
#define STAGES_RESIDENT 7
#include "spmm/stages/body.h"
#define STAGES_LANES 16
#define STAGES_GROUPS 4
#define STAGES_RESIDENT 7
#include "spmm/stages/body.h"
#define STAGES_LANES 32
#define STAGES_GROUPS 1
#define STAGES_RESIDENT 4
#include "spmm/stages/body.h"
#undef STAGES_TYPE
#undef STAGES_VALUE
#undef STAGES_SUM
#undef STAGES_COUNT

#define STAGES_TYPE double
#define STAGES_VALUE double
#define STAGES_SUM double
#define STAGES_COUNT 2
#define STAGES_LANES 8
#define STAGES_GROUPS 2
#define STAGES_RESIDENT 10
#include "spmm/stages/body.h"
#define STAGES_LANES 8
#define STAGES_GROUPS 4
#define STAGES_RESIDENT 7
#include "spmm/stages/body.h"
#define STAGES_LANES 16
#define STAGES_GROUPS 4
#define STAGES_RESIDENT 7
#include "spmm/stages/body.h"
#define STAGES_LANES 32
#define STAGES_GROUPS 2
#define STAGES_RESIDENT 3
#include "spmm/stages/body.h"
