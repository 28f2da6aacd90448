// The device kernels rows_… for SpMM: rows_half_4_8_4 has 4 lanes, 8 teams and 4 loads under way
// (body.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#include "spmm/meet/meet.h"

#define ROWS_TYPE half
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 8
#include "spmm/rows/types.h"

#define ROWS_TYPE bfloat
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 8
#include "spmm/rows/types.h"

#define ROWS_TYPE float
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 4
#include "spmm/rows/types.h"

#define ROWS_TYPE double
#define ROWS_VALUE double
#define ROWS_SUM double
#define ROWS_COUNT 2
#include "spmm/rows/types.h"
