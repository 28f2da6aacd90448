// The device kernels pack_… for SpMM: A into the formats of the others (pack.h).
#include "shim.h"

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

#include "spmm/common/matrix.h"
#include "spmm/common/place.h"
#include "spmm/pack/pack.h"
#include "spmm/tca/tca.h"

#include "spmm/pack/common.h"
#include "spmm/pack/marks.h"
#include "spmm/pack/rows.h"
#include "spmm/pack/strips.h"
#include "spmm/pack/tca.h"
#include "spmm/pack/tiles.h"
#include "spmm/pack/windows.h"
