// The device kernels windows_tf32_…, windows_float_… and windows_double_… for SpMM (short_gpu.cu).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#include "spmm/common/matrix.h"
#include "spmm/meet/meet.h"

#define WINDOWS_TYPE tf32
#define WINDOWS_DENSE_RESIDENT 20
#define WINDOWS_STORE float
#define WINDOWS_SUM float
#define WINDOWS_SIZE 4
#include "spmm/windows/wide.h"

#define WINDOWS_TYPE float
#define WINDOWS_DENSE_RESIDENT 16
#define WINDOWS_STORE float
#define WINDOWS_SUM float
#define WINDOWS_SIZE 4
#include "spmm/windows/wide.h"

#define WINDOWS_TYPE double
#define WINDOWS_DENSE_RESIDENT 16
#define WINDOWS_STORE double
#define WINDOWS_SUM double
#define WINDOWS_SIZE 8
#include "spmm/windows/wide.h"
