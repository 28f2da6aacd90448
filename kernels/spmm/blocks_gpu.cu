// The device kernels blocks_… for SpMM: blocks_double_4 has four warps side by side (blocks_body.h).
#include "shim.h"

#include "spmm/gpu.h"
#include "spmm/gpu_number.h"

#include "spmm/gpu_matrix.h"
#include "spmm/gpu_meet.h"

#define WINDOWS_TYPE double
#define WINDOWS_STORE double
#define WINDOWS_SUM double
#define WINDOWS_SIZE 8
#define WINDOWS_GROUPS 2
#define BLOCKS_WARPS 1
#define BLOCKS_RESIDENT 5
#include "spmm/blocks_body.h"
#define WINDOWS_GROUPS 1
#define BLOCKS_WARPS 4
#define BLOCKS_RESIDENT 5
#include "spmm/blocks_body.h"
#undef WINDOWS_TYPE
#undef WINDOWS_STORE
#undef WINDOWS_SUM
#undef WINDOWS_SIZE
