// The device kernels windows_half_… and windows_bfloat_… for SpMM: windows_half_2_4_1_0 has windows of 2 x 16
// rows, 4 words of B in a read, 1 group, and takes compressed windows (body.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#include "spmm/common/matrix.h"
#include "spmm/meet/meet.h"

#define WINDOWS_TYPE half
#define WINDOWS_DENSE_RESIDENT 32
#define WINDOWS_STORE half
#define WINDOWS_SUM float
#define WINDOWS_SIZE 2
#include "spmm/windows/short.h"

#define WINDOWS_TYPE bfloat
#define WINDOWS_DENSE_RESIDENT 32
#define WINDOWS_STORE bfloat
#define WINDOWS_SUM float
#define WINDOWS_SIZE 2
#include "spmm/windows/short.h"
