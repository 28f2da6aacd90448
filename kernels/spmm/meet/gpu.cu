// The device kernels meet_… for SpMM: the sums of parts of rows (body.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#include "spmm/meet/meet.h"

#define MEET_TYPE half
#define MEET_SUM float
#define MEET_COUNT 8
#include "spmm/meet/body.h"

#define MEET_TYPE bfloat
#define MEET_SUM float
#define MEET_COUNT 8
#include "spmm/meet/body.h"

#define MEET_TYPE float
#define MEET_SUM float
#define MEET_COUNT 4
#include "spmm/meet/body.h"

#define MEET_TYPE double
#define MEET_SUM double
#define MEET_COUNT 2
#include "spmm/meet/body.h"
