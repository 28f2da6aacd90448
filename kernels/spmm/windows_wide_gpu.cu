// The device kernels windows_tf32_…, windows_float_… and windows_double_… for SpMM (windows_short_gpu.cu).
#include "shim.h"

#include "spmm/gpu.h"
#include "spmm/gpu_number.h"

#include "spmm/gpu_matrix.h"
#include "spmm/gpu_meet.h"

#define WINDOWS_TYPE tf32
#define WINDOWS_DENSE_RESIDENT 20
#define WINDOWS_STORE float
#define WINDOWS_SUM float
#define WINDOWS_SIZE 4
#include "spmm/windows_wide.h"

#define WINDOWS_TYPE float
#define WINDOWS_DENSE_RESIDENT 16
#define WINDOWS_STORE float
#define WINDOWS_SUM float
#define WINDOWS_SIZE 4
#include "spmm/windows_wide.h"

#define WINDOWS_TYPE double
#define WINDOWS_DENSE_RESIDENT 16
#define WINDOWS_STORE double
#define WINDOWS_SUM double
#define WINDOWS_SIZE 8
#include "spmm/windows_wide.h"
