// The device kernels rings_half_… and rings_bfloat_… for SpMM: rings_half_2_4_0 has windows of 32 rows, 256
// columns of C in a tile and compressed windows (rings_body.h). For compute capability 9.0a alone.
#include "shim.h"

#include "spmm/gpu.h"
#include "spmm/gpu_number.h"

#include "spmm/gpu_matrix.h"

#include "spmm/gpu_group.h"
#include "spmm/gpu_meet.h"
#include "spmm/gpu_ring.h"
#include "spmm/gpu_walk.h"

#define RINGS_TYPE half
#include "spmm/rings_short.h"

#define RINGS_TYPE bfloat
#include "spmm/rings_short.h"
