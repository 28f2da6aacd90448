// The device kernels bands_half_…, bands_bfloat_…, bands_tf32_… and bands_float_… for SpMM: bands_half_128
// has 128 columns of C in a tile (body.h). For compute capability 9.0a alone.
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#include "spmm/common/matrix.h"

#include "spmm/common/group.h"
#include "spmm/meet/meet.h"

#define BANDS_TYPE half
#define BANDS_STORE half
#include "spmm/bands/short.h"

#define BANDS_TYPE bfloat
#define BANDS_STORE bfloat
#include "spmm/bands/short.h"

#define BANDS_TYPE tf32
#define BANDS_STORE float
#define BANDS_PARTS 1
#define BANDS_KEPT 3
#include "spmm/bands/wide.h"

#define BANDS_TYPE float
#define BANDS_STORE float
#define BANDS_PARTS 2
#define BANDS_KEPT 2
#include "spmm/bands/wide.h"
