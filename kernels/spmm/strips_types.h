// The kernels of strips_body.h for a type: tiles of 128, 256 and 512 bytes.
#define STRIPS_LANES 8
#include "spmm/strips_body.h"
#define STRIPS_LANES 16
#include "spmm/strips_body.h"
#define STRIPS_LANES 32
#include "spmm/strips_body.h"
#undef STRIPS_TYPE
#undef STRIPS_SIZE
#undef STRIPS_SUM
#undef STRIPS_COUNT
