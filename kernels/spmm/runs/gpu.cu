// The device kernels runs_… for SpMM: runs_half_4_8 has 4 lanes and 8 loads under way (body.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#include "spmm/meet/meet.h"

#define RUNS_TYPE half
#define RUNS_VALUE unsigned
#define RUNS_SUM float
#define RUNS_COUNT 8
#include "spmm/runs/types.h"

#define RUNS_TYPE bfloat
#define RUNS_VALUE unsigned
#define RUNS_SUM float
#define RUNS_COUNT 8
#include "spmm/runs/types.h"

#define RUNS_TYPE float
#define RUNS_VALUE unsigned
#define RUNS_SUM float
#define RUNS_COUNT 4
#include "spmm/runs/types.h"

#define RUNS_TYPE double
#define RUNS_VALUE double
#define RUNS_SUM double
#define RUNS_COUNT 2
#include "spmm/runs/types.h"
