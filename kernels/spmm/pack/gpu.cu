// The device kernels pack_… for SpMM: A into the formats of the others (pack.h).
#include "shim.h"

#include "spmm/gpu.h"
#include "spmm/gpu_number.h"

#include "spmm/gpu_matrix.h"
#include "spmm/pack.h"
#include "spmm/place.h"
#include "spmm/tca.h"

#include "spmm/pack_common.h"
#include "spmm/pack_marks.h"
#include "spmm/pack_rows.h"
#include "spmm/pack_strips.h"
#include "spmm/pack_tca.h"
#include "spmm/pack_tiles.h"
#include "spmm/pack_windows.h"
