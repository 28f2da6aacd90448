// The device kernels bands_half_… and bands_bfloat_… for SpMM: bands_half_128 has 128 columns of C in a tile
// (bands_body.h). For compute capability 9.0a alone.
#include "shim.h"

#include "spmm/gpu.h"
#include "spmm/gpu_number.h"

#include "spmm/gpu_group.h"

#define BANDS_TYPE half
#include "spmm/bands_columns.h"

#define BANDS_TYPE bfloat
#include "spmm/bands_columns.h"
