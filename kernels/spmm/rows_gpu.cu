// The device kernels rows_… for SpMM: rows_half_4_8_4 has 4 lanes, 8 teams and 4 loads under way
// (rows_body.h).
#include "shim.h"

#include "spmm/gpu.h"
#include "spmm/gpu_number.h"

#include "spmm/gpu_meet.h"

#define ROWS_TYPE half
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 8
#include "spmm/rows_types.h"

#define ROWS_TYPE bfloat
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 8
#include "spmm/rows_types.h"

#define ROWS_TYPE float
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 4
#include "spmm/rows_types.h"

#define ROWS_TYPE double
#define ROWS_VALUE double
#define ROWS_SUM double
#define ROWS_COUNT 2
#include "spmm/rows_types.h"
