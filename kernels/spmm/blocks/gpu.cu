// The device kernels blocks_… for SpMM: blocks_double_2_4_2 has windows of 2 x 16 rows, four warps side by
// side with two groups of columns each (body.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#include "spmm/common/matrix.h"

#include "spmm/common/group.h"
#include "spmm/common/ring.h"
#include "spmm/common/walk.h"
#include "spmm/meet/meet.h"

#define BLOCKS_STAGES SPMM_GPU_BLOCK_STAGES
#define WINDOWS_TYPE double
#define WINDOWS_STORE double
#define WINDOWS_SUM double
#define WINDOWS_SIZE 8
#define BLOCKS_TALL 2
#define BLOCKS_WARPS 1
#define WINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 6
#include "spmm/blocks/body.h"
#define BLOCKS_TALL 2
#define BLOCKS_WARPS 2
#define WINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 4
#include "spmm/blocks/body.h"
#define BLOCKS_TALL 2
#define BLOCKS_WARPS 4
#define WINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 2
#include "spmm/blocks/body.h"
#undef WINDOWS_TYPE
#undef WINDOWS_STORE
#undef WINDOWS_SUM
#undef WINDOWS_SIZE

#define WINDOWS_TYPE half
#define WINDOWS_STORE half
#define WINDOWS_SUM float
#define WINDOWS_SIZE 2
#define BLOCKS_TALL 1
#define BLOCKS_WARPS 4
#define WINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 3
#include "spmm/blocks/body.h"
#undef WINDOWS_TYPE
#undef WINDOWS_STORE
#undef WINDOWS_SUM
#undef WINDOWS_SIZE

#define WINDOWS_TYPE bfloat
#define WINDOWS_STORE bfloat
#define WINDOWS_SUM float
#define WINDOWS_SIZE 2
#define BLOCKS_TALL 1
#define BLOCKS_WARPS 4
#define WINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 3
#include "spmm/blocks/body.h"
#undef WINDOWS_TYPE
#undef WINDOWS_STORE
#undef WINDOWS_SUM
#undef WINDOWS_SIZE
