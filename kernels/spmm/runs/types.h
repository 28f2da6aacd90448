// The kernels of body.h for a type: tiles of 64, 128, 256 and 512 bytes.
#define RUNS_LANES 4
#define RUNS_DEPTH 4
#include "spmm/runs/body.h"
#define RUNS_DEPTH 8
#include "spmm/runs/body.h"
#undef RUNS_LANES
#define RUNS_LANES 8
#define RUNS_DEPTH 4
#include "spmm/runs/body.h"
#define RUNS_DEPTH 8
#include "spmm/runs/body.h"
#undef RUNS_LANES
#define RUNS_LANES 16
#define RUNS_DEPTH 4
#include "spmm/runs/body.h"
#define RUNS_DEPTH 8
#include "spmm/runs/body.h"
#undef RUNS_LANES
#define RUNS_LANES 32
#define RUNS_DEPTH 4
#include "spmm/runs/body.h"
#define RUNS_DEPTH 8
#include "spmm/runs/body.h"
#undef RUNS_LANES
#undef RUNS_TYPE
#undef RUNS_VALUE
#undef RUNS_SUM
#undef RUNS_COUNT
