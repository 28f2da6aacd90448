// The device kernels slabs_… for SpMM: slabs_float_1_2_4 has one thread with twice 16 bytes, and four teams
// (body.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#define SLABS_TYPE half
#define SLABS_VALUE unsigned short
#define SLABS_SUM float
#define SLABS_COUNT 8
#include "spmm/slabs/types.h"

#define SLABS_TYPE bfloat
#define SLABS_VALUE unsigned short
#define SLABS_SUM float
#define SLABS_COUNT 8
#include "spmm/slabs/types.h"

#define SLABS_TYPE float
#define SLABS_VALUE float
#define SLABS_SUM float
#define SLABS_COUNT 4
#include "spmm/slabs/types.h"

#define SLABS_TYPE double
#define SLABS_VALUE double
#define SLABS_SUM double
#define SLABS_COUNT 2
#include "spmm/slabs/types.h"
